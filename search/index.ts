/** Finds tools by what somebody types: BM25 over the words that codegen made of each tool, with stems and synonyms. */

import MiniSearch from 'minisearch';
import type { SearchWords } from './search-words.ts';
import { synonymsOf } from './synonyms.ts';
import { withoutValues } from './values.ts';
import { toJoinedPairs, toStem, toWords } from './words.ts';

export type { SearchWords } from './search-words.ts';

/** Finds tools. */
export interface ToolIndex {
  /**
   * Names of tools, best first.
   *
   * @param typed words, in any order and form.
   * @param accepts false for a tool that is to be left out.
   */
  search(typed: string, limit: number, accepts: (name: string) => boolean): string[];
}

/** How much a word counts, by where it stands. What follows was chosen by the requests of `test/search`, the fresh ones aside. */
const FIELD_WEIGHTS = { name: 3, title: 4, summary: 1.5, details: 0.6, arguments: 0.6, synonyms: 2.5, service: 1.5 };
const FIELDS = Object.keys(FIELD_WEIGHTS);
const BM25 = { k: 1.2, b: 0.7, d: 0 };
/** Of a word that only may stand for the one that was typed. */
const SYNONYM_WEIGHT = 0.12;
const NEAR_WEIGHTS = { prefix: 0.3, fuzzy: 0.2 };
const MIN_PREFIX_LENGTH = 4;
const MIN_FUZZY_LENGTH = 5;
const FUZZINESS = 0.2;
/** How much of a score hangs on how much of the title was typed. */
const TITLE_SHARE = 0.7;
/** How much of a title's other words a word covers that the service's synonyms hold. */
const SYNONYM_COVER = 0.6;
/** What a title gains that begins with the verb of the request. */
const LEAD_GAIN = 0.2;
/** What a title gains whose words are in the form that was typed: `contacts` asks for a list, `contact` for one. Not after `every`. */
const FORM_GAIN = 0.3;
/** What the tools of a service gain that the request names. */
const SERVICE_GAIN = 0.6;
/** Longer requests are cut. */
const MAX_TYPED_WORDS = 40;
/** Verbs of tools that people leave out: `members of a team`. */
const READING_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'retrieve', 'read', 'search'].map(toStem));

/** Who says one of these asks for a list, whatever the verb. */
const MANY = /\b(?:all|every|everyone|everybody|everything)\b/i;
const MANY_VERBS: ReadonlySet<string> = new Set([toStem('list')]);
const NO_STEMS: ReadonlySet<string> = new Set();

/** Creates the index of these tools, by name. It is kept whole in memory, and changes no more. */
export function createToolIndex(tools: ReadonlyMap<string, SearchWords>): ToolIndex {
  const index = new MiniSearch<SearchWords & { readonly id: string }>({
    fields: FIELDS,
    tokenize: (text) => text.split(' '),
    processTerm: toStem,
  });
  index.addAll([...tools].map(([id, words]) => ({ id, ...words })));
  const titles = new Map([...tools].map(([id, { title }]) => [id, title.split(' ').map(toStem)]));
  const forms = new Map([...tools].map(([id, { title }]) => [id, new Set(title.split(' '))]));
  const weightOf = createTitleWeights([...titles.values()]);
  const leads = new Set([...titles.values()].flatMap(([lead]) => lead ?? []));
  const known = new Set([...tools.values()].flatMap((words) => Object.values(words).join(' ').split(' ').map(toStem)));

  return {
    search(request, limit, accepts) {
      const typed = withoutValues(request);
      const asked = toAsked(typed, known);
      if (asked.length === 0) return [];
      const terms = withSynonyms(asked);
      const isUnknown = (term: string): boolean => terms.get(term) === 1 && !known.has(term);
      const isOfMany = MANY.test(typed);
      const lead = isOfMany ? MANY_VERBS : findLead(asked[0] ?? '', leads);
      const verbOnly = lead === null ? NO_STEMS : verbStems(typed, asked[0] ?? '');
      const found = index.search([...terms.keys()].join(' '), {
        processTerm: (term) => term,
        boost: FIELD_WEIGHTS,
        bm25: BM25,
        boostTerm: (term) => terms.get(term) ?? 1,
        prefix: (term) => terms.get(term) === 1 && term.length >= MIN_PREFIX_LENGTH,
        fuzzy: (term) => isUnknown(term) && term.length >= MIN_FUZZY_LENGTH && FUZZINESS,
        weights: NEAR_WEIGHTS,
      });
      const typedForms = new Set(isOfMany ? [] : toWords(typed));
      const scored = found.map(({ id, score, match, queryTerms }) => {
        const title = titles.get(String(id)) ?? [];
        const said = asked.filter((stem) => isAmong(queryTerms, stem)).length / asked.length;
        const counted = lead === null ? title.filter((stem, at) => at > 0 || !READING_VERBS.has(stem)) : title;
        const isCovered = (stem: string) => stem in match && !(verbOnly.has(stem) && stem !== title[0]);
        const literal = counted.length === 0 ? 1 : weightOf(counted.filter(isCovered)) / weightOf(counted);
        const bySynonym = asked.some((stem) => match[stem]?.includes('synonyms') && !title.includes(stem));
        const covered = bySynonym ? literal + (1 - literal) * SYNONYM_COVER : literal;
        const isInForm = [...(forms.get(String(id)) ?? [])].some((word) => typedForms.has(word));
        const named = asked.some((stem) => match[stem]?.includes('service'));
        const gain =
          ((lead ?? READING_VERBS).has(title[0] ?? '') ? 1 + LEAD_GAIN : 1) *
          (isInForm ? 1 + FORM_GAIN : 1) *
          (named ? 1 + SERVICE_GAIN : 1);
        return { name: String(id), score: score * gain * said * (1 - TITLE_SHARE + TITLE_SHARE * covered) };
      });
      return takeAccepted(
        scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1)),
        limit,
        accepts,
      );
    },
  };
}

/** Asks no more often than it must: whether a caller may call a tool takes longer than to score it. */
function takeAccepted(
  scored: readonly { readonly name: string }[],
  limit: number,
  accepts: (name: string) => boolean,
): string[] {
  const taken: string[] = [];
  for (const { name } of scored) {
    if (taken.length >= limit) break;
    if (accepts(name)) taken.push(name);
  }
  return taken;
}

/** What was asked for: each stem once, and none that says the same as one before (`create a new list`). */
function toAsked(typed: string, known: ReadonlySet<string>): string[] {
  const joined = toJoinedPairs(typed)
    .map(toStem)
    .filter((stem) => known.has(stem));
  const stems = [...new Set([...toWords(typed).slice(0, MAX_TYPED_WORDS).map(toStem), ...joined])];
  return stems.filter((stem, at) => !stems.slice(0, at).some((other) => synonymsOf(other).has(stem)));
}

/** Stems to look for, with their weights. */
function withSynonyms(asked: readonly string[]): ReadonlyMap<string, number> {
  const others = asked.flatMap((stem) => [...synonymsOf(stem)]);
  return new Map([
    ...others.map((stem) => [stem, SYNONYM_WEIGHT] as const),
    ...asked.map((stem) => [stem, 1] as const),
  ]);
}

/** What a title may begin with where the request begins with a verb; null: it begins with none. */
function findLead(first: string, leads: ReadonlySet<string>): ReadonlySet<string> | null {
  const alike = new Set([first, ...synonymsOf(first)]);
  return [...alike].some((stem) => leads.has(stem)) ? alike : null;
}

/** What only the verb of a request stands for: the `list` of `list contacts` is no list of contacts. */
function verbStems(typed: string, verb: string): ReadonlySet<string> {
  const others = toWords(typed).slice(1).map(toStem);
  return new Set([verb, ...synonymsOf(verb)].filter((stem) => !others.includes(stem)));
}

function isAmong(terms: readonly string[], stem: string): boolean {
  return terms.includes(stem) || terms.some((term) => synonymsOf(stem).has(term));
}

/** Rare words of titles weigh more: `pin` in a title that was not typed says more than `repository` does. */
function createTitleWeights(titles: readonly (readonly string[])[]): (stems: readonly string[]) => number {
  const counts = new Map<string, number>();
  for (const title of titles) for (const stem of new Set(title)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const weight = (stem: string): number => Math.log(1 + titles.length / (counts.get(stem) ?? 1));
  return (stems) => stems.reduce((sum, stem) => sum + weight(stem), 0);
}
