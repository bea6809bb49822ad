/** Tools that find items of a list by a key, in what was read of the list a moment ago, by a filter of the service, or page by page. */

import type { Tool } from '../../../../contract/index.ts';
import type { Arguments } from '../../../upstream/index.ts';
import { usedTools } from '../../catalogue/permitted.ts';
import { isSchema, parseExactJson, readPointer, replaceAt } from '../../json.ts';
import { withFirstPage } from '../../results/page-size.ts';
import { isScalar } from '../../selection/compare.ts';
import { type Filtered, useFilters } from '../../selection/filters.ts';
import { itemsOf, type ListedItems, unwrapRawNumber, valuesAt } from '../../selection/items.ts';
import { type FindKey, normalizeKey, ReadList } from '../../selection/read-lists.ts';
import type { Selection } from '../../selection/selection.ts';
import { checkArguments } from '../arguments.ts';
import type { CallOutcome } from '../call-outcome.ts';
import type { CallDependencies } from '../dependencies.ts';
import { LargePageError } from '../page-requests.ts';
import { followPagesHere } from '../pages.ts';
import { isLargeAnswer, request } from '../sending.ts';
import { readAnswer, shapeResult } from '../shape-result.ts';
import {
  type AnsweredUse,
  type CollectedPages,
  keepCredential,
  type PreparedCall,
  type PreparedUse,
  type SentUse,
  type ToolKind,
} from '../state.ts';

export const FIND: ToolKind = { prepare: checkArguments, run: [findItems] };

/**
 * Answers with the items that have the key. The requests are those of the list, with its rules and the pinned arguments that it takes.
 *
 * A list that was read without a filter is kept for later keys. If it is longer than one call reads, the next call reads on.
 */
async function findItems(call: PreparedCall, deps: CallDependencies): Promise<CallOutcome> {
  const search = toSearch(call);
  const { list, args, key, items } = search;
  const id = JSON.stringify([call.connectionId, call.credentialSince, call.reader?.id, list.name, search.by, args]);
  const cachedList = deps.readLists?.find(id, deps.now());
  const itemsJson = cachedList?.find(key) ?? null;
  if (cachedList !== undefined && (itemsJson !== null || cachedList.next === null))
    return answerFromCache(cachedList, itemsJson, search, deps);
  const first = withFirstPage(list, cachedList?.next ?? args, null, call.pins);
  const filters = cachedList === undefined ? filtersOf(search, first, deps) : [];
  for (const filtered of [...filters, null]) {
    const reading = new ReadList(call.connectionId ?? '', deps.now(), cachedList);
    const use = toUse(search, reading, first, filtered);
    let isCached = false;
    let isFound = false;
    let answered: AnsweredUse;
    let collected: CollectedPages;
    deps.readLists?.begin(reading);
    try {
      const answeredList = await readItems(use, { search, reading }, deps);
      keepCredential(call, use);
      if ('outcome' in answeredList) return answeredList;
      answered = answeredList;
      if (answeredList.collected === undefined) return shapeResult(withAnswerOf(call, answered), deps);
      collected = answeredList.collected;
      const { body, page } = collected;
      const value = body.kind === 'json' ? body.value : null;
      const matches = readPointer(value, items.pointer);
      isFound = Array.isArray(matches) && matches.length > 0;
      reading.close(replaceAt(value, items.pointer, []), page?.nextArguments ?? null);
    } finally {
      isCached = deps.readLists?.end(reading.frame === '' || use.filtered != null ? null : id, reading) === true;
    }
    if (use.filtered != null && !isFound) continue;
    const continuation = isCached ? 'Call again to look on.' : `Look on with ${list.name} and where.`;
    const continuationNotes = reading.next === null ? [] : [continuation];
    const notes = [...collected.notes, ...describeNear(isFound, reading, key), ...continuationNotes];
    withAnswerOf(call, answered);
    return answerWithItems(search, { ...collected, notes }, deps);
  }
  throw new Error('the last reading has no filter');
}

/** Gives the call the answer of its list. */
function withAnswerOf(call: PreparedCall, { answer, body }: AnsweredUse): PreparedCall & AnsweredUse {
  return Object.assign(call, { answer, body });
}

interface Search {
  readonly call: PreparedCall;
  readonly list: Tool;
  /** Arguments of the list. */
  readonly args: Arguments;
  readonly key: string;
  readonly by: readonly (readonly string[])[];
  readonly items: NonNullable<ReturnType<typeof itemsOf>>;
}

function toSearch(call: PreparedCall): Search {
  const { connector, tool } = call.entry;
  const [list] = usedTools(connector, tool);
  const items = list === undefined ? null : itemsOf(list);
  if (list === undefined || items === null) throw new Error(`${tool.name} finds items of a tool that lists none`);
  const { properties } = list.inputSchema;
  const pins = Object.entries(call.pins).filter(([name]) => isSchema(properties) && Object.hasOwn(properties, name));
  const args = { ...call.arguments, ...Object.fromEntries(pins) };
  const key = String(call.gatewayArguments?.repeated.key ?? '');
  return { call, list, args, key, by: tool.find?.by ?? [], items };
}

/** The filters of the service that find one of the keys. */
function filtersOf({ list, by, key }: Search, args: Arguments, { validators }: CallDependencies): Filtered[] {
  const accepts = (candidate: Arguments) => validators(list.inputSchema).accepts(candidate);
  return by.flatMap(([member = '', ...more]) => {
    const term = { member, operator: 'equals', operand: key.trim() };
    return more.length > 0 ? [] : (useFilters(list, [term], args, accepts) ?? []);
  });
}

/** Bytes of items with one key that an answer holds at most, also for a program. */
const MAX_FOUND_BYTES = 256 * 1024;

function toUse(search: Search, reading: ReadList, first: Arguments, filtered: Filtered | null): PreparedUse {
  const { call, list, by, key, items } = search;
  const { reader } = call;
  return {
    ...call,
    ...(reader && { reader: { ...reader, limit: Math.min(reader.limit, MAX_FOUND_BYTES) } }),
    entry: { ...call.entry, tool: list },
    gatewayArguments: { fields: null, maxItems: null, resume: null, repeated: search.args },
    arguments: filtered?.arguments ?? first,
    filtered,
    selection: selectByKey(items, { by, key }, reading),
  };
}

/** Selects the items with a key, and adds every item to `reading`. */
export function selectByKey(
  items: ListedItems,
  { by, key }: FindKey,
  reading: { add(keys: readonly string[], value: unknown): void },
): Selection {
  const normalizedKey = normalizeKey(key);
  return {
    items,
    condition: {
      accepts: (item) => keysOf(item, by).some((itemKey) => normalizeKey(itemKey) === normalizedKey),
      tested: [],
      namedTerms: [],
      terms: [],
      countCaseMismatches: () => 0,
    },
    order: null,
    aggregate: null,
    selectionArguments: { where: undefined, sort: undefined, aggregate: undefined },
    members: [],
    onItem: (visibleItem, value) => reading.add(keysOf(visibleItem, by), value),
  };
}

/** Every value of a key of one member; of several, their first values together. */
function keysOf(item: unknown, by: Search['by']): string[] {
  const keys = by.flatMap((names) => {
    const texts = names.map((name) =>
      valuesAt(item, name.split('.')).map(unwrapRawNumber).filter(isScalar).map(String),
    );
    return names.length === 1 ? texts.flat() : texts.flatMap(([text = '']) => text || []).join(' ');
  });
  return keys.filter((key) => key.trim() !== '');
}

interface Finding {
  readonly search: Search;
  readonly reading: ReadList;
}

/** Reads the list. A large one is read in another thread. */
async function readItems(
  use: PreparedUse,
  finding: Finding,
  deps: CallDependencies,
): Promise<CallOutcome | AnsweredUse> {
  const sentUse = await request(use, deps);
  if ('outcome' in sentUse) return sentUse;
  if (isLargeAnswer(sentUse, sentUse.answer) && deps.largeAnswers !== undefined)
    return readInThread(sentUse, finding, deps);
  try {
    const answeredUse = readAnswer(sentUse, deps);
    return 'outcome' in answeredUse ? answeredUse : ((await followPagesHere(answeredUse, deps)) ?? answeredUse);
  } catch (error) {
    if (!(error instanceof LargePageError)) throw error;
    return readInThread(sentUse, finding, deps);
  }
}

async function readInThread(
  sentUse: SentUse,
  { search, reading }: Finding,
  deps: CallDependencies,
): Promise<CallOutcome | AnsweredUse> {
  if (deps.largeAnswers === undefined) throw new Error('only a gateway with threads finds answers too large');
  const foundItems = await deps.largeAnswers.find(sentUse, search, deps);
  if ('outcome' in foundItems) return foundItems;
  reading.replaceItems(foundItems.items);
  return Object.assign(sentUse, { body: foundItems.collected.body, collected: foundItems.collected });
}

/**
 * Answers with the items of a stored list.
 *
 * @param itemsJson JSON of the items, or null if no item has the key.
 */
function answerFromCache(
  cachedList: ReadList,
  itemsJson: string | null,
  search: Search,
  deps: CallDependencies,
): CallOutcome {
  const frame = parseExactJson(cachedList.frame);
  const items = parseExactJson(itemsJson ?? '[]');
  const listWith = (numbers: 'value' | 'rounded') => replaceAt(frame[numbers], search.items.pointer, items[numbers]);
  const seconds = Math.round((deps.now() - cachedList.requestedAt) / 1000);
  const incompleteNote = cachedList.next === null ? '' : ' The list goes on.';
  const notes = [
    `Looked at the ${cachedList.length} items that were read ${seconds} seconds ago.${incompleteNote}`,
    ...describeNear(itemsJson !== null, cachedList, search.key),
  ];
  const body = { kind: 'json' as const, value: listWith('value'), rounded: listWith('rounded') };
  return answerWithItems(search, { body, args: {}, notes, failure: null }, deps);
}

/** The answer has the form of the list's, without pages. */
function answerWithItems({ call }: Search, collected: CollectedPages, deps: CallDependencies): CallOutcome {
  const body = { body: collected.body, collected: { ...collected, page: null } };
  return shapeResult(Object.assign(call, body), deps);
}

function describeNear(isFound: boolean, list: ReadList, key: string): string[] {
  if (isFound) return [];
  const { keys, containing } = list.findNearestKeys(key);
  const near = keys.length === 0 ? '' : ` Near: ${keys.map((nearKey) => JSON.stringify(nearKey)).join(', ')}.`;
  const count = containing > keys.length ? ` ${containing} keys contain it.` : '';
  return [`No item is called ${JSON.stringify(key)}.${near}${count}`];
}
