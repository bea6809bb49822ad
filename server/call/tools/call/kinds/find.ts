/** Tools that find items of a list by a key, in what was read of the list a moment ago, by a filter of the service, or page by page. */

import type { Tool } from '../../../../contract/index.ts';
import type { Arguments } from '../../../upstream/index.ts';
import { usedTools } from '../../catalogue/permitted.ts';
import { isSchema, parseExactJson, readPointer, replaceAt } from '../../json.ts';
import { withFirstPage } from '../../results/page-size.ts';
import { isScalar } from '../../selection/compare.ts';
import { type Filtered, useFilters } from '../../selection/filters.ts';
import { itemsOf, type ListedItems, plain, valuesAt } from '../../selection/items.ts';
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
 * Ends every call. The requests are those of the list, with its rules and the pinned arguments that it takes.
 *
 * What a whole reading gave is kept for later keys; a list that is longer than one call reads is read on by the next call.
 */
async function findItems(call: PreparedCall, deps: CallDependencies): Promise<CallOutcome> {
  const search = toSearch(call);
  const { list, args, key, items } = search;
  const id = JSON.stringify([call.connectionId, call.credentialSince, call.reader?.id, list.name, search.by, args]);
  const kept = deps.readLists?.find(id, deps.now());
  const known = kept?.find(key) ?? null;
  if (kept !== undefined && (known !== null || kept.next === null)) return answerFrom(kept, known, search, deps);
  const first = withFirstPage(list, kept?.next ?? args, null, call.pins);
  const filters = kept === undefined ? filtersOf(search, first, deps) : [];
  for (const filtered of [...filters, null]) {
    const reading = new ReadList(call.connectionId ?? '', deps.now(), kept);
    const use = toUse(search, reading, first, filtered);
    let [isKept, isFound] = [false, false];
    let answered: Pick<AnsweredUse, 'answer' | 'body'>;
    let collected: CollectedPages;
    deps.readLists?.begin(reading);
    try {
      const read = await readItems(use, { search, reading }, deps);
      keepCredential(call, use);
      if ('outcome' in read) return read;
      answered = { answer: read.answer, body: read.body };
      if (read.collected === undefined) return shapeResult(Object.assign(call, answered), deps);
      collected = read.collected;
      const { body, page } = collected;
      const value = body.kind === 'json' ? body.value : null;
      const found = readPointer(value, items.pointer);
      isFound = Array.isArray(found) && found.length > 0;
      reading.close(replaceAt(value, items.pointer, []), page?.nextArguments ?? null);
    } finally {
      isKept = deps.readLists?.end(reading.frame === '' || use.filtered != null ? null : id, reading) === true;
    }
    if (use.filtered != null && !isFound) continue;
    const goesOn = isKept ? 'Call again to look on.' : `Look on with ${list.name} and where.`;
    const rest = reading.next === null ? [] : [goesOn];
    const notes = [...collected.notes, ...describeNear(isFound, reading, key), ...rest];
    Object.assign(call, answered);
    return answer(search, { ...collected, notes }, deps);
  }
  throw new Error('the last reading has no filter');
}

interface Search {
  readonly call: PreparedCall;
  readonly list: Tool;
  /** Of the list. */
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
  const accepts = (given: Arguments) => validators(list.inputSchema).accepts(given);
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

/** Selects the items with a key, and adds every item to what was read. */
export function selectByKey(
  items: ListedItems,
  { by, key }: FindKey,
  reading: { add(keys: readonly string[], value: unknown): void },
): Selection {
  const wanted = normalizeKey(key);
  return {
    items,
    condition: {
      accepts: (item) => keysOf(item, by).some((one) => normalizeKey(one) === wanted),
      members: [],
      terms: [],
      almost: () => 0,
    },
    order: null,
    aggregate: null,
    given: { where: undefined, sort: undefined, aggregate: undefined },
    members: [],
    onItem: (seen, value) => reading.add(keysOf(seen, by), value),
  };
}

/** Every value of a key of one member; of several, their first values together. */
function keysOf(item: unknown, by: Search['by']): string[] {
  const keys = by.flatMap((names) => {
    const texts = names.map((name) => valuesAt(item, name.split('.')).map(plain).filter(isScalar).map(String));
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
  const sent = await request(use, deps);
  if ('outcome' in sent) return sent;
  if (isLargeAnswer(sent, sent.answer) && deps.largeAnswers !== undefined) return readInThread(sent, finding, deps);
  try {
    const read = readAnswer(sent, deps);
    return 'outcome' in read ? read : ((await followPagesHere(read, deps)) ?? read);
  } catch (error) {
    if (!(error instanceof LargePageError)) throw error;
    return readInThread(sent, finding, deps);
  }
}

async function readInThread(
  sent: SentUse,
  { search, reading }: Finding,
  deps: CallDependencies,
): Promise<CallOutcome | AnsweredUse> {
  if (deps.largeAnswers === undefined) throw new Error('only a gateway with threads finds answers too large');
  const found = await deps.largeAnswers.find(sent, search, deps);
  if ('outcome' in found) return found;
  reading.replaceItems(found.items);
  return Object.assign(sent, { body: found.collected.body, collected: found.collected });
}

/**
 * Answers with the items of a stored list.
 *
 * @param found JSON of the items, or null if no item has the key.
 */
function answerFrom(kept: ReadList, found: string | null, search: Search, deps: CallDependencies): CallOutcome {
  const [frame, items] = [parseExactJson(kept.frame), parseExactJson(found ?? '[]')];
  const at = (of: 'value' | 'rounded') => replaceAt(frame[of], search.items.pointer, items[of]);
  const seconds = Math.round((deps.now() - kept.since) / 1000);
  const part = kept.next === null ? '' : ' The list goes on.';
  const notes = [
    `Looked at the ${kept.length} items that were read ${seconds} seconds ago.${part}`,
    ...describeNear(found !== null, kept, search.key),
  ];
  const body = { kind: 'json' as const, value: at('value'), rounded: at('rounded') };
  return answer(search, { body, args: {}, notes, failure: null }, deps);
}

/** The answer has the form of the list's, without pages. */
function answer({ call }: Search, collected: CollectedPages, deps: CallDependencies): CallOutcome {
  const body = { body: collected.body, collected: { ...collected, page: null } };
  return shapeResult(Object.assign(call, body), deps);
}

function describeNear(isFound: boolean, list: ReadList, key: string): string[] {
  if (isFound) return [];
  const near = list.near(key).map((one) => JSON.stringify(one));
  return [`No item is called ${JSON.stringify(key)}.${near.length === 0 ? '' : ` Near: ${near.join(', ')}.`}`];
}
