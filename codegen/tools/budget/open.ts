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
interface PartPosition {
  readonly path: string;
  readonly isRequired: boolean;
  /** Number of objects around it. */
  readonly level: number;
}

/** A schema that is not written yet, and the stub in its place. */
interface UnwrittenPart extends PartPosition {
  readonly schema: Schema;
  readonly stub: Record<string, unknown>;
}

/** The schema that replaces a stub. */
interface Content {
  readonly schema: Record<string, unknown>;
  /** The definition that has to be written for it. */
  readonly definition?: { readonly name: string; readonly body: Record<string, unknown> };
  readonly unwritten: readonly UnwrittenPart[];
  /** Characters in addition to those of the stub. */
  readonly cost: number;
}

interface WriterState {
  readonly definitions: ReadonlyMap<string, Schema>;
  readonly maxLevel: number;
  /** Definitions that are written, by name. */
  readonly writtenDefinitions: Map<string, Schema>;
  /** Objects of the result that accept more than the schema that they replace. */
  readonly loosened: Set<unknown>;
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
  const state: WriterState = {
    definitions: definitionsOf(root),
    maxLevel,
    writtenDefinitions: new Map(),
    loosened: new Set(),
  };
  const required = requiredOf(root);
  const unwritten: UnwrittenPart[] = [];
  const args = Object.entries(toRecord(root.properties) as Readonly<Record<string, Schema>>).map(([name, argument]) => {
    if (uncut.has(name) && namesIn(argument).length === 0) return [name, argument];
    return [
      name,
      expandOrStub(argument, { path: name, isRequired: required.includes(name), level: 1 }, unwritten, state),
    ];
  });
  const { $defs: _, ...frame } = root;
  const schema: Record<string, unknown> = { ...frame, properties: Object.fromEntries(args) };
  const open = writeLevels(unwritten, maxChars - charsOf(schema) - charsOf({ $defs: {} }), state);
  if (state.writtenDefinitions.size > 0) {
    schema.$defs = Object.fromEntries([...state.writtenDefinitions].sort(([a], [b]) => byCodeUnit(a, b)));
  }
  loosenChoices(schema, state.loosened);
  return { schema, open: open.map(({ path }) => path) };
}

/** Replaces stubs level by level, while the contents fit. Returns those that stay. */
function writeLevels(
  unwritten: readonly UnwrittenPart[],
  maxChars: number,
  state: WriterState,
): readonly UnwrittenPart[] {
  const open: UnwrittenPart[] = [];
  let remainingChars = maxChars;
  let pendingParts = unwritten;
  while (pendingParts.length > 0) {
    const level = Math.min(...pendingParts.map((part) => part.level));
    const deeperParts = pendingParts.filter((part) => part.level > level);
    const levelParts = pendingParts.filter((part) => part.level === level);
    for (const part of sortForWriting(levelParts, state)) {
      const content = fits(part, state) ? readContent(part, state) : null;
      if (content === null || content.cost > remainingChars) {
        open.push(part);
        state.loosened.add(part.stub);
        continue;
      }
      remainingChars -= content.cost;
      for (const keyword of Object.keys(part.stub)) delete part.stub[keyword];
      Object.assign(part.stub, content.schema);
      if (state.loosened.has(content.schema)) state.loosened.add(part.stub);
      if (content.definition !== undefined)
        state.writtenDefinitions.set(content.definition.name, content.definition.body);
      deeperParts.push(...content.unwritten);
    }
    pendingParts = deeperParts;
  }
  return open;
}

function sortForWriting(unwritten: readonly UnwrittenPart[], state: WriterState): readonly UnwrittenPart[] {
  return unwritten
    .map((part) => ({ part, cost: readContent(part, state).cost }))
    .sort(
      (a, b) =>
        Number(b.part.isRequired) - Number(a.part.isRequired) ||
        a.cost - b.cost ||
        byCodeUnit(a.part.path, b.part.path),
    )
    .map(({ part }) => part);
}

function fits({ schema, level }: UnwrittenPart, { definitions, maxLevel, writtenDefinitions }: WriterState): boolean {
  const name = definitionOf(schema);
  if (name !== null && writtenDefinitions.has(name)) return true;
  const body = name === null ? schema : definitions.get(name);
  return level < maxLevel || !isRecord(body?.properties);
}

function readContent(part: UnwrittenPart, state: WriterState): Content {
  const name = definitionOf(part.schema);
  const unwritten: UnwrittenPart[] = [];
  if (name === null) {
    const schema = expand(part.schema, part, unwritten, state);
    return { schema, unwritten, cost: charsOf(schema) - charsOf(part.stub) };
  }
  const reference = { schema: { ...part.schema }, unwritten, cost: charsOf(part.schema) - charsOf(part.stub) };
  if (state.writtenDefinitions.has(name)) return reference;
  const definition = state.definitions.get(name) ?? {};
  const body = expand(definitionOf(definition) === null ? definition : { allOf: [definition] }, part, unwritten, state);
  return { ...reference, definition: { name, body }, cost: reference.cost + charsOf({ [name]: body }) };
}

/** A small schema as it is; for any other its stub, which is added to `unwritten`. */
function expandOrStub(schema: Schema, position: PartPosition, unwritten: UnwrittenPart[], state: WriterState): Schema {
  if (!isWrittenLater(schema, position.level, state)) return expand(schema, position, unwritten, state);
  const stub = toStub(schema, state.definitions);
  unwritten.push({ ...position, schema, stub });
  return stub;
}

function isWrittenLater(schema: Schema, level: number, { maxLevel }: WriterState): boolean {
  if (definitionOf(schema) !== null) return true;
  if (Array.isArray(schema.enum) && charsOf(schema.enum) > LONG_ENUM_CHARS) return true;
  const { properties, patternProperties, additionalProperties } = schema;
  if (![properties, patternProperties, additionalProperties].some(isRecord)) return false;
  return level >= maxLevel || charsOf(schema) > SMALL_CHARS || namesIn(schema).length > 0;
}

/** The keywords of a schema, with stubs for its parts. */
function expand(
  schema: Schema,
  { path, isRequired, level }: PartPosition,
  unwritten: UnwrittenPart[],
  state: WriterState,
) {
  const result: Record<string, unknown> = {};
  const required = requiredOf(schema);
  const innerLevel = level + (isRecord(schema.properties) ? 1 : 0);
  const droppedConditions = Object.keys(CONDITIONS).filter((keyword) => namesIn(toRecord(schema[keyword])).length > 0);
  const removedKeywords = droppedConditions.flatMap((keyword) => [keyword, ...(CONDITIONS[keyword] ?? [])]);
  if (droppedConditions.length > 0) state.loosened.add(result);
  for (const [keyword, value] of Object.entries(schema)) {
    if (removedKeywords.includes(keyword)) continue;
    if (Object.hasOwn(CONDITIONS, keyword)) {
      result[keyword] = value;
      continue;
    }
    result[keyword] = mapKeyword(keyword, value, (child, step) => {
      const isNeeded = keyword === 'properties' ? isRequired && required.includes(step[1] ?? '') : isRequired;
      return expandOrStub(
        child,
        { path: path + toPath(step), isRequired: isNeeded, level: innerLevel },
        unwritten,
        state,
      );
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
