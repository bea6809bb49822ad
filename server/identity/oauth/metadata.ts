/** Authorization server metadata (RFC 8414), and the response for every other well-known path. */

import Router from '@koa/router';
import type { ErrorCode } from '../../base/http/error-codes.ts';
import { readableAnywhere, serveDocument, WELL_KNOWN_METHODS } from '../../base/http/headers.ts';
import { originForHost } from '../../base/http/loopback.ts';
import type { RequestState } from '../../base/http/state.ts';
import { SCOPES } from '../../base/principal/permission.ts';
import { JWT_ALGORITHMS } from '../protocol/jwt.ts';
import type { OAuthDependencies, ServerOffer } from './context.ts';
import { AUTHORIZE_PATH, REGISTER_PATH, REVOKE_PATH, TOKEN_PATH } from './paths.ts';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

/** Authentication methods of clients: public ones not at all, others with a secret in the form or by Basic, or with a key. */
const AUTHENTICATION_METHODS = ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'];

/**
 * Builds the document (RFC 8414 §2).
 *
 * No member is null, because clients reject that.
 *
 * @param issuer the gateway's origin, without a final slash.
 */
export function toServerMetadata(issuer: string, { clientDocuments, registration, grantTypes }: ServerOffer) {
  return {
    issuer,
    authorization_endpoint: issuer + AUTHORIZE_PATH,
    token_endpoint: issuer + TOKEN_PATH,
    registration_endpoint: registration === 'off' ? undefined : issuer + REGISTER_PATH,
    revocation_endpoint: issuer + REVOKE_PATH,
    // Clients that find it here ask for refresh tokens. The resource never names it (MCP 2026-07-28, Refresh Tokens).
    scopes_supported: [...SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', ...grantTypes.map(({ name }) => name)],
    ...Object.assign({}, ...grantTypes.map(({ metadata }) => metadata)),
    token_endpoint_auth_methods_supported: [...AUTHENTICATION_METHODS],
    token_endpoint_auth_signing_alg_values_supported: [...JWT_ALGORITHMS],
    revocation_endpoint_auth_methods_supported: [...AUTHENTICATION_METHODS],
    revocation_endpoint_auth_signing_alg_values_supported: [...JWT_ALGORITHMS],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: clientDocuments ? true : undefined,
  };
}

/**
 * Serves the document at the root, to pages of any origin, and 404 as JSON for every other well-known path.
 *
 * Mount it after the routers of other well-known documents. The 404s carry the CORS headers as well.
 */
export function createServerMetadataRouter(deps: OAuthDependencies): Router<RequestState> {
  const router = new Router<RequestState>();
  const readable = readableAnywhere();
  router.register(WELL_KNOWN, WELL_KNOWN_METHODS, [
    readable,
    serveDocument(({ host }) => toServerMetadata(originForHost(deps.issuer, host), deps)),
  ]);
  router.register(['/.well-known', '/.well-known/{*rest}'], WELL_KNOWN_METHODS, [
    readable,
    async (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.status = 404;
      ctx.body = { error: 'not_found' satisfies ErrorCode, error_description: 'There is no such document here.' };
    },
  ]);
  return router;
}
