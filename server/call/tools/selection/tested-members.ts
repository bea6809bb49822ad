/** The members that a condition tests, and values of them, to say what is there if nothing matches. */

import { isScalar } from './compare.ts';
import { type Member, unwrapRawNumber } from './items.ts';

/** Values of one member that are remembered, to name the nearest where nothing matches. */
const MAX_SEEN = 200;
const MAX_SAMPLE_CHARACTERS = 60;

/** What a condition tests, to say what is there if nothing matches. */
export interface TestedMember {
  readonly member: Member;
  /**
   * Returns the values of the member. For a condition on elements of a list, `close` gives only the values in elements that pass all other tests of
   * the condition, and `all` those in every element.
   */
  readonly valuesIn: (item: unknown, elements: 'close' | 'all') => readonly unknown[];
}

/** The objects whose members are tested: the item, or elements of a list in it. */
export interface Scope {
  /** Path of the objects in the item. Empty for the item itself. */
  readonly path: readonly string[];
  readonly objectsIn: TestedMember['valuesIn'];
}

export const ITEM: Scope = { path: [], objectsIn: (item) => [item] };

export function memberAt(path: readonly string[]): Member {
  return { name: path.join('.'), path };
}

/** The objects of a scope that pass a test, where only those close to a match are wanted. */
export function narrowScope({ path, objectsIn }: Scope, passes: (object: unknown) => boolean): Scope {
  return {
    path,
    objectsIn: (item, elements) => {
      const objects = objectsIn(item, elements);
      return elements === 'all' ? objects : objects.filter(passes);
    },
  };
}

/** Values of a member that a condition tests, as JSON. */
export interface Sample extends TestedMember {
  readonly close: Set<string>;
  readonly all: Set<string>;
}

/** Adds the values that an item has, up to a limit. */
export function addSamples(samples: readonly Sample[], item: unknown): void {
  for (const sample of samples) {
    for (const elements of ['close', 'all'] as const) {
      const texts = sample[elements];
      if (texts.size >= MAX_SEEN) continue;
      for (const value of sample.valuesIn(item, elements).map(unwrapRawNumber)) {
        if (isScalar(value) && texts.size < MAX_SEEN) texts.add(JSON.stringify(value).slice(0, MAX_SAMPLE_CHARACTERS));
      }
    }
  }
}

/** The values next to what else the condition asks of an element. If no element passes that, those of all. */
export function textsOf({ close, all }: Sample): ReadonlySet<string> {
  return close.size > 0 ? close : all;
}
