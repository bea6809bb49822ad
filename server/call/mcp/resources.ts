/** MCP resources (2026-07-28 and 2025-11-25, Server Features, Resources): contents of modules that clients can read. */

import { StoredValueBusyError } from '../../base/long-values.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { InvalidCallError, type ProtocolEra } from '../tools/provider.ts';
import { type McpAddition, McpError } from './additions.ts';
import { INVALID_PARAMS, TOO_MANY_REQUESTS } from './json-rpc.ts';

/** The resources of one module. */
export interface ResourceSource {
  /** The text with which their URIs begin, such as `skill://`. */
  readonly prefix: string;
  /** MCP `ResourceTemplate`, for resources that no list names. */
  readonly template?: { readonly uriTemplate: string; readonly name: string; readonly description: string };
  /** Undefined if clients get the URIs in another way, for example in answers of tools. */
  readonly list?: (principal: Principal) => readonly Resource[];
  /**
   * @returns undefined if there is none for this caller, with the rights that the caller has now.
   * @throws {StoredValueBusyError}
   */
  readonly read: (principal: Principal, uri: string) => Promise<ResourceContent | undefined>;
}

/** MCP `Resource`. */
interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
}

/** MCP `TextResourceContents` or `BlobResourceContents` (base64), without the URI. */
type ResourceContent =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string };

/** For answers that depend on the rights of a user, which can change at any time. */
export const NOT_CACHED = { ttlMs: 0, cacheScope: 'private' } as const;
const NOT_FOUND = 'There is no such resource: its URI is wrong, it was kept too long ago, or access has changed since.';

/** Returns the additions of the sources to the endpoint. Without a source there are none. */
export function toAdditions(sources: readonly ResourceSource[]): McpAddition[] {
  if (sources.length === 0) return [];
  const resourceTemplates = sources.flatMap(({ template }) => template ?? []);
  const methods: McpAddition['methods'] = {
    'resources/list': async (principal, { cursor }, { era }) => {
      checkCursor(cursor);
      return { resources: sources.flatMap(({ list }) => list?.(principal) ?? []), ...cachingIn(era) };
    },
    'resources/templates/list': async (_, { cursor }, { era }) => {
      checkCursor(cursor);
      return { resourceTemplates, ...cachingIn(era) };
    },
    'resources/read': async (principal, { uri }, { era }) => {
      if (typeof uri !== 'string') throw new InvalidCallError('Invalid params: "uri" must be the URI of a resource.');
      const reading = sources.find(({ prefix }) => uri.startsWith(prefix))?.read(principal, uri);
      const content = await reading?.catch((error: unknown) => {
        if (!(error instanceof StoredValueBusyError)) throw error;
        throw new McpError(TOO_MANY_REQUESTS, error.message, { retryAfterSeconds: error.waitSeconds });
      });
      // The error code of 2026 (SEP-2164). The SDK sends it in 2025 too, although the specification of 2025 has -32002.
      if (content === undefined) throw new McpError(INVALID_PARAMS, NOT_FOUND, { uri });
      return { contents: [{ uri, ...content }], ...cachingIn(era) };
    },
  };
  return [{ capabilities: { resources: {} }, eras: ['2025', '2026'], methods }];
}

/** Lists have one page, so that no cursor was ever given. @throws {InvalidCallError} */
export function checkCursor(cursor: unknown): void {
  if (cursor !== undefined) throw new InvalidCallError('Invalid params: the cursor is not of this list.');
}

/** Results of 2025 have no such members. */
function cachingIn(era: ProtocolEra) {
  return era === '2025' ? {} : NOT_CACHED;
}
