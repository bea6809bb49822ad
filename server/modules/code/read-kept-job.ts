/** A job of a thread: selects from the JSON of a stored result. */

import { isDeeperThan, isObject } from '../../call/tools/json.ts';
import { createProjection } from '../../call/tools/results/fields.ts';
import { Aggregation } from '../../call/tools/selection/aggregate.ts';
import { SelectionError } from '../../call/tools/selection/items.ts';
import { readSelection, type Selection } from '../../call/tools/selection/selection.ts';

const MAX_DEPTH = 100;
/** A schema of any list, because a program can return any value. */
const ANY_LIST = { outputSchema: { type: 'object' }, result: { wrapItems: true } } as const;

type Arguments = Readonly<Record<string, unknown>>;

export interface SelectionInput {
  /** JSON of the result. */
  readonly json: string;
  /** The arguments of `read_kept` without the handle. */
  readonly args: Arguments;
}

export type SelectionOutput =
  | {
      /** JSON of the selection. */
      readonly json: string;
      /** A note for the model about the selection, or null. */
      readonly note: string | null;
    }
  /** The reason why the arguments cannot select from the result. */
  | { readonly refused: string };

/** Runs the job; see `RunJob`. */
export async function run({ json, args }: SelectionInput): Promise<SelectionOutput> {
  try {
    const { value, note } = select(JSON.parse(json), args);
    return { json: JSON.stringify(value), note };
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    return { refused: error.message };
  }
}

function select(result: unknown, args: Arguments): { readonly value: unknown; readonly note: string | null } {
  if (isDeeperThan(result, MAX_DEPTH)) throw new SelectionError('handle', 'It is nested too deeply to select from.');
  const { where, sort, aggregate, fields, maxItems } = args;
  const selection = readSelection(ANY_LIST, { where, sort, aggregate });
  const project = Array.isArray(fields) && fields.length > 0 ? createProjection(undefined, fields.map(String)) : null;
  const applyProjection = (value: unknown) => (project === null ? value : project(value as Record<string, unknown>));
  if (selection === null && maxItems === undefined) return { value: applyProjection(result), note: null };
  const list = listOf(result);
  const { items, figures } = selectItems(list, selection);
  const firstItems = typeof maxItems === 'number' ? items.slice(0, maxItems) : items;
  const note = `Looked at ${list.length} items: ${items.length} match${firstItems.length < items.length ? `, and these are the first ${firstItems.length}` : ''}.`;
  return { value: figures ?? applyProjection(firstItems), note };
}

/** Returns the result if it is a list, or else its only member that is a list. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const members = isObject(value) ? Object.values(value) : [];
  const [list, another] = members.filter(Array.isArray);
  if (list !== undefined && another === undefined) return list;
  const problem = list === undefined ? 'has no list' : 'has several lists';
  throw new SelectionError('handle', `The result ${problem}: read it in a program, with await kept(handle).`);
}

function selectItems(list: readonly unknown[], selection: Selection | null) {
  const { condition = null, order = null, aggregate = null } = selection ?? {};
  const aggregation = aggregate === null ? null : new Aggregation(aggregate, order);
  const matches: unknown[] = [];
  for (const item of list) {
    if (condition?.accepts(item) === false) continue;
    matches.push(item);
    aggregation?.add(item);
  }
  const ranked = order && matches.map((item) => ({ item, ranks: order.ranksOf(item) }));
  const sorted = ranked?.sort((a, b) => order?.compare(a.ranks, b.ranks) ?? 0).map(({ item }) => item);
  return { items: sorted ?? matches, figures: aggregation?.result };
}
