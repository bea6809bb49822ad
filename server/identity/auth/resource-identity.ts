/** The identifiers of the protected resource (RFC 9728) and of its metadata. */

import { askedOrigin } from '../../base/http/loopback.ts';

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
export function metadataUrlOf(identity: ResourceIdentity, host: string): string {
  return askedOrigin(identity.issuer, host) + RESOURCE_WELL_KNOWN + identity.path;
}
