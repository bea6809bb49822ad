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
for (const { meant, said } of readMeanings(EVERYDAY_THINGS)) addAll(said, [meant], 'everyday');
for (const [said = '', ...meant] of readFamilies(HINTS)) addAll([said], meant, 'hint');
for (const { meant, said } of readMeanings(EVERYDAY_VERBS)) addAll(said, [meant], 'verb');
for (const family of readFamilies(VERBS)) addAll(family, family, 'verb');
for (const family of readFamilies(SAME_VERBS)) addAll(family, family, 'sameVerb');
for (const family of readFamilies(THINGS)) addAll(family, family, 'noun');

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

function addAll(said: readonly string[], meant: readonly string[], kind: SynonymKind): void {
  for (const stem of said) {
    const kinds = byStem.get(stem) ?? new Map<string, SynonymKind>();
    byStem.set(stem, kinds);
    for (const other of meant) if (other !== stem) kinds.set(other, kind);
  }
}

function readFamilies(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(toSharedStem));
}

function readMeanings(table: string): readonly { readonly meant: string; readonly said: readonly string[] }[] {
  return table
    .trim()
    .split(/\n|; /)
    .map((entry) => {
      const [meant = '', said = ''] = entry.split(' < ');
      return { meant: toSharedStem(meant), said: said.split(' ').map(toSharedStem) };
    });
}
