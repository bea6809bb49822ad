/** Later pages of a list: their requests, the conditions that end them, and the arguments that continue after them. */

import type { Arguments } from '../../upstream/index.ts';
import type { ReadBody } from '../results/decode.ts';
import { hasFixedSize } from '../results/page-size.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { ThreadDependencies, UpstreamDependencies } from './dependencies.ts';
import { isLargeAnswer, request } from './sending.ts';
import { readAnswer } from './shape-result.ts';
import { type AnsweredUse, keepCredential, type PreparedUse } from './state.ts';

export type JsonBody = Extract<ReadBody, { kind: 'json' }>;

/** Requests per call. */
export const MAX_PAGES = 50;
const MAX_REASON_CHARACTERS = 300;

/** The reason why no more pages are followed, as the end of a sentence. */
export interface Stop {
  readonly reason: string;
  /** The failure of the next page. */
  readonly failure?: CallOutcome;
}

/** Describes why a page failed, without a full stop. */
export function describeFailure({ error, outcome }: CallOutcome): string {
  const wait = error?.retryAfterSeconds ?? null;
  const waitText = wait === null ? '' : ` (wait ${wait} seconds)`;
  return `${outcome}${waitText}. ${error?.message ?? ''}`.slice(0, MAX_REASON_CHARACTERS).replace(/\.+$/, '');
}

/** A later page is too large to be read in the thread that answers everybody. Its answer is the last of `laterAnswers`. */
export class LargePageError extends Error {
  override readonly name = 'LargePageError';
}

/** Dependencies of requests of pages. */
export type PageDependencies = UpstreamDependencies | ThreadDependencies;

/**
 * Requests one page as the stages request the first. A renewed credential is also that of the call and of later pages.
 *
 * @throws {LargePageError}
 */
export async function requestPage(
  call: AnsweredUse,
  args: Arguments,
  deps: PageDependencies,
): Promise<CallOutcome | JsonBody> {
  const page: PreparedUse = { ...call, arguments: args, filtered: null };
  const sentUse = 'upstream' in deps ? await request(page, deps) : await deps.requestAnswer(page);
  keepCredential(call, page);
  if ('outcome' in sentUse) return sentUse;
  if ('upstream' in deps && deps.largeAnswers !== undefined) {
    call.laterAnswers ??= [];
    call.laterAnswers.push(sentUse.answer);
    if (isLargeAnswer(call, sentUse.answer)) throw new LargePageError();
  }
  const answeredUse = readAnswer(sentUse, deps);
  if ('outcome' in answeredUse) return answeredUse;
  return answeredUse.body.kind === 'json' ? answeredUse.body : { kind: 'json', value: null, rounded: null };
}

/** The arguments that would give an answer: as the caller gave them, at the place of its last page. @param last those of that page. */
export function argumentsAt(call: PreparedUse, last: Arguments, size: string | null): Arguments {
  const repeated = repeatedBy(call);
  const { [size ?? '']: _, ...changedArgs } = changedArguments(call.arguments, last);
  const pageSizeArgs = size !== null && hasFixedSize(call.entry.tool) ? changedArguments(repeated, last, [size]) : {};
  const isDropped = (name: string) => Object.hasOwn(call.arguments, name) && !Object.hasOwn(last, name);
  const repeatedEntries = Object.entries(repeated).filter(([name]) => !isDropped(name));
  return { ...Object.fromEntries(repeatedEntries), ...changedArgs, ...pageSizeArgs };
}

/** The arguments that a call for the next part repeats. */
export function repeatedBy({ gatewayArguments, arguments: args }: PreparedUse): Arguments {
  return gatewayArguments?.repeated ?? args;
}

/** The arguments whose values differ in a later call. */
export function changedArguments(
  before: Arguments,
  after: Arguments,
  names: readonly string[] = Object.keys(after),
): Arguments {
  return Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]] as const),
  );
}
