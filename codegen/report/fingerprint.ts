/** The id of a change: stable across rebases, other changes and the order of findings. */

import { shortHash } from './canonical.ts';
import type { Change } from './types.ts';

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
