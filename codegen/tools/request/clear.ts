/** Lets an update erase a stored value only on explicit request: many clients send `null` for an omitted argument. */

import type { OperationModel, Schema } from '../../model/types.ts';
import { kindsOf } from '../schema/kinds.ts';
import type { Resolve } from '../schema/readers.ts';
import type { ArgumentModel } from '../types.ts';
import type { Assignment } from './assign.ts';

const NAME = 'clear';
const DESCRIPTION = 'Arguments whose stored value is to be removed, instead of giving them. A null removes nothing.';

/**
 * Returns true for an optional member of an update's JSON body that the descriptor allows to be null. Null is then not accepted as its value, and
 * only the argument of `toClearArgument` can set it.
 *
 * Updates are PATCH, PUT, and POST on a path that ends in a parameter. A type that connector.yaml sets for an argument stays.
 */
export function isClearable({ slot, key, config }: Assignment, operation: OperationModel, resolve: Resolve): boolean {
  if (!isUpdate(operation) || slot === null || slot.in !== 'body' || slot.name === null || key !== null) return false;
  if (slot.path !== undefined || slot.required || !slot.nullable || config.required === true) return false;
  if (config.type !== undefined || config.schema !== undefined || config.enum !== undefined) return false;
  const kinds = kindsOf(slot.schema, resolve);
  return kinds.has('null') && kinds.size > 1;
}

function isUpdate({ method, path }: OperationModel): boolean {
  return method === 'PATCH' || method === 'PUT' || (method === 'POST' && path.endsWith('}'));
}

/** The argument that names the values to erase; null if there are none. */
export function toClearArgument(clearable: readonly string[], taken: ReadonlySet<string>): ArgumentModel | null {
  if (clearable.length === 0) return null;
  let name = NAME;
  for (let number = 2; taken.has(name); number += 1) name = `${NAME}${number}`;
  const schema: Schema = { type: 'array', description: DESCRIPTION, items: { type: 'string', enum: clearable } };
  return { name, required: false, schema, wire: null };
}
