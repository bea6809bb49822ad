/** Follows the pages of a list for `where`, `sort` and `aggregate`: keeps the items that match, or only numbers about them. */

import { setImmediate } from 'node:timers/promises';
import type { Arguments } from '../../upstream/index.ts';
import { parseJson, readPointer, replaceAt } from '../json.ts';
import { projectionOf } from '../results/fields.ts';
import { describeLimit } from '../results/fit-result.ts';
import { measure } from '../results/measure.ts';
import { freePageSize, isAfterFirstPage, withSmallerPage } from '../results/page-size.ts';
import { findPage } from '../results/paging.ts';
import { toObject } from '../results/result.ts';
import { Aggregation } from '../selection/aggregate.ts';
import { type Member, nameMembers, valuesAt } from '../selection/items.ts';
import { describeKnownValues } from '../selection/known-values.ts';
import type { Ranks } from '../selection/order.ts';
import type { Selection } from '../selection/selection.ts';
import { addSamples, type Sample, textsOf } from '../selection/tested-members.ts';
import type { CallOutcome } from './call-outcome.ts';
import {
  argumentsAt,
  describeFailure,
  type JsonBody,
  MAX_PAGES,
  type PageDependencies,
  requestPage,
  type Stop,
} from './page-requests.ts';
import type { AnsweredUse, CollectedPages } from './state.ts';

/** Time after which a long page lets other calls run, in milliseconds. */
const MAX_TURN_MS = 15;
/** Values of one member that are named where nothing matches. */
const MAX_SAMPLES = 5;
interface SelectionRequest {
  readonly selection: Selection;
  /** Bytes that the items may take in the result. */
  readonly availableBytes: number;
}

/**
 * Gets the items that a call selects, from as many pages as it takes. Each passes the stages of the first one: caps, renewal of the
 * credential, deadline.
 *
 * It ends with the list, with enough items, with the room of the answer, after `MAX_PAGES` requests, at the deadline or with a page that
 * fails; the notes say which, and how many items it looked at. A cancelled call ends.
 */
export async function selectItems(
  call: AnsweredUse,
  selectionRequest: SelectionRequest,
  deps: PageDependencies,
): Promise<CallOutcome | null> {
  if (call.body.kind !== 'json') return null;
  const walk = new Walk(call, selectionRequest, call.body);
  const stop = await follow(walk, deps);
  if (stop?.failure?.outcome === 'cancelled') return stop.failure;
  if (walk.pages > 0) call.collected = walk.collected(stop);
  return null;
}

/** Follows pages until the list ends (null), or something stops it. */
async function follow(walk: Walk, deps: PageDependencies): Promise<Stop | null> {
  const { call } = walk;
  const { tool } = call.entry;
  let body = walk.last;
  let args = call.arguments;
  let slowest = 0;
  for (;;) {
    const added = await walk.add(body, args);
    if (added === 'no list') return { reason: 'because the next page holds no list' };
    if (typeof added === 'number') return await takePartOfPage(walk, { body, args, fittingCount: added }, deps);
    const next = tool.page === undefined ? null : findPage(tool, tool.page, walk.last, walk.args);
    if (next === null || next.nextArguments === null) return null;
    if (walk.hasEnough) return walk.stopWhenEnough;
    if (walk.pages >= MAX_PAGES) return { reason: `after ${MAX_PAGES} requests` };
    if (deps.now() + slowest >= call.deadline) return { reason: 'at the time limit of a call' };
    if (call.progress != null) call.progress.message = `${walk.progressText}, and looking on.`;
    const began = deps.now();
    args = next.nextArguments;
    const page = await requestPage(call, args, deps);
    slowest = Math.max(slowest, deps.now() - began);
    if ('outcome' in page) return { reason: `because the next page failed: ${describeFailure(page)}`, failure: page };
    body = page;
  }
}

interface LongPage {
  readonly body: JsonBody;
  readonly args: Arguments;
  /** Number of its first records that the answer has room for. */
  readonly fittingCount: number;
}

/** Takes the records of a page that still fit. It requests a page with fewer records, so that the next call continues after them. */
async function takePartOfPage(
  walk: Walk,
  { body, args, fittingCount }: LongPage,
  deps: PageDependencies,
): Promise<Stop | null> {
  const { call, size } = walk;
  const smaller =
    size === null || fittingCount === 0 ? null : withSmallerPage(call.entry.tool, args, size, fittingCount);
  const page = smaller === null ? null : await requestPage(call, smaller, deps);
  const stop = walk.stopWhenEnough;
  if (page !== null && !('outcome' in page) && smaller !== null) {
    if ((await walk.add(page, smaller)) === 'added') return stop;
  }
  if (walk.mustTake) await walk.add(body, args, true);
  return stop;
}

/** An item that is kept. */
interface SelectedItem {
  readonly value: unknown;
  readonly rounded: unknown;
  readonly ranks: Ranks;
  /** Bytes of the item in the result. */
  readonly bytes: number;
}

interface Records {
  readonly value: readonly unknown[];
  readonly rounded: readonly unknown[];
  /** The records as the caller may see them. Conditions test only these, so that no caller can find out more. */
  readonly visibleItems: readonly unknown[];
  readonly bytesOf: (index: number) => number;
}

/** The pages looked at so far, and what was kept of them. */
class Walk {
  readonly call: AnsweredUse;
  /** The argument for the page size. Null if the tool has none, or it is pinned. */
  readonly size: string | null;
  /** The last page, and the arguments of its request. */
  last: JsonBody;
  args: Arguments;
  pages = 0;
  #looked = 0;
  #matched = 0;
  #bytes = 0;
  #isExact = true;
  #isFull = false;
  readonly #kept: SelectedItem[] = [];
  readonly #selection: Selection;
  readonly #aggregation: Aggregation | null;
  readonly #room: number;
  readonly #wanted: number;
  readonly #unseen: Set<Member>;
  #firstMembers = '';
  /** Values of the members that the condition tests, until an item matches. */
  readonly #samples: readonly Sample[];

  constructor(call: AnsweredUse, { selection, availableBytes }: SelectionRequest, body: JsonBody) {
    const { tool } = call.entry;
    this.call = call;
    this.#selection = selection;
    this.last = body;
    this.args = call.arguments;
    this.size = freePageSize(tool, call.pins);
    this.#room = availableBytes;
    const pageSize =
      this.size === null || isAfterFirstPage(tool, call.arguments) ? null : call.gatewayArguments?.repeated[this.size];
    this.#wanted =
      call.gatewayArguments?.maxItems ?? (typeof pageSize === 'number' ? pageSize : Number.POSITIVE_INFINITY);
    this.#aggregation = selection.aggregate === null ? null : new Aggregation(selection.aggregate, selection.order);
    this.#unseen = new Set(selection.members);
    this.#samples = (selection.condition?.tested ?? []).map((tested) => ({
      ...tested,
      close: new Set<string>(),
      all: new Set<string>(),
    }));
  }

  /**
   * True if all items that were asked for are kept. Never true of an aggregation, or of a sorted list, because any later item may come
   * first there.
   */
  get hasEnough(): boolean {
    return this.#aggregation === null && this.#selection.order === null && this.#kept.length >= this.#wanted;
  }

  /**
   * True if a page with too many items is taken whole, because no smaller page could be had.
   *
   * With nothing kept yet, the next call would begin at this page again, forever. And if only the number of items is exceeded, not the
   * bytes, a few more do no harm.
   */
  get mustTake(): boolean {
    return this.#kept.length === 0 || !this.#isFull;
  }

  get stopWhenEnough(): Stop {
    if (this.hasEnough) return { reason: `with the ${this.#wanted} that were asked for` };
    return { reason: `because the answer is limited to ${describeLimit(this.call.reader ?? { limit: this.#room })}` };
  }

  get progressText(): string {
    const pages = `${this.pages} ${this.pages === 1 ? 'page' : 'pages'}`;
    const matched = this.#selection.condition === null ? '' : `: ${this.#matched} match`;
    return `Looked at ${this.#looked} items on ${pages}${matched}`;
  }

  /**
   * Adds the records of a page.
   *
   * @param isForced whether to take the page although the answer has no room for it, or has enough items.
   * @returns `added` if the page was taken whole. A number if it was not taken at all: so many of its first records would have fitted.
   */
  async add(body: JsonBody, args: Arguments, isForced = false): Promise<'added' | 'no list' | number> {
    const records = this.#read(body);
    if (records === null) return 'no list';
    const { order } = this.#selection;
    const matches = await this.#findMatches(records);
    if (this.#aggregation !== null) for (const index of matches) this.#aggregation.add(records.visibleItems[index]);
    else if (order !== null)
      for (const index of matches)
        this.#insert(toSelectedItem(records, index, order.ranksOf(records.visibleItems[index])));
    else {
      let bytes = this.#bytes;
      let count = this.#kept.length;
      for (const index of matches) {
        bytes += records.bytesOf(index) + 1;
        count += 1;
        this.#isFull = bytes > this.#room;
        if (!isForced && (this.#isFull || count > this.#wanted)) return index;
      }
      for (const index of matches) this.#kept.push(toSelectedItem(records, index, []));
      this.#bytes = bytes;
    }
    this.last = body;
    this.args = args;
    this.pages += 1;
    this.#looked += records.visibleItems.length;
    this.#matched += matches.length;
    for (const [index, visibleItem] of records.visibleItems.entries())
      this.#selection.onItem?.(visibleItem, records.value[index]);
    this.#isExact &&= body.value === body.rounded;
    return 'added';
  }

  #read(body: JsonBody): Records | null {
    const { tool } = this.call.entry;
    const { pointer, structuredPointer } = this.#selection.items;
    const value = readPointer(body.value, pointer);
    if (!Array.isArray(value)) return null;
    const keep = this.call.reader === undefined ? undefined : tool.result?.keep;
    const answerObject = toObject(tool, body.value);
    const visibleObject = projectionOf(tool.page, keep, null)?.(answerObject) ?? answerObject;
    const shapedObject =
      projectionOf(tool.page, keep, this.call.gatewayArguments?.fields ?? null)?.(answerObject) ?? answerObject;
    const shapedItems = listAt(shapedObject, structuredPointer);
    const sizeOf = measure(this.#room);
    return {
      value,
      rounded: listAt(body.rounded, pointer),
      visibleItems: listAt(visibleObject, structuredPointer),
      bytesOf: (index) => sizeOf(shapedItems[index] ?? null),
    };
  }

  /** The indexes of the records that match. */
  async #findMatches({ visibleItems }: Records): Promise<number[]> {
    const { condition } = this.#selection;
    const matches: number[] = [];
    let turnStartedAt = performance.now();
    for (const [index, item] of visibleItems.entries()) {
      if (performance.now() - turnStartedAt > MAX_TURN_MS) {
        await setImmediate();
        turnStartedAt = performance.now();
      }
      for (const member of this.#unseen) if (valuesAt(item, member.path).length > 0) this.#unseen.delete(member);
      if (condition === null || condition.accepts(item)) matches.push(index);
      else if (this.#matched === 0 && matches.length === 0) addSamples(this.#samples, item);
    }
    const [first] = visibleItems;
    if (this.#firstMembers === '' && typeof first === 'object' && first !== null) {
      this.#firstMembers = nameMembers(first);
    }
    return matches;
  }

  /** Keeps an item of a sorted list at its place, and drops the last ones that are too many. */
  #insert(item: SelectedItem): void {
    const { order } = this.#selection;
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((order?.compare(this.#kept[middle]?.ranks ?? [], item.ranks) ?? 0) <= 0) low = middle + 1;
      else high = middle;
    }
    if (low >= this.#wanted) return;
    this.#kept.splice(low, 0, item);
    this.#bytes += item.bytes + 1;
    while (this.#kept.length > 1 && (this.#kept.length > this.#wanted || this.#bytes > this.#room)) {
      this.#bytes -= (this.#kept.pop()?.bytes ?? 0) + 1;
    }
  }

  #describeKnownValues(): string[] {
    const seen = (name: string) =>
      this.#samples.flatMap((sample) => (sample.member.name === name ? [...textsOf(sample)].map(toText) : []));
    const { condition, items } = this.#selection;
    return describeKnownValues(condition?.namedTerms ?? [], { tool: this.call.entry.tool, items, seen });
  }

  /** The last page with the items of all pages, or the numbers about them. */
  collected(stop: Stop | null): CollectedPages {
    const { tool } = this.call.entry;
    const args = argumentsAt(this.call, this.args, this.size);
    return {
      body: this.#aggregation === null ? this.#merged() : toAggregateBody(this.#aggregation),
      args,
      notes: this.#describe(stop),
      page: tool.page === undefined ? undefined : findPage(tool, tool.page, this.last, args),
      failure: stop?.failure ?? null,
      isComputed: this.#aggregation !== null,
    };
  }

  #merged(): JsonBody {
    const { pointer } = this.#selection.items;
    const value = replaceAt(
      this.last.value,
      pointer,
      this.#kept.map((item) => item.value),
    );
    if (this.#isExact) return { kind: 'json', value, rounded: value };
    const rounded = replaceAt(
      this.last.rounded,
      pointer,
      this.#kept.map((item) => item.rounded),
    );
    return { kind: 'json', value, rounded };
  }

  #describe(stop: Stop | null): string[] {
    const { order, condition } = this.#selection;
    const partText =
      this.#aggregation === null ? 'part of the list' : 'part of the list, and the figures are only of it';
    const { filtered } = this.call;
    const stopText = stop === null ? '.' : `, and stopped ${stop.reason}. This is a ${partText}.`;
    const notes: string[] = [];
    if (filtered != null) notes.push(`Asked the service for ${filtered.texts.join(' and ')} itself.`);
    notes.push(`${this.progressText}${stopText}`);
    if (order !== null && this.#aggregation === null) {
      const names = order.keys.map(({ member, isDescending }) => `${isDescending ? '-' : ''}${member.name}`).join(', ');
      const limitText = this.#kept.length < this.#matched ? `, the first ${this.#kept.length} of ${this.#matched}` : '';
      notes.push(`Sorted by ${names}${stop === null ? '' : ', only what was read'}${limitText}.`);
    }
    const almost = condition?.countCaseMismatches() ?? 0;
    if (this.#matched === 0 && almost > 0) {
      notes.push(
        'Some texts differ only in upper and lower case from one that "equals" names: "contains" ignores case.',
      );
    }
    if (this.#matched === 0 && this.#looked > 0) {
      for (const sample of this.#samples) {
        const texts = [...textsOf(sample)].slice(0, MAX_SAMPLES);
        if (texts.length > 0) notes.push(`Values of ${JSON.stringify(sample.member.name)} there: ${texts.join(', ')}.`);
      }
    }
    if (this.#matched === 0) notes.push(...this.#describeKnownValues());
    if (this.#looked > 0 && this.#unseen.size > 0) {
      const missing = new Set([...this.#unseen].map(({ name }) => JSON.stringify(name)));
      notes.push(`No item has ${[...missing].join(', ')}. The first one has: ${this.#firstMembers}.`);
    }
    return [...new Set(notes)];
  }
}

function toText(json: string): string {
  const value = parseJson(json);
  return typeof value === 'string' ? value : json;
}

function toSelectedItem({ value, rounded, bytesOf }: Records, index: number, ranks: Ranks): SelectedItem {
  return { value: value[index], rounded: rounded[index], ranks, bytes: bytesOf(index) };
}

function listAt(answer: unknown, pointer: string): readonly unknown[] {
  const list = readPointer(answer, pointer);
  return Array.isArray(list) ? list : [];
}

function toAggregateBody(aggregation: Aggregation): JsonBody {
  const value = { aggregate: aggregation.result };
  return { kind: 'json', value, rounded: JSON.parse(JSON.stringify(value)) };
}
