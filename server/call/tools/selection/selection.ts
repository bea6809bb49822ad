/** The selection of items of a list by a call: `where`, `sort` and `aggregate`, checked before anything is sent. */

import { isObject } from '../json.ts';
import { type Aggregate, readAggregate } from './aggregate.ts';
import { type Condition, readCondition } from './condition.ts';
import { createLookup, itemsOf, type ListedItems, type ListingTool, type Member, SelectionError } from './items.ts';
import { Order } from './order.ts';

/** A selection of items. */
export interface Selection {
  readonly items: ListedItems;
  readonly condition: Condition | null;
  readonly order: Order | null;
  readonly aggregate: Aggregate | null;
  /** The arguments that it was read from. */
  readonly selectionArguments: SelectionArguments;
  /** All members that it names. */
  readonly members: readonly Member[];
  /** Called once with every item, as the caller may see it and as the service wrote it. */
  readonly onItem?: (visibleItem: unknown, value: unknown) => void;
}

/** The arguments of a selection that a tool takes. Null for those that the call does not give. */
export interface SelectionArguments {
  readonly where: unknown;
  readonly sort: unknown;
  readonly aggregate: unknown;
}

/**
 * Reads a selection. Returns null if the call asks for none. Empty values count as missing.
 *
 * @throws {SelectionError}
 */
export function readSelection(tool: ListingTool, { where, sort, aggregate }: SelectionArguments): Selection | null {
  const selectionArguments = {
    where: isObject(where) && Object.keys(where).length > 0 ? where : null,
    sort: typeof sort === 'string' && sort.trim() !== '' ? sort : null,
    aggregate: isObject(aggregate) && Object.keys(aggregate).length > 0 ? aggregate : null,
  };
  if (selectionArguments.where === null && selectionArguments.sort === null && selectionArguments.aggregate === null)
    return null;
  const items = itemsOf(tool);
  if (items === null) throw new SelectionError('where', 'The answers of this tool have no list to select from.');
  const condition =
    selectionArguments.where === null ? null : readCondition(selectionArguments.where, createLookup('where', items));
  const order =
    selectionArguments.sort === null ? null : new Order(selectionArguments.sort, createLookup('sort', items));
  const aggregation =
    selectionArguments.aggregate === null
      ? null
      : readAggregate(selectionArguments.aggregate, createLookup('aggregate', items));
  const members = [
    ...(condition?.tested.map(({ member }) => member) ?? []),
    ...(order?.keys.map(({ member }) => member) ?? []),
    ...(aggregation?.members ?? []),
  ];
  return { items, condition, order, aggregate: aggregation, selectionArguments, members };
}
