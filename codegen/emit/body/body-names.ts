/** Names of the members that a body declares, so that a tool's file can say which of them it describes. */

import type { Method } from '../../model/types.ts';
import type { ToolModel } from '../../tools/types.ts';
import { type Json, toObject } from '../types/document-walk.ts';
import { resolveReference } from '../types/shallow-references.ts';

/**
 * Names that both a tool describes of a body that is one argument, and the descriptor declares; sorted.
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
  const operation = member(document, member(document, member(document, document, 'paths'), path), method.toLowerCase());
  const body = member(document, operation, 'requestBody');
  const media = member(document, member(document, body, 'content'), mediaType);
  return memberNames(document, member(document, media, 'schema'));
}

/** Of an object schema and of its alternatives. @param root What local references of the schema lead into. */
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

function member(document: Json, owner: unknown, key: string): Json {
  return toObject(resolveReference(document, toObject(owner)[key]));
}
