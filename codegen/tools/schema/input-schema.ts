/** Converts descriptor schemas to the schemas of a tool's arguments: as strict as the descriptor, as plain as clients need. */

import { byCodeUnit } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences } from '../words/texts.ts';
import { type BareReference, bareReferenceOf } from './bare-reference.ts';
import { repairClosedObject } from './closed-choices.ts';
import { toArgumentText, writeParts } from './input-parts.ts';
import type { KeptDefinition, Recorded } from './kept-definitions.ts';
import { type MergedSchema, mergeAllOf } from './merge.ts';
import { isNull, toTypeKeyword, withNull, withoutNull } from './nulls.ts';
import { schemaList, typesOf } from './readers.ts';
import { nameDefinitions, type RefGraph } from './refs.ts';

/** The part of a tool for which a schema is written. */
interface Scope {
  /** Kept references whose content is being written: inside it, they stay references. */
  readonly open: readonly string[];
  /** True inside `not` and `if`. */
  readonly isCondition: boolean;
  /** Schemas that this definition already wrote, by surroundings, so that shared parts stay one object. */
  readonly written: Map<string, WeakMap<Schema, Schema>>;
  /** The requirements and reports of the definition, so that other tools can repeat them without writing it again. Null outside of a definition. */
  readonly recorded: Recorded | null;
}

/** A schema that is merged step by step. */
interface Merging extends Pick<Scope, 'recorded'> {
  open: readonly string[];
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
  readonly loose = new Set<unknown>();
  readonly #graph: RefGraph;
  readonly #onBadPattern: (pattern: string, problem: string) => void;
  readonly #names: ReadonlyMap<string, string>;
  readonly #definitions = new Map<string, Schema>();
  readonly #root: Scope = { open: [], isCondition: false, written: new Map(), recorded: null };

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
    const surroundings = `${scope.isCondition} ${scope.open.join(' ')}`;
    const written = remember(scope.written, surroundings, () => new WeakMap<Schema, Schema>());
    return remember(written, schema, () => this.#writeNew(schema, scope));
  }

  #writeNew(schema: Schema, scope: Scope): Schema {
    const reference = this.#keptReferenceOf(schema, scope);
    if (reference !== null) return this.#writeReference(reference, scope);
    const merging: Merging = { open: scope.open, isWider: false, recorded: scope.recorded };
    const whole = this.#merge(schema, merging);
    const repaired = scope.isCondition ? null : repairClosedObject(whole, this.#graph.resolve);
    merging.isWider ||= repaired !== null;
    const { schema: merged, leftovers } = repaired ?? whole;
    const simple = this.#simplify(merged, merging);
    const inside = { ...scope, open: merging.open };
    const written = writeParts(simple, leftovers, {
      isCondition: scope.isCondition,
      write: (part) => this.#write(part, inside),
      writeCondition: (part) => this.#write(part, { ...inside, isCondition: true }),
      resolve: this.#graph.resolve,
      onBadPattern: (pattern, problem) => {
        this.#onBadPattern(pattern, problem);
        scope.recorded?.steps.push({ pattern, problem });
      },
    });
    if (merging.isWider || isLooser(simple, written)) {
      this.loose.add(written);
      scope.recorded?.loose.push(written);
    }
    return written;
  }

  #nameOf(ref: string, { recorded }: Pick<Scope, 'recorded'>): string | undefined {
    const name = this.#names.get(ref);
    recorded?.asked.set(ref, name);
    return name;
  }

  #keptReferenceOf(schema: Schema, scope: Pick<Scope, 'recorded'>): BareReference | null {
    const reference = bareReferenceOf(schema);
    return reference !== null && this.#nameOf(reference.ref, scope) !== undefined ? reference : null;
  }

  #writeReference({ ref, annotations }: BareReference, scope: Scope): Schema {
    const description = toArgumentText(annotations);
    const target = endOfChain(ref, this.#graph);
    const end = target !== null && this.#nameOf(target, scope) !== undefined ? target : ref;
    const reference = target === null ? {} : { $ref: this.#define(end, this.#nameOf(end, scope) ?? '', scope) };
    return { ...reference, ...(description === '' ? {} : { description }) };
  }

  #define(ref: string, name: string, scope: Scope): string {
    scope.recorded?.steps.push({ ref, name });
    if (!this.#definitions.has(name)) {
      this.#definitions.set(name, {});
      const place = `${scope.isCondition} ${ref}`;
      const before = this.#graph.kept.find(place, this.#names);
      const { schema } = before === null ? this.#defineNew(ref, place, scope) : this.#repeat(before, scope);
      this.#definitions.set(name, schema);
    }
    return `#/$defs/${name}`;
  }

  #defineNew(ref: string, place: string, { isCondition }: Scope): KeptDefinition {
    const recorded: Recorded = { asked: new Map(), steps: [], loose: [] };
    const scope = { open: [ref], isCondition, written: new Map(), recorded };
    const definition = { ...recorded, schema: this.#write(this.#graph.resolve(ref), scope) };
    this.#graph.kept.add(place, definition);
    return definition;
  }

  #repeat(definition: KeptDefinition, scope: Scope): KeptDefinition {
    for (const step of definition.steps) {
      if ('ref' in step) this.#define(step.ref, step.name, { ...scope, recorded: null });
      else this.#onBadPattern(step.pattern, step.problem);
    }
    for (const part of definition.loose) this.loose.add(part);
    return definition;
  }

  #merge(schema: Schema, merging: Merging): MergedSchema {
    const merged = mergeAllOf(schema, this.#graph.resolve, (ref) => merging.open.includes(ref));
    merging.isWider ||= merged.isWider;
    const named = merged.followed.filter((ref) => this.#nameOf(ref, merging) !== undefined);
    merging.open = [...merging.open, ...named];
    return merged;
  }

  /** Replaces alternatives without a real choice: `null`, a single one, and lists of plain types. */
  #simplify(schema: Schema, merging: Merging): Schema {
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const variants = schemaList(schema, keyword);
      if (variants.length === 0) continue;
      const { [keyword]: _, ...rest } = schema;
      const real = variants.filter((variant) => !isNull(variant));
      const single = real.length === 1 ? real[0] : undefined;
      if (single !== undefined && this.#keptReferenceOf(single, merging) === null) {
        const { schema: merged, leftovers } = this.#merge({ allOf: [single, rest] }, merging);
        if (leftovers.length > 0) continue;
        return this.#simplify(real.length < variants.length ? withNull(merged) : merged, merging);
      }
      const plain = toPlainType(variants);
      if (plain !== null && rest.type === undefined) {
        if (keyword === 'oneOf') merging.isWider ||= plain.isRepeated;
        return { ...rest, type: plain.type, ...(rest.description === undefined ? plain.words : {}) };
      }
    }
    return schema;
  }
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
