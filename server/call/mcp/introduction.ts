/** The introduction of the server to a caller, which says why its list of tools is empty: clients show nothing of such a list. */

import type { Principal } from '../../base/principal/principal.ts';
import type { EndpointTools } from '../tools/provider.ts';

/** Who may cache what, and how long (MCP 2026-07-28, Caching). */
export const CACHE_HINTS = {
  'tools/list': { cacheScope: 'private', ttlMs: 60_000 },
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
} as const;

const PRIVATE_CACHE_HINTS = { ...CACHE_HINTS, 'server/discover': CACHE_HINTS['tools/list'] };

/** The parts of an introduction that depend on the caller. */
export interface Introduction {
  readonly instructions: string;
  readonly cacheHints: typeof CACHE_HINTS | typeof PRIVATE_CACHE_HINTS;
}

const EMPTY_LIST = '[]';

/** Returns the introduction to a caller. @param server its tools, and the instructions for all callers. */
export async function introduce(
  principal: Principal,
  { tools, instructions }: { readonly tools: EndpointTools; readonly instructions: string },
): Promise<Introduction> {
  const isEmpty = principal.services.length === 0 || (await tools.list(principal)).json.byteLength <= EMPTY_LIST.length;
  if (!isEmpty) return { instructions, cacheHints: CACHE_HINTS };
  const reason = `No tool of a service is listed, because ${explainEmptyList(principal)}.`;
  return { instructions: `${instructions} ${reason}`.trim(), cacheHints: PRIVATE_CACHE_HINTS };
}

function explainEmptyList({ permission, services, narrowedTo, connectUri, partnerName }: Principal): string {
  const { allows } = permission;
  const askPartner = `ask ${partnerName} for access`;
  if (allows?.length === 0) return `${partnerName} allows this user none: tell the user to ${askPartner}`;
  if (services.length > 0)
    return `this client may use none that the gateway serves of the connected services: tell the user to allow more, or to ${askPartner}`;
  const isLimited = allows !== null || narrowedTo != null;
  const cause = isLimited ? 'no service that this client may use is connected' : 'the user has connected no service';
  return `${cause}: tell the user to connect one ${connectUri === null ? `in ${partnerName}` : `at ${connectUri}`}`;
}
