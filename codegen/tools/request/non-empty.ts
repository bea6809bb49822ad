/** Prevents empty values of optional names: a model sends `""` for a value that it wants to omit. */

import { compilePattern, findPatternProblem } from '../../../shared/patterns/index.ts';
import { isRecord } from '../../json.ts';
import type { Method, Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { toWords } from '../words/words.ts';
import type { Assignment } from './assign.ts';

/** Last words in the name of a body member that holds a name. */
const NAMING_WORDS = wordSet('cursor email guid id name token uri url uuid');

/**
 * The schema of an optional argument, with `minLength: 1` if an empty text would mean nothing: the gateway, which repairs arguments, then drops it.
 *
 * - In query, header and cookie: every text, and every text in an array (ids, cursors, filters).
 * - Arguments that are only checked, not sent.
 * - In a JSON or form body: members whose name ends in a word such as `id`, `url` or `name`. Not for PUT and PATCH,
 *   where an empty text may erase a stored value.
 *
 * A `minLength` of the descriptor or of connector.yaml stays as it is: 0 allows empty texts, as does `allowEmptyValue`.
 */
export function withoutEmptyText(schema: Schema, { slot }: Assignment, method: Method): Schema {
  if (slot !== null) {
    if (slot.in === 'path' || slot.parameter?.allowEmptyValue === true) return schema;
    if (slot.in === 'body' && !isNaming(slot.name, method)) return schema;
  }
  if (isPlainText(schema)) return { ...schema, minLength: 1 };
  const { items } = schema;
  if (slot?.in === 'body' || schema.type !== 'array' || !isRecord(items) || !isPlainText(items)) return schema;
  return { ...schema, items: { ...items, minLength: 1 } };
}

function isNaming(name: string | null, method: Method): boolean {
  if (name === null || method === 'PUT' || method === 'PATCH') return false;
  return NAMING_WORDS.has(toWords(name).at(-1) ?? '');
}

/** True for a text that may be empty so far. */
function isPlainText(schema: Schema): boolean {
  const { type, pattern, minLength, format } = schema;
  if (type !== 'string' || minLength !== undefined || format !== undefined || schema.default === '') return false;
  if (schema.enum !== undefined || schema.const !== undefined || schema.$ref !== undefined) return false;
  if (typeof pattern !== 'string' || findPatternProblem(pattern) !== null) return true;
  return compilePattern(pattern).test('');
}
