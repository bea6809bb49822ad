/** Matches the alternatives of a schema before and after: vendors reorder `oneOf` and `anyOf` freely. */

import { isRecord, isSame, toRecord } from '../../json.ts';
import { shared } from '../match-tools.ts';
import type { Schema } from '../types.ts';
import { compareTypes, typeOf } from './json-types.ts';
import { resolve, valuesOf, withoutTexts } from './shape.ts';

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
  const { name, schema, members } = sketch(raw, root);
  if (name !== null) return name.slice(name.lastIndexOf('/') + 1);
  const values = valuesOf(schema);
  if (values !== null) return JSON.stringify(values);
  const type = [typeOf(schema) ?? 'any'].flat().join(' or ');
  if (members.size === 0) return type;
  const more = members.size > SHOWN_MEMBERS ? ', …' : '';
  return `${type} with ${[...members].slice(0, SHOWN_MEMBERS).join(', ')}${more}`;
}

interface Sketch {
  readonly raw: Schema;
  readonly plain: unknown;
  readonly schema: Schema;
  readonly name: string | null;
  /** By member: its only allowed value. */
  readonly constants: ReadonlyMap<string, unknown>;
  readonly members: ReadonlySet<string>;
}

/** A member with the same value in two alternatives does not distinguish them. */
function sketches(list: readonly Schema[], root: Schema): Sketch[] {
  const all = list.map((raw) => sketch(raw, root));
  return all.map((one) => ({
    ...one,
    constants: new Map(
      [...one.constants].filter(
        ([name, value]) => !all.some((other) => other.raw !== one.raw && isSame(other.constants.get(name), value)),
      ),
    ),
  }));
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
    name: typeof raw.$ref === 'string' ? raw.$ref : typeof schema.title === 'string' ? schema.title : null,
    constants: new Map(constants),
    members: new Set([...properties.map(([name]) => name), ...required]),
  };
}

function isEqual(one: Sketch, other: Sketch): boolean {
  return isSame(one.plain, other.plain);
}

function hasSameDiscriminator(one: Sketch, other: Sketch): boolean {
  return !isOther(one, other) && [...one.constants.keys()].some((name) => other.constants.has(name));
}

function hasSameName(one: Sketch, other: Sketch): boolean {
  return one.name !== null && one.name === other.name && !isOther(one, other);
}

/** True if a member has one allowed value in each, and the values differ. */
function isOther(one: Sketch, other: Sketch): boolean {
  return [...one.constants].some(
    ([name, value]) => other.constants.has(name) && !isSame(value, other.constants.get(name)),
  );
}

/** Types must be the same, or only grow or shrink; the rest is the share of common members or values. */
function likeness(one: Sketch, other: Sketch): number {
  const types = compareTypes(typeOf(one.schema), typeOf(other.schema));
  if (types === 'changed' || isOther(one, other)) return 0;
  const [values, otherValues] = [valuesOf(one.schema), valuesOf(other.schema)];
  const names = (list: readonly unknown[]) => new Set(list.map((value) => JSON.stringify(value)));
  const alike =
    values !== null && otherValues !== null
      ? shared(names(values), names(otherValues))
      : shared(one.members, other.members);
  return types === 'same' ? alike : alike / 2;
}
