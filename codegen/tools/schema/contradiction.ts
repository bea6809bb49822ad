/** Proves that no value can satisfy a schema. It only finds contradictions that are certain. */

import { canonicalJson, isRecord, jsonTypeOf } from '../../json.ts';
import { escapeToken } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { isNever, requiredOf, schemaMap, toSchema } from './readers.ts';
import { createValidator } from './validator.ts';
import { definitionOf, definitionsOf } from './walk.ts';

/** Why no value is valid. */
export interface Contradiction {
  /** RFC 6901 pointer into the schema. */
  readonly pointer: string;
  /** A clause that follows the place, such as `minimum 5 is over maximum 3`. */
  readonly reason: string;
}

/** A schema that a value must satisfy, and its place. */
interface Constraint {
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
  refute(constraints: readonly Constraint[], depth: number): Contradiction | null {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS || depth > MAX_DEPTH) return null;
    const flattened = this.#flatten(constraints);
    const neverConstraint = flattened.find(({ schema }) => isNever(schema));
    if (neverConstraint !== undefined) return { pointer: neverConstraint.pointer, reason: 'nothing is allowed there' };
    return this.#refuteTypes(flattened, depth) ?? this.#refuteChoices(flattened, depth);
  }

  /** The parts with those of `$ref` and `allOf`. */
  #flatten(constraints: readonly Constraint[]): readonly Constraint[] {
    const flattened: Constraint[] = [];
    const visited = new Set<Schema>();
    const pending = [...constraints];
    for (let constraint = pending.shift(); constraint !== undefined; constraint = pending.shift()) {
      if (visited.has(constraint.schema)) continue;
      visited.add(constraint.schema);
      flattened.push(constraint);
      const name = definitionOf(constraint.schema);
      const target = name === null ? undefined : this.#definitions.get(name);
      if (target !== undefined) pending.push({ schema: target, pointer: `/$defs/${name}` });
      pending.push(...constraintsInList(constraint, 'allOf'));
    }
    return flattened;
  }

  #refuteTypes(constraints: readonly Constraint[], depth: number): Contradiction | null {
    const pointer = constraints.at(-1)?.pointer ?? '';
    const types = allowedTypes(constraints);
    if (types.length === 0) return { pointer, reason: 'its types exclude each other' };
    const valueContradiction = this.#refuteValues(constraints, types);
    if (valueContradiction !== undefined) return valueContradiction;
    let first: Contradiction | null = null;
    for (const type of types) {
      const reason = this.#refuteType(type, constraints, depth);
      if (reason === null) return null;
      first ??= reason;
    }
    return first;
  }

  /** Checks each value of an `enum` or a `const`; undefined if the values are not listed. */
  #refuteValues(constraints: readonly Constraint[], types: readonly Type[]): Contradiction | null | undefined {
    const listConstraint = constraints.find(({ schema }) => valuesOf(schema) !== null);
    const onlyFlags = types.every((type) => type === 'boolean' || type === 'null');
    const flags = types.flatMap((type): unknown[] => (type === 'null' ? [null] : [true, false]));
    const listedValues = listConstraint === undefined ? null : valuesOf(listConstraint.schema);
    const values = listedValues ?? (onlyFlags ? flags : null);
    if (values === null) return undefined;
    const possible = values.filter((value) => types.includes(jsonTypeOf(value) as Type));
    const lists = constraints.flatMap(({ schema }) => valuesOf(schema)?.map(canonicalJson) ?? []);
    const isPlain = constraints.every(({ schema }) => Object.keys(schema).every((keyword) => PLAIN.has(keyword)));
    const isSingleList = lists.length === values.length || listedValues === null;
    if (possible.length > 0 && isPlain && isSingleList) return null;
    if (possible.some((value) => this.#accepts(value, constraints))) return null;
    const pointer = listConstraint?.pointer ?? constraints.at(-1)?.pointer ?? '';
    return { pointer, reason: 'none of its listed values fits its other keywords' };
  }

  /** True also for schemas that the validator cannot compile. */
  #accepts(value: unknown, constraints: readonly Constraint[]): boolean {
    try {
      const $defs = Object.fromEntries(this.#definitions);
      return createValidator().validate(
        { $defs, allOf: constraints.map(({ schema: { $defs: _, ...schema } }) => schema) },
        value,
      );
    } catch {
      return true;
    }
  }

  #refuteType(type: Type, constraints: readonly Constraint[], depth: number): Contradiction | null {
    switch (type) {
      case 'string':
        return compareBounds(constraints, 'minLength', 'maxLength');
      case 'number':
      case 'integer':
        return refuteNumber(constraints, type === 'integer');
      case 'array':
        return this.#refuteArray(constraints, depth);
      case 'object':
        return this.#refuteObject(constraints, depth);
      default:
        return null;
    }
  }

  #refuteArray(constraints: readonly Constraint[], depth: number): Contradiction | null {
    const bounds = compareBounds(constraints, 'minItems', 'maxItems');
    if (bounds !== null) return bounds;
    const minCount = Math.max(0, ...numbersOf(constraints, 'minItems').map(({ value }) => value));
    if (minCount > 0) {
      const first = constraints.flatMap((constraint) => constraintsInList(constraint, 'prefixItems').slice(0, 1));
      const items = first.length > 0 ? first : constraints.flatMap((constraint) => constraintAt(constraint, 'items'));
      const reason = items.length === 0 ? null : this.refute(items, depth + 1);
      if (reason !== null) return reason;
    }
    if (constraints.some(({ schema }) => schema.prefixItems !== undefined)) return null;
    for (const constraint of constraints) {
      if (constraint.schema.minContains === 0) continue;
      const contains = constraintAt(constraint, 'contains');
      const items = constraints.flatMap((other) => constraintAt(other, 'items'));
      const reason = contains.length === 0 ? null : this.refute([...contains, ...items], depth + 1);
      if (reason !== null) return reason;
    }
    return null;
  }

  #refuteObject(constraints: readonly Constraint[], depth: number): Contradiction | null {
    const bounds = compareBounds(constraints, 'minProperties', 'maxProperties');
    if (bounds !== null) return bounds;
    const required = requiredIn(constraints);
    const exceededLimit = numbersOf(constraints, 'maxProperties').find(({ value }) => value < required.size);
    if (exceededLimit !== undefined)
      return {
        pointer: exceededLimit.pointer,
        reason: `it requires ${required.size} members, and maxProperties is ${exceededLimit.value}`,
      };
    const exclusion = constraints.find(({ schema }) => isRecord(schema.not) && isImplied(schema.not, required));
    if (exclusion !== undefined)
      return { pointer: `${exclusion.pointer}/not`, reason: 'it excludes the members that are required' };
    for (const name of required) {
      const reason = this.#refuteMember(name, constraints, depth);
      if (reason !== null) return reason;
    }
    const dependent = constraints.flatMap((constraint) =>
      schemaMap(constraint.schema, 'dependentSchemas').flatMap(([key, schema]) =>
        required.has(key) ? [{ schema, pointer: `${constraint.pointer}/dependentSchemas/${escapeToken(key)}` }] : [],
      ),
    );
    const rest = constraints.map((constraint) => withoutKeywords(constraint, 'dependentSchemas'));
    return dependent.length === 0 ? null : this.refute([...rest, ...dependent], depth + 1);
  }

  #refuteMember(name: string, constraints: readonly Constraint[], depth: number): Contradiction | null {
    const memberConstraints: Constraint[] = [];
    for (const constraint of constraints) {
      const { schema, pointer } = constraint;
      const declared = schemaMap(schema, 'properties').filter(([key]) => key === name);
      memberConstraints.push(
        ...declared.map(([key, member]) => ({ schema: member, pointer: `${pointer}/properties/${escapeToken(key)}` })),
      );
      if (declared.length > 0 || schema.patternProperties !== undefined || schema.additionalProperties === undefined)
        continue;
      if (isNever(schema.additionalProperties)) {
        const reason = `it requires ${JSON.stringify(name)}, and its additionalProperties: false allows no such member`;
        return { pointer, reason };
      }
      memberConstraints.push(...constraintAt(constraint, 'additionalProperties'));
    }
    for (const constraint of constraints) {
      const names = constraintAt(constraint, 'propertyNames');
      const isExcluded =
        names.length > 0 &&
        this.refute([...names, { schema: { const: name }, pointer: constraint.pointer }], depth + 1) !== null;
      if (isExcluded)
        return {
          pointer: constraint.pointer,
          reason: `it requires ${JSON.stringify(name)}, and its propertyNames exclude the name`,
        };
    }
    return memberConstraints.length === 0 ? null : this.refute(memberConstraints, depth + 1);
  }

  /** Every alternative of one choice contradicts the rest. */
  #refuteChoices(constraints: readonly Constraint[], depth: number): Contradiction | null {
    for (const [index, constraint] of constraints.entries()) {
      for (const keyword of ['anyOf', 'oneOf'] as const) {
        const variants = constraintsInList(constraint, keyword);
        if (variants.length === 0) continue;
        const rest = constraints
          .with(index, withoutKeywords(constraint, keyword))
          .map((other) => withoutKeywords(other, 'allOf', '$ref'));
        const reasons: Contradiction[] = [];
        for (const variant of variants) {
          const reason = this.refute([...rest, variant], depth + 1);
          if (reason === null) break;
          reasons.push(reason);
        }
        if (reasons.length < variants.length) continue;
        const [first] = reasons;
        const text = `none of its ${variants.length} alternatives can be met; in the first, ${first?.reason}`;
        return { pointer: constraint.pointer, reason: text };
      }
    }
    return null;
  }
}

/** Keywords that say nothing about a listed value but its type. */
const PLAIN = wordSet('type enum const description title default examples deprecated');

function allowedTypes(constraints: readonly Constraint[]): readonly Type[] {
  return TYPES.filter((type) =>
    constraints.every(({ schema }) => {
      const isAllowed = schema.type === undefined || hasType(schema.type, type);
      const { not } = schema;
      const isExcluded =
        isRecord(not) && Object.keys(not).length === 1 && not.type !== undefined && hasType(not.type, type);
      return isAllowed && !isExcluded;
    }),
  );
}

/** True if the types have this one; `number` includes the whole numbers. */
export function hasType(types: unknown, type: string): boolean {
  const all: readonly unknown[] = [types].flat();
  return all.includes(type) || (type === 'integer' && all.includes('number'));
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

function numbersOf(constraints: readonly Constraint[], keyword: string): readonly Bound[] {
  return constraints.flatMap(({ schema, pointer }) => {
    const value = schema[keyword];
    return typeof value === 'number' ? [{ value, pointer, keyword }] : [];
  });
}

/** A contradiction if the largest lower bound is over the smallest upper bound. */
function compareBounds(constraints: readonly Constraint[], lower: string, upper: string): Contradiction | null {
  const [low] = numbersOf(constraints, lower).toSorted((a, b) => b.value - a.value);
  const [high] = numbersOf(constraints, upper).toSorted((a, b) => a.value - b.value);
  if (low === undefined || high === undefined || low.value <= high.value) return null;
  return { pointer: low.pointer, reason: `${lower} ${low.value} is over ${upper} ${high.value}` };
}

function refuteNumber(constraints: readonly Constraint[], isInteger: boolean): Contradiction | null {
  const lows = [...numbersOf(constraints, 'minimum'), ...numbersOf(constraints, 'exclusiveMinimum')];
  const highs = [...numbersOf(constraints, 'maximum'), ...numbersOf(constraints, 'exclusiveMaximum')];
  for (const low of lows) {
    for (const high of highs) {
      const isExclusive = low.keyword !== 'minimum' || high.keyword !== 'maximum';
      const smallest = low.keyword === 'minimum' ? Math.ceil(low.value) : Math.floor(low.value) + 1;
      const largest = high.keyword === 'maximum' ? Math.floor(high.value) : Math.ceil(high.value) - 1;
      const isEmpty =
        low.value > high.value || (isExclusive && low.value === high.value) || (isInteger && smallest > largest);
      if (!isEmpty) continue;
      const reason = `${low.keyword} ${low.value} and ${high.keyword} ${high.value} leave no ${isInteger ? 'whole ' : ''}number`;
      return { pointer: low.pointer, reason };
    }
  }
  return null;
}

/** The required members, with those that they require in turn. */
function requiredIn(constraints: readonly Constraint[]): ReadonlySet<string> {
  const required = new Set(constraints.flatMap(({ schema }) => requiredOf(schema)));
  for (const name of required) {
    for (const { schema } of constraints) {
      const dependentRequired = isRecord(schema.dependentRequired) ? schema.dependentRequired : {};
      const dependents = Object.hasOwn(dependentRequired, name) ? dependentRequired[name] : [];
      for (const memberName of requiredOf({ required: dependents })) required.add(memberName);
    }
  }
  return required;
}

/** True if every object with these members satisfies the schema, which says only which members it needs. */
function isImplied(schema: Schema, required: ReadonlySet<string>): boolean {
  const { anyOf, ...otherKeywords } = schema;
  const isPlain = Object.keys(otherKeywords).every(
    (key) => key === 'required' || key === 'description' || (key === 'type' && otherKeywords[key] === 'object'),
  );
  if (!isPlain || !requiredOf(otherKeywords).every((name) => required.has(name))) return false;
  if (!Array.isArray(anyOf)) return otherKeywords.required !== undefined;
  return anyOf.some((variant) => isRecord(variant) && isImplied(variant, required));
}

function constraintsInList({ schema, pointer }: Constraint, keyword: string): readonly Constraint[] {
  const list = schema[keyword];
  if (!Array.isArray(list)) return [];
  return list.map((member, index) => ({ schema: toSchema(member), pointer: `${pointer}/${keyword}/${index}` }));
}

function constraintAt({ schema, pointer }: Constraint, keyword: string): readonly Constraint[] {
  return schema[keyword] === undefined ? [] : [{ schema: toSchema(schema[keyword]), pointer: `${pointer}/${keyword}` }];
}

function withoutKeywords({ schema, pointer }: Constraint, ...keywords: readonly string[]): Constraint {
  if (keywords.every((keyword) => schema[keyword] === undefined)) return { schema, pointer };
  const rest: Record<string, unknown> = { ...schema };
  for (const keyword of keywords) delete rest[keyword];
  return { schema: rest, pointer };
}
