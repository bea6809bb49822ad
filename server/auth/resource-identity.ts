/** The names of the protected resource (RFC 9728) and of its metadata. */

import { askedOrigin } from '../http/loopback.ts';

/** Where a protected resource's metadata is, before its path (RFC 9728 §3). */
export const RESOURCE_WELL_KNOWN = '/.well-known/oauth-protected-resource';

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
  return askedOrigin(identity.issuer, host) + RESOURCE_WELL_KNOWN + identity.path;
}
