/** The type of an argument as `TOOLS.md` shows it: with the members of its objects, as far as a cell of a table can hold them. */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { toTypeScriptType } from '../json-schema-type.ts';
import { propertyKey } from '../literal.ts';

/** Levels of objects. */
const MAX_DEPTH = 3;
const MAX_MEMBERS = 12;
/** Over it, fewer levels are shown. */
const MAX_CHARS = 320;

/**
 * `{ id: string; tags?: string[] }`: as many levels as fit, at least none.
 *
 * @param root What local references of the schema lead into.
 */
export function toMemberTypes(schema: Schema, root: Schema): string {
  for (let depth = MAX_DEPTH; depth > 0; depth -= 1) {
    const text = write(schema, root, depth);
    if (text.length <= MAX_CHARS) return text;
  }
  return write(schema, root, 0);
}

function write(schema: Schema, root: Schema, depth: number): string {
  return toTypeScriptType(schema, {
    resolve: (place) => resolve(place, root),
    object: (object) => writeObject(object, root, depth),
  });
}

function writeObject(
  { properties, required, additionalProperties: values }: Schema,
  root: Schema,
  depth: number,
): string {
  const members = isRecord(properties) ? Object.entries(properties) : [];
  if (members.length === 0) {
    const hasValues = depth > 0 && isRecord(values) && Object.keys(values).length > 0;
    return `Record<string, ${hasValues ? write(values, root, depth - 1) : 'unknown'}>`;
  }
  if (depth === 0) return 'object';
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const shown = members.slice(0, MAX_MEMBERS).map(([name, member]) => {
    const type = isRecord(member) ? write(member, root, depth - 1) : 'unknown';
    return `${propertyKey(name)}${needed.includes(name) ? '' : '?'}: ${type}`;
  });
  const more = members.length > MAX_MEMBERS ? [`/* and ${members.length - MAX_MEMBERS} more */`] : [];
  return `{ ${[...shown, ...more].join('; ')} }`;
}

function resolve(place: Schema, { $defs }: Schema): Schema {
  const { $ref } = place;
  const target = typeof $ref === 'string' && isRecord($defs) ? $defs[$ref.replace('#/$defs/', '')] : undefined;
  return isRecord(target) ? target : place;
}
