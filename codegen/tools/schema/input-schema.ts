/** Converts descriptor schemas to the schemas of a tool's arguments: as strict as the descriptor, as plain as clients need. */

import { byCodeUnit } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences } from '../words/texts.ts';
import { type BareReference, bareReferenceOf } from './bare-reference.ts';
import { repairClosedObject } from './closed-choices.ts';
import { toArgumentText, writeParts } from './input-parts.ts';
import { type MergedSchema, mergeAllOf } from './merge.ts';
import { isNull, toTypeKeyword, withNull, withoutNull } from './nulls.ts';
import { schemaList, typesOf } from './readers.ts';
import { nameDefinitions, type RefGraph } from './refs.ts';

/** The part of a tool for which a schema is written. */
interface Scope {
  /** Kept references whose content is being written: inside it, they stay references. */
  readonly refsInProgress: readonly string[];
  /** True inside `not` and `if`. */
  readonly isCondition: boolean;
  /** Schemas that this definition already wrote, by surroundings, so that shared parts stay one object. */
  readonly cachesBySurroundings: Map<string, WeakMap<Schema, Schema>>;
}

/** A schema that is merged step by step. */
interface Merging {
  refsInProgress: readonly string[];
  /** True if a merge accepts more than its parts. */
  isWider: boolean;
}

/**
 * Writes the argument schemas of one tool, which share their local definitions. `roots` determine which those are.
 *
 * `$ref`s are inlined unless they are circular, or large and used more than once. `allOf` is merged, `null` alternatives become
 * types, arrays always have `items`, `readOnly` properties are omitted at every depth where others remain, and keywords that a
 * validator could not handle are dropped. `onBadPattern` receives patterns that cannot be served, and the reason.
 */
export class InputSchemaWriter {
  /** Written schemas that accept more than the descriptor, because clients or validators could not handle the original. */
  readonly loosened = new Set<unknown>();
  readonly #graph: RefGraph;
  readonly #onBadPattern: (pattern: string, problem: string) => void;
  readonly #names: ReadonlyMap<string, string>;
  readonly #definitions = new Map<string, Schema>();
  readonly #root: Scope = { refsInProgress: [], isCondition: false, cachesBySurroundings: new Map() };

  constructor(roots: readonly Schema[], graph: RefGraph, onBadPattern: (pattern: string, problem: string) => void) {
    this.#graph = graph;
    this.#onBadPattern = onBadPattern;
    this.#names = nameDefinitions(roots, graph);
  }

  /** Writes a schema as published. `nullable: false` omits `null` at its root, for values that cannot be null on the wire. */
  write(schema: Schema, { nullable }: { readonly nullable: boolean }): Schema {
    return this.#write(nullable ? schema : withoutNull(schema, this.#graph.resolve), this.#root);
  }

  /** `$defs` of everything written so far, sorted by name, or null. */
  definitions(): Schema | null {
    if (this.#definitions.size === 0) return null;
    return Object.fromEntries([...this.#definitions].sort(([a], [b]) => byCodeUnit(a, b)));
  }

  #write(schema: Schema, scope: Scope): Schema {
    const surroundings = `${scope.isCondition} ${scope.refsInProgress.join(' ')}`;
    const cache = remember(scope.cachesBySurroundings, surroundings, () => new WeakMap<Schema, Schema>());
    return remember(cache, schema, () => this.#writeNew(schema, scope));
  }

  #writeNew(schema: Schema, scope: Scope): Schema {
    const reference = this.#keptReferenceOf(schema);
    if (reference !== null) return this.#writeReference(reference, scope);
    const merging: Merging = { refsInProgress: scope.refsInProgress, isWider: false };
    const mergeResult = this.#merge(schema, merging);
    const repaired = scope.isCondition ? null : repairClosedObject(mergeResult, this.#graph.resolve);
    merging.isWider ||= repaired !== null;
    const { schema: merged, leftovers } = repaired ?? mergeResult;
    const simplified = this.#simplify(merged, merging);
    const innerScope = { ...scope, refsInProgress: merging.refsInProgress };
    const result = writeParts(simplified, leftovers, {
      isCondition: scope.isCondition,
      write: (part) => this.#write(part, innerScope),
      writeCondition: (part) => this.#write(part, { ...innerScope, isCondition: true }),
      resolve: this.#graph.resolve,
      onBadPattern: this.#onBadPattern,
    });
    if (merging.isWider || isLooser(simplified, result)) this.loosened.add(result);
    return result;
  }

  #keptReferenceOf(schema: Schema): BareReference | null {
    const reference = bareReferenceOf(schema);
    return reference !== null && this.#names.has(reference.ref) ? reference : null;
  }

  #writeReference({ ref, annotations }: BareReference, scope: Scope): Schema {
    const description = toArgumentText(annotations);
    const target = endOfChain(ref, this.#graph);
    const definedRef = target !== null && this.#names.has(target) ? target : ref;
    const reference = target === null ? {} : { $ref: this.#define(definedRef, scope) };
    return { ...reference, ...(description === '' ? {} : { description }) };
  }

  #define(ref: string, { isCondition }: Scope): string {
    const name = this.#names.get(ref) ?? '';
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, {});
      const scope = { refsInProgress: [ref], isCondition, cachesBySurroundings: new Map() };
      this.#definitions.set(name, this.#write(this.#graph.resolve(ref), scope));
    }
    return `#/$defs/${name}`;
  }

  #merge(schema: Schema, merging: Merging): MergedSchema {
    const merged = mergeAllOf(schema, this.#graph.resolve, (ref) => merging.refsInProgress.includes(ref));
    merging.isWider ||= merged.isWider;
    const keptRefs = merged.followed.filter((ref) => this.#names.has(ref));
    merging.refsInProgress = [...merging.refsInProgress, ...keptRefs];
    return merged;
  }

  /** Replaces alternatives without a real choice: `null`, a single one, and lists of plain types. */
  #simplify(schema: Schema, merging: Merging): Schema {
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const variants = schemaList(schema, keyword);
      if (variants.length === 0) continue;
      const { [keyword]: _, ...rest } = schema;
      const nonNullVariants = variants.filter((variant) => !isNull(variant));
      const onlyVariant = nonNullVariants.length === 1 ? nonNullVariants[0] : undefined;
      if (onlyVariant !== undefined && this.#keptReferenceOf(onlyVariant) === null) {
        const { schema: merged, leftovers } = this.#merge({ allOf: [onlyVariant, rest] }, merging);
        if (leftovers.length > 0) continue;
        return this.#simplify(nonNullVariants.length < variants.length ? withNull(merged) : merged, merging);
      }
      const plainType = toPlainType(variants);
      if (plainType !== null && rest.type === undefined) {
        if (keyword === 'oneOf') merging.isWider ||= plainType.isRepeated;
        return { ...rest, type: plainType.type, ...(rest.description === undefined ? plainType.words : {}) };
      }
    }
    return schema;
  }
}

/** The last reference in a chain of bare references; null if the chain is circular. */
function endOfChain(ref: string, { resolve }: RefGraph): string | null {
  const visitedRefs = new Set<string>();
  let target = ref;
  for (let next = bareReferenceOf(resolve(target)); next !== null; next = bareReferenceOf(resolve(target))) {
    visitedRefs.add(target);
    if (visitedRefs.has(next.ref)) return null;
    target = next.ref;
  }
  return target;
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
  const allTypes = variants.flatMap((variant) => [...new Set(typesOf(variant))]);
  const types = [...new Set(allTypes)];
  const isRepeated = types.length < allTypes.length || (types.includes('integer') && types.includes('number'));
  if (types.some((type) => type === 'object' || type === 'array')) return null;
  const texts = new Set(variants.map((variant) => toPlainText(variant.description)).filter((text) => text !== ''));
  const words = texts.size === 0 ? {} : { description: joinSentences(...texts) };
  return { type: toTypeKeyword(types), words, isRepeated };
}
