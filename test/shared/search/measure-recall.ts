/** Measures how well `search_tools` finds tools. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { createToolIndex, type SearchWords, type ToolIndex } from '../../../shared/search/index.ts';
import { toSearchWords } from '../../../shared/search/search-words.ts';
import { toWords } from '../../../shared/search/words.ts';

/** A request as a user types it, and the tools that serve it. */
type SearchRequest = readonly [typed: string, ...tools: string[]];

/** Each set in the folder `requests` by its name. */
type RequestSets = Readonly<Record<'UNSERVABLE_OWN' | 'UNSERVABLE_GITHUB', readonly string[]>> &
  Readonly<Record<ServedSet, readonly SearchRequest[]>>;
type ServedSet = `${'OWN' | 'GITHUB' | 'NAMED'}_REQUESTS` | `UNSEEN_${'OWN' | 'GITHUB' | 'NAMED'}`;

/** The requests of one set over one catalogue. */
export interface RecallFigure {
  readonly title: string;
  readonly tools: number;
  readonly requests: number;
  /** The average share of the tools serving a request that are among the first five results. */
  readonly recall: number;
  /** Requests whose share is below one. */
  readonly missed: readonly string[];
  /** Requests that are told that nothing fits. */
  readonly refused: number;
}

/** The requests of one set, each of which is served by any of several tools. */
export interface HitFigure {
  readonly title: string;
  /** Share of the requests whose first result serves them. */
  readonly first: number;
  /** Share of the requests that one of the first five results serves, and that are not told that nothing fits. */
  readonly firstFive: number;
}

const FIRST = 5;
/**
 * Suffix for the titles of sets that were not used for tuning: their requests are not printed, so that this stays so.
 */
export const UNSEEN = ', unseen';
/** Beginning of the titles of sets that no tool serves. */
export const UNSERVABLE = 'unservable';
const WORDS = path.join(import.meta.dirname, 'words');

const REQUESTS = Object.assign(
  {},
  ...['github', 'held-winter', 'names', 'own'].map((name) => {
    const file = path.join(import.meta.dirname, 'requests', `${name}.yaml`);
    return parse(readFileSync(file, 'utf8')) as object;
  }),
) as RequestSets;

/** Measures every set of requests on its own catalogue. */
export async function measureSearch(): Promise<readonly RecallFigure[]> {
  const own = toCatalogue(wordsOf(await loadConnectors()));
  const github = toCatalogue(loadWords(path.join(WORDS, 'github.tsv')));
  return [
    measureRecall('five connectors', own, REQUESTS.OWN_REQUESTS),
    measureRecall(`five connectors${UNSEEN}`, own, REQUESTS.UNSEEN_OWN),
    measureRecall('GitHub', github, REQUESTS.GITHUB_REQUESTS),
    measureRecall(`GitHub${UNSEEN}`, github, REQUESTS.UNSEEN_GITHUB),
    measureRecall(`${UNSERVABLE}${UNSEEN}`, own, REQUESTS.UNSERVABLE_OWN.map(alone)),
    measureRecall(`${UNSERVABLE}, GitHub${UNSEEN}`, github, REQUESTS.UNSERVABLE_GITHUB.map(alone)),
  ];
}

/** Measures the requests in which a name or an everyday verb decides, over the five connectors. */
export async function measureNamed(): Promise<readonly HitFigure[]> {
  const own = toCatalogue(wordsOf(await loadConnectors()));
  return [
    measureHits('names', own, REQUESTS.NAMED_REQUESTS),
    measureHits(`names${UNSEEN}`, own, REQUESTS.UNSEEN_NAMED),
  ];
}

function measureHits(title: string, { index }: Catalogue, requests: readonly SearchRequest[]): HitFigure {
  const results = requests.map(([typed, ...wanted]) => {
    const { names, fits } = index.search(typed, FIRST, () => true);
    return names.map((name) => fits && wanted.includes(name));
  });
  const shareOf = (isHit: (hits: readonly boolean[]) => boolean) => results.filter(isHit).length / results.length;
  return { title, first: shareOf(([best]) => best === true), firstFive: shareOf((hits) => hits.includes(true)) };
}

const alone = (typed: string): SearchRequest => [typed];

/** Searchable tools, indexed once for all sets. */
interface Catalogue {
  readonly tools: number;
  readonly index: ToolIndex;
}

function toCatalogue(words: ReadonlyMap<string, SearchWords>): Catalogue {
  return { tools: words.size, index: createToolIndex(words) };
}

/** Measures one set. */
function measureRecall(title: string, { tools, index }: Catalogue, requests: readonly SearchRequest[]): RecallFigure {
  const shares = requests.map(([typed, ...wanted]) => {
    const { names, fits } = index.search(typed, FIRST, () => true);
    return { typed, fits, share: wanted.filter((name) => names.includes(name)).length / Math.max(wanted.length, 1) };
  });
  const recall = shares.reduce((sum, { share }) => sum + share, 0) / shares.length;
  const missed = shares.filter(({ share }) => share < 1).map(({ typed }) => typed);
  const refused = shares.filter(({ fits }) => !fits).length;
  return { title, tools, requests: requests.length, recall, missed, refused };
}

/** The search words of connectors, as the gateway makes them. */
function wordsOf(connectors: readonly Connector[]): ReadonlyMap<string, SearchWords> {
  return new Map(
    connectors.flatMap((connector) => connector.tools.map((tool) => [tool.name, toSearchWords(tool, connector)])),
  );
}

/** The search words of a published descriptor, kept in a test file: one tool per line, fields separated by tabs. */
function loadWords(file: string): ReadonlyMap<string, SearchWords> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(lines.filter((line) => !line.startsWith('#')).map(toEntry));
}

function toEntry(line: string): [string, SearchWords] {
  const [id = '', title = '', summary = '', details = '', args = '', service = ''] = line.split('\t');
  const name = [...new Set(toWords(id))].join(' ');
  return [id, { name, title, summary, details, arguments: args, synonyms: '', service }];
}
