/** Documents for programs and models: the description of the HTTP API, and `llms.txt`. */

import { readFile } from 'node:fs/promises';
import Router from '@koa/router';
import { RESOURCE_WELL_KNOWN } from '../../base/http/challenge.ts';
import { cors } from '../../base/http/headers.ts';
import type { RequestState } from '../../base/http/state.ts';
import { type PublicText, sendPublicText, toPublicText } from '../../base/pages/etag.ts';
import { toPlainText } from '../../base/pages/html.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { describeTools, servicePath, TOOLS_PATH } from './tools/parts.ts';

/** Path of the description of the HTTP API. */
export const API_PATH = '/api/openapi.yaml';
/** Path of the page that shows it. */
export const EXPLORER_PATH = '/docs/api';

const FILE = new URL('../../../docs/reference/gateway-openapi.yaml', import.meta.url);

/** The `servers` entry in the file. */
const SERVER = 'url: http://127.0.0.1:3000\n';

/** Tools in browsers may read it from any origin. */
const READABLE = { methods: ['GET'], allowHeaders: ['If-None-Match'], exposeHeaders: ['ETag'] };

/**
 * `GET /api/openapi.yaml`: the HTTP API of this gateway as an OpenAPI document. The file is read on the first request, and the document names `publicUrl` as its server.
 *
 * It is public, and cached for five minutes; after that a client sends `If-None-Match` (RFC 9110 §13.1.2).
 */
export function createApiDescriptionRouter(publicUrl: string): Router<RequestState> {
  const router = new Router<RequestState>();
  let loaded: Promise<PublicText> | undefined;
  router.use(API_PATH, cors(READABLE));
  router.get(API_PATH, async (ctx) => {
    loaded ??= loadDescription(publicUrl);
    sendPublicText(ctx, await loaded);
  });
  return router;
}

async function loadDescription(publicUrl: string): Promise<PublicText> {
  const file = await readFile(FILE, 'utf8');
  if (!file.includes(SERVER)) throw new Error(`${FILE.pathname} does not say where the gateway is`);
  const text = file.replace(SERVER, `url: ${JSON.stringify(publicUrl)}\n`);
  return toPublicText(text, 'application/yaml; charset=utf-8');
}

/** Path of the description of this gateway for models. */
export const LLMS_PATH = '/llms.txt';
const MAX_DESCRIPTION_LENGTH = 300;

/** The facts in `/llms.txt`. */
interface LlmsFacts {
  readonly publicUrl: string;
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly catalogue: Catalogue;
  /** True if there are pages about tools. */
  readonly hasToolPages: boolean;
}

/**
 * `GET /llms.txt`: the description of this gateway and the addresses of its parts, as Markdown for a model (https://llmstxt.org). It is the same for
 * everyone, and cached for five minutes.
 */
export function createLlmsTxtRouter(facts: LlmsFacts): Router<RequestState> {
  const router = new Router<RequestState>();
  let llmsText: PublicText | undefined;
  router.get(LLMS_PATH, (ctx) => {
    llmsText ??= toPublicText(writeText(facts), 'text/plain; charset=utf-8');
    sendPublicText(ctx, llmsText);
  });
  return router;
}

function writeText({ publicUrl, endpoint, catalogue, hasToolPages }: LlmsFacts): string {
  const { connectors, toolsOf } = catalogue;
  const services = connectors.map((connector) => {
    const title = toMarkdown(connector.title);
    const name = hasToolPages ? `[${title}](${publicUrl}${servicePath(connector.name)})` : title;
    return `- ${name}: ${describeTools(toolsOf(connector))}. ${toMarkdown(connector.description)}`.trimEnd();
  });
  return `# Unified Tool Gateway

> An MCP server: the tools of ${connectors.length} ${connectors.length === 1 ? 'service' : 'services'} at one address, called on behalf of a user who has connected them.

- MCP endpoint: ${endpoint} (Streamable HTTP), with a bearer token. Without one, the 401 says where a client signs its user in.
- Signing in: OAuth 2.1 authorization code with PKCE. The page that opens asks the user for a connection code. The application where the user connects services shows it.
- A client sees the tools of the services that its user has connected and allowed.

## Discovery

- [Protected resource metadata](${publicUrl}${RESOURCE_WELL_KNOWN}${new URL(endpoint).pathname}): the authorization server and the scopes.
- [Authorization server metadata](${publicUrl}/.well-known/oauth-authorization-server): where clients register, sign users in and get tokens.

## Documentation

- [Adding this server to a client](${publicUrl}/): the steps, and the configuration of each known client.
- [HTTP API](${publicUrl}/api/openapi.yaml): OpenAPI 3.1, with the API for applications that own users.
${hasToolPages ? `- [Tools](${publicUrl}${TOOLS_PATH}): arguments, effect and an example call of each, and a search.\n` : ''}
## Services

${services.join('\n')}
`;
}

/** Returns a text of a connector on one line, with markup characters escaped. */
function toMarkdown(text: string): string {
  return (toPlainText(text, MAX_DESCRIPTION_LENGTH) ?? '').replaceAll(/[\\`*_[\]<>|#]/g, '\\$&');
}
