/** The arguments of a tool that take files: which media types, and how many bytes. */

import type { JsonSchema } from '../../../contract/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { isSchema, resolve } from '../json.ts';

/** The limits of a file argument. */
export interface FileArgument {
  /** Accepted media types and ranges. Any type is accepted if it is empty. */
  readonly mediaTypes: readonly string[];
  /** Maximum of bytes, if its schema has one. */
  readonly maxBytes: number;
}

/** The argument of a tool for which a file is. Handles of uploads are for one place only. */
export interface FilePlace {
  readonly tool: string;
  readonly argument: string;
}

/** Base64 has four characters for three bytes. */
const BYTES_PER_CHARACTER = 3 / 4;

/** Returns the limits of an argument, or undefined if it takes no file. An argument takes one also in a member or item of it. */
export function findFileArgument(tool: AnyTool, name: string): FileArgument | undefined {
  const { properties } = tool.inputSchema;
  if (!isSchema(properties) || !Object.hasOwn(properties, name)) return undefined;
  const contents = contentSchemas(tool.inputSchema, properties[name], new Set());
  if (contents.length === 0) return undefined;
  const lengths = contents.map(({ maxLength }) => (typeof maxLength === 'number' ? maxLength : Infinity));
  const maxBytes = Math.floor(Math.max(...lengths) * BYTES_PER_CHARACTER);
  return { mediaTypes: acceptedTypes(tool, name), maxBytes };
}

/** Returns the names of all arguments that take files. */
export function fileArgumentsOf(tool: AnyTool): string[] {
  const { properties } = tool.inputSchema;
  return Object.keys(isSchema(properties) ? properties : {}).filter(
    (name) => findFileArgument(tool, name) !== undefined,
  );
}

/** Returns the schemas of base64 in a schema. */
function contentSchemas(root: JsonSchema, schema: unknown, seen: Set<JsonSchema>): JsonSchema[] {
  if (!isSchema(schema)) return [];
  const resolved = resolve(root, schema);
  if (seen.has(resolved)) return [];
  seen.add(resolved);
  const { contentEncoding, properties, items, anyOf, oneOf, allOf } = resolved;
  if (contentEncoding === 'base64') return [resolved];
  const members = isSchema(properties) ? Object.values(properties) : [];
  const variants = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [...members, items, ...variants].flatMap((inner) => contentSchemas(root, inner, seen));
}

function acceptedTypes(tool: AnyTool, name: string): readonly string[] {
  const body = isHandWritten(tool) ? undefined : tool.request.body;
  if (body === undefined) return [];
  if (!('members' in body)) {
    const isSentAsIs = 'argument' in body && body.argument === name && (body.as === 'bytes' || body.as === 'file');
    return isSentAsIs && body.mediaType !== 'application/octet-stream' ? [body.mediaType] : [];
  }
  for (const binding of Object.values(body.members)) {
    if (typeof binding !== 'object' || !('file' in binding) || binding.file === undefined) continue;
    const source = 'entries' in binding ? binding.entries.data : 'argument' in binding ? binding.argument : undefined;
    if (source === name) return binding.file;
  }
  return [];
}
