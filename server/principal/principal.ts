/** Who an access token speaks for: the one thing that request handlers know about the caller. */

import type { Scope } from './scopes.ts';

export type { Scope } from './scopes.ts';

/** One end user of one partner, as narrowed by one access token. Built anew for every request. */
export interface Principal {
  /** Row id of the access token, safe to log. */
  readonly tokenId: string;
  /** Row id of the partner that owns the user. */
  readonly partnerId: string;
  /** Row id of the user. */
  readonly userId: string;
  /** The partner's own name for the user (`user_id` on the wire). */
  readonly externalUserId: string;
  readonly scopes: readonly Scope[];
  /**
   * Connected services that the token may use, sorted by code unit.
   *
   * A connection that needs attention is still connected: its tools stay listed, so that calling one can say what to do.
   */
  readonly services: readonly string[];
  /** When the access token ends, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The resource indicator that the token was issued for (RFC 8707), equal to the gateway's own. */
  readonly resource: string;
}
