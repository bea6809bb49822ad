/** The tool `read_kept`: selects from a result that was too large, with the arguments of list tools and without a program. */

import { setImmediate } from 'node:timers/promises';
import type { CodeTool } from '../../call/tools/call/call.ts';
import { isDeeperThan, isObject } from '../../call/tools/json.ts';
import { createProjection } from '../../call/tools/results/fields.ts';
import { Aggregation } from '../../call/tools/selection/aggregate.ts';
import { SelectionError } from '../../call/tools/selection/items.ts';
import { readSelection, type Selection } from '../../call/tools/selection/selection.ts';
import { type ResultParts, toResult } from './run-code.ts';
import { failed, NOTHING_KEPT } from './said.ts';

const MAX_DEPTH = 100;
/** Time after which other calls run, in milliseconds. */
const TURN_MS = 15;
/** A list of anything: a program returns what it likes. */
const ANY_LIST = { outputSchema: { type: 'object' }, result: { wrapItems: true } } as const;

type Arguments = Parameters<CodeTool['call'] & {}>[1];

/** Creates the call. `KeptValues.read` decides whose handle it is. */
export function createReadKept(parts: ResultParts): CodeTool['call'] & {} {
  return async (principal, { handle, ...args }) => {
    const kept = await parts.kept.read(principal, String(handle));
    if (kept === undefined || !('result' in kept)) return failed(NOTHING_KEPT);
    try {
      const { value, note } = await select(JSON.parse(kept.result), args);
      const result = await toResult(parts, principal, JSON.stringify(value));
      return note === null ? result : { ...result, content: [...result.content, { type: 'text', text: note }] };
    } catch (error) {
      if (!(error instanceof SelectionError)) throw error;
      return failed({ code: 'invalid_arguments', message: error.message });
    }
  };
}

async function select(given: unknown, args: Arguments): Promise<{ value: unknown; note: string | null }> {
  if (isDeeperThan(given, MAX_DEPTH)) throw new SelectionError('handle', 'It is nested too deeply to select from.');
  const { where, sort, aggregate, fields, maxItems } = args;
  const selection = readSelection(ANY_LIST, { where, sort, aggregate });
  const project = Array.isArray(fields) && fields.length > 0 ? createProjection({}, fields.map(String)) : null;
  const shown = (value: unknown) => (project === null ? value : project(value as Record<string, unknown>));
  if (selection === null && maxItems === undefined) return { value: shown(given), note: null };
  const list = listOf(given);
  const { items, figures } = await selectItems(list, selection);
  const first = typeof maxItems === 'number' ? items.slice(0, maxItems) : items;
  const note = `Looked at ${list.length} items: ${items.length} match${first.length < items.length ? `, and these are the first ${first.length}` : ''}.`;
  return { value: figures ?? shown(first), note };
}

/** The list that a result is, or the only one in it. */
function listOf(value: unknown): readonly unknown[] {
  const lists = Array.isArray(value) ? [value] : Object.values(isObject(value) ? value : {}).filter(Array.isArray);
  const [list, another] = lists;
  if (list !== undefined && another === undefined) return list;
  const problem = list === undefined ? 'has no list' : 'has several lists';
  throw new SelectionError('handle', `The result ${problem}: read it in a program, with await kept(handle).`);
}

async function selectItems(list: readonly unknown[], selection: Selection | null) {
  const { condition = null, order = null, aggregate = null } = selection ?? {};
  const aggregation = aggregate === null ? null : new Aggregation(aggregate, order);
  const matches: unknown[] = [];
  let began = performance.now();
  for (const item of list) {
    if (performance.now() - began > TURN_MS) {
      await setImmediate();
      began = performance.now();
    }
    if (condition?.accepts(item) === false) continue;
    matches.push(item);
    aggregation?.add(item);
  }
  const ranked = order && matches.map((item) => ({ item, ranks: order.ranksOf(item) }));
  const sorted = ranked?.sort((a, b) => order?.compare(a.ranks, b.ranks) ?? 0).map(({ item }) => item);
  return { items: sorted ?? matches, figures: aggregation?.result };
}
