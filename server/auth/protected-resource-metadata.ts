/** Protected resource metadata (RFC 9728): where clients begin discovery. */

import Router from '@koa/router';
import { askedOrigin } from '../http/loopback.ts';
import type { RequestState } from '../http/state.ts';
import { readableAnywhere, serveDocument, WELL_KNOWN_METHODS } from '../http/well-known.ts';
import { SCOPES } from '../principal/scopes.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** The strings that clients compare byte by byte. */
export interface ResourceIdentity {
  /** The issuer: the gateway's origin, without a final slash. */
  readonly issuer: string;
  /** Path of the MCP endpoint, with its first slash. */
  readonly path: string;
}

/** The resource indicator (RFC 8707): the URL of the MCP endpoint. */
export function resourceOf(identity: ResourceIdentity): string {
  return identity.issuer + identity.path;
}

/** Where the metadata is for a request to that host, in the form that carries the resource's path (RFC 9728 §3.1). */
export function metadataUrlOf(identity: ResourceIdentity, host: string): string {
  return askedOrigin(identity.issuer, host) + WELL_KNOWN + identity.path;
}

/** The document itself; no member is null, because clients refuse that. */
export function toMetadata(identity: ResourceIdentity) {
  return {
    resource: resourceOf(identity),
    authorization_servers: [identity.issuer],
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Unified Tool Gateway',
  };
}

/** Serves the document at both well-known paths, to pages of any origin, under the name by which it was asked for. */
export function createMetadataRouter(identity: ResourceIdentity): Router<RequestState> {
  const router = new Router<RequestState>();
  const document = serveDocument(({ host }) => toMetadata({ ...identity, issuer: askedOrigin(identity.issuer, host) }));
  router.register([WELL_KNOWN, WELL_KNOWN + identity.path], WELL_KNOWN_METHODS, [readableAnywhere(), document]);
  return router;
}
