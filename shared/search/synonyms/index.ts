/** Words that people use in place of those of a descriptor. A service can add its own in `connector.yaml`. */

import { toStem } from '../words.ts';
import { EVERYDAY_THINGS, EVERYDAY_VERBS, HINTS } from './everyday.ts';
import { SAME_VERBS, SPELLINGS, THINGS, VERBS } from './families.ts';

/**
 * The kind of a synonym: another name of a thing, a verb for the same action, a verb that may mean it, a hint, or an everyday word that may mean it.
 */
export type SynonymKind = 'noun' | 'sameVerb' | 'verb' | 'hint' | 'everyday';

const NONE: ReadonlyMap<string, SynonymKind> = new Map();

const spellings = new Map(
  SPELLINGS.trim()
    .split('\n')
    .flatMap((line) => {
      const family = line.split(' ').map(toStem);
      return family.map((stem) => [stem, family[0] ?? stem] as const);
    }),
);

/** The stem that a word shares with its other forms and spellings: `repos` and `repository` are one. */
export function toSharedStem(word: string): string {
  const stem = toStem(word);
  return spellings.get(stem) ?? stem;
}

const verbs = new Set(readFamilies(VERBS).flat());
const byStem = new Map<string, Map<string, SynonymKind>>();
// If two lists give the same words different kinds, the later one wins.
for (const { targetStem, typedStems } of readMeanings(EVERYDAY_THINGS))
  addSynonyms(typedStems, [targetStem], 'everyday');
for (const [typedStem = '', ...targetStems] of readFamilies(HINTS)) addSynonyms([typedStem], targetStems, 'hint');
for (const { targetStem, typedStems } of readMeanings(EVERYDAY_VERBS)) addSynonyms(typedStems, [targetStem], 'verb');
for (const family of readFamilies(VERBS)) addSynonyms(family, family, 'verb');
for (const family of readFamilies(SAME_VERBS)) addSynonyms(family, family, 'sameVerb');
for (const family of readFamilies(THINGS)) addSynonyms(family, family, 'noun');

/** Stems that may replace this one. */
export function synonymsOf(stem: string): ReadonlyMap<string, SynonymKind> {
  return byStem.get(stem) ?? NONE;
}

/** True if it replaces a verb, and so only the first word of a request or title. */
export function isOfVerb(kind: SynonymKind): boolean {
  return kind === 'verb' || kind === 'sameVerb';
}

/** True for the stem of a verb that tools begin with, or of a synonym of one. */
export function isVerb(stem: string): boolean {
  return verbs.has(stem);
}

function addSynonyms(typedStems: readonly string[], targetStems: readonly string[], kind: SynonymKind): void {
  for (const stem of typedStems) {
    const kinds = byStem.get(stem) ?? new Map<string, SynonymKind>();
    byStem.set(stem, kinds);
    for (const target of targetStems) if (target !== stem) kinds.set(target, kind);
  }
}

function readFamilies(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(toSharedStem));
}

function readMeanings(
  table: string,
): readonly { readonly targetStem: string; readonly typedStems: readonly string[] }[] {
  return table
    .trim()
    .split(/\n|; /)
    .map((entry) => {
      const [target = '', typed = ''] = entry.split(' < ');
      return { targetStem: toSharedStem(target), typedStems: typed.split(' ').map(toSharedStem) };
    });
}
