/** Words of which people use one and a descriptor another. A service has more of its own in `connector.yaml`. */

import { toStem } from '../words.ts';
import { EVERYDAY_THINGS, EVERYDAY_VERBS, HINTS } from './everyday.ts';
import { SAME_VERBS, SPELLINGS, THINGS, VERBS } from './families.ts';

/**
 * How a synonym stands for a word: the same in another spelling, a thing by another name, a verb for the same act or one that may mean it,
 * a hint, or what people say every day who may mean it.
 */
export type SynonymKind = 'same' | 'noun' | 'sameVerb' | 'verb' | 'hint' | 'everyday';

const NONE: ReadonlyMap<string, SynonymKind> = new Map();

const spellings = new Map(readFamilies(SPELLINGS).flatMap((family) => family.map((stem) => [stem, family] as const)));
const verbs = new Set(readFamilies(VERBS).flat());
const byStem = new Map<string, Map<string, SynonymKind>>();
// The later of two that say different kinds of the same words holds.
for (const { meant, said } of readMeanings(EVERYDAY_THINGS)) addAll(said, [meant], 'everyday');
for (const [said = '', ...meant] of readFamilies(HINTS)) addAll([said], meant, 'hint');
for (const { meant, said } of readMeanings(EVERYDAY_VERBS)) addAll(said, [meant], 'verb');
for (const family of readFamilies(VERBS)) addAll(family, family, 'verb');
for (const family of readFamilies(SAME_VERBS)) addAll(family, family, 'sameVerb');
for (const family of readFamilies(THINGS)) addAll(family, family, 'noun');
for (const family of readFamilies(SPELLINGS)) addAll(family, family, 'same');

/** Stems that may stand for this one. */
export function synonymsOf(stem: string): ReadonlyMap<string, SynonymKind> {
  return byStem.get(stem) ?? NONE;
}

/** Whether it stands for a verb, and so only for the first word of a request or title. */
export function isOfVerb(kind: SynonymKind): boolean {
  return kind === 'verb' || kind === 'sameVerb';
}

/** Whether the stem is of a verb that tools begin with, or of one that may stand for it. */
export function isVerb(stem: string): boolean {
  return verbs.has(stem);
}

function addAll(said: readonly string[], meant: readonly string[], kind: SynonymKind): void {
  for (const stem of spell(said)) {
    const known = byStem.get(stem) ?? new Map<string, SynonymKind>();
    byStem.set(stem, known);
    for (const other of spell(meant)) if (other !== stem) known.set(other, kind);
  }
}

function spell(stems: readonly string[]): readonly string[] {
  return stems.flatMap((stem) => spellings.get(stem) ?? [stem]);
}

function readFamilies(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(toStem));
}

function readMeanings(table: string): readonly { readonly meant: string; readonly said: readonly string[] }[] {
  return table
    .trim()
    .split(/\n|; /)
    .map((entry) => {
      const [meant = '', said = ''] = entry.split(' < ');
      return { meant: toStem(meant), said: said.split(' ').map(toStem) };
    });
}
