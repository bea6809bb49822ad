/** Writes an input schema level by level while there is room, and leaves its deepest parts open. */

import { byCodeUnit, charsOf, isRecord, toRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { loosenChoices } from '../schema/loosen.ts';
import { requiredOf } from '../schema/readers.ts';
import { definitionOf, definitionsOf, mapKeyword, namesIn, type Step } from '../schema/walk.ts';
import { toStub } from './stub.ts';

/** A longer list of values can be left out, in characters of JSON. */
const LONG_ENUM_CHARS = 600;
/** A shorter object without references is written together with its parent. */
const SMALL_CHARS = 160;
/**
 * Keywords under which a looser schema would refuse more, or whose meaning depends on the whole schema, and the
 * keywords that mean nothing without them.
 */
const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  not: [],
  if: ['then', 'else'],
  contains: ['minContains', 'maxContains'],
  propertyNames: [],
};

interface Limits {
  /** Longest result in characters of JSON. */
  readonly maxChars: number;
  /** Maximum nesting of objects, including the root. */
  readonly maxLevel: number;
}

export interface OpenedSchema {
  readonly schema: Schema;
  /** Parts that were left open, such as `order.items[].discounts`, in the order of discovery. */
  readonly open: readonly string[];
}

/** The path to a schema, such as `order.items[]`, and what decides when it is written. */
interface Position {
  readonly path: string;
  readonly isRequired: boolean;
  /** Number of objects around it. */
  readonly level: number;
}

/** A schema that is not written yet, and the stub in its place. */
interface Unwritten extends Position {
  readonly schema: Schema;
  readonly stub: Record<string, unknown>;
}

/** The schema that replaces a stub. */
interface Content {
  readonly schema: Record<string, unknown>;
  /** The definition that has to be written for it. */
  readonly definition?: { readonly name: string; readonly body: Record<string, unknown> };
  readonly unwritten: readonly Unwritten[];
  /** Characters in addition to those of the stub. */
  readonly cost: number;
}

interface Growth {
  readonly definitions: ReadonlyMap<string, Schema>;
  readonly maxLevel: number;
  /** Definitions that are written, by name. */
  readonly writtenDefinitions: Map<string, Schema>;
  /** Objects of the result that accept more than the schema that they replace. */
  readonly loose: Set<unknown>;
}

/**
 * The same schema, with its deepest parts left open if the whole does not fit.
 *
 * The arguments are always included. Then, level by level: first required parts, then from the smallest to the largest,
 * then by name. A part that stays open becomes a stub. The result accepts every value that the schema accepts: `oneOf`
 * with an open alternative becomes `anyOf`, and a condition (`not`, `if`, `contains`, `propertyNames`) that refers to a
 * definition is removed.
 *
 * @param uncut Arguments that are written in full.
 */
export function openDeepest(root: Schema, uncut: ReadonlySet<string>, { maxChars, maxLevel }: Limits): OpenedSchema {
  const growth: Growth = {
    definitions: definitionsOf(root),
    maxLevel,
    writtenDefinitions: new Map(),
    loose: new Set(),
  };
  const required = requiredOf(root);
  const unwritten: Unwritten[] = [];
  const args = Object.entries(toRecord(root.properties) as Readonly<Record<string, Schema>>).map(([name, argument]) => {
    if (uncut.has(name) && namesIn(argument).length === 0) return [name, argument];
    return [name, read(argument, { path: name, isRequired: required.includes(name), level: 1 }, unwritten, growth)];
  });
  const { $defs: _, ...frame } = root;
  const schema: Record<string, unknown> = { ...frame, properties: Object.fromEntries(args) };
  const open = writeLevels(unwritten, maxChars - charsOf(schema) - charsOf({ $defs: {} }), growth);
  if (growth.writtenDefinitions.size > 0) {
    schema.$defs = Object.fromEntries([...growth.writtenDefinitions].sort(([a], [b]) => byCodeUnit(a, b)));
  }
  loosenChoices(schema, growth.loose);
  return { schema, open: open.map(({ path }) => path) };
}

/** Replaces stubs level by level, while the contents fit. Returns those that stay. */
function writeLevels(unwritten: readonly Unwritten[], maxChars: number, growth: Growth): readonly Unwritten[] {
  const open: Unwritten[] = [];
  let room = maxChars;
  let waiting = unwritten;
  while (waiting.length > 0) {
    const level = Math.min(...waiting.map((part) => part.level));
    const next = waiting.filter((part) => part.level > level);
    const here = waiting.filter((part) => part.level === level);
    for (const part of inOrder(here, growth)) {
      const content = fits(part, growth) ? readContent(part, growth) : null;
      if (content === null || content.cost > room) {
        open.push(part);
        growth.loose.add(part.stub);
        continue;
      }
      room -= content.cost;
      for (const keyword of Object.keys(part.stub)) delete part.stub[keyword];
      Object.assign(part.stub, content.schema);
      if (growth.loose.has(content.schema)) growth.loose.add(part.stub);
      if (content.definition !== undefined)
        growth.writtenDefinitions.set(content.definition.name, content.definition.body);
      next.push(...content.unwritten);
    }
    waiting = next;
  }
  return open;
}

function inOrder(unwritten: readonly Unwritten[], growth: Growth): readonly Unwritten[] {
  return unwritten
    .map((part) => ({ part, cost: readContent(part, growth).cost }))
    .sort(
      (a, b) =>
        Number(b.part.isRequired) - Number(a.part.isRequired) ||
        a.cost - b.cost ||
        byCodeUnit(a.part.path, b.part.path),
    )
    .map(({ part }) => part);
}

function fits({ schema, level }: Unwritten, { definitions, maxLevel, writtenDefinitions }: Growth): boolean {
  const name = definitionOf(schema);
  if (name !== null && writtenDefinitions.has(name)) return true;
  const body = name === null ? schema : definitions.get(name);
  return level < maxLevel || !isRecord(body?.properties);
}

function readContent(part: Unwritten, growth: Growth): Content {
  const name = definitionOf(part.schema);
  const unwritten: Unwritten[] = [];
  if (name === null) {
    const schema = expand(part.schema, part, unwritten, growth);
    return { schema, unwritten, cost: charsOf(schema) - charsOf(part.stub) };
  }
  const reference = { schema: { ...part.schema }, unwritten, cost: charsOf(part.schema) - charsOf(part.stub) };
  if (growth.writtenDefinitions.has(name)) return reference;
  const definition = growth.definitions.get(name) ?? {};
  const body = expand(
    definitionOf(definition) === null ? definition : { allOf: [definition] },
    part,
    unwritten,
    growth,
  );
  return { ...reference, definition: { name, body }, cost: reference.cost + charsOf({ [name]: body }) };
}

/** A small schema as it is; for any other its stub, which is added to `unwritten`. */
function read(schema: Schema, position: Position, unwritten: Unwritten[], growth: Growth): Schema {
  if (!isWrittenLater(schema, position.level, growth)) return expand(schema, position, unwritten, growth);
  const stub = toStub(schema, growth.definitions);
  unwritten.push({ ...position, schema, stub });
  return stub;
}

function isWrittenLater(schema: Schema, level: number, { maxLevel }: Growth): boolean {
  if (definitionOf(schema) !== null) return true;
  if (Array.isArray(schema.enum) && charsOf(schema.enum) > LONG_ENUM_CHARS) return true;
  const { properties, patternProperties, additionalProperties } = schema;
  if (![properties, patternProperties, additionalProperties].some(isRecord)) return false;
  return level >= maxLevel || charsOf(schema) > SMALL_CHARS || namesIn(schema).length > 0;
}

/** The keywords of a schema, with stubs for its parts. */
function expand(schema: Schema, { path, isRequired, level }: Position, unwritten: Unwritten[], growth: Growth) {
  const result: Record<string, unknown> = {};
  const required = requiredOf(schema);
  const inner = level + (isRecord(schema.properties) ? 1 : 0);
  const dropped = Object.keys(CONDITIONS).filter((keyword) => namesIn(toRecord(schema[keyword])).length > 0);
  const without = dropped.flatMap((keyword) => [keyword, ...(CONDITIONS[keyword] ?? [])]);
  if (dropped.length > 0) growth.loose.add(result);
  for (const [keyword, value] of Object.entries(schema)) {
    if (without.includes(keyword)) continue;
    if (Object.hasOwn(CONDITIONS, keyword)) {
      result[keyword] = value;
      continue;
    }
    result[keyword] = mapKeyword(keyword, value, (child, step) => {
      const isNeeded = keyword === 'properties' ? isRequired && required.includes(step[1] ?? '') : isRequired;
      return read(child, { path: path + toPath(step), isRequired: isNeeded, level: inner }, unwritten, growth);
    });
  }
  return result;
}

/** `order.items[].price` names the parts in the terms of a value; alternatives add nothing. */
function toPath([keyword, key]: Step): string {
  if (keyword === 'properties') return `.${key}`;
  if (keyword === 'items' || keyword === 'prefixItems') return '[]';
  return keyword === 'additionalProperties' || keyword === 'patternProperties' ? '{}' : '';
}
