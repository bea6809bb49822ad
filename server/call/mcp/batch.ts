/** Batches of messages, which revisions up to 2025-03-26 allow (MCP 2025-03-26, Base Protocol, Batching). */

import type { IncomingHttpHeaders } from 'node:http';

/** Each message counts against its user's limit, and all are answered together. */
const MAX_MESSAGES = 20;

const VERSIONS: readonly (string | undefined)[] = ['2025-03-26', '2024-11-05', '2024-10-07', undefined];

/**
 * The messages of a batch, which servers of those revisions MUST accept. A request that names no revision has 2025-03-26
 * (MCP 2025-11-25, Protocol Version Header).
 *
 * Null for a body that is not a batch, and for a refused one: of a later revision, empty, or of more than 20 messages.
 */
export function batchOf(headers: IncomingHttpHeaders, body: unknown): readonly unknown[] | null {
  if (!Array.isArray(body) || body.length === 0 || body.length > MAX_MESSAGES) return null;
  return VERSIONS.includes(headers['mcp-protocol-version'] as string | undefined) ? body : null;
}
