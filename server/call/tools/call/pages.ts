/** Gathers pages of a list: a smaller page if one is too large, several pages if a call asks for more records. */

import type { PageRule } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { estimateTokens, readPointer, replaceAt } from '../json.ts';
import type { DecodedBody } from '../results/decode.ts';
import { projectionOf } from '../results/fields.ts';
import { RESERVED_BYTES } from '../results/fit.ts';
import { measure } from '../results/measure.ts';
import type { Page } from '../results/page-size.ts';
import { freePageSize, hasFixedSize, largestPage, withSmallerPage } from '../results/page-size.ts';
import { findPage } from '../results/paging.ts';
import { toObject } from '../results/result.ts';
import type { Reader, UpstreamDependencies, UpstreamUse } from './call.ts';
import type { Ending } from './ending.ts';
import { sendRequest } from './sending.ts';

/** The decoded body of a successful answer. */
export type ReadBody = Exclude<DecodedBody, { kind: 'unreadable' }>;
type JsonBody = Extract<DecodedBody, { kind: 'json' }>;

/** The gathered answer. */
export interface Gathered {
  readonly body: ReadBody;
  /** The arguments that would give this answer; `page.nextArguments` are built from them. */
  readonly args: Arguments;
  /** Sentences that tell the model what was done. */
  readonly notes: readonly string[];
  /** How the list continues, if `body` alone does not say it. */
  readonly page?: Page | null;
}

/** Decodes the answer of a call, or ends the call. */
type ReadAnswer = (call: UpstreamUse, deps: UpstreamDependencies) => Ending | ReadBody;

/** Requests per call. */
const MAX_PAGES = 50;
/** Named rows repeat the column names, so the result may be longer than the upstream's body. */
const ROWS_GROW_BY = 8;
const MAX_REASON_CHARACTERS = 300;

/**
 * Gets the pages that a call needs, each by one request with the same credential and deadline.
 *
 * A page that is too large for its reader is requested again with as many records as fit, if the tool has an argument
 * for that. With `maxItems`, pages are followed until there are enough records, the list or the time ends, the result
 * is full, or a page fails. After a failure, the result holds all records received so far, and says why it stops.
 */
export function gatherPages(
  call: UpstreamUse,
  body: ReadBody,
  deps: UpstreamDependencies,
  read: ReadAnswer,
): Gathered | Promise<Gathered> {
  const { entry, reader, asked } = call;
  const { page, result, annotations } = entry.tool;
  const whole = { body, args: asked?.repeated ?? call.arguments, notes: [] };
  if (reader === undefined || asked === undefined || page?.items === undefined) return whole;
  if (body.kind !== 'json' || !annotations.readOnlyHint) return whole;
  const mayBeLarge =
    (call.answer?.body.byteLength ?? 0) * (result?.rows === undefined ? 1 : ROWS_GROW_BY) > roomOf(call, reader);
  if (!mayBeLarge && asked.maxItems === null) return whole;
  return gather(call, { body, rule: page, items: page.items, reader, maxItems: asked.maxItems }, deps, read);
}

interface Start {
  readonly body: JsonBody;
  readonly rule: PageRule;
  /** Pointer to the records. */
  readonly items: string;
  readonly reader: Reader;
  readonly maxItems: number | null;
}

/** The pages received so far. */
interface Pages {
  /** The last page. */
  body: JsonBody;
  /** The arguments of its request. */
  args: Arguments;
  readonly records: unknown[];
  readonly roundedRecords: unknown[];
  /** Whether JavaScript numbers hold every number exactly. */
  isExact: boolean;
  /** Bytes of all pages as results. */
  bytes: number;
  count: number;
}

async function gather(
  call: UpstreamUse,
  start: Start,
  deps: UpstreamDependencies,
  read: ReadAnswer,
): Promise<Gathered> {
  const { rule, items, reader, maxItems } = start;
  const { tool } = call.entry;
  const repeated = call.asked?.repeated ?? call.arguments;
  const limits = `about ${estimateTokens(reader.limit)} tokens`;
  const room = roomOf(call, reader);
  const first = readSizes(call, start.body, items, room);
  let body = start.body;
  let args = call.arguments;
  let base = repeated;
  const notes: string[] = [];
  const size = freePageSize(tool, call.pins);
  if (first !== null && first.bytes > room && size !== null && first.records.length > 1) {
    const fitting = countFitting(first, room);
    const wanted = Math.max(1, fitting);
    const canResume = deps.resumes !== undefined && tool.gatewayArguments?.includes('resume') === true;
    const small = fitting === 0 && canResume ? null : withSmallerPage(tool, args, size, wanted);
    const smaller = small === null ? null : await request(call, small, deps, read);
    const count =
      smaller === null || 'outcome' in smaller ? null : readSizes(call, smaller, items, room)?.records.length;
    if (
      small !== null &&
      smaller !== null &&
      !('outcome' in smaller) &&
      count !== undefined &&
      count !== null &&
      count <= wanted
    ) {
      body = smaller;
      base = { ...repeated, ...changed(args, small) };
      args = small;
      notes.push(
        `Shown: ${count} of the ${first.records.length} items of this page, because the answer is limited to ${limits}.`,
      );
    }
  }
  if (maxItems === null || notes.length > 0) return { body, args: base, notes };

  const sizes = readSizes(call, body, items, room);
  if (sizes === null) return { body, args: base, notes };
  const pages: Pages = { body, args, records: [], roundedRecords: [], isExact: true, bytes: 0, count: 0 };
  addPage(pages, body, args, sizes.bytes, items);
  const stopped = await follow(call, pages, { ...start, maxItems, room, size, limits }, deps, read);
  const { [size ?? '']: _, ...moved } = changed(args, pages.args);
  const fixed = size !== null && hasFixedSize(tool) ? changed(repeated, pages.args, [size]) : {};
  const last = { ...without(base, args, pages.args), ...moved, ...fixed };
  return {
    body: merged(pages, items),
    args: last,
    notes: [
      `Gathered ${pages.records.length} items from ${pages.count} ${pages.count === 1 ? 'page' : 'pages'}${stopped}.`,
    ],
    page: findPage(tool, rule, pages.body, last),
  };
}

/** The arguments whose values differ in a later call. */
function changed(before: Arguments, after: Arguments, names: readonly string[] = Object.keys(after)): Arguments {
  return Object.fromEntries(
    names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]] as const),
  );
}

/** `base` without the arguments that a later call dropped. */
function without(base: Arguments, before: Arguments, after: Arguments): Arguments {
  const isLeft = (name: string) => Object.hasOwn(before, name) && !Object.hasOwn(after, name);
  return Object.fromEntries(Object.entries(base).filter(([name]) => !isLeft(name)));
}

interface Walk extends Start {
  readonly maxItems: number;
  /** Bytes available for all records. */
  readonly room: number;
  readonly size: string | null;
  /** The limit of the result, as text. */
  readonly limits: string;
}

/** Follows pages. @returns why it stopped, as the end of a sentence; empty: nothing is missing. */
async function follow(
  call: UpstreamUse,
  pages: Pages,
  { rule, items, maxItems, room, size, limits }: Walk,
  deps: UpstreamDependencies,
  read: ReadAnswer,
): Promise<string> {
  const largest = largestPage(call.entry.tool);
  let slowest = 0;
  while (pages.records.length < maxItems) {
    const nextArguments = findPage(call.entry.tool, rule, pages.body, pages.args)?.nextArguments ?? null;
    if (nextArguments === null) return '';
    if (pages.count >= MAX_PAGES) return `, and stopped after ${MAX_PAGES} requests`;
    if (deps.now() + slowest >= call.deadline) return ', and stopped at the time limit of a call';
    const each = pages.bytes / Math.max(1, pages.records.length);
    const fitting = Math.floor((room - pages.bytes) / Math.max(1, each));
    if (!(fitting >= 1)) return `, and stopped because the answer is limited to ${limits}`;
    const wanted = Math.min(maxItems - pages.records.length, fitting, largest ?? fitting);
    const args = size === null || hasFixedSize(call.entry.tool) ? nextArguments : { ...nextArguments, [size]: wanted };
    const began = deps.now();
    const next = await request(call, args, deps, read);
    slowest = Math.max(slowest, deps.now() - began);
    if ('outcome' in next) return `, and stopped because the next page failed: ${reasonOf(next)}`;
    const sizes = readSizes(call, next, items, room);
    if (sizes === null) return ', and stopped because the next page holds no list';
    if (pages.bytes + sizes.bytes > room) return `, and stopped because the answer is limited to ${limits}`;
    addPage(pages, next, args, sizes.bytes, items);
  }
  return '';
}

function reasonOf({ error, outcome }: Ending): string {
  const wait = error?.retryAfterSeconds ?? null;
  const when = wait === null ? '' : ` (wait ${wait} seconds)`;
  return `${outcome}${when}. ${error?.message ?? ''}`.slice(0, MAX_REASON_CHARACTERS).replace(/\.+$/, '');
}

async function request(
  call: UpstreamUse,
  args: Arguments,
  deps: UpstreamDependencies,
  read: ReadAnswer,
): Promise<Ending | JsonBody> {
  const other: UpstreamUse = { ...call, arguments: args, answer: null };
  const ending = (await sendRequest(other, deps)) ?? read(other, deps);
  if ('outcome' in ending || ending.kind === 'json') return ending;
  return { kind: 'json', value: null, rounded: null };
}

function addPage(pages: Pages, body: JsonBody, args: Arguments, bytes: number, items: string): void {
  pages.body = body;
  pages.args = args;
  pages.bytes += bytes;
  pages.count += 1;
  for (const record of readPointer(body.value, items) as unknown[]) pages.records.push(record);
  for (const record of readPointer(body.rounded, items) as unknown[]) pages.roundedRecords.push(record);
  pages.isExact &&= body.value === body.rounded;
}

/** The last page with the records of all pages. */
function merged({ body, records, roundedRecords, isExact, count }: Pages, items: string): JsonBody {
  if (count === 1) return body;
  const value = replaceAt(body.value, items, records);
  return { kind: 'json', value, rounded: isExact ? value : replaceAt(body.rounded, items, roundedRecords) };
}

interface Sizes {
  /** Bytes of the whole answer as a result; `Infinity`: too long. */
  readonly bytes: number;
  /** Bytes of the answer without its records. */
  readonly frame: number;
  readonly records: readonly unknown[];
  readonly sizeOf: (part: unknown) => number;
}

/** Measures an answer and its records as a result; null: it has no list. */
function readSizes({ entry: { tool }, asked }: UpstreamUse, body: JsonBody, items: string, room: number): Sizes | null {
  if (!Array.isArray(readPointer(body.value, items))) return null;
  const fields = asked?.fields ?? null;
  const object = toObject(tool, body.value);
  const shaped = projectionOf(tool, tool.result?.keep, fields)?.(object) ?? object;
  const place = items === '' ? '/items' : items;
  const found = readPointer(shaped, place);
  const records: readonly unknown[] = Array.isArray(found) ? found : [];
  const sizeOf = measure(room);
  return { bytes: sizeOf(shaped), frame: sizeOf(replaceAt(shaped, place, [])), records, sizeOf };
}

function countFitting({ frame, records, sizeOf }: Sizes, room: number): number {
  let left = room - frame;
  const end = records.findIndex((record) => {
    left -= sizeOf(record) + 1;
    return left < 0;
  });
  return end < 0 ? records.length : end;
}

/** Bytes that the records may take: the limit minus the notice and the repeated arguments. */
function roomOf({ asked }: UpstreamUse, { limit }: Reader): number {
  return limit - RESERVED_BYTES - Buffer.byteLength(JSON.stringify(asked?.repeated ?? {}));
}
