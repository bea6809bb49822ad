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
  const argument = tool.arguments.find((one) => one.name === name);
  const declared = declaredNames(document, tool.operation, body.mediaType);
  return [...memberNames(tool.inputSchema, argument?.schema)].filter((one) => declared.has(one)).sort();
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

function collectNames(root: Json, value: unknown, names: Set<string>, seen: Set<unknown>): void {
  const schema = toObject(resolveReference(root, value));
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const name of Object.keys(toObject(schema.properties))) names.add(name);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[key];
    if (Array.isArray(parts)) for (const part of parts) collectNames(root, part, names, seen);
  }
}

/** Null if the type is `unknown`. */
type Names = ReadonlySet<string> | null;

/** Keywords that give a schema a type; openapi-typescript emits `unknown` for a schema without any of them. */
const TYPED = ['type', 'enum', 'const', 'properties', 'additionalProperties'] as const;

/**
 * Names that the type of a schema declares; null if the type is `unknown`, which makes the whole union `unknown`.
 *
 * @param known By schema, so that each is read once; a recursive schema adds nothing.
 */
function typedNames(root: Json, value: unknown, known: Map<unknown, Names>): Names {
  const schema = toObject(resolveReference(root, value));
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, new Set());
  const names = readNames(schema, (part) => typedNames(root, part, known));
  known.set(schema, names);
  return names;
}

function readNames(schema: Json, namesOf: (part: unknown) => Names): Names {
  const own = TYPED.some((key) => schema[key] !== undefined) ? new Set(Object.keys(toObject(schema.properties))) : null;
  const parts = Array.isArray(schema.allOf) ? schema.allOf.map(namesOf) : [];
  const unions = ['anyOf', 'oneOf'].flatMap((key) => {
    const variants = schema[key];
    if (!Array.isArray(variants) || variants.length === 0) return [];
    const names = variants.map(namesOf);
    return [names.includes(null) ? null : new Set(names.flatMap((some) => [...(some ?? [])]))];
  });
  const typed = [own, ...parts, ...unions].filter((names) => names !== null);
  return typed.length === 0 ? null : new Set(typed.flatMap((names) => [...names]));
}

function member(document: Json, owner: unknown, key: string): Json {
  return toObject(resolveReference(document, toObject(owner)[key]));
}
