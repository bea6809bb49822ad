/** The name of a change: the same after a rebase, whatever else changes and in whatever order things are found. */

import { shortHash } from './canonical.ts';
import type { Change } from './types.ts';

/**
 * 12 hexadecimal digits of what a reviewer decides about: rule, service, tool, place and what is there now.
 *
 * What was there before does not count, so a decision survives a base that moves.
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

/** Of several changes together: another tool that changes alike makes another fingerprint. One change keeps its own. */
export function groupFingerprint(changes: readonly Pick<Change, 'fingerprint'>[]): string {
  const all = [...new Set(changes.map(({ fingerprint }) => fingerprint))].sort();
  const [first] = all;
  return all.length === 1 && first !== undefined ? first : shortHash(all);
}
