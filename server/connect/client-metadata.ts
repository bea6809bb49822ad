/** The gateway as an OAuth client of upstreams: its redirect URIs, and the document that describes it (OAuth Client ID Metadata Document). */

import { findOAuth2Part, takesUpstreamClient } from '../base/credentials/kinds.ts';
import type { GatewayMiddleware } from '../base/http/state.ts';
import { buildClientMetadata } from '../call/upstream/oauth/registration.ts';
import type { Connector } from '../contract/index.ts';

/** Page of a connect session; with a connector's name after it, the page of a plain link. */
export const CONNECT_PATH = '/connect';

/** No connector has this name, because names have no dots. */
export const CLIENT_METADATA_PATH = `${CONNECT_PATH}/client-metadata.json`;

const MAX_AGE_SECONDS = 3600;

/**
 * Returns the address to which an upstream's authorization server redirects the browser: one callback per connector.
 *
 * @param publicUrl the gateway's origin.
 */
export function callbackOf(publicUrl: string, service: string): string {
  return `${publicUrl}${CONNECT_PATH}/${service}/callback`;
}

/** Returns the gateway as the client that is registered for one service. Undefined if the service uses no OAuth. */
export function describeClientOf(publicUrl: string, { name, credential }: Connector) {
  const part = findOAuth2Part(credential);
  if (part === undefined) return undefined;
  const { clientAuthentication } = part.oauth2;
  return { publicUrl, redirectUris: [callbackOf(publicUrl, name)], clientAuthentication };
}

/** Answers with the client metadata document, if a service needs one. Its address is the client id at authorization servers that read such documents. */
export function sendClientMetadata(publicUrl: string, connectors: readonly Connector[]): GatewayMiddleware {
  const services = connectors.filter(({ credential }) => takesUpstreamClient(credential));
  const redirectUris = services.map(({ name }) => callbackOf(publicUrl, name));
  const metadata = buildClientMetadata({ publicUrl, redirectUris, clientAuthentication: 'none' });
  const document = { client_id: publicUrl + CLIENT_METADATA_PATH, ...metadata };
  return (ctx) => {
    if (services.length === 0) return;
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    ctx.body = document;
  };
}
