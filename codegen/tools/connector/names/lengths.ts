/** How long names may be, and what ends one that no words tell apart. */

import { toDigest } from '../../words/words.ts';
import { type NamedOperation, operationKey } from './operation-key.ts';

/** Clients put a prefix of their own before a tool's name: what is longer than this gets a warning. */
export const TOOL_NAME_AIM = 40;
/** Longest name that no known client refuses, whatever a user calls this server: see `profiles/cursor.ts`. */
export const MAX_TOOL_NAME_LENGTH = 58;
/** Of digests, from the usual one to one that leaves room for nothing else. */
export const DIGEST_LENGTHS = [6, 32, 48] as const;

/** A name that ends in a digest of its operation's method and path. */
export function withDigest(name: string, operation: NamedOperation, length: number): string {
  const room = MAX_TOOL_NAME_LENGTH - length - 1;
  const head = name.length <= room ? name : cutAtWord(name, room);
  return `${head.replace(/_+$/, '')}_${toDigest(operationKey(operation), length)}`;
}

/** The whole words of a name that fit, or as much of the first one. */
export function cutAtWord(name: string, length: number): string {
  if (name.length <= length) return name;
  const head = name.slice(0, length + 1).replace(/_[^_]*$/, '');
  return head.slice(0, length);
}
