/** The principal that an access token stands for: the one thing that request handlers know about the caller. */

import type { InRealm } from '../realm.ts';
import type { FoundConnection } from '../store/token-lookup.ts';
import { type Access, FULL_PERMISSION, type Permission } from './permission.ts';

/** One end user of one partner, as narrowed by one access token. Built for every request. */
export interface Principal extends Access, InRealm {
  /** Row id of the access token, safe to log. */
  readonly tokenId: string;
  /** Row id of the partner that owns the user. */
  readonly partnerId: string;
  /** Row id of the user. */
  readonly userId: string;
  /** The partner's own name for the user (`user_id` on the wire). */
  readonly externalUserId: string;
  /** Row id of the grant that the token came from, or null if it was issued outside OAuth. */
  readonly grantId: string | null;
  /**
   * Connections that the token may use, by service, sorted by name (code units). Of several accounts it is the first, with the `others`.
   *
   * A connection that needs attention is still connected: its tools stay listed, so that calling one can say what to do.
   */
  readonly connections: ReadonlyMap<string, FoundConnection>;
  /** The page of the partner that starts connect flows, or null. */
  readonly connectUri: string | null;
  readonly partnerName: string;
  /** Services that the partner may offer now, or null for all. Connections to others are left out. */
  readonly offeredServices: readonly string[] | null;
  /** The only services that the token is for, connected or not. Null or undefined for all. */
  readonly narrowedTo?: readonly string[] | null;
  /** True if the partner is suspended. Then every connection is left out, and no request is served. */
  readonly isSuspended: boolean;
  /** Rules of the partner and of the user about which calls the user approves, in addition to that of the operator. */
  readonly approvals?: readonly string[] | null;
  /** True if the operator has stopped everything that writes. Default: false. */
  readonly isWritingStopped?: boolean;
  /** Time at which the access token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The resource indicator that the token was issued for (RFC 8707), equal to the gateway's own. */
  readonly resource: string;
}

type Connections = Principal['connections'];

/** The connections that a grant may use: of a service whose account it pins, only that one. */
export function selectPinned(connections: Connections, pinned: Permission['accounts']): Connections {
  if (pinned === FULL_PERMISSION.accounts || Object.keys(pinned).length === 0) return connections;
  const entries = [...connections].flatMap(([service, first]) => {
    const { others = [], ...firstAccount } = first;
    const id = Object.hasOwn(pinned, service) ? pinned[service] : undefined;
    if (id === undefined) return [[service, first] as const];
    const account = [firstAccount, ...others].find((candidate) => candidate.id === id);
    return account === undefined ? [] : [[service, account] as const];
  });
  return new Map(entries);
}

/** See `Access.accounts`. */
export function namesOfAccounts(connections: Connections): ReadonlyMap<string, readonly string[]> | null {
  let names: Map<string, string[]> | null = null;
  for (const [service, first] of connections) {
    if (first.others === undefined) continue;
    names ??= new Map();
    names.set(
      service,
      [first, ...first.others].map(({ name = '' }) => name),
    );
  }
  return names;
}

/** Two sentences: what happened, and whom to ask. */
export interface Suspension {
  readonly text: string;
  readonly advice: string;
}

/** @param name of the partner, or words in its place. */
export function describeSuspension(name: string): Suspension {
  return {
    text: `${name} is suspended at this gateway, so its users cannot use their tools now.`,
    advice: `Ask ${name} when this will change. Everything that was allowed and connected is still there.`,
  };
}
