/** Proves that no value can satisfy a schema. It only finds contradictions that are certain. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compilePattern } from '../../../shared/patterns/index.ts';
import { canonicalJson, isRecord } from '../../json.ts';
import { escapeToken } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { isNever, requiredOf, schemaMap } from './readers.ts';
import { definitionOf, definitionsOf } from './walk.ts';

/** Why no value is valid. */
export interface Contradiction {
  /** RFC 6901 pointer into the schema. */
  readonly pointer: string;
  /** A clause that follows the place, such as `minimum 5 is over maximum 3`. */
  readonly reason: string;
}

/** A schema that a value must satisfy, and its place. */
interface Part {
  readonly schema: Schema;
  readonly pointer: string;
}

/** A search that takes longer ends without a proof. */
const MAX_STEPS = 2000;
const MAX_DEPTH = 24;
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;
type Type = (typeof TYPES)[number];

/**
 * @param root a written input schema, whose references lead to its `$defs`.
 * @returns null if some value may be valid
 */
export function findContradiction(root: Schema): Contradiction | null {
  return new Prover(root).refute([{ schema: root, pointer: '' }], 0);
}

class Prover {
  readonly #definitions: ReadonlyMap<string, Schema>;
  #steps = 0;

  constructor(root: Schema) {
    this.#definitions = definitionsOf(root);
  }

  /** The reason why no value satisfies all parts; null if there may be one. */
  refute(parts: readonly Part[], depth: number): Contradiction | null {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS || depth > MAX_DEPTH) return null;
    const flat = this.#flatten(parts);
    const never = flat.find(({ schema }) => isNever(schema));
    if (never !== undefined) return { pointer: never.pointer, reason: 'nothing is allowed there' };
    return this.#refuteTypes(flat, depth) ?? this.#refuteChoices(flat, depth);
  }

  /** The parts with those of `$ref` and `allOf`. */
  #flatten(parts: readonly Part[]): readonly Part[] {
    const flat: Part[] = [];
    const seen = new Set<Schema>();
    const waiting = [...parts];
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      if (seen.has(part.schema)) continue;
      seen.add(part.schema);
      flat.push(part);
      const name = definitionOf(part.schema);
      const target = name === null ? undefined : this.#definitions.get(name);
      if (target !== undefined) waiting.push({ schema: target, pointer: `/$defs/${name}` });
      waiting.push(...listParts(part, 'allOf'));
    }
    return flat;
  }

  #refuteTypes(flat: readonly Part[], depth: number): Contradiction | null {
    const pointer = flat.at(-1)?.pointer ?? '';
    const types = allowedTypes(flat);
    if (types.length === 0) return { pointer, reason: 'its types exclude each other' };
    const finite = this.#refuteValues(flat, types);
    if (finite !== undefined) return finite;
    let first: Contradiction | null = null;
    for (const type of types) {
      const reason = this.#refuteType(type, flat, depth);
      if (reason === null) return null;
      first ??= reason;
    }
    return first;
  }

  /** Checks each value of an `enum` or a `const`; undefined if the values are not listed. */
  #refuteValues(flat: readonly Part[], types: readonly Type[]): Contradiction | null | undefined {
    const listing = flat.find(({ schema }) => valuesOf(schema) !== null);
    const onlyFlags = types.every((type) => type === 'boolean' || type === 'null');
    const flags = types.flatMap((type): unknown[] => (type === 'null' ? [null] : [true, false]));
    const listed = listing === undefined ? null : valuesOf(listing.schema);
    const values = listed ?? (onlyFlags ? flags : null);
    if (values === null) return undefined;
    const possible = values.filter((value) => types.includes(typeOf(value)));
    const lists = flat.flatMap(({ schema }) => valuesOf(schema)?.map(canonicalJson) ?? []);
    const isPlain = flat.every(({ schema }) => Object.keys(schema).every((keyword) => PLAIN.has(keyword)));
    const isSingleList = lists.length === values.length || listed === null;
    if (possible.length > 0 && isPlain && isSingleList) return null;
    if (possible.some((value) => this.#accepts(value, flat))) return null;
    const pointer = listing?.pointer ?? flat.at(-1)?.pointer ?? '';
    return { pointer, reason: 'none of its listed values fits its other keywords' };
  }

  /** True also for schemas that the validator cannot compile. */
  #accepts(value: unknown, flat: readonly Part[]): boolean {
    const regExp = Object.assign(compilePattern, { code: 'compilePattern' });
    const ajv = new Ajv2020({ strict: false, code: { regExp } });
    addFormats.default(ajv);
    try {
      const $defs = Object.fromEntries(this.#definitions);
      return ajv.validate({ $defs, allOf: flat.map(({ schema: { $defs: _, ...schema } }) => schema) }, value);
    } catch {
      return true;
    }
  }

  #refuteType(type: Type, flat: readonly Part[], depth: number): Contradiction | null {
    switch (type) {
      case 'string':
        return compareBounds(flat, 'minLength', 'maxLength');
      case 'number':
      case 'integer':
        return refuteNumber(flat, type === 'integer');
      case 'array':
        return this.#refuteArray(flat, depth);
      case 'object':
        return this.#refuteObject(flat, depth);
      default:
        return null;
    }
  }

  #refuteArray(flat: readonly Part[], depth: number): Contradiction | null {
    const bounds = compareBounds(flat, 'minItems', 'maxItems');
    if (bounds !== null) return bounds;
    const least = Math.max(0, ...numbersOf(flat, 'minItems').map(({ value }) => value));
    if (least > 0) {
      const first = flat.flatMap((part) => listParts(part, 'prefixItems').slice(0, 1));
      const items = first.length > 0 ? first : flat.flatMap((part) => memberPart(part, 'items'));
      const reason = items.length === 0 ? null : this.refute(items, depth + 1);
      if (reason !== null) return reason;
    }
    if (flat.some(({ schema }) => schema.prefixItems !== undefined)) return null;
    for (const part of flat) {
      if (part.schema.minContains === 0) continue;
      const contains = memberPart(part, 'contains');
      const items = flat.flatMap((each) => memberPart(each, 'items'));
      const reason = contains.length === 0 ? null : this.refute([...contains, ...items], depth + 1);
      if (reason !== null) return reason;
    }
    return null;
  }

  #refuteObject(flat: readonly Part[], depth: number): Contradiction | null {
    const bounds = compareBounds(flat, 'minProperties', 'maxProperties');
    if (bounds !== null) return bounds;
    const required = requiredIn(flat);
    const most = numbersOf(flat, 'maxProperties').find(({ value }) => value < required.size);
    if (most !== undefined)
      return {
        pointer: most.pointer,
        reason: `it requires ${required.size} members, and maxProperties is ${most.value}`,
      };
    const excluding = flat.find(({ schema }) => isRecord(schema.not) && isImplied(schema.not, required));
    if (excluding !== undefined)
      return { pointer: `${excluding.pointer}/not`, reason: 'it excludes the members that are required' };
    for (const name of required) {
      const reason = this.#refuteMember(name, flat, depth);
      if (reason !== null) return reason;
    }
    const dependent = flat.flatMap((part) =>
      schemaMap(part.schema, 'dependentSchemas').flatMap(([key, schema]) =>
        required.has(key) ? [{ schema, pointer: `${part.pointer}/dependentSchemas/${escapeToken(key)}` }] : [],
      ),
    );
    const rest = flat.map((part) => without(part, 'dependentSchemas'));
    return dependent.length === 0 ? null : this.refute([...rest, ...dependent], depth + 1);
  }

  #refuteMember(name: string, flat: readonly Part[], depth: number): Contradiction | null {
    const parts: Part[] = [];
    for (const part of flat) {
      const { schema, pointer } = part;
      const declared = schemaMap(schema, 'properties').filter(([key]) => key === name);
      parts.push(
        ...declared.map(([key, member]) => ({ schema: member, pointer: `${pointer}/properties/${escapeToken(key)}` })),
      );
      if (declared.length > 0 || schema.patternProperties !== undefined || schema.additionalProperties === undefined)
        continue;
      if (isNever(schema.additionalProperties)) {
        const reason = `it requires ${JSON.stringify(name)}, and its additionalProperties: false allows no such member`;
        return { pointer, reason };
      }
      parts.push(...memberPart(part, 'additionalProperties'));
    }
    for (const part of flat) {
      const names = memberPart(part, 'propertyNames');
      const isExcluded =
        names.length > 0 &&
        this.refute([...names, { schema: { const: name }, pointer: part.pointer }], depth + 1) !== null;
      if (isExcluded)
        return {
          pointer: part.pointer,
          reason: `it requires ${JSON.stringify(name)}, and its propertyNames exclude the name`,
        };
    }
    return parts.length === 0 ? null : this.refute(parts, depth + 1);
  }

  /** Every alternative of one choice contradicts the rest. */
  #refuteChoices(flat: readonly Part[], depth: number): Contradiction | null {
    for (const [index, part] of flat.entries()) {
      for (const keyword of ['anyOf', 'oneOf'] as const) {
        const variants = listParts(part, keyword);
        if (variants.length === 0) continue;
        const rest = flat.with(index, without(part, keyword)).map((each) => without(each, 'allOf', '$ref'));
        const reasons: Contradiction[] = [];
        for (const variant of variants) {
          const reason = this.refute([...rest, variant], depth + 1);
          if (reason === null) break;
          reasons.push(reason);
        }
        if (reasons.length < variants.length) continue;
        const [first] = reasons;
        const text = `none of its ${variants.length} alternatives can be met; in the first, ${first?.reason}`;
        return { pointer: part.pointer, reason: text };
      }
    }
    return null;
  }
}

/** Keywords that say nothing about a listed value but its type. */
const PLAIN = new Set(['type', 'enum', 'const', 'description', 'title', 'default', 'examples', 'deprecated']);

function allowedTypes(flat: readonly Part[]): readonly Type[] {
  return TYPES.filter((type) =>
    flat.every(({ schema }) => {
      const isAllowed = schema.type === undefined || hasType(schema.type, type);
      const { not } = schema;
      const isExcluded =
        isRecord(not) && Object.keys(not).length === 1 && not.type !== undefined && hasType(not.type, type);
      return isAllowed && !isExcluded;
    }),
  );
}

/** `number` includes the whole numbers. */
function hasType(types: unknown, type: Type): boolean {
  const all: readonly unknown[] = [types].flat();
  return all.includes(type) || (type === 'integer' && all.includes('number'));
}

function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as Type;
}

function valuesOf(schema: Schema): readonly unknown[] | null {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

interface Bound {
  readonly value: number;
  readonly pointer: string;
  readonly keyword: string;
}

function numbersOf(flat: readonly Part[], keyword: string): readonly Bound[] {
  return flat.flatMap(({ schema, pointer }) => {
    const value = schema[keyword];
    return typeof value === 'number' ? [{ value, pointer, keyword }] : [];
  });
}

/** A contradiction if the largest lower bound is over the smallest upper bound. */
function compareBounds(flat: readonly Part[], lower: string, upper: string): Contradiction | null {
  const [low] = numbersOf(flat, lower).toSorted((a, b) => b.value - a.value);
  const [high] = numbersOf(flat, upper).toSorted((a, b) => a.value - b.value);
  if (low === undefined || high === undefined || low.value <= high.value) return null;
  return { pointer: low.pointer, reason: `${lower} ${low.value} is over ${upper} ${high.value}` };
}

function refuteNumber(flat: readonly Part[], isInteger: boolean): Contradiction | null {
  const lows = [...numbersOf(flat, 'minimum'), ...numbersOf(flat, 'exclusiveMinimum')];
  const highs = [...numbersOf(flat, 'maximum'), ...numbersOf(flat, 'exclusiveMaximum')];
  for (const low of lows) {
    for (const high of highs) {
      const isOpen = low.keyword !== 'minimum' || high.keyword !== 'maximum';
      const from = low.keyword === 'minimum' ? Math.ceil(low.value) : Math.floor(low.value) + 1;
      const to = high.keyword === 'maximum' ? Math.floor(high.value) : Math.ceil(high.value) - 1;
      const isEmpty = low.value > high.value || (isOpen && low.value === high.value) || (isInteger && from > to);
      if (!isEmpty) continue;
      const reason = `${low.keyword} ${low.value} and ${high.keyword} ${high.value} leave no ${isInteger ? 'whole ' : ''}number`;
      return { pointer: low.pointer, reason };
    }
  }
  return null;
}

/** The required members, with those that they require in turn. */
function requiredIn(flat: readonly Part[]): ReadonlySet<string> {
  const required = new Set(flat.flatMap(({ schema }) => requiredOf(schema)));
  for (const name of required) {
    for (const { schema } of flat) {
      const dependent = isRecord(schema.dependentRequired) ? schema.dependentRequired : {};
      const more = Object.hasOwn(dependent, name) ? dependent[name] : [];
      for (const each of requiredOf({ required: more })) required.add(each);
    }
  }
  return required;
}

/** True if every object with these members satisfies the schema, which says only which members it needs. */
function isImplied(schema: Schema, required: ReadonlySet<string>): boolean {
  const { anyOf, ...plain } = schema;
  const isPlain = Object.keys(plain).every(
    (key) => key === 'required' || key === 'description' || (key === 'type' && plain[key] === 'object'),
  );
  if (!isPlain || !requiredOf(plain).every((name) => required.has(name))) return false;
  if (!Array.isArray(anyOf)) return plain.required !== undefined;
  return anyOf.some((variant) => isRecord(variant) && isImplied(variant, required));
}

function listParts({ schema, pointer }: Part, keyword: string): readonly Part[] {
  const list = schema[keyword];
  if (!Array.isArray(list)) return [];
  return list.map((member, index) => ({ schema: toPartSchema(member), pointer: `${pointer}/${keyword}/${index}` }));
}

function memberPart({ schema, pointer }: Part, keyword: string): readonly Part[] {
  return schema[keyword] === undefined
    ? []
    : [{ schema: toPartSchema(schema[keyword]), pointer: `${pointer}/${keyword}` }];
}

function toPartSchema(value: unknown): Schema {
  if (value === false) return { not: {} };
  return isRecord(value) ? value : {};
}

function without({ schema, pointer }: Part, ...keywords: readonly string[]): Part {
  if (keywords.every((keyword) => schema[keyword] === undefined)) return { schema, pointer };
  const rest: Record<string, unknown> = { ...schema };
  for (const keyword of keywords) delete rest[keyword];
  return { schema: rest, pointer };
}
