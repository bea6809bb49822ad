/** Titles of tools: which of their words tell what a tool is about. */

import { isVerb, toSharedStem } from './synonyms/index.ts';

/** One title. */
export interface Title {
  readonly words: readonly string[];
  readonly stems: readonly string[];
  /** Without a verb at the beginning, which people leave out: `members of a team`. */
  readonly things: readonly string[];
}

/** All titles, by the index of their tools. */
export interface Titles {
  of(at: number): Title;
  /** True if any title begins with the stem. */
  isLead(stem: string): boolean;
  /** True if the title begins with one of these, or with a reading verb if there are none. */
  leads(title: Title, lead: ReadonlySet<string> | null): boolean;
  /** True if the title begins with a verb that does not read. */
  changes(title: Title): boolean;
  /** Rare words weigh more: an untyped `pin` in a title matters more than an untyped `repository`. */
  weigh(stems: readonly string[], share: (stem: string) => number): number;
}

const READING_VERBS: ReadonlySet<string> = new Set(
  ['get', 'list', 'retrieve', 'read', 'search', 'check', 'find'].map(toSharedStem),
);
const NO_TITLE: Title = { words: [], stems: [], things: [] };

/** Creates titles from the words that codegen writes. */
export function createTitles(texts: readonly string[]): Titles {
  const titles = texts.map(toTitle);
  const leads = new Set(titles.flatMap(({ stems: [lead] }) => lead ?? []));
  const counts = new Map<string, number>();
  for (const { stems } of titles) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const weights = new Map([...counts].map(([stem, count]) => [stem, Math.log(1 + titles.length / count)]));

  return {
    of: (at) => titles[at] ?? NO_TITLE,
    isLead: (stem) => leads.has(stem),
    leads({ stems: [first = '', second = ''] }, lead) {
      if (lead === null) return READING_VERBS.has(first);
      return lead.has(first) || (isVerb(first) && isVerb(second) && lead.has(second));
    },
    changes: ({ stems: [first = ''] }) => isVerb(first) && !READING_VERBS.has(first),
    weigh: (stems, share) => stems.reduce((sum, stem) => sum + (weights.get(stem) ?? 0) * share(stem), 0),
  };
}

function toTitle(text: string): Title {
  const words = text.split(' ');
  const stems = [...new Set(words.map(toSharedStem))];
  return { words, stems, things: stems.filter((stem, at) => at > 0 || !READING_VERBS.has(stem)) };
}
