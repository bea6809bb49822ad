/** `GET /llms.txt`: what this gateway is and where to find its parts, as Markdown for a model (https://llmstxt.org). */

import Router from '@koa/router';
import type { RequestState } from '../../base/http/state.ts';
import { type PublicText, sendPublicText, toPublicText } from '../../base/pages/etag.ts';
import { toPlainText } from '../../base/pages/plain-text.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { RESOURCE_WELL_KNOWN } from '../../identity/auth/resource-identity.ts';
import { describeTools, servicePath, TOOLS_PATH } from './tools/parts.ts';

/** What the file needs. */
interface LlmsTxtFacts {
  readonly publicUrl: string;
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly catalogue: Pick<Catalogue, 'connectors' | 'toolsOf'>;
  /** Whether there are pages about tools. Without them, the file only names the services. */
  readonly hasToolPages: boolean;
}

const PATH = '/llms.txt';
const MAX_DESCRIPTION_LENGTH = 300;

/** Creates the route. The file is the same for everyone, and cached for five minutes. */
export function createLlmsTxtRouter(facts: LlmsTxtFacts): Router<RequestState> {
  const router = new Router<RequestState>();
  let written: PublicText | undefined;
  router.get(PATH, (ctx) => {
    written ??= toPublicText(writeText(facts), 'text/plain; charset=utf-8');
    sendPublicText(ctx, written);
  });
  return router;
}

function writeText({ publicUrl, endpoint, catalogue, hasToolPages }: LlmsTxtFacts): string {
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

/** A text of a connector on one line, with markup characters escaped. */
function toMarkdown(text: string): string {
  return (toPlainText(text, MAX_DESCRIPTION_LENGTH) ?? '').replaceAll(/[\\`*_[\]<>|#]/g, '\\$&');
}
