/** Removes repetition from a schema: large equal parts become local definitions, and unused definitions go. */

import { byCodeUnit } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { createCircleFinder, LARGE_SCHEMA_CHARS } from '../schema/refs.ts';
import { definitionOf, definitionsOf, mapChildren, namesIn, referenceTo } from '../schema/walk.ts';
import { toCapitalized, toWords } from '../words/words.ts';

/**
 * A repeated part that is longer than this is shorter as a definition in `$defs`. Output schemas always get such definitions. Input
 * schemas, which models read, get them only when they are over their size limit without.
 */
export const SMALL_SHARED_CHARS = 120;
/** Characters of a reference to a definition. */
const REFERENCE_CHARS = 40;
/** Sizes are not counted beyond this. */
const MAX_COUNTED_CHARS = 10_000_000;
const MAX_NAME_CHARS = 60;

/** Schemas that differ at most in their description. */
interface SchemaPart {
  readonly id: number;
  /** One of the schemas, without its description. */
  readonly schema: Schema;
  readonly children: readonly PartUse[];
  /** Name of the first property that holds the part. */
  readonly hint: string;
  /** Characters without the children. */
  readonly ownChars: number;
  /** Number of other parts that hold this one, and the descriptions there. */
  uses: number;
  readonly descriptions: Set<string | undefined>;
  /** Characters with the children, those that became definitions as references. */
  chars: number;
  /** Undefined while the part is written out. */
  definition: Definition | undefined;
}

interface Definition {
  readonly name: string;
  readonly description: string | undefined;
}

/** A part at one place of the schema. */
interface PartUse {
  readonly part: SchemaPart;
  readonly description: string | undefined;
}

interface PartsOfSchema {
  readonly root: PartUse;
  /** Parts in other parts come before these. */
  readonly parts: readonly SchemaPart[];
  readonly useOf: (schema: Schema) => PartUse;
  /** Definitions that stay, regardless of size. */
  readonly pinnedDefinitions: ReadonlyMap<string, PartUse>;
  /** The definition that a part had in the schema. */
  readonly earlierDefinitions: ReadonlyMap<SchemaPart, Definition>;
}

/**
 * The same schema with every part that is longer than `minChars` and used more than once in `$defs`, which otherwise
 * holds only definitions that refer to themselves.
 *
 * Parts that differ only in their description share a definition; the description is next to the reference. The schema
 * may hold one object in several places, however large it would be if written out.
 *
 * @param minChars in characters of JSON; default: `LARGE_SCHEMA_CHARS`
 */
export function shareParts(schema: Schema, minChars = LARGE_SCHEMA_CHARS): Schema {
  const schemaParts = readParts(schema);
  const definitions = chooseDefinitions(schemaParts, [...definitionsOf(schema).keys()], minChars);
  return writeParts(schemaParts, definitions);
}

function readParts(schema: Schema): PartsOfSchema {
  const bodies = definitionsOf(schema);
  const bodyOf = (name: string): Schema => bodies.get(name) ?? {};
  const isCircular = createCircleFinder((name) => namesIn(bodyOf(name)));
  const parts = new Map<string, SchemaPart>();
  const uses = new Map<Schema, PartUse>();
  const pinnedDefinitions = new Map<string, PartUse>();
  const earlierDefinitions = new Map<SchemaPart, Definition>();
  const referencedNames = new Set<string>();

  const read = (subschema: Schema, hint: string): PartUse => remember(uses, subschema, () => readNew(subschema, hint));
  const readNew = (subschema: Schema, hint: string): PartUse => {
    const { description: text, ...withoutDescription } = subschema;
    const description = typeof text === 'string' ? text : undefined;
    const name = definitionOf(subschema);
    if (name !== null && !isCircular(name) && Object.keys(withoutDescription).length === 1) {
      const body = read(bodyOf(name), name);
      earlierDefinitions.set(body.part, { name, description: body.description });
      return { part: body.part, description: description ?? body.description };
    }
    if (name !== null) referencedNames.add(name);
    const children: PartUse[] = [];
    const skeleton = JSON.stringify(
      mapChildren(withoutDescription, (child, [keyword, key]) => {
        children.push(read(child, keyword === 'properties' && key !== undefined ? key : hint));
        return 0;
      }),
    );
    const contents = children.map((child) => [child.part.id, child.description]);
    const part = remember(parts, skeleton + JSON.stringify(contents), () => ({
      id: parts.size,
      schema: withoutDescription,
      children,
      hint,
      ownChars: skeleton.length - children.length,
      uses: 0,
      descriptions: new Set<string | undefined>(),
      chars: 0,
      definition: undefined,
    }));
    return { part, description };
  };

  const { $defs: _, ...rootSchema } = schema;
  const root = read(rootSchema, '');
  // Reading a definition can add others: iterating a Set includes names that are added meanwhile.
  for (const name of referencedNames) pinnedDefinitions.set(name, read(bodyOf(name), name));
  return {
    root,
    parts: [...parts.values()],
    useOf: (subschema) => read(subschema, ''),
    pinnedDefinitions,
    earlierDefinitions,
  };
}

/** Creates definitions for parts that save characters, and for pinned ones. */
function chooseDefinitions(
  { parts, pinnedDefinitions, earlierDefinitions }: PartsOfSchema,
  names: readonly string[],
  minChars: number,
): ReadonlyMap<string, SchemaPart> {
  const definitions = new Map<string, SchemaPart>();
  for (const { part, description } of parts.flatMap(({ children }) => children)) {
    part.uses += 1;
    part.descriptions.add(description);
  }
  for (const [name, { part, description }] of pinnedDefinitions) {
    if (part.definition !== undefined) continue;
    part.definition = { name, description };
    definitions.set(name, part);
  }
  for (const part of parts) {
    const writtenChars = part.children.reduce((sum, use) => sum + charsOf(use), part.ownChars);
    part.chars = Math.min(MAX_COUNTED_CHARS, writtenChars);
    if (part.definition !== undefined || part.uses < 2) continue;
    const earlierDefinition = earlierDefinitions.get(part);
    const description = commonDescription(part, earlierDefinition);
    const sharedText = part.descriptions.size === 1 ? charsOfText(description) : 0;
    if (part.chars + sharedText <= minChars) continue;
    const isFree = earlierDefinition !== undefined && !definitions.has(earlierDefinition.name);
    const name = isFree ? earlierDefinition.name : freeName(part.hint, [...definitions.keys(), ...names]);
    part.definition = { name, description };
    definitions.set(name, part);
  }
  return definitions;
}

function charsOf({ part, description }: PartUse): number {
  return (part.definition === undefined ? part.chars : REFERENCE_CHARS) + charsOfText(description);
}

function charsOfText(description: string | undefined): number {
  return description === undefined ? 0 : `,"description":${JSON.stringify(description)}`.length;
}

/** The description of a definition: none if one of its uses has none, because that use would gain one. */
function commonDescription(
  { descriptions }: SchemaPart,
  earlierDefinition: Definition | undefined,
): string | undefined {
  if (descriptions.has(undefined)) return undefined;
  const [first] = descriptions;
  return earlierDefinition === undefined ? first : earlierDefinition.description;
}

/** An unused name, made from the words of the first property that uses the definition. */
function freeName(hint: string, takenNames: readonly string[]): string {
  const words = toWords(hint).map(toCapitalized).join('').slice(0, MAX_NAME_CHARS);
  const base = /^[A-Z]/.test(words) ? words : `Schema${words}`;
  let name = base;
  for (let number = 2; takenNames.includes(name); number += 1) name = `${base}${number}`;
  return name;
}

function writeParts(
  { root, useOf, pinnedDefinitions }: PartsOfSchema,
  definitions: ReadonlyMap<string, SchemaPart>,
): Schema {
  const cache = new Map<PartUse, Schema>();
  const write = (use: PartUse): Schema =>
    remember(cache, use, () => {
      const { definition } = use.part;
      if (definition === undefined) return writeOut(use);
      const description = use.description === definition.description ? undefined : use.description;
      return describe({ $ref: referenceTo(definition.name) }, description);
    });
  const writeOut = ({ part, description }: PartUse): Schema =>
    describe(
      mapChildren(part.schema, (child) => write(useOf(child))),
      description,
    );
  const definitionSchemas = new Map<string, Schema>();
  for (const [name, use] of pinnedDefinitions) definitionSchemas.set(name, writeOut(use));
  for (const [name, part] of definitions) {
    definitionSchemas.set(name, writeOut({ part, description: part.definition?.description }));
  }
  const schema = writeOut(root);
  if (definitionSchemas.size === 0) return schema;
  return { ...schema, $defs: Object.fromEntries([...definitionSchemas].sort(([a], [b]) => byCodeUnit(a, b))) };
}

/** Adds the description where the writer of input schemas puts it: after `type` or `$ref`. */
function describe(schema: Schema, description: string | undefined): Schema {
  if (description === undefined) return schema;
  const leadingKeywords = Object.entries(schema).filter(([keyword]) => keyword === 'type' || keyword === '$ref');
  return { ...Object.fromEntries(leadingKeywords), description, ...schema };
}
