/** Says once what an input schema says several times: large equal parts become local definitions, unused ones go. */

import { byCodeUnit } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { LARGE_SCHEMA_CHARS } from '../schema/refs.ts';
import { toCapitalized, toWords } from '../words/words.ts';
import { definitionOf, definitionsOf, forEachChild, mapChildren, referenceTo } from './walk.ts';

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
 * Parts that differ in nothing but their description share a definition; the description stands beside the reference.
 * The schema may hold one object in several places, however large it would be written out.
 *
 * @param minChars in characters of JSON
 */
export function shareParts(root: Schema, minChars: number = LARGE_SCHEMA_CHARS): Schema {
  const given = definitionsOf(root);
  const circular = findCircular(given);
  const bodies = new Map<string, Body>();
  const ordered: Body[] = [];
  const ids = new Map<Body, number>();
  const places = new WeakMap<Schema, Place>();
  const namedBefore = new Map<Body, Definition>();
  /** Definitions that stay whatever their size, read once everything that refers to them is. */
  const pinned = new Map<string, Place | null>();

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
    if (name !== null) {
      if (!circular.has(name) && isPlainReference(schema)) {
        const inner = read(given.get(name) ?? {}, name);
        namedBefore.set(inner.body, { name, description: inner.description });
        return { body: inner.body, description: description ?? inner.description };
      }
      pinned.set(name, pinned.get(name) ?? null);
    }
    const children: Place[] = [];
    const text = JSON.stringify(
      mapChildren(withoutDescription(schema), (child, [keyword, key]) => {
        const place = read(child, keyword === 'properties' && key !== undefined ? key : hint);
        children.push(place);
        return [ids.get(place.body), place.description];
      }),
    );
    return { body: bodies.get(text) ?? addBody(text, withoutDescription(schema), children, hint), description };
  };

  const addBody = (text: string, schema: Schema, children: readonly Place[], hint: string): Body => {
    const slots = children.reduce(
      (sum, { body, description }) => sum + JSON.stringify([ids.get(body), description]).length,
      0,
    );
    const ownChars = text.length - slots;
    const body: Body = {
      schema,
      children,
      ownChars,
      hint,
      uses: 0,
      chars: 0,
      definition: null,
      descriptions: new Set(),
    };
    bodies.set(text, body);
    ids.set(body, ordered.length);
    ordered.push(body);
    return body;
  };

  const { $defs: _, ...own } = root;
  const rootPlace = read(own, '');
  for (const [name, place] of pinned) {
    if (place === null) pinned.set(name, read(given.get(name) ?? {}, name));
  }
  for (const body of ordered) for (const place of body.children) use(place);
  const definitions = new Map<string, Body>();
  for (const [name, place] of pinned) {
    if (place === null || place.body.definition !== null) continue;
    place.body.definition = { name, description: place.description };
    definitions.set(name, place.body);
  }
  for (const body of ordered) {
    const inside = body.children.reduce((sum, place) => sum + charsOf(place), body.ownChars);
    body.chars = Math.min(MAX_COUNTED_CHARS, inside);
    if (body.definition !== null || body.uses < 2) continue;
    const before = namedBefore.get(body);
    const text = commonDescription(body, before);
    if (body.chars + (body.descriptions.size === 1 ? charsOfText(text) : 0) <= minChars) continue;
    const isFree = before !== undefined && !definitions.has(before.name);
    const name = isFree ? before.name : freeName(body.hint, [definitions, given]);
    body.definition = { name, description: text };
    definitions.set(name, body);
  }

  const written = new WeakMap<Place, Schema>();
  const write = (place: Place): Schema => {
    const known = written.get(place);
    if (known !== undefined) return known;
    const { definition } = place.body;
    const schema =
      definition === null
        ? writeOut(place.body, place.description)
        : {
            $ref: referenceTo(definition.name),
            ...(place.description === null || place.description === definition.description
              ? {}
              : { description: place.description }),
          };
    written.set(place, schema);
    return schema;
  };
  const writeOut = (body: Body, description: string | null): Schema => {
    let next = 0;
    const members = mapChildren(body.schema, () => {
      const child = body.children[next++];
      return child === undefined ? {} : write(child);
    });
    return description === null ? members : insertDescription(members, description);
  };

  const result = writeOut(rootPlace.body, rootPlace.description);
  const named = new Map<string, Schema>();
  for (const [name, place] of pinned) if (place !== null) named.set(name, writeOut(place.body, place.description));
  for (const [name, body] of definitions) named.set(name, writeOut(body, body.definition?.description ?? null));
  const sorted = [...named].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.length === 0 ? result : { ...result, $defs: Object.fromEntries(sorted) };
}

function use({ body, description }: Place): void {
  body.uses += 1;
  body.descriptions.add(description);
}

function charsOf({ body, description }: Place): number {
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
