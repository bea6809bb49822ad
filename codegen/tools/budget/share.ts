/** Removes repetition from an input schema: large equal parts become local definitions, unused ones are removed. */

import { byCodeUnit } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { createCircleFinder, LARGE_SCHEMA_CHARS } from '../schema/refs.ts';
import { definitionsOf } from '../schema/walk.ts';
import { toCapitalized, toWords } from '../words/words.ts';
import { type Core, type CoreFinder, createCoreFinder, createResults, type Result, type Results } from './cores.ts';
import type { Loosened } from './loosen.ts';
import { createNodeReader, type Node, type NodeReader, PIECE_CHARS, type Text } from './nodes.ts';
import type { ShortTexts } from './shorten.ts';

/**
 * Longer parts save characters as definitions. Output schemas always have them in `$defs`, because clients only
 * validate with those; input schemas only when over their budget, because some clients reject references in them.
 */
export const SMALL_SHARED_CHARS = PIECE_CHARS;
/** Characters of a place that refers to a definition. */
const REFERENCE_CHARS = 40;
/** Sizes are not counted beyond this. */
const MAX_COUNTED_CHARS = 10_000_000;
const MAX_NAME_CHARS = 60;

/** A core in one tool. */
interface Body {
  readonly core: Core;
  /** Places of its contents, in the order of the schema. */
  readonly children: readonly Place[];
  readonly hint: string;
  uses: number;
  /** Characters after shared parts become references. */
  chars: number;
  /** Its local definition, or null if it is written out. */
  definition: Definition | null;
  /** Description at the place that uses it first. */
  description: Text | null;
  /** False if the places that use it have different descriptions. */
  isAlike: boolean;
  /** True if some place has no description. */
  isBare: boolean;
}

interface Definition {
  readonly name: string;
  readonly description: Text | null;
}

interface Place {
  readonly body: Body;
  readonly description: Text | null;
}

/**
 * The same schema with every part that is longer than `minChars` and used more than once in `$defs`, which otherwise
 * holds only definitions that refer to themselves.
 *
 * Parts that differ only in their description share a definition; the description is next to the reference. The schema
 * may hold one object in several places, however large it would be if written out; its objects must not change after
 * this.
 *
 * @param minChars in characters of JSON, `SMALL_SHARED_CHARS` at least, because parts of pieces are not considered;
 * default: `LARGE_SCHEMA_CHARS`
 */
type ShareParts = (root: Schema, minChars?: number) => Schema;

/**
 * Shared by the tools of one service: an object in several tools is read once, and equal parts of results are one
 * object.
 */
export interface PartStore extends NodeReader {
  readonly shareParts: ShareParts;
  readonly shortTexts: ShortTexts;
  readonly loosened: Loosened;
}

export function createPartStore(): PartStore {
  const reader = createNodeReader();
  const coreOf = createCoreFinder();
  const results = createResults();
  const shareParts: ShareParts = (root, minChars = LARGE_SCHEMA_CHARS) => {
    const given = definitionsOf(root);
    const parts = readParts(root, given, reader, coreOf);
    const definitions = chooseDefinitions(parts, given, minChars);
    return writeParts(parts, definitions, results);
  };
  return { ...reader, shareParts, shortTexts: new Map(), loosened: new WeakMap() };
}

/** A schema read into bodies. */
interface Parts {
  readonly root: Place;
  /** Every body; contents come before the bodies that contain them. */
  readonly bodies: readonly Body[];
  /** The definition that each body had before. */
  readonly namedBefore: ReadonlyMap<Body, Definition>;
  /** Definitions that stay, regardless of size. */
  readonly pinned: ReadonlyMap<string, Place>;
}

function readParts(
  root: Schema,
  given: ReadonlyMap<string, Schema>,
  { nodeOf }: NodeReader,
  coreOf: CoreFinder,
): Parts {
  const isCircular = createCircleFinder((name) => {
    const body = given.get(name);
    return body === undefined ? [] : nodeOf(body).names;
  });
  const bodies = new Map<Core, Body>();
  const places = new Map<Node, Place>();
  const namedBefore = new Map<Body, Definition>();
  const pinned = new Set<string>();

  const read = (node: Node, hint: string): Place => remember(places, node, () => readNew(node, hint));

  const readNew = (node: Node, hint: string): Place => {
    const { target, description } = node;
    if (target !== null && node.isPlainReference && !isCircular(target)) {
      const inner = readDefinition(target);
      namedBefore.set(inner.body, { name: target, description: inner.description });
      return { body: inner.body, description: description ?? inner.description };
    }
    if (target !== null) pinned.add(target);
    return { body: readBody(node, hint), description };
  };

  const readDefinition = (name: string): Place => read(nodeOf(given.get(name) ?? {}), name);

  const readBody = (node: Node, hint: string): Body => {
    const children = node.children.map((child) => read(child.node, child.property ?? hint));
    const core = coreOf(
      node,
      children.map(({ body, description }) => ({ core: body.core, description })),
    );
    return remember(bodies, core, () => ({
      core,
      children,
      hint,
      uses: 0,
      chars: 0,
      definition: null,
      description: null,
      isAlike: true,
      isBare: false,
    }));
  };

  const { $defs: _, ...own } = root;
  const rootPlace = read(nodeOf(own), '');
  // Reading a definition can pin others: iterating a Set includes names that are added meanwhile.
  const stay = new Map<string, Place>();
  for (const name of pinned) stay.set(name, readDefinition(name));
  return { root: rootPlace, bodies: [...bodies.values()], namedBefore, pinned: stay };
}

/** Creates definitions for parts that save characters, and for pinned ones. */
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
    let inside = body.core.node.ownChars;
    for (const place of body.children) inside += charsOfPlace(place);
    body.chars = Math.min(MAX_COUNTED_CHARS, inside);
    if (body.definition !== null || body.uses < 2) continue;
    const before = namedBefore.get(body);
    const description = commonDescription(body, before);
    if (body.chars + (body.isAlike ? (description?.chars ?? 0) : 0) <= minChars) continue;
    const isFree = before !== undefined && !definitions.has(before.name);
    define(body, { name: isFree ? before.name : freeName(body.hint, [definitions, given]), description });
  }
  return definitions;
}

function writeParts({ root, pinned }: Parts, definitions: ReadonlyMap<string, Body>, results: Results): Schema {
  const written = new Map<Place, Result>();
  const write = (place: Place): Result =>
    remember(written, place, () => {
      const { definition } = place.body;
      return definition === null ? writeOut(place) : refer(definition, place.description);
    });
  const writeOut = ({ body, description }: Place): Result =>
    results.filled(body.core, description, body.children.map(write));
  /** A reference with the description of its place, if that of the definition differs. */
  const refer = (definition: Definition, description: Text | null): Result =>
    results.reference(definition.name, description === definition.description ? null : description);
  const named = new Map<string, Schema>();
  const { schema } = writeOut(root);
  for (const [name, place] of pinned) named.set(name, writeOut(place).schema);
  for (const [name, body] of definitions) {
    named.set(name, writeOut({ body, description: body.definition?.description ?? null }).schema);
  }
  const sorted = [...named].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(sorted) };
}

function use({ body, description }: Place): void {
  if (body.uses === 0) body.description = description;
  else if (body.description !== description) body.isAlike = false;
  if (description === null) body.isBare = true;
  body.uses += 1;
}

function charsOfPlace({ body, description }: Place): number {
  return (body.definition === null ? body.chars : REFERENCE_CHARS) + (description?.chars ?? 0);
}

/** The description of a definition: none if one of its places has none, because that place would gain one. */
function commonDescription({ isBare, description }: Body, before: Definition | undefined): Text | null {
  if (isBare) return null;
  return before === undefined ? description : before.description;
}

/** An unused name, made from the words of the first property that uses the definition. */
function freeName(hint: string, taken: readonly ReadonlyMap<string, unknown>[]): string {
  const words = toWords(hint).map(toCapitalized).join('').slice(0, MAX_NAME_CHARS);
  const base = /^[A-Z]/.test(words) ? words : `Schema${words}`;
  let name = base;
  for (let number = 2; taken.some((names) => names.has(name)); number += 1) name = `${base}${number}`;
  return name;
}
