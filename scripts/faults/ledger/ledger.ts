/** What the load was told: every write that a gateway acknowledged, every code that it took, every answer that it gave. */

import { hash } from 'node:crypto';

/** Secrets that give something once. */
export type Redeemable = 'connection code' | 'authorization code' | 'connect code' | 'refresh token';

/**
 * What the load knows of a grant.
 *
 * `live`: nothing happened that could have ended it. `revoked`: its end was acknowledged. `unsure`: a request that may have ended it was
 * not answered, or was one that the gateway should answer with its end, such as a code that is used twice.
 */
export interface KnownGrant {
  state: 'live' | 'revoked' | 'unsure';
}

/** A pair of tokens that was handed out. */
export interface AcknowledgedTokens {
  readonly grant: KnownGrant;
  /** As `digest`. */
  readonly access: string;
  readonly refresh: string;
}

/** A call that was answered with a result. */
export interface AnsweredCall {
  /** Index of the node. */
  readonly node: number;
  /** Milliseconds since 1970, by a clock that is right. */
  readonly answeredAt: number;
  readonly requestId: string;
  /** What the upstream says to this user's credential and this call. */
  readonly expected: string;
  /** What the answer holds in that place. */
  readonly got: string;
}

export interface Ledger {
  /** `client_id`s. */
  readonly registrations: string[];
  /** The partner's name for the user, a space, and the service. */
  readonly connections: string[];
  readonly tokens: AcknowledgedTokens[];
  /** Every success of a secret, with its outcome. */
  readonly redeemed: { readonly what: Redeemable; readonly secret: string; readonly answer: string }[];
  readonly calls: AnsweredCall[];
  /** Nodes that were killed, and when. */
  readonly kills: { readonly node: number; readonly at: number }[];
}

export function createLedger(): Ledger {
  return { registrations: [], connections: [], tokens: [], redeemed: [], calls: [], kills: [] };
}

/** SHA-256 as base64url: what the store keeps of a secret, and the ledger too. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** What an echoing upstream calls a credential. */
export function markOf(credential: string): string {
  return digest(credential).slice(0, 16);
}
