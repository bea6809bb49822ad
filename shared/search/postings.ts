/** The tools that contain a word, and its weight in each: BM25 over the fields of a tool. */

import MiniSearch from 'minisearch';
import type { SearchWords } from './search-words.ts';
import { toSharedStem } from './synonyms/index.ts';

/** One tool that contains a word. */
interface Posting {
  /** The tool's index in the list. */
  readonly at: number;
  readonly score: number;
  readonly fields: readonly string[];
}

/** The tools of each word. */
export interface Postings {
  isKnown(stem: string): boolean;
  exact(stem: string): readonly Posting[];
  /** Includes longer words with this beginning and, if the word is unknown, words with a similar spelling. */
  near(stem: string): readonly Posting[];
}

/** Weight of a word by field. */
const FIELD_WEIGHTS = { name: 3, title: 4, summary: 1.5, details: 0.6, arguments: 0.6, synonyms: 2.5, service: 1.5 };
const FIELDS = Object.keys(FIELD_WEIGHTS);
const BM25 = { k: 1.2, b: 0.7, d: 0 };
const NEAR_WEIGHTS = { prefix: 0.3, fuzzy: 0.2 };
const MIN_PREFIX_LENGTH = 4;
const MIN_FUZZY_LENGTH = 5;
const FUZZINESS = 0.2;

/** Indexes the words of the tools once. Results are cached: together they are no larger than the index itself. */
export function createPostings(tools: readonly SearchWords[]): Postings {
  const stems = tools.map(toStems);
  const index = new MiniSearch<SearchWords & { readonly id: number }>({
    fields: FIELDS,
    tokenize: (text) => text.split(' '),
    processTerm: (stem) => stem,
  });
  index.addAll(stems.map((words, id) => ({ id, ...words })));
  const knownStems = new Set(stems.flatMap((words) => Object.values(words).join(' ').split(' ')));
  const postingsCache = new Map<string, readonly Posting[]>();

  const find = (stem: string, near: boolean): readonly Posting[] =>
    index
      .search(stem, {
        processTerm: (term) => term,
        boost: FIELD_WEIGHTS,
        bm25: BM25,
        prefix: near && stem.length >= MIN_PREFIX_LENGTH,
        fuzzy: near && !knownStems.has(stem) && stem.length >= MIN_FUZZY_LENGTH && FUZZINESS,
        weights: NEAR_WEIGHTS,
      })
      .map(({ id, score, match }) => ({ at: Number(id), score, fields: fieldsOf(match, stem) }))
      .filter(({ fields }) => fields.length > 0);

  return {
    isKnown: (stem) => knownStems.has(stem),
    exact(stem) {
      if (!knownStems.has(stem)) return [];
      const postings = postingsCache.get(stem) ?? find(stem, false);
      postingsCache.set(stem, postings);
      return postings;
    },
    near: (stem) => find(stem, true),
  };
}

/** Only a whole word names a service. */
function fieldsOf(match: Readonly<Record<string, string[]>>, stem: string): string[] {
  return Object.entries(match).flatMap(([term, fields]) =>
    term === stem ? fields : fields.filter((field) => field !== 'service'),
  );
}

/** Each stem once in a field: a title with a word in two forms is no better match. */
function toStems(words: SearchWords): SearchWords {
  const stem = (text: string) => [...new Set(text.split(' ').map(toSharedStem))].join(' ');
  return {
    name: stem(words.name),
    title: stem(words.title),
    summary: stem(words.summary),
    details: stem(words.details),
    arguments: stem(words.arguments),
    synonyms: stem(words.synonyms),
    service: stem(words.service),
  };
}
