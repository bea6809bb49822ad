/** Caches written definitions for the other tools of a service, with the names that their writing depended on. */

import type { Schema } from '../../model/types.ts';

/** The inputs and effects of writing one definition, without those of the definitions in it. */
export interface Recorded {
  /** By reference: the name of the definition that it stays, or undefined if it is written out. */
  readonly asked: Map<string, string | undefined>;
  /** Definitions that it needs and patterns that it drops, in order. */
  readonly steps: Step[];
  /** Parts that accept more than the descriptor does. */
  readonly loose: Schema[];
}

type Step = { readonly ref: string; readonly name: string } | { readonly pattern: string; readonly problem: string };

export interface KeptDefinition extends Recorded {
  readonly schema: Schema;
}

/** The definitions of a service written so far. */
export interface KeptDefinitions {
  /** The definition written at a place if its lookups gave the same names, or null. */
  find(place: string, names: ReadonlyMap<string, string>): KeptDefinition | null;
  add(place: string, definition: KeptDefinition): void;
}

export function createKeptDefinitions(): KeptDefinitions {
  const byPlace = new Map<string, KeptDefinition[]>();
  return {
    find: (place, names) => byPlace.get(place)?.find(({ asked }) => isAnswered(asked, names)) ?? null,
    add(place, definition) {
      const others = byPlace.get(place);
      if (others === undefined) byPlace.set(place, [definition]);
      else others.push(definition);
    },
  };
}

function isAnswered(asked: ReadonlyMap<string, string | undefined>, names: ReadonlyMap<string, string>): boolean {
  for (const [ref, name] of asked) if (names.get(ref) !== name) return false;
  return true;
}
