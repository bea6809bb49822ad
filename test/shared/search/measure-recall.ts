/** Measures how well `search_tools` finds tools. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import type { Connector } from '../../../server/contract/index.ts';
import { createToolIndex, type SearchWords, type ToolIndex } from '../../../shared/search/index.ts';
import { toSearchWords } from '../../../shared/search/search-words.ts';
import { toWords } from '../../../shared/search/words.ts';
import { EVERYDAY_GITHUB } from './requests/everyday-github.ts';
import { FRESH_OWN } from './requests/fresh.ts';
import { FRESH_GITHUB } from './requests/fresh-github.ts';
import { GITHUB_REQUESTS } from './requests/github.ts';
import { UNSEEN_GITHUB_G, UNSEEN_OWN_E } from './requests/held-autumn.ts';
import { HELD_BACK_GITHUB, HELD_BACK_OWN, HELD_BACK_STRIPE } from './requests/held-back.ts';
import { UNSEEN_RESAMPLED_GITHUB } from './requests/held-resampled-github.ts';
import { UNSEEN_SAMPLED_GITHUB } from './requests/held-sampled-github.ts';
import { UNSEEN_GITHUB_H, UNSEEN_OWN_F, UNSERVABLE_GITHUB_B, UNSERVABLE_OWN_B } from './requests/held-winter.ts';
import { OWN_REQUESTS } from './requests/own.ts';
import type { SearchRequest } from './requests/request.ts';
import { TUNED_RESAMPLED_GITHUB } from './requests/resampled-github.ts';
import { TUNED_SAMPLED_GITHUB } from './requests/sampled-github.ts';
import { SECOND_FRESH_OWN } from './requests/second-fresh.ts';
import { STRIPE_REQUESTS } from './requests/stripe.ts';
import {
  TUNED_GITHUB_A,
  TUNED_GITHUB_B,
  TUNED_GITHUB_C,
  UNSEEN_GITHUB_D,
  UNSEEN_GITHUB_E,
  UNSEEN_GITHUB_F,
} from './requests/unseen-github.ts';
import { TUNED_OWN_A, TUNED_OWN_B, UNSEEN_OWN_C, UNSEEN_OWN_D } from './requests/unseen-own.ts';
import { UNSERVABLE_GITHUB_A, UNSERVABLE_OWN_A } from './requests/unservable.ts';

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

const FIRST = 5;
/**
 * Suffix for the titles of sets that were not used for tuning: their requests are not printed, so that this stays so.
 */
export const UNSEEN = ', unseen';
/** Beginning of the titles of sets that no tool serves. */
export const UNSERVABLE = 'unservable';
const WORDS = path.join(import.meta.dirname, 'words');

/** Measures every set of requests on its own catalogue. */
export async function measureSearch(): Promise<readonly RecallFigure[]> {
  const own = toCatalogue(wordsOf(await loadConnectors()));
  const github = toCatalogue(loadWords(path.join(WORDS, 'github.tsv')));
  const stripe = toCatalogue(loadWords(path.join(WORDS, 'stripe.tsv')));
  const ownSeen = [OWN_REQUESTS, HELD_BACK_OWN, FRESH_OWN, SECOND_FRESH_OWN, TUNED_OWN_A, TUNED_OWN_B];
  const githubSeen = [GITHUB_REQUESTS, HELD_BACK_GITHUB, TUNED_GITHUB_A, TUNED_GITHUB_B, TUNED_GITHUB_C];
  return [
    measureRecall('five connectors', own, ownSeen.flat()),
    measureRecall(`five connectors${UNSEEN}`, own, [...UNSEEN_OWN_C, ...UNSEEN_OWN_D]),
    measureRecall(`five connectors, later${UNSEEN}`, own, UNSEEN_OWN_E),
    measureRecall(`five connectors, winter${UNSEEN}`, own, UNSEEN_OWN_F),
    measureRecall('GitHub', github, githubSeen.flat()),
    measureRecall(`GitHub${UNSEEN}`, github, [...UNSEEN_GITHUB_D, ...UNSEEN_GITHUB_E]),
    measureRecall(`GitHub, longer${UNSEEN}`, github, UNSEEN_GITHUB_F),
    measureRecall('GitHub, everyday words', github, [...EVERYDAY_GITHUB, ...FRESH_GITHUB]),
    measureRecall('GitHub, drawn by chance', github, [...TUNED_SAMPLED_GITHUB, ...TUNED_RESAMPLED_GITHUB]),
    measureRecall(`GitHub, drawn by chance${UNSEEN}`, github, [...UNSEEN_SAMPLED_GITHUB, ...UNSEEN_RESAMPLED_GITHUB]),
    measureRecall(`GitHub, drawn later${UNSEEN}`, github, UNSEEN_GITHUB_G),
    measureRecall(`GitHub, winter${UNSEEN}`, github, UNSEEN_GITHUB_H),
    measureRecall('Stripe', stripe, [...STRIPE_REQUESTS, ...HELD_BACK_STRIPE]),
    measureRecall(UNSERVABLE, own, UNSERVABLE_OWN_A.map(alone)),
    measureRecall(`${UNSERVABLE}, GitHub`, github, UNSERVABLE_GITHUB_A.map(alone)),
    measureRecall(`${UNSERVABLE}${UNSEEN}`, own, UNSERVABLE_OWN_B.map(alone)),
    measureRecall(`${UNSERVABLE}, GitHub${UNSEEN}`, github, UNSERVABLE_GITHUB_B.map(alone)),
  ];
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
