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
export function groupFingerprint(changes: readonly Pick<Change, 'fingerprint'>[]): string {
  const all = [...new Set(changes.map(({ fingerprint }) => fingerprint))].sort();
  const [first] = all;
  return all.length === 1 && first !== undefined ? first : shortHash(all);
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
  const used = new Set<string>();
  const reasonFor = (fingerprint: string): string | null => {
    const reason = reasons.get(fingerprint);
    if (reason !== undefined) used.add(fingerprint);
    return reason ?? null;
  };
  const marked = groups.flatMap((group): ChangeGroup[] => {
    const whole = reasonFor(group.fingerprint);
    const changes = group.changes.map((change) => ({
      ...change,
      acknowledged: whole ?? reasonFor(change.fingerprint),
    }));
    const left = changes.filter(({ acknowledged }) => acknowledged === null);
    const rest = left.length === 0 ? null : reasonFor(groupFingerprint(left));
    const open = rest === null ? left : [];
    const done = changes.flatMap((one) =>
      (one.acknowledged ?? rest) === null ? [] : [{ ...one, acknowledged: one.acknowledged ?? rest }],
    );
    return [open, done]
      .filter((part) => part.length > 0)
      .map((part) => ({
        ...group,
        changes: part,
        fingerprint: groupFingerprint(part),
        acknowledged: part === done ? [...new Set(done.map((change) => change.acknowledged))].join('; ') : null,
      }));
  });
  return { groups: marked, stale: acknowledgements.filter(({ fingerprint }) => !used.has(fingerprint)) };
}
