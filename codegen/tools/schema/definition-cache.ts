/** Caches written definitions for the other tools of a service, with the names that their writing depended on. */

import type { Schema } from '../../model/types.ts';

/** The inputs and effects of writing one definition, without those of the definitions in it. */
export interface WritingRecord {
  /** By reference: the name of the definition that it stays, or undefined if it is written out. */
  readonly namesByRef: Map<string, string | undefined>;
  /** Definitions that it needs and patterns that it drops, in order. */
  readonly steps: Step[];
  /** Parts that accept more than the descriptor does. */
  readonly loosened: Schema[];
}

type Step = { readonly ref: string; readonly name: string } | { readonly pattern: string; readonly problem: string };

export interface CachedDefinition extends WritingRecord {
  readonly schema: Schema;
}

/** The definitions of a service written so far. */
export interface DefinitionCache {
  /** The definition written at a place if its lookups gave the same names, or null. */
  find(key: string, names: ReadonlyMap<string, string>): CachedDefinition | null;
  add(key: string, definition: CachedDefinition): void;
}

export function createDefinitionCache(): DefinitionCache {
  const byKey = new Map<string, CachedDefinition[]>();
  return {
    find: (key, names) => byKey.get(key)?.find(({ namesByRef }) => hasSameNames(namesByRef, names)) ?? null,
    add(key, definition) {
      const definitions = byKey.get(key);
      if (definitions === undefined) byKey.set(key, [definition]);
      else definitions.push(definition);
    },
  };
}

function hasSameNames(
  namesByRef: ReadonlyMap<string, string | undefined>,
  names: ReadonlyMap<string, string>,
): boolean {
  for (const [ref, name] of namesByRef) if (names.get(ref) !== name) return false;
  return true;
}
