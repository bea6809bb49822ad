/** Maximum lengths of names, and the ending of a name that words do not make unique. */

import { toDigest } from '../../words/words.ts';
import { type NamedOperation, operationKey } from './operation-key.ts';

/** Clients add their own prefix to a tool's name: a longer name gets a warning. */
export const TOOL_NAME_AIM = 40;
/** Longest name that no known client refuses, whatever name a user gives this server: see `profiles/cursor.ts`. */
export const MAX_TOOL_NAME_LENGTH = 58;
/** Lengths of digests, from the usual one to one that leaves no room for anything else. */
export const DIGEST_LENGTHS = [6, 32, 48] as const;

/** A name that ends in a digest of its operation's method and path. */
export function withDigest(name: string, operation: NamedOperation, length: number): string {
  const room = MAX_TOOL_NAME_LENGTH - length - 1;
  const head = name.length <= room ? name : cutAtWord(name, room);
  return `${head.replace(/_+$/, '')}_${toDigest(operationKey(operation), length)}`;
}

/** The whole words of a name that fit, or as much of the first word as fits. */
export function cutAtWord(name: string, length: number): string {
  if (name.length <= length) return name;
  const head = name.slice(0, length + 1).replace(/_[^_]*$/, '');
  return head.slice(0, length);
}
