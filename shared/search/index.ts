/** Finds tools for what someone types: BM25 over the words that codegen made for each tool, with stems and synonyms. */

import { createPostings, type Postings } from './postings.ts';
import { type Request, readRequest, type TypedWord } from './request.ts';
import type { SearchWords } from './search-words.ts';
import { isOfVerb, type SynonymKind, toSharedStem } from './synonyms/index.ts';
import { createTitles, type Title, type Titles } from './titles.ts';

export type { SearchWords } from './search-words.ts';

/** The result of a search. */
interface FoundTools {
  /** Best first. */
  readonly names: readonly string[];
  /** False if even the best seems to do something else: its names are only the nearest. */
  readonly fits: boolean;
}

/** Finds tools. */
export interface ToolIndex {
  /**
   * The tools for what was typed.
   *
   * @param typed words, in any order and form.
   * @param accepts returns false for a tool to leave out.
   */
  search(typed: string, limit: number, accepts: (name: string) => boolean): FoundTools;
}

// All numbers here were tuned on requests of persons; those of `test/shared/search/requests/held-winter.yaml` were not among them.

/**
 * Weight of a synonym: `score` is its share of a word's score, `share` counts in a word of the request, `cover` in a
 * word of the title.
 */
const WORTH: Readonly<Record<SynonymKind, { readonly score: number; readonly share: number; readonly cover: number }>> =
  {
    noun: { score: 0.5, share: 0.85, cover: 0.8 },
    sameVerb: { score: 1, share: 1, cover: 1 },
    verb: { score: 0.3, share: 1, cover: 1 },
    hint: { score: 0.4, share: 0.5, cover: 0.3 },
    everyday: { score: 0.45, share: 0.85, cover: 0.7 },
  };
/** Minimum length of a typed word that also matches longer words with that beginning. */
const MIN_PREFIX_LENGTH = 4;
/** Share of the score that depends on how much of the title was typed. */
const TITLE_SHARE = 0.7;
/** Coverage of a title's word by one of the service's synonyms. */
const SYNONYM_COVER = 0.7;
/** Exponent of the share of the request that was found, for a partial match. */
const MATCH_POWER = 1.4;
/** Gain of a title that begins with the verb of the request. */
const LEAD_GAIN = 0.35;
/** The same if the request is a question, which only read-only tools answer. */
const QUESTION_GAIN = 0.6;
/**
 * Gain of a title whose words have the typed form: `contacts` asks for a list, `contact` for one. Not after `every`.
 */
const FORM_GAIN = 0.3;
/** If the request has no verb, such as `travel policy`, the reading tools come first among this many. */
const READING_FIRST = 5;
/** Share of its score that a tool that changes something keeps if the request is a question. */
const CHANGE_SHARE = 0.6;
/** Least score of a tool that fits, as a share of the logarithm of twice the number of tools. */
const LEAST_SCORE = 0.25;
/** Least share of an order that is found, if no tool has its verb. */
const LEAST_SHARE = 0.5;
/** Gain of the tools of a service that the request names. */
const SERVICE_GAIN = 0.6;
/** A tool that would remove too much is ranked behind a smaller removal among so many ranks, if that has this share of its score. */
const SMALLER_WITHIN = 4;
const SMALLER_SHARE = 0.25;
/** Words for things that hold other things. */
const COLLECTIONS = new Set(['list', 'group', 'set', 'table', 'folder', 'collection', 'library'].map(toSharedStem));

/** Creates the index of these tools, by name. It is in memory and immutable. */
export function createToolIndex(tools: ReadonlyMap<string, SearchWords>): ToolIndex {
  const names = [...tools.keys()];
  const postings = createPostings([...tools.values()]);
  const titles = createTitles([...tools.values()].map(({ title }) => title));

  return {
    search(typed, limit, accepts) {
      const request = readRequest(typed, postings.isKnown, titles.isLead);
      const scored = [...findWords(request, postings)].map(([at, hits]): Scored => {
        const title = titles.of(at);
        return { name: names[at] ?? '', score: scoreOf(request, hits, title, titles), title, hits };
      });
      scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
      if (request.containerStems.size > 0) putSmallerFirst(request, scored);
      const first = request.lead === null ? scored.splice(0, READING_FIRST) : [];
      first.sort((a, b) => Number(titles.changes(a.title)) - Number(titles.changes(b.title)));
      const accepted = takeAccepted([...first, ...scored], limit, accepts);
      const [best] = accepted.toSorted((a, b) => b.score - a.score);
      return {
        names: accepted.map(({ name }) => name),
        fits: best !== undefined && fits(request, best, names.length),
      };
    },
  };
}

/** A tool and its score. */
interface Scored {
  readonly name: string;
  readonly score: number;
  readonly title: Title;
  readonly hits: Hits;
}

/** A match of one typed word in one tool. */
interface Hit {
  readonly score: number;
  /** 1, or less for a synonym. */
  readonly share: number;
  readonly fields: readonly string[];
  /** False for a synonym of the verb that only a text of the tool has: `returns` is in most. */
  readonly isFirm: boolean;
}
/** By the index of the word in the request; undefined if the word was not found. */
type Hits = readonly (Hit | undefined)[];

/** For each tool, by index, the best hit of each word: two synonyms of one word count once. */
function findWords({ words }: Request, postings: Postings): ReadonlyMap<number, Hits> {
  const hitsByTool = new Map<number, (Hit | undefined)[]>();
  const add = (wordIndex: number, toolIndex: number, hit: Hit): void => {
    const hits = hitsByTool.get(toolIndex) ?? [];
    hitsByTool.set(toolIndex, hits);
    const bestHit = hits[wordIndex];
    if (bestHit === undefined || bestHit.score < hit.score) hits[wordIndex] = hit;
  };
  for (const [wordIndex, { stem, synonyms, trust }] of words.entries()) {
    for (const { at, score, fields } of postings.near(stem))
      add(wordIndex, at, { score: score * trust, share: 1, fields, isFirm: true });
    for (const [other, kind] of synonyms) {
      for (const { at, score, fields } of postings.exact(other)) {
        if (fields.length === 1 && fields[0] === 'service') continue;
        const isFirm = !isOfVerb(kind) || fields.includes('title') || fields.includes('name');
        add(wordIndex, at, { score: score * WORTH[kind].score * trust, share: WORTH[kind].share, fields, isFirm });
      }
    }
  }
  return new Map([...hitsByTool].filter(([, hits]) => hits.some((hit) => hit?.isFirm)));
}

function scoreOf(request: Request, hits: Hits, title: Title, titles: Titles): number {
  let [score, matchedTrust, totalTrust] = [0, 0, 0];
  for (const [wordIndex, { trust }] of request.words.entries()) {
    const hit = hits[wordIndex];
    totalTrust += trust;
    score += hit?.score ?? 0;
    matchedTrust += trust * (hit?.share ?? 0);
  }
  const isInForm = title.words.some((word) => request.forms.has(word));
  const isNamed = hits.some((hit) => hit?.fields.includes('service'));
  const gain =
    (titles.leads(title, request.lead) ? 1 + (request.isQuestion ? QUESTION_GAIN : LEAD_GAIN) : 1) *
    (isInForm ? 1 + FORM_GAIN : 1) *
    (isNamed ? 1 + SERVICE_GAIN : 1) *
    (request.isQuestion && titles.changes(title) ? CHANGE_SHARE : 1);
  const cover = coverOf(request, hits, title, titles);
  return score * gain * (matchedTrust / totalTrust) ** MATCH_POWER * (1 - TITLE_SHARE + TITLE_SHARE * cover);
}

/**
 * Returns true if a tool seems to do what the request says. It does not if little of the request was found, if the verb of an order is in no tool
 * (`refund the invoice`), or if only the verb was found.
 */
function fits({ words: typedWords, lead, isOrder }: Request, { score, hits }: Scored, tools: number): boolean {
  if (score < LEAST_SCORE * Math.log(1 + 2 * tools)) return false;
  const words = typedWords.filter(({ isAside }) => isAside !== true);
  const shares = words.map((_, wordIndex) => hits[wordIndex]?.share ?? 0);
  if (shares.every((share) => share === 0)) return false;
  const [verb = 0, ...things] = shares;
  if (lead !== null && things.length > 0 && things.every((share) => share === 0)) return false;
  const sum = (valueAt: (place: number) => number): number =>
    words.reduce((all, { trust }, at) => all + trust * valueAt(at), 0);
  return !isOrder || verb > 0 || words[0]?.isKnown || sum((at) => shares[at] ?? 0) > LEAST_SHARE * sum(() => 1);
}

/**
 * Ranks tools that would remove a container behind those that remove a thing from it: for "remove ada from the newsletter", the tool that removes the
 * newsletter comes after the tool that removes ada.
 */
function putSmallerFirst(request: Request, scored: Scored[]): void {
  const { lead } = request;
  const at = scored.findIndex(({ title }) => removesContainer(request, title));
  const [container] = scored.slice(at, at + 1);
  if (container === undefined) return;
  const smaller = scored.findIndex(
    ({ score, title }, other) =>
      other > at &&
      other <= at + SMALLER_WITHIN &&
      score >= container.score * SMALLER_SHARE &&
      lead?.has(title.stems[0] ?? '') &&
      !removesContainer(request, title),
  );
  if (smaller > at) scored.splice(smaller, 0, ...scored.splice(at, 1));
}

/** The last word of a title is what its other words are in: `Delete contact list` removes a list. `all` is no thing. */
function removesContainer({ words, containerStems, lead }: Request, { stems: [verb = '', ...things] }: Title): boolean {
  const container = things.findLast((thing) => thing !== 'all');
  if (container === undefined || lead?.has(verb) !== true) return false;
  const containerWords = words.filter(({ stem, synonyms }) => stem === container || synonyms.has(container));
  return containerWords.length === 0
    ? COLLECTIONS.has(container)
    : containerWords.every(({ stem }) => containerStems.has(stem));
}

/** The share of a title that was typed, 0 to 1. */
function coverOf(request: Request, hits: Hits, title: Title, titles: Titles): number {
  const covers = new Map<string, number>();
  let hasSynonym = false;
  for (const [wordIndex, word] of request.words.entries()) {
    const hit = hits[wordIndex];
    if (hit === undefined) continue;
    if (hit.fields.includes('synonyms') && !title.stems.includes(word.stem)) hasSynonym = true;
    const [stem, share] = coveredBy(word, wordIndex, title, request);
    covers.set(stem, Math.max(covers.get(stem) ?? 0, share));
  }
  const counted = request.lead === null ? title.things : title.stems;
  const all = titles.weigh(counted, () => 1);
  const literal = all === 0 ? 1 : titles.weigh(counted, (stem) => covers.get(stem) ?? 0) / all;
  return hasSynonym ? literal + (1 - literal) * SYNONYM_COVER : literal;
}

/** The word of a title that a typed word covers: itself, or the nearest. A verb covers only the verb. */
function coveredBy(
  word: TypedWord,
  wordIndex: number,
  { stems }: Title,
  { lead }: Request,
): [stem: string, share: number] {
  const open = lead !== null && wordIndex === 0 ? stems.slice(0, 1) : stems;
  let best: [stem: string, share: number] = ['', 0];
  for (const [at, stem] of open.entries()) {
    const kind = word.synonyms.get(stem);
    const isBeginning = word.stem.length >= MIN_PREFIX_LENGTH && stem.startsWith(word.stem);
    const bySynonym = kind === undefined || (isOfVerb(kind) && at > 0) ? 0 : WORTH[kind].cover;
    const share = stem === word.stem || isBeginning ? 1 : bySynonym;
    if (share > best[1]) best = [stem, share];
  }
  return open.includes(word.stem) ? [word.stem, 1] : best;
}

/** Calls `accepts` as rarely as possible: checking whether a caller may call a tool takes longer than scoring it. */
function takeAccepted(scored: readonly Scored[], limit: number, accepts: (name: string) => boolean): readonly Scored[] {
  const accepted: Scored[] = [];
  for (const tool of scored) {
    if (accepted.length >= limit) break;
    if (accepts(tool.name)) accepted.push(tool);
  }
  return accepted;
}
