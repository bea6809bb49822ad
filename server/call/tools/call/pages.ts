/** Stage `pages`: a smaller page if one is too large, several pages if a call asks for more records. */

import type { PageRule } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { readPointer, replaceAt } from '../json.ts';
import { projectionOf } from '../results/fields.ts';
import { describeLimit, RESERVED_BYTES } from '../results/fit-result.ts';
import { measure } from '../results/measure.ts';
import { freePageSize, hasFixedSize, largestPage, withSmallerPage } from '../results/page-size.ts';
import { findPage } from '../results/paging.ts';
import { toObject } from '../results/result.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import {
  argumentsAt,
  changedArguments,
  describeFailure,
  type JsonBody,
  LargePageError,
  MAX_PAGES,
  type PageDependencies,
  repeatedBy,
  requestPage,
  type Stop,
} from './page-requests.ts';
import { selectItems } from './select-items.ts';
import type { AnsweredUse, CollectedPages, ResultReader } from './state.ts';

/** Named rows repeat the column names, so the result may be longer than the upstream's body. */
const ROWS_GROW_BY = 8;
/** Share of the room that the next page is expected to fill at most, because its records may be longer than those before. */
const FILL_SHARE = 0.9;
/** A page that adds a smaller share of the records is not worth a request. */
const MIN_SHARE = 0.05;

/**
 * Gets the pages that a call needs. Each passes the stages of the first one: caps, renewal of the credential, deadline.
 *
 * A page that is too large for its reader is requested again with as many records as fit, if the tool has an argument
 * for that. With `maxItems`, pages are followed until there are enough records, the list or the time ends, the next
 * page would not fit, or a page fails. After a failure, the result holds all records received so far, and says that it is a part and why. A
 * cancelled call ends.
 */
export function followPages(call: AnsweredUse, deps: UpstreamDependencies): null | Promise<CallOutcome | null> {
  const { largeAnswers } = deps;
  const following = followPagesHere(call, deps);
  if (following === null || largeAnswers === undefined) return following;
  return following.catch((error: unknown) => {
    if (error instanceof LargePageError) return largeAnswers.read(call, deps);
    throw error;
  });
}

/** As `followPages`, in the thread that calls it. @throws {LargePageError} for a page that another thread has to read. */
export function followPagesHere(call: AnsweredUse, deps: PageDependencies): null | Promise<CallOutcome | null> {
  const { page: rule } = call.entry.tool;
  if (call.selection != null) {
    const availableBytes = call.reader === undefined ? deps.maxResultBytes : availableBytesOf(call, call.reader);
    return selectItems(call, { selection: call.selection, availableBytes }, deps);
  }
  const list = rule?.items === undefined ? null : listOf(call, rule, rule.items);
  return list === null ? null : collectPages(list, deps);
}

/** A list whose pages are followed, or made smaller. */
interface List {
  readonly call: AnsweredUse;
  readonly body: JsonBody;
  readonly rule: PageRule;
  /** Pointer to the records. */
  readonly items: string;
  readonly maxItems: number | null;
  /** Bytes that the records may take. */
  readonly availableBytes: number;
  /** The limit of the result, as text. */
  readonly limit: string;
  /** The argument for the page size. Null if the tool has none, or it is pinned. */
  readonly size: string | null;
}

/** Returns the list of which the call may read more pages, or null if the call needs only the page that it has. */
function listOf(call: AnsweredUse, rule: PageRule, items: string): List | null {
  const { reader, gatewayArguments, body, entry } = call;
  const { result, annotations } = entry.tool;
  if (reader === undefined || gatewayArguments === undefined) return null;
  if (body.kind !== 'json' || !annotations.readOnlyHint) return null;
  const availableBytes = availableBytesOf(call, reader);
  const maxBytes = call.answer.body.byteLength * (result?.rows === undefined ? 1 : ROWS_GROW_BY);
  if (maxBytes <= availableBytes && gatewayArguments.maxItems === null) return null;
  const limit = describeLimit(reader);
  const size = freePageSize(entry.tool, call.pins);
  return { call, body, rule, items, maxItems: gatewayArguments.maxItems, availableBytes, limit, size };
}

async function collectPages(list: List, deps: PageDependencies): Promise<CallOutcome | null> {
  const { call, maxItems } = list;
  const smaller = await takeSmallerPage(list, deps);
  if (smaller !== null || maxItems === null) {
    if (smaller !== null) call.collected = smaller;
    return null;
  }
  const pages = new Pages(list);
  if (pages.add(list.body, call.arguments) === 'no list') return null;
  const stop = await follow(list, maxItems, pages, deps);
  if (stop?.failure?.outcome === 'cancelled') return stop.failure;
  call.collected = pages.collected(stop);
  return null;
}

/** Requests a page that is too large again, with as many records as fit. Returns null if the first answer stays. */
async function takeSmallerPage(list: List, deps: PageDependencies): Promise<CollectedPages | null> {
  const { call, availableBytes, size } = list;
  const { tool } = call.entry;
  const first = measurePage(list, list.body);
  const { reader } = call;
  // An element that fits the full limit is not cut for the lower limit of lists.
  if (first !== null && reader?.fullLimit !== undefined && countFitting(first, availableBytes) === 0) {
    const fullBytes = availableBytes + reader.fullLimit - reader.limit;
    const full = measurePage({ ...list, availableBytes: fullBytes }, list.body);
    if (full !== null && countFitting(full, fullBytes) > 0) {
      const { fullLimit: limit, raisedBy: _, ...rest } = reader;
      call.reader = { ...rest, limit };
      return takeSmallerPage({ ...list, availableBytes: fullBytes, limit: describeLimit(call.reader) }, deps);
    }
  }
  if (first === null || size === null || first.bytes <= availableBytes || first.records.length <= 1) return null;
  const fittingCount = countFitting(first, availableBytes);
  const canResume = deps.resumes !== undefined && tool.gatewayArguments?.includes('resume') === true;
  const maxRecords = Math.max(1, fittingCount);
  const args = fittingCount === 0 && canResume ? null : withSmallerPage(tool, call.arguments, size, maxRecords);
  const body = args === null ? null : await requestPage(call, args, deps);
  if (args === null || body === null || 'outcome' in body) return null;
  const count = measurePage(list, body)?.records.length ?? Number.POSITIVE_INFINITY;
  if (count > maxRecords) return null;
  const note = `Shown: ${count} of the ${first.records.length} items of this page, because the answer is limited to ${list.limit}.`;
  return {
    body,
    args: { ...repeatedBy(call), ...changedArguments(call.arguments, args) },
    notes: [note],
    failure: null,
  };
}

/** Follows pages until nothing is missing (null), or something stops it. */
async function follow(list: List, maxItems: number, pages: Pages, deps: PageDependencies): Promise<Stop | null> {
  const { call, rule, availableBytes, size, limit } = list;
  const { tool } = call.entry;
  const fullStop: Stop = { reason: `because the answer is limited to ${limit}` };
  const hasPageSize = size !== null && !hasFixedSize(tool);
  let slowest = 0;
  let isRepeated = false;
  while (pages.records.length < maxItems) {
    const nextArguments = findPage(tool, rule, pages.last, pages.args)?.nextArguments ?? null;
    if (nextArguments === null) return null;
    if (pages.count >= MAX_PAGES) return { reason: `after ${MAX_PAGES} requests` };
    if (deps.now() + slowest >= call.deadline) return { reason: 'at the time limit of a call' };
    const fittingCount = Math.floor(((availableBytes - pages.bytes) * FILL_SHARE) / Math.max(1, pages.bytesPerRecord));
    const minRecords = hasPageSize ? pages.records.length * MIN_SHARE : pages.lastCount;
    // NaN if the first page was too large to be measured (Infinity bytes): nothing more fits then either.
    if (Number.isNaN(fittingCount) || fittingCount < Math.max(1, minRecords)) return fullStop;
    const pageSize = Math.min(maxItems - pages.records.length, fittingCount, largestPage(tool) ?? fittingCount);
    const args = hasPageSize ? { ...nextArguments, [size]: pageSize } : nextArguments;
    const began = deps.now();
    const next = await requestPage(call, args, deps);
    slowest = Math.max(slowest, deps.now() - began);
    if ('outcome' in next) return { reason: `because the next page failed: ${describeFailure(next)}`, failure: next };
    const added = pages.add(next, args);
    if (added === 'no list') return { reason: 'because the next page holds no list' };
    if (added === 'full' && (isRepeated || !hasPageSize)) return fullStop;
    isRepeated = added === 'full';
  }
  return null;
}

/** The pages received so far. */
class Pages {
  readonly records: unknown[] = [];
  /** The last page. */
  last: JsonBody;
  /** The arguments of its request. */
  args: Arguments;
  /** Bytes of all pages as results. */
  bytes = 0;
  count = 0;
  /** Records of the last page. */
  lastCount = 0;
  /** Bytes that a record is expected to take, by the longest page so far. */
  bytesPerRecord = 0;
  readonly #list: List;
  readonly #rounded: unknown[] = [];
  /** True if JavaScript numbers hold every number exactly. */
  #isExact = true;

  constructor(list: List) {
    this.#list = list;
    this.last = list.body;
    this.args = list.call.arguments;
  }

  /** Adds the records of a page. Adds nothing if the page holds no list, or is a later page that does not fit any more. */
  add(body: JsonBody, args: Arguments): 'added' | 'no list' | 'full' {
    const { items, availableBytes } = this.#list;
    const sizes = measurePage(this.#list, body);
    if (sizes === null) return 'no list';
    this.bytesPerRecord = Math.max(this.bytesPerRecord, sizes.bytes / Math.max(1, sizes.records.length));
    if (this.count > 0 && this.bytes + sizes.bytes > availableBytes) return 'full';
    this.last = body;
    this.args = args;
    this.bytes += sizes.bytes;
    this.count += 1;
    this.lastCount = sizes.records.length;
    for (const record of readPointer(body.value, items) as unknown[]) this.records.push(record);
    for (const record of readPointer(body.rounded, items) as unknown[]) this.#rounded.push(record);
    this.#isExact &&= body.value === body.rounded;
    return 'added';
  }

  /** The last page with the records of all pages. */
  collected(stop: Stop | null): CollectedPages {
    const { call, rule } = this.#list;
    const pages = `${this.count} ${this.count === 1 ? 'page' : 'pages'}`;
    const stopText = stop === null ? '.' : `, and stopped ${stop.reason}. This is a part of the list.`;
    const args = argumentsAt(call, this.args, this.#list.size);
    return {
      body: this.#merged(),
      args,
      notes: [`Gathered ${this.records.length} items from ${pages}${stopText}`],
      page: findPage(call.entry.tool, rule, this.last, args),
      failure: stop?.failure ?? null,
    };
  }

  #merged(): JsonBody {
    const { items } = this.#list;
    if (this.count === 1) return this.last;
    const value = replaceAt(this.last.value, items, this.records);
    const rounded = this.#isExact ? value : replaceAt(this.last.rounded, items, this.#rounded);
    return { kind: 'json', value, rounded };
  }
}

interface MeasuredPage {
  /** Bytes of the whole answer as a result; `Infinity`: too long. */
  readonly bytes: number;
  /** Bytes of the answer without its records. */
  readonly frame: number;
  readonly records: readonly unknown[];
  readonly sizeOf: (part: unknown) => number;
}

/** Measures an answer and its records as a result. Returns null if the answer has no list. */
function measurePage({ call, items, availableBytes }: List, body: JsonBody): MeasuredPage | null {
  if (!Array.isArray(readPointer(body.value, items))) return null;
  const { tool } = call.entry;
  const object = toObject(tool, body.value);
  const shaped = projectionOf(tool.page, tool.result?.keep, call.gatewayArguments?.fields ?? null)?.(object) ?? object;
  const itemsPointer = items === '' ? '/items' : items;
  const list = readPointer(shaped, itemsPointer);
  const records: readonly unknown[] = Array.isArray(list) ? list : [];
  const sizeOf = measure(availableBytes);
  return { bytes: sizeOf(shaped), frame: sizeOf(replaceAt(shaped, itemsPointer, [])), records, sizeOf };
}

function countFitting({ frame, records, sizeOf }: MeasuredPage, availableBytes: number): number {
  let remainingBytes = availableBytes - frame;
  const end = records.findIndex((record) => {
    remainingBytes -= sizeOf(record) + 1;
    return remainingBytes < 0;
  });
  return end < 0 ? records.length : end;
}

/** Bytes that the records may take: the limit minus the notice and the repeated arguments. */
function availableBytesOf({ gatewayArguments }: AnsweredUse, { limit }: ResultReader): number {
  return limit - RESERVED_BYTES - Buffer.byteLength(JSON.stringify(gatewayArguments?.repeated ?? {}));
}
