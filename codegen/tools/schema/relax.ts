/** Reads answer schemas as loose shapes: what may be present, never what must be. */

import { canonicalJson, isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences, toCleanText, toShortText } from '../words/texts.ts';
import { isWriteOnly, mergeAllOf } from './merge.ts';
import { isNull } from './nulls.ts';
import { isNever, type Resolve, refOf, schemaList, schemaMap, toSchema, typesOf } from './readers.ts';

const MAX_DESCRIPTION_CHARS = 160;
const MAX_VALUES_CHARS = 160;

/** A place of an answer. Every shape may also be null or absent. `source` is the schema that it was read from. */
export type Shape =
  | { readonly kind: 'any'; readonly description: string; readonly source: Schema }
  | {
      readonly kind: 'scalar';
      readonly types: readonly string[];
      readonly description: string;
      readonly source: Schema;
    }
  | { readonly kind: 'array'; readonly items: Schema; readonly description: string; readonly source: Schema }
  | {
      readonly kind: 'object';
      readonly properties: readonly (readonly [string, Schema])[];
      /** Schema of the values of an object without named properties, or null. */
      readonly values: Schema | null;
      readonly description: string;
      readonly source: Schema;
    };

/** Reads shapes; the same schema object always gives the same shape. */
export type ShapeReader = (schema: Schema) => Shape;

/**
 * A reader for one descriptor.
 *
 * Alternatives (`oneOf`, `anyOf`) of objects become one object with the properties of all; of scalars, one scalar with
 * the types of all; properties and alternatives of different kinds become `any`, as the description says. Known values
 * (`enum`, `const`) move to the description, so that a new value does not fail validation.
 */
export function createShapeReader(resolve: Resolve): ShapeReader {
  const shapes = new WeakMap<Schema, Shape>();
  const reading = new Set<Schema>();
  const read: ShapeReader = (schema) => {
    const before = shapes.get(schema);
    if (before !== undefined) return before;
    if (reading.has(schema)) return { kind: 'any', description: '', source: schema };
    reading.add(schema);
    const shape = readNew(schema);
    reading.delete(schema);
    shapes.set(schema, shape);
    return shape;
  };

  const readNew = (schema: Schema): Shape => {
    const ref = refOf(schema);
    if (ref !== null && Object.keys(schema).length === 1) return read(resolve(ref));
    const { schema: merged, leftovers } = mergeAllOf(schema, resolve);
    const description = toAnswerText(merged);
    const variants = [merged, ...leftovers].flatMap((part) => [
      ...schemaList(part, 'anyOf'),
      ...schemaList(part, 'oneOf'),
    ]);
    const { anyOf: _, oneOf: __, ...own } = merged;
    const candidates = [own, ...variants]
      .filter(isTelling)
      .map((part) => (part === own ? readPlain(own, description) : read(part)));
    const open = variants.length > 0 && !isTelling(own) && variants.some((part) => !isTelling(part) && !isNull(part));
    if (candidates.length === 0 || open) return { kind: 'any', description, source: schema };
    const union = candidates.reduce((left, right) => unite(left, right, { source: schema, read }));
    return description === '' ? union : { ...union, description };
  };

  const readPlain = (schema: Schema, description: string): Shape => {
    const types = typesOf(schema).filter((type) => type !== 'null');
    if (types.length === 1 && types[0] === 'object') return readObject(schema, description);
    if (types.length === 1 && types[0] === 'array') {
      return { kind: 'array', items: toSchema(schema.items), description, source: schema };
    }
    if (types.length === 0 || types.some((type) => type === 'object' || type === 'array')) {
      return { kind: 'any', description: joinSentences(description, toKinds(types)), source: schema };
    }
    return { kind: 'scalar', types, description, source: schema };
  };

  const readObject = (schema: Schema, description: string): Shape => {
    const properties = schemaMap(schema, 'properties').filter(([, member]) => !isWriteOnly(member, resolve));
    const additional = schema.additionalProperties;
    const values = properties.length === 0 && isRecord(additional) && !isNever(additional) ? additional : null;
    return { kind: 'object', properties, values, description, source: schema };
  };

  return read;
}

/** The parts of the union of two shapes: the schema that it describes, and the reader of members. */
interface Union {
  readonly source: Schema;
  readonly read: ShapeReader;
}

function unite(left: Shape, right: Shape, { source, read }: Union): Shape {
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    const types = [...new Set([...left.types, ...right.types])];
    const description =
      left.description === right.description ? left.description : joinSentences(left.description, right.description);
    return { kind: 'scalar', types, description: toShortText(description, MAX_DESCRIPTION_CHARS), source };
  }
  if (left.kind === 'object' && right.kind === 'object') {
    const properties = new Map(left.properties);
    for (const [name, member] of right.properties) {
      const before = properties.get(name);
      properties.set(name, before === undefined ? member : uniteMembers(before, member, read));
    }
    const values = properties.size > 0 ? null : (left.values ?? right.values);
    return { kind: 'object', properties: [...properties], values, description: '', source };
  }
  if (left.kind === 'array' && right.kind === 'array') {
    return { kind: 'array', items: uniteMembers(left.items, right.items, read), description: '', source };
  }
  return { kind: 'any', description: toKinds([...kindsOf(left), ...kindsOf(right)]), source };
}

/** One schema for two of the same place, without descending: nested differences stay open. */
function uniteMembers(left: Schema, right: Schema, read: ShapeReader): Schema {
  if (canonicalJson(left) === canonicalJson(right)) return left;
  const [a, b] = [read(left), read(right)];
  if (a.source === b.source) return left;
  if (a.kind === 'scalar' && b.kind === 'scalar') return { type: [...new Set([...a.types, ...b.types])] };
  if (a.kind === 'object' && b.kind === 'object') return { type: 'object' };
  if (a.kind === 'array' && b.kind === 'array') return { type: 'array' };
  return { description: toKinds([...kindsOf(a), ...kindsOf(b)]) };
}

/** Description of a place in an answer: one short line, with the known values. */
function toAnswerText(schema: Schema): string {
  const text = toShortText(toPlainText(schema.description).replace(/\n+/g, ' '), MAX_DESCRIPTION_CHARS);
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum;
  const plainValues = Array.isArray(values)
    ? values.filter((value) => value !== null && typeof value !== 'object')
    : [];
  return plainValues.length === 0 ? text : joinSentences(text, toValues(plainValues));
}

function toValues(values: readonly unknown[]): string {
  let list = '';
  for (const value of values) {
    const text = typeof value === 'string' ? toCleanText(value) : String(value);
    const next = list === '' ? text : `${list}, ${text}`;
    if (next.length > MAX_VALUES_CHARS) return `Such as ${list}.`;
    list = next;
  }
  return values.length === 1 ? `Known value: ${list}.` : `Known values: ${list}.`;
}

function kindsOf(shape: Shape): readonly string[] {
  return shape.kind === 'scalar' ? shape.types : [shape.kind];
}

const KIND_WORDS: ReadonlyMap<string, string> = new Map([
  ['object', 'an object'],
  ['array', 'an array'],
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'an integer'],
  ['boolean', 'true or false'],
]);

function toKinds(kinds: readonly string[]): string {
  const words = [...new Set(kinds)].flatMap((kind) => KIND_WORDS.get(kind) ?? []);
  if (words.length < 2 || kinds.includes('any')) return '';
  const text = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`;
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** False for a schema that does not affect the shape, such as `{required: ['id']}` next to the properties. */
function isTelling(schema: Schema): boolean {
  if (isNull(schema)) return false;
  return (
    refOf(schema) !== null ||
    typesOf(schema).length > 0 ||
    schemaList(schema, 'allOf').length + schemaList(schema, 'anyOf').length + schemaList(schema, 'oneOf').length > 0
  );
}
