/** The credential of a connection as a lease: what to send now, and how to get another when it ends. */

import type { Connector } from '../../contract/index.ts';
import type { OpenedCredential, SealedConnection } from '../../credentials/opened.ts';
import { createRenewals, type Renewal, type RenewalDependencies } from './renewal.ts';
import { isRenewable, type StoredToken, tokenIn } from './token.ts';

export type { Renewal } from './renewal.ts';

/** A connection as it was found. */
export interface LeasedConnection extends SealedConnection {
  /** When its credential last changed, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** What a connection offers for one call. */
export interface Lease {
  /** What to send now, one value per field. The same object for the same credential. */
  readonly fields: OpenedCredential;
  /** Null: a credential that does not come from an authorization server, which needs nothing more. */
  readonly token: LeasedToken | null;
}

/** The access token of a lease. */
export interface LeasedToken {
  /** What was granted; null: not known. */
  readonly scopes: ReadonlySet<string> | null;
  /** Another token where this one has expired. Null: the current one will do; one that expires soon is renewed meanwhile. */
  renewEnded(): Promise<Renewal> | null;
  /** Another, for one that the upstream refused. Null: only the user can get one. */
  readonly renewRefused: (() => Promise<Renewal>) | null;
}

/** Leases of connections. */
export interface Leases {
  /** Costs no query and no promise. @throws {CredentialUnreadableError} as the vault says. */
  open(connection: LeasedConnection, connector: Connector): Lease;
  /** Renews what was not used for long. */
  renewIdle(connection: LeasedConnection, connector: Connector): Promise<Renewal | null>;
  /** Waits for renewals that run. */
  close(): Promise<void>;
}

/** A token is renewed ahead within the last fifth of its life, and no more than this before its end. */
const MAX_AHEAD_MS = 300_000;
const AHEAD_SHARE = 0.2;
/** Within this of its end a token counts as ended: the request has to arrive before. */
const MAX_MARGIN_MS = 5_000;
const MARGIN_SHARE = 0.05;

/** What is known of one opened credential. */
interface Known {
  readonly token: StoredToken;
  /** When it counts as ended, in milliseconds since 1970. */
  readonly endsAt: number;
  /** When it is renewed ahead; later after an attempt that failed. */
  aheadAt: number;
}

/** Creates the leases. */
export function createLeases(deps: RenewalDependencies): Leases {
  const { openCredential, now } = deps;
  const renewals = createRenewals(deps);
  const keptKeys = new WeakMap<OpenedCredential, Lease>();
  const known = new WeakMap<OpenedCredential, Known>();

  const learn = (fields: OpenedCredential, token: StoredToken, updatedAt: number): Known => {
    const kept = known.get(fields);
    if (kept !== undefined) return kept;
    const learnt = { token, ...timesOf(token, updatedAt) };
    known.set(fields, learnt);
    return learnt;
  };

  return {
    open(connection, connector) {
      const fields = openCredential(connection);
      const key = keptKeys.get(fields);
      if (key !== undefined) return key;
      const token = known.get(fields)?.token ?? tokenIn(connector, fields);
      if (token === null) {
        const lease = { fields, token: null };
        keptKeys.set(fields, lease);
        return lease;
      }
      const state = learn(fields, token, connection.updatedAt);
      const renew = (reason: 'ending' | 'refused') =>
        renewals.renew({ connection, connector, accessToken: token.accessToken, reason });
      return {
        fields,
        token: {
          scopes: token.scopes,
          renewRefused: isRenewable(token) ? () => renew('refused') : null,
          renewEnded() {
            if (!isRenewable(token)) return null;
            const at = now();
            if (at >= state.endsAt) return renew('ending');
            if (at < state.aheadAt) return null;
            state.aheadAt = state.endsAt;
            renew('ending').then(
              (renewal) => {
                if (renewal.kind === 'delayed') state.aheadAt = now() + renewal.retryAfterSeconds * 1000;
              },
              (error: unknown) => {
                const { service, connectionId } = connection;
                deps.onProblem({ service, connectionId, reason: 'unavailable', error });
              },
            );
            return null;
          },
        },
      };
    },
    async renewIdle(connection, connector) {
      const token = tokenIn(connector, openCredential(connection));
      if (token === null || !isRenewable(token)) return null;
      return renewals.renew({ connection, connector, accessToken: token.accessToken, reason: 'ending' });
    },
    close: () => renewals.settle(),
  };
}

/** With jitter, so that the gateways of a fleet do not all come at once. @param updatedAt about when it was issued. */
function timesOf({ expiresAt }: StoredToken, updatedAt: number): Omit<Known, 'token'> {
  if (expiresAt === null) return { endsAt: Number.POSITIVE_INFINITY, aheadAt: Number.POSITIVE_INFINITY };
  const life = Math.max(0, expiresAt - updatedAt);
  const ahead = Math.min(MAX_AHEAD_MS, life * AHEAD_SHARE) * (0.5 + Math.random() / 2);
  const margin = Math.min(MAX_MARGIN_MS, life * MARGIN_SHARE);
  return { endsAt: expiresAt - margin, aheadAt: expiresAt - Math.max(ahead, margin) };
}
