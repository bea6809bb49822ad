/** Distinguishes a person in a browser from a program. */

import type { IncomingMessage } from 'node:http';

/**
 * True for a request that accepts HTML explicitly, as browsers do when a person opens an address.
 *
 * MCP clients accept `application/json` and `text/event-stream`, other programs anything: neither counts. Nor does
 * a request with credentials, or from a page of another origin.
 */
export function isPageVisit({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (headers.authorization !== undefined || headers.origin !== undefined) return false;
  const accept = headers.accept ?? '';
  return /(^|[\s,])text\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept) && !/text\/event-stream/i.test(accept);
}
