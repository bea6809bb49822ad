/** Turns descriptor schemas into the schemas of a tool's arguments: as strict as the descriptor, as plain as clients need. */

import { findPatternProblem } from '../../../patterns/index.ts';
import { byCodeUnit, isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences, MAX_ARGUMENT_DESCRIPTION_CHARS, toCleanText, toShortText } from '../words/texts.ts';
import { toWords } from '../words/words.ts';
import { type BareReference, bareReferenceOf } from './bare-reference.ts';
import { readAlternatives } from './discriminator.ts';
import type { KeptDefinition, Recorded } from './kept-definitions.ts';
import { cleanKeywords, droppedInWords } from './keywords.ts';
import { type MergedSchema, mergeAllOf, readOnlyMembers } from './merge.ts';
import { isNull, toTypeKeyword, withNull, withoutNull } from './nulls.ts';
import { haveOverlap } from './overlap.ts';
import { toPlainType } from './plain-type.ts';
import { isNever, type Resolve, requiredOf, schemaList, schemaMap, toSchema, typesOf } from './readers.ts';
import { nameDefinitions, type RefGraph } from './refs.ts';

/** Writes the argument schemas of one tool, which share their local definitions. */
interface InputSchemaWriter {
  /** A schema as published. `nullable: false` leaves `null` out at its root, for values that cannot be null on the wire. */
  write(schema: Schema, options: { readonly nullable: boolean }): Schema;
  /** `$defs` of everything written so far, sorted by name, or null. */
  definitions(): Schema | null;
  /** What was written and accepts more than the descriptor does, because of what no client or validator could do. */
  readonly loose: ReadonlySet<unknown>;
}

/**
 * A writer for schemas out of `roots`, which decide what becomes a local definition.
 *
 * `$ref`s are written out unless they are circular, or large and used more than once. `allOf` is merged, `null`
 * alternatives become types, arrays always have `items`, `readOnly` properties are left out at every depth where others are left, and
 * keywords that a validator would choke on are dropped; `onBadPattern` hears of patterns that cannot be served, and why.
 */
export function createInputSchemaWriter(
  roots: readonly Schema[],
  graph: RefGraph,
  onBadPattern: (pattern: string, problem: string) => void,
): InputSchemaWriter {
  const names = nameDefinitions(roots, graph);
  const definitions = new Map<string, Schema>();
  /** Kept references whose content is being written here: met again, they stay references. */
  let open: string[] = [];
  /** Above zero inside `not` and `if`. */
  let conditions = 0;
  const loose = new Set<unknown>();
  /** Whether a merge since the last schema was begun accepts more than its parts. */
  let isWider = false;
  /** The same schema in the same surroundings is written once, so that shared parts stay one object. */
  let known = new Map<string, WeakMap<Schema, Schema>>();
  /** What the definition that is being written asks and does, so that other tools need not write it again. */
  let recorded: Recorded | null = null;

  const nameOf = (ref: string): string | undefined => {
    const name = names.get(ref);
    recorded?.asked.set(ref, name);
    return name;
  };
  const isNamed = (ref: string): boolean => nameOf(ref) !== undefined;
  const addLoose = (written: Schema): void => {
    loose.add(written);
    recorded?.loose.push(written);
  };
  const reportPattern = (pattern: string, problem: string): void => {
    onBadPattern(pattern, problem);
    recorded?.steps.push({ pattern, problem });
  };

  const define = (ref: string, name: string): string => {
    recorded?.steps.push({ ref, name });
    if (definitions.has(name)) return `#/$defs/${name}`;
    definitions.set(name, {});
    const place = `${conditions > 0} ${ref}`;
    const before = graph.kept.find(place, names);
    if (before === null) defineNew(ref, name, place);
    else repeat(name, before);
    return `#/$defs/${name}`;
  };

  const defineNew = (ref: string, name: string, place: string): void => {
    const outer = { open, recorded, known };
    const own: Recorded = { asked: new Map(), steps: [], loose: [] };
    open = [ref];
    recorded = own;
    known = new Map();
    const schema = write(graph.resolve(ref));
    ({ open, recorded, known } = outer);
    definitions.set(name, schema);
    graph.kept.add(place, { ...own, schema });
  };

  const repeat = (name: string, { steps, schema, loose: others }: KeptDefinition): void => {
    const outer = recorded;
    recorded = null;
    for (const step of steps) {
      if ('ref' in step) define(step.ref, step.name);
      else onBadPattern(step.pattern, step.problem);
    }
    for (const other of others) loose.add(other);
    recorded = outer;
    definitions.set(name, schema);
  };

  const write = (schema: Schema): Schema => {
    const surroundings = `${conditions > 0} ${open.join(' ')}`;
    const written = known.get(surroundings) ?? new WeakMap<Schema, Schema>();
    known.set(surroundings, written);
    const before = written.get(schema);
    if (before !== undefined) return before;
    const result = writeNew(schema);
    written.set(schema, result);
    return result;
  };

  const writeNew = (schema: Schema): Schema => {
    const reference = keptReferenceOf(schema);
    if (reference !== null) return writeReference(reference);
    const before = open;
    isWider = false;
    const { schema: merged, leftovers } = merge(schema);
    const simple = simplify(merged, merge, keptReferenceOf, () => {
      isWider = true;
    });
    const wider = isWider;
    const written = writeParts(simple, leftovers, conditions > 0, writing);
    if (wider || isLooser(simple, written)) addLoose(written);
    open = before;
    return written;
  };

  const keptReferenceOf = (schema: Schema): BareReference | null => {
    const reference = bareReferenceOf(schema);
    return reference !== null && isNamed(reference.ref) ? reference : null;
  };

  const writeReference = ({ ref, annotations }: BareReference): Schema => {
    const description = toArgumentText(annotations);
    const target = endOfChain(ref, graph);
    const end = target !== null && isNamed(target) ? target : ref;
    const reference = target === null ? {} : { $ref: define(end, nameOf(end) ?? '') };
    return { ...reference, ...(description === '' ? {} : { description }) };
  };

  const merge = (schema: Schema): MergedSchema => {
    const merged = mergeAllOf(schema, graph.resolve, (ref) => open.includes(ref));
    isWider ||= merged.isWider;
    open = [...open, ...merged.followed.filter(isNamed)];
    return merged;
  };

  const writeCondition = (schema: Schema): Schema => {
    conditions += 1;
    const written = write(schema);
    conditions -= 1;
    return written;
  };
  const writing: Writing = { write, writeCondition, resolve: graph.resolve, onBadPattern: reportPattern };

  return {
    loose,
    write: (schema, { nullable }) => (nullable ? write(schema) : write(withoutNull(schema, graph.resolve))),
    definitions: () =>
      definitions.size === 0 ? null : Object.fromEntries([...definitions].sort(([a], [b]) => byCodeUnit(a, b))),
  };
}

/** The reference at the end of a chain of references that say nothing themselves; null where the chain is a circle. */
function endOfChain(ref: string, { resolve }: RefGraph): string | null {
  const seen = new Set<string>();
  let target = ref;
  for (let next = bareReferenceOf(resolve(target)); next !== null; next = bareReferenceOf(resolve(target))) {
    seen.add(target);
    if (seen.has(next.ref)) return null;
    target = next.ref;
  }
  return target;
}

/** Replaces alternatives that are no real choice: `null`, a single one, and lists of plain types. */
function simplify(
  schema: Schema,
  merge: (schema: Schema) => MergedSchema,
  keptReferenceOf: (schema: Schema) => BareReference | null,
  onWider: () => void,
): Schema {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = schemaList(schema, keyword);
    if (variants.length === 0) continue;
    const { [keyword]: _, ...rest } = schema;
    const real = variants.filter((variant) => !isNull(variant));
    const single = real.length === 1 ? real[0] : undefined;
    if (single !== undefined && keptReferenceOf(single) === null) {
      const { schema: merged, leftovers } = merge({ allOf: [single, rest] });
      if (leftovers.length > 0) continue;
      return simplify(real.length < variants.length ? withNull(merged) : merged, merge, keptReferenceOf, onWider);
    }
    const plain = toPlainType(variants);
    if (plain !== null && rest.type === undefined) {
      if (keyword === 'oneOf' && plain.isRepeated) onWider();
      return { ...rest, type: plain.type, ...(rest.description === undefined ? plain.words : {}) };
    }
  }
  return schema;
}

/** What the parts of a schema are written with. */
interface Writing {
  readonly write: (schema: Schema) => Schema;
  /** Inside `not` and `if`, where a type that is only meant would change the meaning. */
  readonly writeCondition: (schema: Schema) => Schema;
  readonly resolve: Resolve;
  readonly onBadPattern: (pattern: string, problem: string) => void;
}

function writeParts(schema: Schema, leftovers: readonly Schema[], isCondition: boolean, writing: Writing): Schema {
  const types = isCondition ? typesOf({ type: schema.type }) : typesOf(schema);
  const { pattern } = schema;
  const problem = typeof pattern === 'string' ? findPatternProblem(pattern) : null;
  if (problem !== null) writing.onBadPattern(String(pattern), problem);
  const description = toArgumentText(schema);
  return {
    ...(types.length === 0 ? {} : { type: toTypeKeyword(types) }),
    ...(description === '' ? {} : { description }),
    ...cleanKeywords(schema),
    ...writeObject(schema, writing),
    ...writeArray(schema, types, writing),
    ...writeLogic(schema, leftovers, writing),
  };
}

function writeObject(schema: Schema, { write, resolve, onBadPattern }: Writing): Schema {
  const members = schemaMap(schema, 'properties');
  const hidden = new Set(readOnlyMembers(members, resolve));
  const properties = members.filter(([name]) => !hidden.has(name));
  const required = requiredOf(schema).filter((name) => !hidden.has(name));
  const patterns = schemaMap(schema, 'patternProperties').filter(([key]) => {
    const problem = findPatternProblem(key);
    if (problem !== null) onBadPattern(key, problem);
    return problem === null;
  });
  const dependent = schemaMap(schema, 'dependentSchemas');
  const additional = schema.additionalProperties;
  const written = (list: readonly (readonly [string, Schema])[]): Schema =>
    Object.fromEntries(list.map(([key, member]) => [key, write(member)]));
  return {
    ...(properties.length === 0 ? {} : { properties: written(properties) }),
    ...(patterns.length === 0 ? {} : { patternProperties: written(patterns) }),
    ...(required.length === 0 ? {} : { required }),
    ...(additional === undefined
      ? {}
      : { additionalProperties: isNever(additional) ? false : write(toSchema(additional)) }),
    ...(isRecord(schema.propertyNames) ? { propertyNames: write(schema.propertyNames) } : {}),
    ...(dependent.length === 0 ? {} : { dependentSchemas: written(dependent) }),
  };
}

function writeArray(schema: Schema, types: readonly string[], { write }: Writing): Schema {
  const prefix = schemaList(schema, 'prefixItems');
  const hasItems = schema.items !== undefined || types.includes('array');
  return {
    ...(prefix.length === 0 ? {} : { prefixItems: prefix.map(write) }),
    ...(hasItems ? { items: write(toSchema(schema.items)) } : {}),
    ...(isRecord(schema.contains) ? { contains: write(schema.contains) } : {}),
  };
}

function writeLogic(schema: Schema, leftovers: readonly Schema[], { write, writeCondition, resolve }: Writing): Schema {
  const logic: Record<string, unknown> = {};
  if (leftovers.length > 0) logic.allOf = leftovers.map(write);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = readAlternatives(schema, keyword, resolve);
    if (variants.length > 0) logic[haveOverlap(keyword, variants, resolve) ? 'anyOf' : keyword] = variants.map(write);
  }
  for (const keyword of ['then', 'else'] as const) {
    if (schema[keyword] !== undefined) logic[keyword] = write(toSchema(schema[keyword]));
  }
  for (const keyword of ['not', 'if'] as const) {
    if (schema[keyword] !== undefined) logic[keyword] = writeCondition(toSchema(schema[keyword]));
  }
  return logic;
}

/** The text of a schema for a model: its description, or a title that says more than a name, and dropped keywords in words. */
export function toArgumentText(schema: Schema): string {
  const description = toPlainText(schema.description);
  const title = toCleanText(schema.title);
  const text = description !== '' ? description : toWords(title).length > 2 ? title : '';
  const full = joinSentences(schema.deprecated === true ? 'Deprecated.' : '', text, droppedInWords(schema));
  const plain = full === `${text}.` ? text : full;
  return toShortText(plain, MAX_ARGUMENT_DESCRIPTION_CHARS);
}

const DROPPED = ['pattern', 'multipleOf', 'unevaluatedProperties', 'unevaluatedItems', 'format'] as const;

/** True where something was left out that refuses values, or a `oneOf` became `anyOf`. */
function isLooser(schema: Schema, written: Schema): boolean {
  if (DROPPED.some((keyword) => schema[keyword] !== undefined && written[keyword] === undefined)) return true;
  return schema.oneOf !== undefined && written.oneOf === undefined;
}
