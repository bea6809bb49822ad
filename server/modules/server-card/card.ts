/** The server card, the catalog that names it, and `server.json`: the same facts, without any about a user, a partner or a service. */

import Router from '@koa/router';
import type { CallerLimits } from '../../base/http/caller-limits.ts';
import { readableAnywhere, serveDocument, WELL_KNOWN_METHODS } from '../../base/http/headers.ts';
import type { RequestState } from '../../base/http/state.ts';
import { LEGACY_VERSIONS, MODERN_VERSION } from '../../call/mcp/recognise.ts';
import type { Icon } from '../../contract/index.ts';
import { SERVER_INFO } from '../../product.ts';

interface CardContext {
  /** `{reverse domain}/{name}`. */
  readonly name: string;
  /** The gateway's origin, without a final slash. */
  readonly publicUrl: string;
  /** URL of the MCP endpoint. */
  readonly endpoint: string;
  /** Icons of the server. May be empty. */
  readonly icons: readonly Icon[];
  readonly callerLimits: CallerLimits;
}

const SCHEMAS = 'https://static.modelcontextprotocol.io/schemas';
const CARD_TYPE = 'application/mcp-server-card+json';

/**
 * Creates the routes, which anyone may read from any origin:
 *
 * - `GET {endpoint}/server-card`: MCP Server Card, schema v1 (SEP-2127; experimental-ext-server-card, docs/discovery.md).
 * - `GET /.well-known/ai-catalog.json`: AI Catalog 0.9, whose one entry is that card.
 * - `GET {endpoint}/server.json`: what `mcp-publisher` sends to a registry (schema 2025-12-11).
 */
export function createCardRouter(context: CardContext): Router<RequestState> {
  const { name, endpoint, callerLimits } = context;
  const { pathname } = new URL(endpoint);
  const card = describe(context);
  const [domain = '', own] = name.split('/');
  const publisher = domain.split('.').reverse().join('.');
  const entry = { identifier: `urn:air:${publisher}:${own}`, type: CARD_TYPE, url: `${endpoint}/server-card` };
  const remote = { type: 'streamable-http', url: endpoint };
  const supportedProtocolVersions = [MODERN_VERSION, ...LEGACY_VERSIONS];
  const documents = {
    [`${pathname}/server-card`]: [
      CARD_TYPE,
      {
        $schema: `${SCHEMAS}/v1/server-card.schema.json`,
        ...card,
        remotes: [{ ...remote, supportedProtocolVersions }],
      },
    ],
    '/.well-known/ai-catalog.json': ['application/ai-catalog+json', { specVersion: '0.9', entries: [entry] }],
    [`${pathname}/server.json`]: [
      'application/json',
      { $schema: `${SCHEMAS}/2025-12-11/server.schema.json`, ...card, remotes: [remote] },
    ],
  } as const;
  const router = new Router<RequestState>();
  for (const [path, [type, document]] of Object.entries(documents)) {
    const send = serveDocument(() => document);
    router.register(path, WELL_KNOWN_METHODS, [
      readableAnywhere(),
      callerLimits.ofAddress,
      async (ctx, next) => {
        ctx.type = type;
        await send(ctx, next);
      },
    ]);
  }
  return router;
}

function describe({ name, publicUrl, icons }: CardContext) {
  const card = {
    name,
    title: SERVER_INFO.title,
    description: 'Reviewed tools of the services that you have connected, for your AI assistants.',
    version: SERVER_INFO.version,
    websiteUrl: publicUrl,
  };
  return icons.length === 0 ? card : { ...card, icons };
}
