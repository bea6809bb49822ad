/** Writes an input schema level by level while there is room, and leaves the rest open. */

import { byCodeUnit, charsOf, isRecord, toRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { requiredOf } from '../schema/readers.ts';
import { definitionOf, definitionsOf, mapKeyword, type Step } from '../schema/walk.ts';
import { loosenChoices } from './loosen.ts';
import type { NodeReader } from './nodes.ts';
import { toStub } from './stub.ts';

/** A longer list of values can be left out, in characters of JSON. */
const LONG_ENUM_CHARS = 600;
/** A shorter part without references is written together with its parent. */
const SMALL_CHARS = 160;
/** Keywords under which a looser schema would refuse more, or whose meaning depends on the whole schema. */
const CONDITIONS: ReadonlySet<string> = new Set(['not', 'if', 'contains', 'propertyNames']);
/** Keywords that have no meaning without a condition that was dropped. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  if: ['then', 'else'],
  contains: ['minContains', 'maxContains'],
};

interface GrowOptions {
  /** Longest result in characters of JSON. */
  readonly maxChars: number;
  /** Maximum nesting of objects, including the root. */
  readonly maxLevel: number;
  /** Arguments that are written in full. */
  readonly whole: ReadonlySet<string>;
  readonly nodes: NodeReader;
}

export interface FittedSchema {
  readonly schema: Schema;
  /** Parts that were left open, such as `order.items[].discounts`, in the order of discovery. */
  readonly open: readonly string[];
}

/** Place of a part, such as `order.items[]`. */
interface Position {
  readonly place: string;
  readonly isRequired: boolean;
  /** Number of objects around it. */
  readonly level: number;
}

/** A part that is not written yet: `target` holds its stub. */
interface UnwrittenPart extends Position {
  readonly schema: Schema;
  readonly target: Record<string, unknown>;
}

/** The content that replaces a part. */
interface Content {
  readonly schema: Record<string, unknown>;
  /** The unwritten parts in it. */
  readonly unwritten: readonly UnwrittenPart[];
  /** Name of the definition, or null for content that is written in place of the part. */
  readonly name: string | null;
  /** Characters in addition to those of the stub. */
  readonly cost: number;
}

interface Growth {
  readonly definitions: ReadonlyMap<string, Schema>;
  readonly maxLevel: number;
  /** Definitions that are written, by name. */
  readonly written: Map<string, Record<string, unknown>>;
  /** Objects of the result that accept more than the schema that they replace. */
  readonly loose: Set<unknown>;
  readonly nodes: NodeReader;
}

/**
 * The same schema, with its deepest parts left open if the whole does not fit.
 *
 * The arguments are always included. Then, level by level: first required parts, then from the smallest to the largest,
 * then by name. A part that stays open becomes a stub. The result accepts every value that the schema accepts: `oneOf`
 * with an open alternative becomes `anyOf`, and a condition (`not`, `if`, `contains`, `propertyNames`) that refers to a
 * definition is removed.
 */
export function growWithin(root: Schema, { maxChars, maxLevel, whole, nodes }: GrowOptions): FittedSchema {
  const growth: Growth = { definitions: definitionsOf(root), maxLevel, written: new Map(), loose: new Set(), nodes };
  const unwritten: UnwrittenPart[] = [];
  const required = requiredOf(root);
  const { $defs: _, ...frame } = root;
  const args = Object.entries(toRecord(root.properties) as Readonly<Record<string, Schema>>).map(([name, argument]) => {
    if (whole.has(name) && !hasReference(argument, growth)) return [name, argument];
    return [name, read(argument, { place: name, isRequired: required.includes(name), level: 1 }, unwritten, growth)];
  });
  const schema: Record<string, unknown> = { ...frame, properties: Object.fromEntries(args) };
  const open = writeParts(unwritten, maxChars - charsOf(schema) - charsOf({ $defs: {} }), growth);
  const sorted = [...growth.written].sort(([a], [b]) => byCodeUnit(a, b));
  const result = sorted.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(sorted) };
  loosenChoices(result, growth.loose);
  return { schema: result, open: open.map(({ place }) => place) };
}

/** Writes parts level by level, while their characters fit. Returns those that stay open. */
function writeParts(unwritten: readonly UnwrittenPart[], room: number, growth: Growth): readonly UnwrittenPart[] {
  const open: UnwrittenPart[] = [];
  let left = room;
  let waiting = unwritten;
  while (waiting.length > 0) {
    const level = Math.min(...waiting.map((part) => part.level));
    const next: UnwrittenPart[] = waiting.filter((part) => part.level > level);
    const here = waiting.filter((part) => part.level === level);
    for (const { part, before } of inOrder(here, growth)) {
      const content = fits(part, growth) ? currentContent(part, before, growth) : null;
      if (content === null || content.cost > left) {
        open.push(part);
        growth.loose.add(part.target);
        continue;
      }
      left -= content.cost;
      replace(part.target, content.name === null ? content.schema : part.schema, growth.loose, content.schema);
      if (content.name !== null) growth.written.set(content.name, content.schema);
      next.push(...content.unwritten);
    }
    waiting = next;
  }
  return open;
}

/** A part, and its content measured before any other part of its level was opened. */
interface Measured {
  readonly part: UnwrittenPart;
  readonly before: Content;
}

function inOrder(unwritten: readonly UnwrittenPart[], growth: Growth): readonly Measured[] {
  return unwritten
    .map((part) => ({ part, before: contentOf(part, growth) }))
    .sort(
      (a, b) =>
        Number(b.part.isRequired) - Number(a.part.isRequired) ||
        a.before.cost - b.before.cost ||
        byCodeUnit(a.part.place, b.part.place),
    );
}

/** If its definition has been written since, the part only refers to it. */
function currentContent(part: UnwrittenPart, before: Content, growth: Growth): Content {
  return before.name !== null && growth.written.has(before.name) ? contentOf(part, growth) : before;
}

function fits({ schema, level }: UnwrittenPart, { definitions, maxLevel, written }: Growth): boolean {
  const name = definitionOf(schema);
  if (name !== null && written.has(name)) return true;
  const target = name === null ? schema : definitions.get(name);
  return level < maxLevel || !isRecord(target?.properties);
}

function contentOf(part: UnwrittenPart, growth: Growth): Content {
  const { schema, target } = part;
  const name = definitionOf(schema);
  const unwritten: UnwrittenPart[] = [];
  if (name === null) {
    const content = expand(schema, part, unwritten, growth);
    return { schema: content, unwritten, name, cost: charsOf(content) - charsOf(target) };
  }
  const referenceCost = charsOf(schema) - charsOf(target);
  if (growth.written.has(name)) return { schema: { ...schema }, unwritten, name: null, cost: referenceCost };
  const definition = growth.definitions.get(name) ?? {};
  const body = expand(
    definitionOf(definition) === null ? definition : { allOf: [definition] },
    part,
    unwritten,
    growth,
  );
  return { schema: body, unwritten, name, cost: referenceCost + charsOf(body) + name.length + 4 };
}

/** A small part as it is; for any other part its stub, which is added to `unwritten`. */
function read(given: Schema, position: Position, unwritten: UnwrittenPart[], growth: Growth): Schema {
  const schema = leafOf(given, growth) ?? given;
  if (!isWrittenLater(schema, position.level, growth)) return expand(schema, position, unwritten, growth);
  const { place, isRequired, level } = position;
  const target = { ...toStub(schema, growth.definitions) };
  unwritten.push({ schema, target, place, isRequired, level });
  return target;
}

function isWrittenLater(schema: Schema, level: number, growth: Growth): boolean {
  if (definitionOf(schema) !== null) return true;
  if (Array.isArray(schema.enum) && charsOf(schema.enum) > LONG_ENUM_CHARS) return true;
  const isObject =
    isRecord(schema.properties) || isRecord(schema.patternProperties) || isRecord(schema.additionalProperties);
  return (
    isObject &&
    (level >= growth.maxLevel || growth.nodes.nodeOf(schema).chars > SMALL_CHARS || hasReference(schema, growth))
  );
}

/** A definition without contents is written out: its stub would be as long. */
function leafOf(schema: Schema, growth: Growth): Schema | null {
  const body = growth.definitions.get(definitionOf(schema) ?? '');
  if (
    body === undefined ||
    hasReference(body, growth) ||
    isWrittenLater(body, 0, growth) ||
    growth.nodes.nodeOf(body).chars > LONG_ENUM_CHARS
  ) {
    return null;
  }
  const { $ref: _, ...siblings } = schema;
  return { ...body, ...siblings };
}

/** The keywords of a schema, with stubs for its parts. */
function expand(schema: Schema, { place, isRequired, level }: Position, unwritten: UnwrittenPart[], growth: Growth) {
  const result: Record<string, unknown> = {};
  const inner = level + (isRecord(schema.properties) ? 1 : 0);
  const required = requiredOf(schema);
  const dropped = new Set<string>();
  for (const keyword of CONDITIONS) {
    const condition = schema[keyword];
    if (!isRecord(condition) || !hasReference(condition, growth)) continue;
    for (const gone of [keyword, ...(AFTER[keyword] ?? [])]) dropped.add(gone);
    growth.loose.add(result);
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (dropped.has(keyword)) continue;
    result[keyword] = CONDITIONS.has(keyword)
      ? value
      : mapKeyword(keyword, value, (child, step) => {
          const isNeeded = keyword === 'properties' ? isRequired && required.includes(step[1] ?? '') : isRequired;
          const position = { place: `${place}${toPlace(step)}`, isRequired: isNeeded, level: inner };
          return read(child, position, unwritten, growth);
        });
  }
  return result;
}

/** Replaces a stub with its content. */
function replace(target: Record<string, unknown>, schema: Schema, loose: Set<unknown>, content: Schema): void {
  for (const keyword of Object.keys(target)) delete target[keyword];
  Object.assign(target, schema);
  if (schema === content && loose.has(content)) loose.add(target);
}

function hasReference(schema: Schema, { nodes }: Growth): boolean {
  return nodes.nodeOf(schema).names.length > 0;
}

/** `order.items[].price` names the parts in the terms of a value; alternatives add nothing. */
function toPlace([keyword, key]: Step): string {
  if (keyword === 'properties') return `.${key}`;
  if (keyword === 'items' || keyword === 'prefixItems') return '[]';
  return keyword === 'additionalProperties' || keyword === 'patternProperties' ? '{}' : '';
}
