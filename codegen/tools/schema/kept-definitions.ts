/** Keeps written definitions for the other tools of a service, with the answers that they were written from. */

import type { Schema } from '../../model/types.ts';

/** What the writing of one definition asked and did, without what the definitions in it did. */
export interface Recorded {
  /** By reference: the name of the definition that it stays, or undefined where it is written out. */
  readonly asked: Map<string, string | undefined>;
  /** Definitions that it needs and patterns that it drops, in their order. */
  readonly steps: Step[];
  /** Parts that accept more than the descriptor does. */
  readonly loose: Schema[];
}

type Step = { readonly ref: string; readonly name: string } | { readonly pattern: string; readonly problem: string };

export interface KeptDefinition extends Recorded {
  readonly schema: Schema;
}

/** The definitions of a service that were written so far. */
export interface KeptDefinitions {
  /** What was written at a place when its questions had the answers of `names`, or null. */
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
