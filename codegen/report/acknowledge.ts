/** Acknowledgements: which changes someone accepted, and why. */

import { groupFingerprint } from './fingerprint.ts';
import type { Acknowledgement, ChangeGroup } from './types.ts';

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
    const open = changes.filter(({ acknowledged }) => acknowledged === null);
    const done = changes.filter(({ acknowledged }) => acknowledged !== null);
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
