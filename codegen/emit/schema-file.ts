/** `schema.d.ts`: the descriptor as TypeScript types, by openapi-typescript. */

import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { escapeInvisible } from './literal.ts';

/**
 * Types of a bundled document, with `paths` as the entry that `client.ts` and the tools use.
 *
 * Members with a default stay optional, because a request may leave them out; members that are `readOnly` are marked,
 * so that a request body is typed without them.
 *
 * @param document Prepared by `toStableDocument`; changed by openapi-typescript.
 */
export async function emitSchemaText(header: string, document: Record<string, unknown>): Promise<string> {
  const nodes = await openapiTS(document as unknown as OpenAPI3, {
    silent: true,
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
    readWriteMarkers: true,
  });
  return `// ${header}\n${escapeUnseen(astToString(nodes))}`;
}

/** Only string literals and comments can hold such characters, and both take the escape. Line ends stay. */
function escapeUnseen(text: string): string {
  return text.split('\n').map(escapeInvisible).join('\n');
}
