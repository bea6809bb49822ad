/** Matches the alternatives of a schema before and after: vendors reorder `oneOf` and `anyOf` freely. */

import { isRecord, isSame, toRecord } from '../../json.ts';
import { jaccardIndex } from '../match-tools.ts';
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
  const [old, now] = [summarizeAll(before, roots[0]), summarizeAll(after, roots[1])];
  const partners = new Map<AlternativeSummary, AlternativeSummary>();
  const pairedNew = new Set<AlternativeSummary>();
  const pair = (oldAlternative: AlternativeSummary, newAlternative: AlternativeSummary) => {
    if (partners.has(oldAlternative) || pairedNew.has(newAlternative)) return;
    partners.set(oldAlternative, newAlternative);
    pairedNew.add(newAlternative);
  };
  for (const isMatch of [isEqual, hasSameDiscriminator, hasSameName]) {
    for (const oldAlternative of old) {
      const newAlternative = partners.has(oldAlternative)
        ? undefined
        : now.find((candidate) => !pairedNew.has(candidate) && isMatch(oldAlternative, candidate));
      if (newAlternative !== undefined) pair(oldAlternative, newAlternative);
    }
  }
  const [unpairedOld, unpairedNew] = [
    old.filter((candidate) => !partners.has(candidate)),
    now.filter((one) => !pairedNew.has(one)),
  ];
  const isSinglePair = before.length === 1 && after.length === 1;
  const candidates = unpairedOld
    .flatMap((one) => unpairedNew.map((other) => ({ one, other, likeness: isSinglePair ? 1 : likeness(one, other) })))
    .filter((candidate) => candidate.likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness);
  for (const { one, other } of candidates) pair(one, other);
  return {
    pairs: old.flatMap((oldAlternative) => {
      const newAlternative = partners.get(oldAlternative);
      return newAlternative === undefined ? [] : [{ before: oldAlternative.raw, after: newAlternative.raw }];
    }),
    removed: old.filter((alternative) => !partners.has(alternative)).map(({ raw }) => raw),
    added: now.filter((alternative) => !pairedNew.has(alternative)).map(({ raw }) => raw),
  };
}

/** A label of an alternative: its name, its values, or its type and first members. */
export function labelOf(raw: Schema, root: Schema): string {
  const { names, type, schema, members } = summarize(raw, root);
  if (names[0] !== undefined) return names[0];
  const values = valuesOf(schema);
  if (values !== null) return JSON.stringify(values);
  const types = [type ?? 'any'].flat().join(' or ');
  if (members.size === 0) return types;
  const more = members.size > SHOWN_MEMBERS ? ', …' : '';
  return `${types} with ${[...members].slice(0, SHOWN_MEMBERS).join(', ')}${more}`;
}

interface AlternativeSummary {
  readonly raw: Schema;
  readonly plain: unknown;
  readonly schema: Schema;
  readonly type: unknown;
  /** Of its definition, and its title. */
  readonly names: readonly string[];
  /** By member: its only allowed value. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Members of `values` whose value not every alternative of the list has. */
  readonly varyingMembers: ReadonlySet<string>;
  /** Members of `values` whose value no other alternative of the list has. */
  readonly uniqueMembers: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

function summarizeAll(list: readonly Schema[], root: Schema): AlternativeSummary[] {
  const all = list.map((raw) => summarize(raw, root));
  return all.map((summary) => {
    const otherSummaries = all.filter(({ raw }) => raw !== summary.raw);
    const isIn = (other: AlternativeSummary, name: string) => isSame(other.values.get(name), summary.values.get(name));
    const names = [...summary.values.keys()];
    const varyingMembers = names.filter(
      (name) => otherSummaries.length === 0 || !otherSummaries.every((other) => isIn(other, name)),
    );
    const uniqueMembers = varyingMembers.filter((name) => !otherSummaries.some((other) => isIn(other, name)));
    return { ...summary, varyingMembers: new Set(varyingMembers), uniqueMembers: new Set(uniqueMembers) };
  });
}

function summarize(raw: Schema, root: Schema): AlternativeSummary {
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
    varyingMembers: new Set(),
    uniqueMembers: new Set(),
    members: new Set([...properties.map(([name]) => name), ...required]),
  };
}

/** Returns true for an object without members, which is how a tool shows an object that it has no room for. */
function isOpened({ type, members, schema }: AlternativeSummary): boolean {
  return isLeftOpen(schema) || (type === 'object' && members.size === 0 && schema.additionalProperties !== false);
}

function isEqual(before: AlternativeSummary, after: AlternativeSummary): boolean {
  return isSame(before.plain, after.plain);
}

function hasSameDiscriminator(before: AlternativeSummary, after: AlternativeSummary): boolean {
  return (
    !hasOtherDiscriminator(before, after) && [...before.uniqueMembers].some((name) => after.uniqueMembers.has(name))
  );
}

function hasSameName(before: AlternativeSummary, after: AlternativeSummary): boolean {
  return before.names.some((name) => after.names.includes(name)) && !hasOtherDiscriminator(before, after);
}

/** True if a member has one allowed value in each, the values differ, and tell alternatives of one of the lists apart. */
function hasOtherDiscriminator(before: AlternativeSummary, after: AlternativeSummary): boolean {
  return [...before.values].some(
    ([name, value]) =>
      after.values.has(name) &&
      !isSame(value, after.values.get(name)) &&
      (before.varyingMembers.has(name) || after.varyingMembers.has(name)),
  );
}

/** Types must be the same, or only grow or shrink; the rest is the share of common members or values. */
function likeness(before: AlternativeSummary, after: AlternativeSummary): number {
  const types = compareTypes(before.type, after.type);
  if (types === 'changed' || hasOtherDiscriminator(before, after)) return 0;
  if (isOpened(before) !== isOpened(after)) return MIN_LIKENESS;
  const [values, otherValues] = [valuesOf(before.schema), valuesOf(after.schema)];
  const names = (list: readonly unknown[]) => new Set(list.map((value) => JSON.stringify(value)));
  const commonShare =
    values !== null && otherValues !== null
      ? jaccardIndex(names(values), names(otherValues))
      : jaccardIndex(before.members, after.members);
  return types === 'same' ? commonShare : commonShare / 2;
}
