/** Names of the members that a body declares, so that a tool's file can say which of them the tool describes. */

import { type Method, methodKey } from '../../model/methods.ts';
import type { ToolModel } from '../../tools/types.ts';
import { type Json, toObject } from '../types/document-walk.ts';
import { resolveReference } from '../types/shallow-references.ts';

/**
 * For a body that is one argument: names of members that both the tool describes and the descriptor declares, sorted.
 *
 * @param document The document that `schema.d.ts` was made from.
 */
export function describedNames(tool: ToolModel, document: Json): string[] {
  const { body } = tool.call;
  const isDescribed =
    body.kind === 'whole' && (body.form === undefined || 'files' in body.form || 'styles' in body.form);
  if (!isDescribed || body.value.kind !== 'argument') return [];
  const { name } = body.value;
  const argument = tool.arguments.find((candidate) => candidate.name === name);
  const declared = declaredNames(document, tool.operation, body.mediaType);
  return [...memberNames(tool.inputSchema, argument?.schema)].filter((memberName) => declared.has(memberName)).sort();
}

function declaredNames(
  document: Json,
  { path, method }: { readonly path: string; readonly method: Method },
  mediaType: string,
): ReadonlySet<string> {
  const operation = member(document, member(document, member(document, document, 'paths'), path), methodKey(method));
  const body = member(document, operation, 'requestBody');
  const media = member(document, member(document, body, 'content'), mediaType);
  return typedNames(document, member(document, media, 'schema'), new Map()) ?? new Set();
}

/**
 * Member names of an object schema and of its alternatives. @param root What local references in the schema point into.
 */
function memberNames(root: Json, schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  collectNames(root, schema, names, new Set());
  return names;
}

function collectNames(root: Json, value: unknown, names: Set<string>, visitedSchemas: Set<unknown>): void {
  const schema = toObject(resolveReference(root, value));
  if (visitedSchemas.has(schema)) return;
  visitedSchemas.add(schema);
  for (const name of Object.keys(toObject(schema.properties))) names.add(name);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const subschemas = schema[key];
    if (Array.isArray(subschemas))
      for (const subschema of subschemas) collectNames(root, subschema, names, visitedSchemas);
  }
}

/** Null if the type is `unknown`. */
type Names = ReadonlySet<string> | null;

/** Keywords that give a schema a type; openapi-typescript emits `unknown` for a schema without any of them. */
const TYPED = ['type', 'enum', 'const', 'properties', 'additionalProperties'] as const;

/**
 * Names that the type of a schema declares; null if the type is `unknown`, which makes the whole union `unknown`.
 *
 * @param namesBySchema By schema, so that each is read once; a recursive schema adds nothing.
 */
function typedNames(root: Json, value: unknown, namesBySchema: Map<unknown, Names>): Names {
  const schema = toObject(resolveReference(root, value));
  const cachedNames = namesBySchema.get(schema);
  if (cachedNames !== undefined) return cachedNames;
  namesBySchema.set(schema, new Set());
  const names = readNames(schema, (subschema) => typedNames(root, subschema, namesBySchema));
  namesBySchema.set(schema, names);
  return names;
}

function readNames(schema: Json, namesOf: (subschema: unknown) => Names): Names {
  const ownNames = TYPED.some((key) => schema[key] !== undefined)
    ? new Set(Object.keys(toObject(schema.properties)))
    : null;
  const allOfNames = Array.isArray(schema.allOf) ? schema.allOf.map(namesOf) : [];
  const unionNames = ['anyOf', 'oneOf'].flatMap((key) => {
    const variants = schema[key];
    if (!Array.isArray(variants) || variants.length === 0) return [];
    const names = variants.map(namesOf);
    return [names.includes(null) ? null : new Set(names.flatMap((variantNames) => [...(variantNames ?? [])]))];
  });
  const typedSets = [ownNames, ...allOfNames, ...unionNames].filter((names) => names !== null);
  return typedSets.length === 0 ? null : new Set(typedSets.flatMap((names) => [...names]));
}

function member(document: Json, owner: unknown, key: string): Json {
  return toObject(resolveReference(document, toObject(owner)[key]));
}
