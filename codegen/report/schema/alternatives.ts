/** Matches the alternatives of a schema before and after: vendors reorder `oneOf` and `anyOf` freely. */

import { isRecord, isSame, toRecord } from '../../json.ts';
import { shared } from '../match-tools.ts';
import type { Schema } from '../types.ts';
import { compareTypes, impliedTypeOf } from './json-types.ts';
import { isLeftOpen, resolve, valuesOf, withoutTexts } from './shape.ts';

interface MatchedAlternatives {
  /** In the order of `before`. */
  readonly pairs: readonly { readonly before: Schema; readonly after: Schema }[];
  readonly removed: readonly Schema[];
  readonly added: readonly Schema[];
}

type Roots = readonly [Schema, Schema];

/** From 0 to 1: a pair below this counts as two different alternatives. */
const MIN_LIKENESS = 0.2;
const SHOWN_MEMBERS = 4;

/**
 * Pairs equal alternatives, then those with the same discriminator, then those with the same reference name or title,
 * then the most similar.
 *
 * A discriminator is a member with one allowed value that no other alternative of the list has. Two alternatives with
 * different values of a discriminator are never paired.
 */
export function matchAlternatives(
  before: readonly Schema[],
  after: readonly Schema[],
  roots: Roots,
): MatchedAlternatives {
  const [old, now] = [sketches(before, roots[0]), sketches(after, roots[1])];
  const partners = new Map<Sketch, Sketch>();
  const taken = new Set<Sketch>();
  const pair = (one: Sketch, other: Sketch) => {
    if (partners.has(one) || taken.has(other)) return;
    partners.set(one, other);
    taken.add(other);
  };
  for (const isIt of [isEqual, hasSameDiscriminator, hasSameName]) {
    for (const one of old) {
      const other = partners.has(one)
        ? undefined
        : now.find((candidate) => !taken.has(candidate) && isIt(one, candidate));
      if (other !== undefined) pair(one, other);
    }
  }
  const [oldLeft, nowLeft] = [old.filter((one) => !partners.has(one)), now.filter((one) => !taken.has(one))];
  const isOnly = before.length === 1 && after.length === 1;
  const candidates = oldLeft
    .flatMap((one) => nowLeft.map((other) => ({ one, other, likeness: isOnly ? 1 : likeness(one, other) })))
    .filter((candidate) => candidate.likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness);
  for (const { one, other } of candidates) pair(one, other);
  return {
    pairs: old.flatMap((one) => {
      const other = partners.get(one);
      return other === undefined ? [] : [{ before: one.raw, after: other.raw }];
    }),
    removed: old.filter((one) => !partners.has(one)).map(({ raw }) => raw),
    added: now.filter((one) => !taken.has(one)).map(({ raw }) => raw),
  };
}

/** A label of an alternative: its name, its values, or its type and first members. */
export function labelOf(raw: Schema, root: Schema): string {
  const { names, type, schema, members } = sketch(raw, root);
  if (names[0] !== undefined) return names[0];
  const values = valuesOf(schema);
  if (values !== null) return JSON.stringify(values);
  const types = [type ?? 'any'].flat().join(' or ');
  if (members.size === 0) return types;
  const more = members.size > SHOWN_MEMBERS ? ', …' : '';
  return `${types} with ${[...members].slice(0, SHOWN_MEMBERS).join(', ')}${more}`;
}

interface Sketch {
  readonly raw: Schema;
  readonly plain: unknown;
  readonly schema: Schema;
  readonly type: unknown;
  /** Of its definition, and its title. */
  readonly names: readonly string[];
  /** By member: its only allowed value. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Members of `values` whose value not every alternative of the list has. */
  readonly kinds: ReadonlySet<string>;
  /** Members of `values` whose value no other alternative of the list has. */
  readonly own: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

function sketches(list: readonly Schema[], root: Schema): Sketch[] {
  const all = list.map((raw) => sketch(raw, root));
  return all.map((one) => {
    const others = all.filter(({ raw }) => raw !== one.raw);
    const isIn = (other: Sketch, name: string) => isSame(other.values.get(name), one.values.get(name));
    const names = [...one.values.keys()];
    const kinds = names.filter((name) => others.length === 0 || !others.every((other) => isIn(other, name)));
    const own = kinds.filter((name) => !others.some((other) => isIn(other, name)));
    return { ...one, kinds: new Set(kinds), own: new Set(own) };
  });
}

function sketch(raw: Schema, root: Schema): Sketch {
  const { schema } = resolve(raw, root);
  const properties = Object.entries(toRecord(schema.properties));
  const constants = properties.flatMap(([name, member]): [string, unknown][] => {
    const values = isRecord(member) ? valuesOf(resolve(member, root).schema) : null;
    return values?.length === 1 ? [[name, values[0]]] : [];
  });
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return {
    raw,
    plain: withoutTexts(raw),
    schema,
    type: impliedTypeOf(schema, root),
    names: [raw.$ref, schema.title].flatMap((name) =>
      typeof name === 'string' ? name.slice(name.lastIndexOf('/') + 1) : [],
    ),
    values: new Map(constants),
    kinds: new Set(),
    own: new Set(),
    members: new Set([...properties.map(([name]) => name), ...required]),
  };
}

/** Returns true for an object without members, which is how a tool shows an object that it has no room for. */
function isOpened({ type, members, schema }: Sketch): boolean {
  return isLeftOpen(schema) || (type === 'object' && members.size === 0 && schema.additionalProperties !== false);
}

function isEqual(one: Sketch, other: Sketch): boolean {
  return isSame(one.plain, other.plain);
}

function hasSameDiscriminator(one: Sketch, other: Sketch): boolean {
  return !isOther(one, other) && [...one.own].some((name) => other.own.has(name));
}

function hasSameName(one: Sketch, other: Sketch): boolean {
  return one.names.some((name) => other.names.includes(name)) && !isOther(one, other);
}

/** True if a member has one allowed value in each, the values differ, and tell alternatives of one of the lists apart. */
function isOther(one: Sketch, other: Sketch): boolean {
  return [...one.values].some(
    ([name, value]) =>
      other.values.has(name) &&
      !isSame(value, other.values.get(name)) &&
      (one.kinds.has(name) || other.kinds.has(name)),
  );
}

/** Types must be the same, or only grow or shrink; the rest is the share of common members or values. */
function likeness(one: Sketch, other: Sketch): number {
  const types = compareTypes(one.type, other.type);
  if (types === 'changed' || isOther(one, other)) return 0;
  if (isOpened(one) !== isOpened(other)) return MIN_LIKENESS;
  const [values, otherValues] = [valuesOf(one.schema), valuesOf(other.schema)];
  const names = (list: readonly unknown[]) => new Set(list.map((value) => JSON.stringify(value)));
  const alike =
    values !== null && otherValues !== null
      ? shared(names(values), names(otherValues))
      : shared(one.members, other.members);
  return types === 'same' ? alike : alike / 2;
}
