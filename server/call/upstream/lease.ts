/** The credential of a connection as a lease: the values to send now, and their renewal when they expire. */

import { LRUCache } from 'lru-cache';
import { CredentialUnreadableError, type CredentialVault } from '../../base/credentials/index.ts';
import { hasExtra } from '../../base/credentials/kinds.ts';
import type { Connector } from '../../contract/index.ts';
import { createRenewals, type Renewal, type RenewalDependencies } from './oauth/renewal.ts';
import type { OpenCredential, OpenedCredential, SealedConnection } from './oauth/stored-token.ts';
import { isRenewable, type StoredToken, tokenIn } from './oauth/stored-token.ts';

interface LeasedConnection extends SealedConnection {
  /** Time at which the credential last changed, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** The credential of a connection for one call. */
export interface Lease {
  /** The values to send, one for each field. The same object for the same credential. */
  readonly fields: OpenedCredential;
  /** Null if the credential does not come from an authorization server, and is never renewed. */
  readonly token: LeasedToken | null;
}

/** The access token of a lease. */
interface LeasedToken {
  /** Granted scopes. Null if they are not known. */
  readonly scopes: ReadonlySet<string> | null;
  /** Renews the token if it has expired. Otherwise returns null, and renews a token that expires soon in the background. */
  renewIfExpired(): Promise<Renewal> | null;
  /** Renews a token that the upstream refused. Null if only the user can get another. */
  readonly renewAfterRefusal: (() => Promise<Renewal>) | null;
}

/** Operations on connections outside of calls. */
export interface IdleLeases {
  /** Renews a connection that has been idle for a long time. @returns the kind of the outcome; null if there is no token to renew. */
  renewIdle(connection: LeasedConnection, connector: Connector): Promise<Renewal['kind'] | null>;
  /** Returns the labels of extras that the connection lacks; none for a credential that cannot be read. */
  lacking(connection: LeasedConnection, connector: Connector): readonly string[];
}

/** Leases of connections. */
export interface Leases extends IdleLeases {
  /**
   * Opens the credential of a connection, without a query and without a promise.
   *
   * @param extra see `ToolFace.extra`. @throws {CredentialUnreadableError} as the vault does.
   */
  open(connection: LeasedConnection, connector: Connector, extra?: string): Lease;
  /** Waits for running renewals. */
  close(): Promise<void>;
}

/** A token is renewed ahead in the last fifth of its lifetime, and no more than this before it expires. */
const MAX_AHEAD_MS = 300_000;
const AHEAD_SHARE = 0.2;
/** A token counts as expired this long before it does: the request has to arrive in time. */
const MAX_MARGIN_MS = 5_000;
const MARGIN_SHARE = 0.05;

/** Times of a token, in milliseconds since 1970. */
interface TokenTimes {
  /** Time at which the token counts as expired. */
  readonly endsAt: number;
  /** Time at which the token is renewed ahead. It is later after a failed attempt. */
  aheadAt: number;
}

/** The token of one opened credential. */
interface TimedToken extends TokenTimes {
  readonly token: StoredToken;
}

export function createLeases(deps: RenewalDependencies): Leases {
  const { openCredential, now } = deps;
  const renewals = createRenewals(deps);
  /** Tokens by credential and label of the extra. Null if the credential comes from no authorization server. */
  const tokens = new WeakMap<OpenedCredential, Map<string | undefined, TimedToken | null>>();

  const findToken = (
    fields: OpenedCredential,
    { updatedAt }: LeasedConnection,
    connector: Connector,
    extra: string | undefined,
  ): TimedToken | null => {
    const byExtra = tokens.get(fields) ?? new Map<string | undefined, TimedToken | null>();
    const cached = byExtra.get(extra);
    if (cached !== undefined) return cached;
    const token = tokenIn(connector, fields, extra);
    const timed = token === null ? null : { token, ...timesOf(token, updatedAt) };
    byExtra.set(extra, timed);
    tokens.set(fields, byExtra);
    return timed;
  };

  return {
    open(connection, connector, extra) {
      const fields = openCredential(connection);
      const timed = findToken(fields, connection, connector, extra);
      if (timed === null) return { fields, token: null };
      const { token } = timed;
      const renew = (reason: 'ending' | 'refused') =>
        renewals.renew({ connection, connector, accessToken: token.accessToken, reason, extra });
      const renewAhead = async (): Promise<void> => {
        timed.aheadAt = timed.endsAt;
        try {
          const renewal = await renew('ending');
          if (renewal.kind === 'delayed') timed.aheadAt = now() + renewal.retryAfterSeconds * 1000;
        } catch (error) {
          const { service, connectionId } = connection;
          deps.onProblem({ service, connectionId, reason: 'unavailable', error });
        }
      };
      return {
        fields,
        token: {
          scopes: token.scopes,
          renewAfterRefusal: isRenewable(token) ? () => renew('refused') : null,
          renewIfExpired() {
            if (!isRenewable(token)) return null;
            const at = now();
            if (at >= timed.endsAt) return renew('ending');
            if (at >= timed.aheadAt) void renewAhead();
            return null;
          },
        },
      };
    },
    async renewIdle(connection, connector) {
      const token = tokenIn(connector, openCredential(connection));
      if (token === null || !isRenewable(token)) return null;
      const renewal = await renewals.renew({ connection, connector, accessToken: token.accessToken, reason: 'ending' });
      return renewal.kind;
    },
    lacking(connection, { credential }) {
      const labels = (credential.extras ?? []).map(({ label }) => label);
      if (labels.length === 0) return labels;
      try {
        const fields = openCredential(connection);
        return labels.filter((label) => !hasExtra(credential, fields, label));
      } catch (error) {
        if (error instanceof CredentialUnreadableError) return [];
        throw error;
      }
    },
    close: () => renewals.settle(),
  };
}

/**
 * Returns the times of a token, with jitter, so that gateways do not all renew at once.
 *
 * @param updatedAt about when the token was issued.
 */
function timesOf({ expiresAt }: StoredToken, updatedAt: number): TokenTimes {
  if (expiresAt === null) return { endsAt: Number.POSITIVE_INFINITY, aheadAt: Number.POSITIVE_INFINITY };
  const life = Math.max(0, expiresAt - updatedAt);
  const ahead = Math.min(MAX_AHEAD_MS, life * AHEAD_SHARE) * (0.5 + Math.random() / 2);
  const margin = Math.min(MAX_MARGIN_MS, life * MARGIN_SHARE);
  return { endsAt: expiresAt - margin, aheadAt: expiresAt - Math.max(ahead, margin) };
}

const MAX_OPENED = 1000;
/** The members that a cached credential belongs to. */
const BOUND = ['sealedCredential', 'partnerId', 'userId', 'externalUserId', 'service'] as const;
const OPEN_SERVICE: OpenedCredential = {};

/**
 * Creates the opener. It caches the `maxKept` credentials used last (default 1000).
 *
 * Sealed texts come from the store with every call, so a change there takes effect at once. A cached credential belongs to
 * one partner, user, service and connection: the vault opens, or refuses, a sealed text in another row.
 */
export function createCredentialOpener(options: { vault: CredentialVault; maxKept?: number }): OpenCredential {
  const { vault, maxKept = MAX_OPENED } = options;
  const cache = new LRUCache<string, { readonly connection: SealedConnection; readonly fields: OpenedCredential }>({
    max: maxKept,
  });
  return (connection) => {
    const { sealedCredential: sealed, connectionId } = connection;
    if (sealed === null) return OPEN_SERVICE;
    const cached = cache.get(connectionId);
    const isSame = cached !== undefined && BOUND.every((name) => cached.connection[name] === connection[name]);
    const entry = isSame ? cached : { connection, fields: vault.open(sealed, connection) };
    cache.set(connectionId, entry);
    return entry.fields;
  };
}
