/** Protected resource metadata (RFC 9728): where clients begin discovery. */

import Router from '@koa/router';
import { askedOrigin } from '../../base/http/loopback.ts';
import type { RequestState } from '../../base/http/state.ts';
import { readableAnywhere, serveDocument, WELL_KNOWN_METHODS } from '../../base/http/well-known.ts';
import { SCOPES } from '../../base/principal/scopes.ts';
import { RESOURCE_WELL_KNOWN, type ResourceIdentity, resourceOf } from './resource-identity.ts';

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
export function createMetadataRouter(identity: ResourceIdentity): Router<RequestState> {
  const router = new Router<RequestState>();
  const document = serveDocument(({ host }) => toMetadata({ ...identity, issuer: askedOrigin(identity.issuer, host) }));
  router.register([RESOURCE_WELL_KNOWN, RESOURCE_WELL_KNOWN + identity.path], WELL_KNOWN_METHODS, [
    readableAnywhere(),
    document,
  ]);
  return router;
}
