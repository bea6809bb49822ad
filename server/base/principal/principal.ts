/** The principal that an access token stands for: the one thing that request handlers know about the caller. */

import type { InRealm } from '../realm.ts';
import type { FoundConnection } from '../store/token-lookup.ts';
import { allowsAccount, isShareWithheld } from './allowance.ts';
import { type Access, type Allow, FULL_PERMISSION, type Permission } from './permission.ts';

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
   * Connections that the token may use, by service, sorted by name (code units): the user's own, and those that teams share. Of several accounts it is
   * the first, with the `others`.
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
  /** Rules of the partner about the number of calls (`CallRule`), separated by commas. */
  readonly callLimits?: string | null;
  /** True if the operator has stopped everything that writes. Default: false. */
  readonly isWritingStopped?: boolean;
  /** Time at which the access token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The resource indicator that the token was issued for (RFC 8707), equal to the gateway's own. */
  readonly resource: string;
}

type Connections = Principal['connections'];

/**
 * The connections that a grant may use: of a service whose account it pins, only that one. A shared account is pinned by its share, so that
 * another share of the same connection is another account.
 */
export function selectPinned(connections: Connections, pinned: Permission['accounts']): Connections {
  if (pinned === FULL_PERMISSION.accounts || Object.keys(pinned).length === 0) return connections;
  const entries = [...connections].flatMap(([service, first]) => {
    const { others = [], ...firstAccount } = first;
    const id = Object.hasOwn(pinned, service) ? pinned[service] : undefined;
    if (id === undefined) return [[service, first] as const];
    const account = [firstAccount, ...others].find((candidate) => (candidate.share?.id ?? candidate.id) === id);
    return account === undefined ? [] : [[service, account] as const];
  });
  return new Map(entries);
}

/** The connections that the allowance of a user includes. */
export function selectAllowed(connections: Connections, allows: readonly Allow[] | null): Connections {
  if (allows === null) return connections;
  const isAllowed = (service: string, connection: FoundConnection) =>
    allows.some((allow) => allowsAccount(allow, service, connection));
  const entries = [...connections].flatMap(([service, { others = [], ...firstAccount }]) => {
    const [first, ...rest] = [firstAccount, ...others].filter((connection) => isAllowed(service, connection));
    if (first === undefined) return [];
    return [[service, rest.length === 0 ? first : { ...first, others: rest }] as const];
  });
  return new Map(entries);
}

/** Marks the shared connections that their owners may not use any more. @param now milliseconds since 1970. */
export function markWithheldShares(connections: Connections, now: number): Connections {
  const mayBeShared = ({ share, others }: FoundConnection) => share !== undefined || others !== undefined;
  if (![...connections.values()].some(mayBeShared)) return connections;
  const mark = (connection: FoundConnection, service: string): FoundConnection => {
    const { share } = connection;
    if (share === undefined || !isShareWithheld(share.owner, service, now)) return connection;
    return { ...connection, share: { ...share, isWithheld: true } };
  };
  const entries = [...connections].map(([service, { others, ...firstAccount }]) => {
    const first = mark(firstAccount, service);
    return [service, others ? { ...first, others: others.map((other) => mark(other, service)) } : first] as const;
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

/** Row ids of the shares that a principal may use. A result that was stored while it used others may not be read. */
export function sharesOf({ connections }: Principal): readonly string[] {
  const accounts = [...connections.values()].flatMap((first) => [first, ...(first.others ?? [])]);
  return accounts.flatMap(({ share }) => (share === undefined || share.isWithheld ? [] : share.id));
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
