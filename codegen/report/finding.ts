/** Findings about values that differ between the base and the head. */

import { isSame } from '../json.ts';
import type { Finding } from './types.ts';

/** The finding alone, or none if its values are the same. Null counts as a missing value. */
export function ifChanged(finding: Finding): Finding[] {
  const [before, after] = [finding.before ?? undefined, finding.after ?? undefined];
  return isSame(before, after) ? [] : [{ ...finding, before, after }];
}

type Members = Readonly<Record<string, unknown>>;

/** The finding about one member of a literal. */
export function compareMember(old: Members, now: Members, name: string, rule: Finding['rule']): Finding[] {
  return ifChanged({ rule, place: name, before: old[name], after: now[name], pointer: [name] });
}

/** Names of the members that either object has. */
export function namesInEither(old: object, now: object): string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])];
}
