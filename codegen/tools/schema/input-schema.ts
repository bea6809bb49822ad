/** Converts descriptor schemas to the schemas of a tool's arguments: as strict as the descriptor, as plain as clients need. */

import { byCodeUnit } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences } from '../words/texts.ts';
import { type BareReference, bareReferenceOf } from './bare-reference.ts';
import { toArgumentText, type Writing, writeParts } from './input-parts.ts';
import type { KeptDefinition, Recorded } from './kept-definitions.ts';
import { type MergedSchema, mergeAllOf } from './merge.ts';
import { isNull, toTypeKeyword, withNull, withoutNull } from './nulls.ts';
import { schemaList, typesOf } from './readers.ts';
import { nameDefinitions, type RefGraph } from './refs.ts';

/** Writes the argument schemas of one tool, which share their local definitions. */
interface InputSchemaWriter {
  /** Writes a schema as published. `nullable: false` omits `null` at its root, for values that cannot be null on the wire. */
  write(schema: Schema, options: { readonly nullable: boolean }): Schema;
  /** `$defs` of everything written so far, sorted by name, or null. */
  definitions(): Schema | null;
  /** Written schemas that accept more than the descriptor, because clients or validators could not handle the original. */
  readonly loose: ReadonlySet<unknown>;
}

/**
 * Creates a writer for schemas within `roots`, which determine the local definitions.
 *
 * `$ref`s are inlined unless they are circular, or large and used more than once. `allOf` is merged, `null` alternatives become
 * types, arrays always have `items`, `readOnly` properties are omitted at every depth where others remain, and keywords that a
 * validator could not handle are dropped. `onBadPattern` receives patterns that cannot be served, and the reason.
 */
export function createInputSchemaWriter(
  roots: readonly Schema[],
  graph: RefGraph,
  onBadPattern: (pattern: string, problem: string) => void,
): InputSchemaWriter {
  const names = nameDefinitions(roots, graph);
  const definitions = new Map<string, Schema>();
  /** Kept references whose content is being written: inside it, they stay references. */
  let open: string[] = [];
  /** Nesting depth of `not` and `if`. */
  let conditions = 0;
  const loose = new Set<unknown>();
  /** Whether a merge in the current schema accepts more than its parts. */
  let isWider = false;
  /** Schemas already written, by context, so that shared parts stay one object. */
  let known = new Map<string, WeakMap<Schema, Schema>>();
  /** Lookups and steps of the definition being written, so that other tools can repeat it without writing it again. */
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

/** The last reference in a chain of bare references; null if the chain is circular. */
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

/** Replaces alternatives without a real choice: `null`, a single one, and lists of plain types. */
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

const DROPPED = ['pattern', 'multipleOf', 'unevaluatedProperties', 'unevaluatedItems', 'format'] as const;

/** True if a keyword that rejects values was dropped, or a `oneOf` became `anyOf`. */
function isLooser(schema: Schema, written: Schema): boolean {
  if (DROPPED.some((keyword) => schema[keyword] !== undefined && written[keyword] === undefined)) return true;
  return schema.oneOf !== undefined && written.oneOf === undefined;
}

interface PlainType {
  readonly type: string | readonly string[];
  readonly words: Schema;
  /** True if a value can have the types of two alternatives, which `oneOf` rejects. */
  readonly isRepeated: boolean;
}

/** One type list for alternatives that are only scalar types with texts, or null. */
function toPlainType(variants: readonly Schema[]): PlainType | null {
  const isPlain = (variant: Schema) =>
    variant.type !== undefined &&
    Object.keys(variant).every((keyword) => keyword === 'type' || keyword === 'description');
  if (!variants.every(isPlain)) return null;
  const all = variants.flatMap((variant) => [...new Set(typesOf(variant))]);
  const types = [...new Set(all)];
  const isRepeated = types.length < all.length || (types.includes('integer') && types.includes('number'));
  if (types.some((type) => type === 'object' || type === 'array')) return null;
  const texts = new Set(variants.map((variant) => toPlainText(variant.description)).filter((text) => text !== ''));
  const words = texts.size === 0 ? {} : { description: joinSentences(...texts) };
  return { type: toTypeKeyword(types), words, isRepeated };
}
