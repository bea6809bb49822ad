/** The id of a change, stable across rebases, other changes and the order of findings; and what someone accepted by it. */

import { shortHash } from '../json.ts';
import type { Acknowledgement, Change, ChangeGroup } from './types.ts';

/**
 * 12 hexadecimal digits over what a reviewer decides about: rule, service, tool, place and the new value.
 *
 * The old value does not count, so a decision stays valid when the base changes.
 */
export function fingerprintOf({
  rule,
  service,
  tool,
  place,
  after,
}: Pick<Change, 'rule' | 'service' | 'tool' | 'place' | 'after'>): string {
  return shortHash([rule, service, tool, place, after ?? null]);
}

/**
 * The fingerprint of several changes together: the same change in another tool gives another fingerprint. A single
 * change keeps its own.
 */
export function groupFingerprint(changes: readonly Change[]): string {
  const fingerprints = [...new Set(changes.map(({ fingerprint }) => fingerprint))].sort();
  const [first] = fingerprints;
  return fingerprints.length === 1 && first !== undefined ? first : shortHash(fingerprints);
}

/**
 * Marks acknowledged changes, by the fingerprint of a group or of its single changes.
 *
 * @returns The marked groups, and the acknowledgements that matched nothing. A group with only some changes
 * acknowledged is split in two.
 */
export function acknowledge(
  groups: readonly ChangeGroup[],
  acknowledgements: readonly Acknowledgement[],
): { groups: ChangeGroup[]; stale: Acknowledgement[] } {
  const reasons = new Map(acknowledgements.map(({ fingerprint, reason }) => [fingerprint, reason]));
  const matchedFingerprints = new Set<string>();
  const reasonFor = (fingerprint: string): string | null => {
    const reason = reasons.get(fingerprint);
    if (reason !== undefined) matchedFingerprints.add(fingerprint);
    return reason ?? null;
  };
  const marked = groups.flatMap((group): ChangeGroup[] => {
    const groupReason = reasonFor(group.fingerprint);
    const changes = group.changes.map((change) => ({
      ...change,
      acknowledged: groupReason ?? reasonFor(change.fingerprint),
    }));
    const unacknowledged = changes.filter(({ acknowledged }) => acknowledged === null);
    const remainderReason = unacknowledged.length === 0 ? null : reasonFor(groupFingerprint(unacknowledged));
    const openChanges = remainderReason === null ? unacknowledged : [];
    const acceptedChanges = changes.flatMap((change) =>
      (change.acknowledged ?? remainderReason) === null
        ? []
        : [{ ...change, acknowledged: change.acknowledged ?? remainderReason }],
    );
    return [openChanges, acceptedChanges]
      .filter((subset) => subset.length > 0)
      .map((subset) => ({
        ...group,
        changes: subset,
        fingerprint: groupFingerprint(subset),
        acknowledged:
          subset === acceptedChanges
            ? [...new Set(acceptedChanges.map((change) => change.acknowledged))].join('; ')
            : null,
      }));
  });
  return { groups: marked, stale: acknowledgements.filter(({ fingerprint }) => !matchedFingerprints.has(fingerprint)) };
}
