/** The protected resource as clients see it: its identity, its metadata (RFC 9728), and `WWW-Authenticate` (RFC 6750 §3). */

import type Router from '@koa/router';
import { ALL_SCOPES, SCOPES, type Scope } from '../principal/permission.ts';
import type { ErrorCode, StatusOf } from './error-codes.ts';
import { RequestError } from './errors.ts';
import { readableAnywhere, serveDocument, WELL_KNOWN_METHODS } from './headers.ts';
import { originForHost } from './loopback.ts';
import type { RequestState } from './state.ts';

/** The errors with which a protected resource rejects a request. */
interface Challenges {
  /** 401 for a request without credentials: clients start discovery because there is no `error` parameter. */
  readonly missing: () => RequestError;
  /** 401 `invalid_token`: unknown, revoked, expired, or issued for another resource. */
  readonly invalidToken: (description: string) => RequestError;
  /** 403 `insufficient_scope`, naming every scope that the operation needs. */
  readonly insufficientScope: (needed: readonly Scope[]) => RequestError;
  /** 400 `invalid_request`: the credentials are sent in a way that is not accepted. */
  readonly invalidRequest: (description: string) => RequestError;
}

/** Returns the errors for the host that a request asked for. */
export type ChallengesAt = (host: string) => Challenges;

/** Creates the errors of a resource. Each gives the metadata URL under the host that the request asked for. */
export function createChallenges(identity: ResourceIdentity): ChallengesAt {
  return (host) => challengesOf(metadataUrlOf(identity, host));
}

function challengesOf(metadataUrl: string): Challenges {
  const refuse = <Code extends ErrorCode>(
    status: StatusOf<Code>,
    error: Code,
    { description, scope }: { description: string; scope: string },
  ): RequestError => {
    const parameters = [`resource_metadata="${metadataUrl}"`, `scope="${scope}"`];
    if (error !== 'unauthorized') {
      parameters.push(`error="${error}"`, `error_description="${toQuotable(description)}"`);
    }
    return new RequestError(status, error, description, {
      headers: { 'WWW-Authenticate': `Bearer ${parameters.join(', ')}`, 'Cache-Control': 'no-store' },
    });
  };
  return {
    missing: () =>
      refuse(401, 'unauthorized', {
        description: 'Send an access token as "Authorization: Bearer <token>".',
        scope: ALL_SCOPES,
      }),
    invalidToken: (description) => refuse(401, 'invalid_token', { description, scope: ALL_SCOPES }),
    insufficientScope: (needed) =>
      refuse(403, 'insufficient_scope', {
        description: `The access token needs the scope ${needed.join(' ')}.`,
        scope: needed.join(' '),
      }),
    invalidRequest: (description) => refuse(400, 'invalid_request', { description, scope: ALL_SCOPES }),
  };
}

/** Characters that `error_description` may hold (RFC 6750 §3); a quote or backslash would end or change the string. */
function toQuotable(text: string): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
}

/** The path prefix of a protected resource's metadata (RFC 9728 §3). */
export const RESOURCE_WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Clients compare these strings byte by byte. */
export interface ResourceIdentity {
  /** The issuer: the gateway's origin, without a trailing slash. */
  readonly issuer: string;
  /** Path of the MCP endpoint, with its leading slash. */
  readonly path: string;
}

/** The resource indicator (RFC 8707): the URL of the MCP endpoint. */
export function resourceOf(identity: ResourceIdentity): string {
  return identity.issuer + identity.path;
}

/** The metadata URL for a request to that host, with the resource's path in it (RFC 9728 §3.1). */
function metadataUrlOf(identity: ResourceIdentity, host: string): string {
  return originForHost(identity.issuer, host) + RESOURCE_WELL_KNOWN + identity.path;
}

/** Builds the document. No member is null, because clients reject null. */
export function toMetadata(identity: ResourceIdentity) {
  return {
    resource: resourceOf(identity),
    authorization_servers: [identity.issuer],
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Unified Tool Gateway',
  };
}

/** Serves the document at both well-known paths, to any origin, for the host that the request asked for. */
export function addMetadataRoutes(router: Router<RequestState>, identity: ResourceIdentity): Router<RequestState> {
  const document = serveDocument(({ host }) =>
    toMetadata({ ...identity, issuer: originForHost(identity.issuer, host) }),
  );
  router.register([RESOURCE_WELL_KNOWN, RESOURCE_WELL_KNOWN + identity.path], WELL_KNOWN_METHODS, [
    readableAnywhere(),
    document,
  ]);
  return router;
}
