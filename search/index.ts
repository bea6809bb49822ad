/** Finds tools by what someone types: BM25 over the words that codegen made of each tool, with stems and synonyms. */

import { createPostings, type Postings } from './postings.ts';
import { type AskedWord, type Request, readRequest } from './request.ts';
import type { SearchWords } from './search-words.ts';
import { isOfVerb, type SynonymKind } from './synonyms/index.ts';
import { createTitles, type Title, type Titles } from './titles.ts';

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

// All numbers here were chosen by requests of `test/search/requests` that are not named unseen.

/** What a synonym is worth: of a word's score, of a typed word that is there, and of a word of a title that was typed. */
const WORTH: Readonly<Record<SynonymKind, { readonly score: number; readonly share: number; readonly cover: number }>> =
  {
    noun: { score: 0.5, share: 0.85, cover: 0.8 },
    sameVerb: { score: 1, share: 1, cover: 1 },
    verb: { score: 0.3, share: 1, cover: 1 },
    hint: { score: 0.4, share: 0.5, cover: 0.3 },
    everyday: { score: 0.45, share: 0.85, cover: 0.7 },
  };
/** From this length, a word that a longer one begins with stands for it. */
const MIN_PREFIX_LENGTH = 4;
/** How much of a score hangs on how much of the title was typed. */
const TITLE_SHARE = 0.7;
/** How much of a title's other words a word covers that the service's synonyms hold. */
const SYNONYM_COVER = 0.7;
/** By which power of its share a request counts that is only partly there. */
const SAID_POWER = 1.4;
/** What a title gains that begins with the verb of the request. */
const LEAD_GAIN = 0.35;
/** The same where the request is a question, which only tools that read answer. */
const QUESTION_GAIN = 0.6;
/** What a title gains whose words are in the form that was typed: `contacts` asks for a list, `contact` for one. Not after `every`. */
const FORM_GAIN = 0.3;
/** What the tools of a service gain that the request names. */
const SERVICE_GAIN = 0.6;

/** Creates the index of these tools, by name. It is kept whole in memory, and changes no more. */
export function createToolIndex(tools: ReadonlyMap<string, SearchWords>): ToolIndex {
  const names = [...tools.keys()];
  const postings = createPostings([...tools.values()]);
  const titles = createTitles([...tools.values()].map(({ title }) => title));

  return {
    search(typed, limit, accepts) {
      const request = readRequest(typed, postings.isKnown, titles.isLead);
      const scored = [...findWords(request, postings)].map(([at, hits]) => ({
        name: names[at] ?? '',
        score: scoreOf(request, hits, titles.of(at), titles),
      }));
      scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
      return takeAccepted(scored, limit, accepts);
    },
  };
}

/** How one typed word is in one tool. */
interface Hit {
  readonly score: number;
  /** 1, or less for a synonym. */
  readonly share: number;
  readonly fields: readonly string[];
}
/** By the place of the word in the request; a word that is not there has none. */
type Hits = readonly (Hit | undefined)[];

/** Of each tool, by its place, the best hit of each word: two synonyms of one word say no more than one. */
function findWords({ words }: Request, postings: Postings): ReadonlyMap<number, Hits> {
  const found = new Map<number, (Hit | undefined)[]>();
  const add = (place: number, at: number, hit: Hit): void => {
    const hits = found.get(at) ?? [];
    found.set(at, hits);
    const before = hits[place];
    if (before === undefined || before.score < hit.score) hits[place] = hit;
  };
  for (const [place, { stem, synonyms, trust }] of words.entries()) {
    for (const { at, score, fields } of postings.near(stem)) add(place, at, { score: score * trust, share: 1, fields });
    for (const [other, kind] of synonyms) {
      for (const { at, score, fields } of postings.of(other)) {
        if (fields.length === 1 && fields[0] === 'service') continue;
        add(place, at, { score: score * WORTH[kind].score * trust, share: WORTH[kind].share, fields });
      }
    }
  }
  return found;
}

function scoreOf(request: Request, hits: Hits, title: Title, titles: Titles): number {
  let [score, said, whole] = [0, 0, 0];
  for (const [place, { trust }] of request.words.entries()) {
    const hit = hits[place];
    whole += trust;
    score += hit?.score ?? 0;
    said += trust * (hit?.share ?? 0);
  }
  const isInForm = title.words.some((word) => request.forms.has(word));
  const isNamed = hits.some((hit) => hit?.fields.includes('service'));
  const gain =
    (titles.leads(title, request.lead) ? 1 + (request.isQuestion ? QUESTION_GAIN : LEAD_GAIN) : 1) *
    (isInForm ? 1 + FORM_GAIN : 1) *
    (isNamed ? 1 + SERVICE_GAIN : 1);
  const cover = coverOf(request, hits, title, titles);
  return score * gain * (said / whole) ** SAID_POWER * (1 - TITLE_SHARE + TITLE_SHARE * cover);
}

/** How much of a title was typed, 0 to 1. */
function coverOf(request: Request, hits: Hits, title: Title, titles: Titles): number {
  const covers = new Map<string, number>();
  let hasSynonym = false;
  for (const [place, word] of request.words.entries()) {
    const hit = hits[place];
    if (hit === undefined) continue;
    if (hit.fields.includes('synonyms') && !title.stems.includes(word.stem)) hasSynonym = true;
    const [stem, share] = coveredBy(word, place, title, request);
    covers.set(stem, Math.max(covers.get(stem) ?? 0, share));
  }
  const counted = request.lead === null ? title.things : title.stems;
  const all = titles.weigh(counted, () => 1);
  const literal = all === 0 ? 1 : titles.weigh(counted, (stem) => covers.get(stem) ?? 0) / all;
  return hasSynonym ? literal + (1 - literal) * SYNONYM_COVER : literal;
}

/** The word of a title that a typed word stands for: itself, or the nearest. A verb stands for the verb alone. */
function coveredBy(word: AskedWord, place: number, { stems }: Title, { lead }: Request): [stem: string, share: number] {
  const open = lead !== null && place === 0 ? stems.slice(0, 1) : stems;
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
