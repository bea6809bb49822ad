/** `schema.d.ts`: the descriptor as TypeScript types, by openapi-typescript. */

import type { GlobalContext, OpenAPI3 } from 'openapi-typescript';
import { astToString } from 'openapi-typescript/dist/lib/ts.mjs';
import { resolveRef } from 'openapi-typescript/dist/lib/utils.mjs';
import transformSchema from 'openapi-typescript/dist/transform/index.mjs';
import { escapeInvisible } from '../../shared/invisible.ts';
import { moveLaterMethods, restoreLaterMethods } from './types/later-methods.ts';

/**
 * Types of a bundled document, with `paths` as the entry that `client.ts` and the tools use.
 *
 * Members with a default stay optional, because a request may leave them out; members that are `readOnly` are marked,
 * so that a request body is typed without them. Discriminators are ignored: openapi-typescript would narrow their
 * member to the name of the schema, and keep only those members of a union that all of its alternatives have.
 *
 * Calls the transformation without the library's loader: the document is already validated and bundled, and the loader
 * would follow any `$ref` inside an example.
 *
 * @param document Prepared by `toStableDocument`; openapi-typescript changes it.
 */
export function emitSchemaText(header: string, document: Record<string, unknown>): string {
  const percent = standInFor('%', document);
  const schema = (percent === null ? document : replaceAll(document, '%', percent)) as unknown as OpenAPI3;
  const moved = moveLaterMethods(schema as unknown as Record<string, unknown>);
  const nodes = transformSchema(schema, toContext(schema));
  restoreLaterMethods(nodes, moved);
  const text = astToString(nodes);
  const restored = percent === null ? text : text.replaceAll(percent, '%');
  return `// ${header}\n${escapeUnseen(restored)}`;
}

/**
 * A placeholder that does not occur in the document, or null if no name has the character.
 *
 * openapi-typescript decodes names when it joins them into references, and fails on a `%` that encodes nothing. The
 * placeholder is not a valid identifier, so names with it are quoted, as names with a `%` must be.
 */
function standInFor(character: string, document: unknown): string | null {
  if (!hasNameWith(character, document)) return null;
  const text = JSON.stringify(document);
  let count = 0;
  while (text.includes(`!${count}!`)) count += 1;
  return `!${count}!`;
}

/** True if a key, the name of a parameter or the id of an operation has the character. */
function hasNameWith(character: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasNameWith(character, item));
  return Object.entries(value).some(([key, item]) => {
    if (key.includes(character)) return true;
    if (typeof item === 'string') return (key === 'name' || key === 'operationId') && item.includes(character);
    return hasNameWith(character, item);
  });
}

/** Replaces in every name and text except references, which are encoded. An unchanged object is returned as it is. */
function replaceAll(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value.includes(from) ? value.replaceAll(from, to) : value;
  if (typeof value !== 'object' || value === null) return value;
  let isSame = true;
  const replace = (item: unknown): unknown => {
    const replaced = replaceAll(item, from, to);
    isSame &&= replaced === item;
    return replaced;
  };
  if (Array.isArray(value)) {
    const items = value.map(replace);
    return isSame ? value : items;
  }
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (key === '$ref') return [key, item];
    isSame &&= !key.includes(from);
    return [key.replaceAll(from, to), replace(item)];
  });
  return isSame ? value : Object.fromEntries(entries);
}

function toContext(schema: OpenAPI3): GlobalContext {
  return {
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    conditionalEnums: false,
    dedupeEnums: false,
    defaultNonNullable: false,
    discriminators: { objects: {}, refsHandled: [] },
    emptyObjectsUnknown: true,
    enum: false,
    enumValues: false,
    excludeDeprecated: false,
    exportType: false,
    generatePathParams: false,
    immutable: false,
    injectFooter: [],
    makePathsEnum: false,
    pathParamsAsTypes: false,
    postTransform: undefined,
    propertiesRequiredByDefault: false,
    readWriteMarkers: true,
    redoc: undefined as never,
    resolve: createResolver(schema),
    rootTypes: false,
    rootTypesKeepCasing: false,
    rootTypesNoSchemaPrefix: false,
    silent: true,
    transform: undefined,
    transformProperty: undefined,
  };
}

/** Caches references, because openapi-typescript resolves the same few thousand repeatedly. */
function createResolver(schema: OpenAPI3): GlobalContext['resolve'] {
  const resolved = new Map<string, unknown>();
  return <T>($ref: string): T | undefined => {
    if (!resolved.has($ref)) resolved.set($ref, resolveRef(schema, $ref, { silent: true }));
    return resolved.get($ref) as T | undefined;
  };
}

/** Runs of characters that a reviewer may not see: they are rare, so a large text is searched once and quickly. */
const UNUSUAL = /[^\n -~]+/g;

/** Only string literals and comments can hold such characters, and the escape is safe in both. Line ends stay. */
function escapeUnseen(text: string): string {
  return text.replace(UNUSUAL, escapeInvisible);
}
