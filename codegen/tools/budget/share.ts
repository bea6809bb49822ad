/** Says once what an input schema says several times: large equal parts become local definitions, unused ones go. */

import { byCodeUnit, charsOf } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { LARGE_SCHEMA_CHARS } from '../schema/refs.ts';
import { toCapitalized, toWords } from '../words/words.ts';
import { definitionOf, definitionsOf, forEachChild, mapChildren, referenceTo } from './walk.ts';

/**
 * Longer parts save characters as definitions. Output schemas always have them there, because clients only validate with
 * those; input schemas once they are over their budget, because some clients refuse references in them.
 */
export const SMALL_SHARED_CHARS = 120;
/** Characters of a place that refers to a definition. */
const REFERENCE_CHARS = 40;
/** Sizes are not counted beyond this. */
const MAX_COUNTED_CHARS = 10_000_000;
const MAX_NAME_CHARS = 60;

/** A schema without the description at its root; equal ones are one body. */
interface Body {
  readonly schema: Schema;
  /** Places inside, in the order of `schema`. */
  readonly children: readonly Place[];
  /** Characters of its own text, without what stands inside. */
  readonly ownChars: number;
  readonly hint: string;
  uses: number;
  /** Characters once shared parts are references. */
  chars: number;
  /** As a local definition, or null where it is written out. */
  definition: Definition | null;
  readonly descriptions: Set<string | null>;
}

interface Definition {
  readonly name: string;
  readonly description: string | null;
}

interface Place {
  readonly body: Body;
  readonly description: string | null;
}

/**
 * The same schema with every part that is longer than `minChars` and used more than once in `$defs`, and with nothing
 * else there but definitions that refer to themselves.
 *
 * Parts that differ in nothing but their description share a definition; the description stands next to the reference.
 * The schema may hold one object in several places, however large it would be written out.
 *
 * @param minChars in characters of JSON
 */
export function shareParts(root: Schema, minChars: number = LARGE_SCHEMA_CHARS): Schema {
  const given = definitionsOf(root);
  const parts = readParts(root, given);
  const definitions = chooseDefinitions(parts, given, minChars);
  return writeParts(parts, definitions);
}

/** A schema read into bodies. */
interface Parts {
  readonly root: Place;
  /** Every body, those inside before those around them. */
  readonly bodies: readonly Body[];
  /** What a body was the definition of. */
  readonly namedBefore: ReadonlyMap<Body, Definition>;
  /** Definitions that stay whatever their size. */
  readonly pinned: ReadonlyMap<string, Place>;
}

function readParts(root: Schema, given: ReadonlyMap<string, Schema>): Parts {
  const circular = findCircular(given);
  const byText = new Map<string, Body>();
  const ids = new Map<Body, number>();
  const places = new WeakMap<Schema, Place>();
  const namedBefore = new Map<Body, Definition>();
  const pinned = new Set<string>();

  const read = (schema: Schema, hint: string): Place => {
    const known = places.get(schema);
    if (known !== undefined) return known;
    const place = readNew(schema, hint);
    places.set(schema, place);
    return place;
  };

  const readNew = (schema: Schema, hint: string): Place => {
    const description = typeof schema.description === 'string' ? schema.description : null;
    const name = definitionOf(schema);
    if (name !== null && !circular.has(name) && isPlainReference(schema)) {
      const inner = readDefinition(name);
      namedBefore.set(inner.body, { name, description: inner.description });
      return { body: inner.body, description: description ?? inner.description };
    }
    if (name !== null) pinned.add(name);
    return { body: readBody(withoutDescription(schema), hint), description };
  };

  const readDefinition = (name: string): Place => read(given.get(name) ?? {}, name);

  const readBody = (schema: Schema, hint: string): Body => {
    const children: Place[] = [];
    const slotOf = ({ body, description }: Place) => [ids.get(body), description];
    const text = JSON.stringify(
      mapChildren(schema, (child, [keyword, key]) => {
        const place = read(child, keyword === 'properties' && key !== undefined ? key : hint);
        children.push(place);
        return slotOf(place);
      }),
    );
    const known = byText.get(text);
    if (known !== undefined) return known;
    const ownChars = children.reduce((left, child) => left - charsOf(slotOf(child)), text.length);
    const body = {
      schema,
      children,
      ownChars,
      hint,
      uses: 0,
      chars: 0,
      definition: null,
      descriptions: new Set<string | null>(),
    };
    byText.set(text, body);
    ids.set(body, ids.size);
    return body;
  };

  const { $defs: _, ...own } = root;
  const rootPlace = read(own, '');
  // Reading a definition can pin others: a Set goes on to those that are added meanwhile.
  const stay = new Map<string, Place>();
  for (const name of pinned) stay.set(name, readDefinition(name));
  return { root: rootPlace, bodies: [...ids.keys()], namedBefore, pinned: stay };
}

/** Makes definitions of the parts that are worth it, and of those that are pinned. */
function chooseDefinitions(
  { bodies, namedBefore, pinned }: Parts,
  given: ReadonlyMap<string, Schema>,
  minChars: number,
): ReadonlyMap<string, Body> {
  const definitions = new Map<string, Body>();
  const define = (body: Body, definition: Definition): void => {
    body.definition = definition;
    definitions.set(definition.name, body);
  };
  for (const body of bodies) for (const place of body.children) use(place);
  for (const [name, { body, description }] of pinned) if (body.definition === null) define(body, { name, description });
  for (const body of bodies) {
    const inside = body.children.reduce((sum, place) => sum + charsOfPlace(place), body.ownChars);
    body.chars = Math.min(MAX_COUNTED_CHARS, inside);
    if (body.definition !== null || body.uses < 2) continue;
    const before = namedBefore.get(body);
    const description = commonDescription(body, before);
    if (body.chars + (body.descriptions.size === 1 ? charsOfText(description) : 0) <= minChars) continue;
    const isFree = before !== undefined && !definitions.has(before.name);
    define(body, { name: isFree ? before.name : freeName(body.hint, [definitions, given]), description });
  }
  return definitions;
}

function writeParts({ root, pinned }: Parts, definitions: ReadonlyMap<string, Body>): Schema {
  const written = new WeakMap<Place, Schema>();
  const write = (place: Place): Schema => {
    const known = written.get(place);
    if (known !== undefined) return known;
    const { body, description } = place;
    const schema = body.definition === null ? writeOut(place) : refer(body.definition, description);
    written.set(place, schema);
    return schema;
  };
  const writeOut = ({ body, description }: Place): Schema => {
    let next = 0;
    const members = mapChildren(body.schema, () => {
      const child = body.children[next++];
      return child === undefined ? {} : write(child);
    });
    return description === null ? members : insertDescription(members, description);
  };
  const result = writeOut(root);
  const named = new Map<string, Schema>();
  for (const [name, place] of pinned) named.set(name, writeOut(place));
  for (const [name, body] of definitions) {
    named.set(name, writeOut({ body, description: body.definition?.description ?? null }));
  }
  const sorted = [...named].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.length === 0 ? result : { ...result, $defs: Object.fromEntries(sorted) };
}

/** A reference with the words of its place, where the definition says others. */
function refer(definition: Definition, description: string | null): Schema {
  const own = description === null || description === definition.description ? {} : { description };
  return { $ref: referenceTo(definition.name), ...own };
}

function use({ body, description }: Place): void {
  body.uses += 1;
  body.descriptions.add(description);
}

function charsOfPlace({ body, description }: Place): number {
  return (body.definition === null ? body.chars : REFERENCE_CHARS) + charsOfText(description);
}

function charsOfText(description: string | null): number {
  return description === null ? 0 : `,"description":${JSON.stringify(description)}`.length;
}

/** The text of a definition: none where a place that uses it has none, because it would gain one. */
function commonDescription({ descriptions }: Body, before: Definition | undefined): string | null {
  const [first] = descriptions;
  if (descriptions.has(null)) return null;
  return before === undefined ? (first ?? null) : before.description;
}

/** A name that no definition has, made of the words of the property that is met first. */
function freeName(hint: string, taken: readonly ReadonlyMap<string, unknown>[]): string {
  const words = toWords(hint).map(toCapitalized).join('').slice(0, MAX_NAME_CHARS);
  const base = /^[A-Z]/.test(words) ? words : `Schema${words}`;
  let name = base;
  for (let number = 2; taken.some((names) => names.has(name)); number += 1) name = `${base}${number}`;
  return name;
}

function isPlainReference(schema: Schema): boolean {
  return Object.keys(schema).every((keyword) => keyword === '$ref' || keyword === 'description');
}

function withoutDescription(schema: Schema): Schema {
  if (typeof schema.description !== 'string') return schema;
  const { description: _, ...rest } = schema;
  return rest;
}

/** Where the writer of input schemas has it: after `type` or `$ref`. */
function insertDescription(schema: Schema, description: string): Schema {
  const { type, $ref, ...rest } = schema;
  return {
    ...(type === undefined ? {} : { type }),
    ...($ref === undefined ? {} : { $ref }),
    description,
    ...rest,
  };
}

/** Names of the definitions that lead back to themselves. */
function findCircular(definitions: ReadonlyMap<string, Schema>): ReadonlySet<string> {
  const next = new Map([...definitions].map(([name, body]) => [name, namesIn(body)]));
  const isCircular = (start: string): boolean => {
    const seen = new Set<string>();
    const waiting = [...(next.get(start) ?? [])];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (name === start) return true;
      if (seen.has(name)) continue;
      seen.add(name);
      waiting.push(...(next.get(name) ?? []));
    }
    return false;
  };
  return new Set([...definitions.keys()].filter(isCircular));
}

function namesIn(body: Schema): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<Schema>();
  const visit = (schema: Schema) => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const name = definitionOf(schema);
    if (name !== null) names.add(name);
    forEachChild(schema, visit);
  };
  visit(body);
  return names;
}
