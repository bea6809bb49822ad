/** Turns descriptor schemas into the schemas of a tool's arguments: as strict as the descriptor, as plain as clients need. */

import { byCodeUnit, isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { joinSentences, MAX_ARGUMENT_DESCRIPTION_CHARS, toCleanText, toShortText } from '../words/texts.ts';
import { toWords } from '../words/words.ts';
import { bareReferenceOf } from './bare-reference.ts';
import { readAlternatives } from './discriminator.ts';
import { cleanKeywords, droppedInWords, isPattern } from './keywords.ts';
import { isReadOnly, type MergedSchema, mergeAllOf } from './merge.ts';
import { isNull, toTypeKeyword, withNull, withoutNull } from './nulls.ts';
import { haveOverlap } from './overlap.ts';
import { isNever, requiredOf, schemaList, schemaMap, toSchema, typesOf } from './readers.ts';
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
 * alternatives become types, arrays always have `items`, `readOnly` properties are left out at every depth, and
 * keywords that a validator would choke on are dropped; `onBadPattern` hears of patterns that do not compile.
 */
export function createInputSchemaWriter(
  roots: readonly Schema[],
  graph: RefGraph,
  onBadPattern: (pattern: string) => void,
): InputSchemaWriter {
  const names = nameDefinitions(roots, graph);
  const definitions = new Map<string, Schema>();
  /** Kept references whose content is being written here: met again, they stay references. */
  let open: string[] = [];
  /** Above zero inside `not` and `if`, where a type that is only meant would change the meaning. */
  let conditions = 0;
  const loose = new Set<unknown>();
  /** Whether a merge since the last schema was begun accepts more than its parts. */
  let isWider = false;

  const define = (ref: string, name: string): string => {
    if (!definitions.has(name)) {
      definitions.set(name, {});
      const outer = open;
      open = [ref];
      definitions.set(name, write(graph.resolve(ref)));
      open = outer;
    }
    return `#/$defs/${name}`;
  };

  /** The same schema in the same surroundings is written once, so that shared parts stay one object. */
  const known = new Map<string, WeakMap<Schema, Schema>>();
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
    const alias = bareReferenceOf(schema);
    if (alias !== null && names.has(alias.ref)) {
      const description = toArgumentText(alias.annotations);
      const target = targetOf(alias.ref);
      const kept = target !== null && names.has(target) ? target : alias.ref;
      const reference = target === null ? {} : { $ref: define(kept, names.get(kept) ?? '') };
      return { ...reference, ...(description === '' ? {} : { description }) };
    }
    const before = open;
    isWider = false;
    const { schema: merged, leftovers } = merge(schema);
    const simple = simplify(merged);
    const wider = isWider;
    const written = writeMerged(simple, leftovers);
    if (wider || isLooser(simple, written)) loose.add(written);
    open = before;
    return written;
  };

  /** The reference at the end of a chain of references that say nothing themselves; null where the chain is a circle. */
  const targetOf = (ref: string): string | null => {
    const seen = new Set<string>();
    let target = ref;
    for (
      let next = bareReferenceOf(graph.resolve(target));
      next !== null;
      next = bareReferenceOf(graph.resolve(target))
    ) {
      seen.add(target);
      if (seen.has(next.ref)) return null;
      target = next.ref;
    }
    return target;
  };

  const merge = (schema: Schema): MergedSchema => {
    const merged = mergeAllOf(schema, graph.resolve, (ref) => open.includes(ref));
    isWider ||= merged.isWider;
    open = [...open, ...merged.followed.filter((ref) => names.has(ref))];
    return merged;
  };

  /** Replaces alternatives that are no real choice: `null`, a single one, and lists of plain types. */
  const simplify = (schema: Schema): Schema => {
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const variants = schemaList(schema, keyword);
      if (variants.length === 0) continue;
      const { [keyword]: _, ...rest } = schema;
      const real = variants.filter((variant) => !isNull(variant));
      const single = real.length === 1 ? real[0] : undefined;
      if (single !== undefined && !isKept(single)) {
        const { schema: merged, leftovers } = merge({ allOf: [single, rest] });
        if (leftovers.length > 0) continue;
        return simplify(real.length < variants.length ? withNull(merged) : merged);
      }
      const plain = toPlainType(variants);
      if (plain !== null && rest.type === undefined) {
        return { ...rest, type: plain.type, ...(rest.description === undefined ? plain.words : {}) };
      }
    }
    return schema;
  };

  const isKept = (schema: Schema): boolean => {
    const alias = bareReferenceOf(schema);
    return alias !== null && names.has(alias.ref);
  };

  const writeMerged = (schema: Schema, leftovers: readonly Schema[]): Schema => {
    const types = conditions > 0 ? typesOf({ type: schema.type }) : typesOf(schema);
    const { pattern } = schema;
    if (typeof pattern === 'string' && !isPattern(pattern)) onBadPattern(pattern);
    const description = toArgumentText(schema);
    return {
      ...(types.length === 0 ? {} : { type: toTypeKeyword(types) }),
      ...(description === '' ? {} : { description }),
      ...cleanKeywords(schema),
      ...writeObject(schema),
      ...writeArray(schema, types),
      ...writeLogic(schema, leftovers),
    };
  };

  const writeObject = (schema: Schema): Schema => {
    const hidden = new Set<string>();
    const properties = new Map<string, Schema>();
    for (const [name, member] of schemaMap(schema, 'properties')) {
      if (isReadOnly(member, graph.resolve)) hidden.add(name);
      else properties.set(name, write(member));
    }
    const required = requiredOf(schema).filter((name) => !hidden.has(name));
    const patterns = schemaMap(schema, 'patternProperties').filter(([key]) => {
      if (isPattern(key)) return true;
      onBadPattern(key);
      return false;
    });
    const additional = schema.additionalProperties;
    return {
      ...(properties.size === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(patterns.length === 0 ? {} : { patternProperties: toMembers(patterns) }),
      ...(required.length === 0 ? {} : { required }),
      ...(additional === undefined
        ? {}
        : { additionalProperties: isNever(additional) ? false : write(toSchema(additional)) }),
      ...(isRecord(schema.propertyNames) ? { propertyNames: write(schema.propertyNames) } : {}),
      ...(schemaMap(schema, 'dependentSchemas').length === 0
        ? {}
        : { dependentSchemas: toMembers(schemaMap(schema, 'dependentSchemas')) }),
    };
  };

  const writeArray = (schema: Schema, types: readonly string[]): Schema => {
    const prefix = schemaList(schema, 'prefixItems');
    const items = schema.items;
    const hasItems = items !== undefined || types.includes('array');
    return {
      ...(prefix.length === 0 ? {} : { prefixItems: prefix.map(write) }),
      ...(hasItems ? { items: write(toSchema(items)) } : {}),
      ...(isRecord(schema.contains) ? { contains: write(schema.contains) } : {}),
    };
  };

  const writeLogic = (schema: Schema, leftovers: readonly Schema[]): Schema => {
    const logic: Record<string, unknown> = {};
    if (leftovers.length > 0) logic.allOf = leftovers.map(write);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const variants = readAlternatives(schema, keyword, graph.resolve);
      if (variants.length > 0)
        logic[haveOverlap(keyword, variants, graph.resolve) ? 'anyOf' : keyword] = variants.map(write);
    }
    for (const keyword of ['then', 'else'] as const) {
      if (schema[keyword] !== undefined) logic[keyword] = write(toSchema(schema[keyword]));
    }
    conditions += 1;
    for (const keyword of ['not', 'if'] as const) {
      if (schema[keyword] !== undefined) logic[keyword] = write(toSchema(schema[keyword]));
    }
    conditions -= 1;
    return logic;
  };

  const toMembers = (members: readonly (readonly [string, Schema])[]): Schema =>
    Object.fromEntries(members.map(([key, member]) => [key, write(member)]));

  return {
    loose,
    write: (schema, { nullable }) => (nullable ? write(schema) : write(withoutNull(schema, graph.resolve))),
    definitions: () =>
      definitions.size === 0 ? null : Object.fromEntries([...definitions].sort(([a], [b]) => byCodeUnit(a, b))),
  };
}

/** The text of a schema for a model: its description, or a title that says more than a name, and dropped keywords in words. */
export function toArgumentText(schema: Schema): string {
  const description = toCleanText(schema.description);
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

/** One type list for alternatives that are nothing but scalar types with words, or null. */
function toPlainType(
  variants: readonly Schema[],
): { readonly type: string | readonly string[]; readonly words: Schema } | null {
  const isPlain = (variant: Schema) =>
    variant.type !== undefined &&
    Object.keys(variant).every((keyword) => keyword === 'type' || keyword === 'description');
  if (!variants.every(isPlain)) return null;
  const types = [...new Set(variants.flatMap(typesOf))];
  if (types.some((type) => type === 'object' || type === 'array')) return null;
  const texts = new Set(variants.map((variant) => toCleanText(variant.description)).filter((text) => text !== ''));
  return { type: toTypeKeyword(types), words: texts.size === 0 ? {} : { description: joinSentences(...texts) } };
}
