/** Caches the sets of facts that grants refer to. */

import type { ToolFacts } from '../catalogue/facts.ts';

/** Finds a set of facts by hash. A set that is not stored counts as empty, so writing tools must be allowed again. */
export type FindSeenFacts = (hash: string) => ToolFacts | Promise<ToolFacts>;

/** Enough sets: grants live for months, and each release of the tools adds one set. */
const MAX_KEPT = 100;

/** @param read the JSON of a set. */
export function createSeenFacts(read: (hash: string) => Promise<string | undefined>): FindSeenFacts {
  const kept = new Map<string, ToolFacts>();
  return (hash) => {
    const found = kept.get(hash);
    if (found !== undefined) return found;
    return read(hash).then((text) => {
      const facts = text === undefined ? {} : (JSON.parse(text) as ToolFacts);
      if (kept.size >= MAX_KEPT) kept.clear();
      if (text !== undefined) kept.set(hash, facts);
      return facts;
    });
  };
}
