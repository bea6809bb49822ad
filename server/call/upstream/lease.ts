/** The credential of a connection as a lease: what to send now, and how to renew it when it expires. */

import { CredentialUnreadableError, type CredentialVault } from '../../base/credentials/index.ts';
import { hasExtra } from '../../base/credentials/kinds.ts';
import type { Connector } from '../../contract/index.ts';
import { createRenewals, type Renewal, type RenewalDependencies } from './oauth/renewal.ts';
import type { OpenCredential, OpenedCredential, SealedConnection } from './oauth/stored-token.ts';
import { isRenewable, type StoredToken, tokenIn } from './oauth/stored-token.ts';

export type { Renewal } from './oauth/renewal.ts';

interface LeasedConnection extends SealedConnection {
  /** When its credential last changed, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** What a connection offers for one call. */
export interface Lease {
  /** What to send now, one value per field. The same object for the same credential. */
  readonly fields: OpenedCredential;
  /** Null: the credential does not come from an authorization server, and is never renewed. */
  readonly token: LeasedToken | null;
}

/** The access token of a lease. */
interface LeasedToken {
  /** Granted scopes; null: unknown. */
  readonly scopes: ReadonlySet<string> | null;
  /** Renews an expired token. Null: the current one is still valid; one that expires soon is renewed in the background. */
  renewEnded(): Promise<Renewal> | null;
  /** Renews a token that the upstream refused. Null: only the user can get another. */
  readonly renewRefused: (() => Promise<Renewal>) | null;
}

/** Leases of connections. */
export interface Leases {
  /** Runs no query and creates no promise. @param extra see `ToolFace.extra`. @throws {CredentialUnreadableError} as the vault does. */
  open(connection: LeasedConnection, connector: Connector, extra?: string): Lease;
  /** Renews a connection that was not used for long. */
  renewIdle(connection: LeasedConnection, connector: Connector): Promise<Renewal | null>;
  /** Labels of what few tools need in addition and the connection lacks; none for a credential that cannot be read. */
  lacking(connection: LeasedConnection, connector: Connector): readonly string[];
  /** Waits for running renewals. */
  close(): Promise<void>;
}

/** A token is renewed ahead in the last fifth of its lifetime, and no more than this before it expires. */
const MAX_AHEAD_MS = 300_000;
const AHEAD_SHARE = 0.2;
/** A token counts as expired this long before it does: the request has to arrive in time. */
const MAX_MARGIN_MS = 5_000;
const MARGIN_SHARE = 0.05;

/** The token of one opened credential, and its times. */
interface Known {
  readonly token: StoredToken;
  /** When it counts as expired, in milliseconds since 1970. */
  readonly endsAt: number;
  /** When it is renewed ahead; later after a failed attempt. */
  aheadAt: number;
}

export function createLeases(deps: RenewalDependencies): Leases {
  const { openCredential, now } = deps;
  const renewals = createRenewals(deps);
  const keptKeys = new WeakMap<OpenedCredential, Lease>();
  const tokens = new WeakMap<OpenedCredential, Known>();

  const learn = (fields: OpenedCredential, token: StoredToken, updatedAt: number): Known => {
    const kept = tokens.get(fields);
    if (kept !== undefined) return kept;
    const learnt = { token, ...timesOf(token, updatedAt) };
    tokens.set(fields, learnt);
    return learnt;
  };

  return {
    open(connection, connector, extra) {
      const fields = openCredential(connection);
      const key = extra === undefined ? keptKeys.get(fields) : undefined;
      if (key !== undefined) return key;
      const token = (extra === undefined ? tokens.get(fields)?.token : undefined) ?? tokenIn(connector, fields, extra);
      if (token === null) {
        const lease = { fields, token: null };
        if (extra === undefined) keptKeys.set(fields, lease);
        return lease;
      }
      const state =
        extra === undefined
          ? learn(fields, token, connection.updatedAt)
          : { token, ...timesOf(token, connection.updatedAt) };
      const renew = (reason: 'ending' | 'refused') =>
        renewals.renew({ connection, connector, accessToken: token.accessToken, reason, extra });
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

/** With jitter, so that gateways do not all renew at once. @param updatedAt about when the token was issued. */
function timesOf({ expiresAt }: StoredToken, updatedAt: number): Omit<Known, 'token'> {
  if (expiresAt === null) return { endsAt: Number.POSITIVE_INFINITY, aheadAt: Number.POSITIVE_INFINITY };
  const life = Math.max(0, expiresAt - updatedAt);
  const ahead = Math.min(MAX_AHEAD_MS, life * AHEAD_SHARE) * (0.5 + Math.random() / 2);
  const margin = Math.min(MAX_MARGIN_MS, life * MARGIN_SHARE);
  return { endsAt: expiresAt - margin, aheadAt: expiresAt - Math.max(ahead, margin) };
}

const MAX_KEPT = 1000;
const OPEN_SERVICE: OpenedCredential = {};

/**
 * Creates the opener. The `maxKept` credentials used last are kept (default 1000).
 *
 * Sealed texts come from the store with every call, so a change there takes effect at once. A kept credential belongs to
 * one partner, user, service and connection: the vault opens, or refuses, a sealed text in another row.
 */
export function createCredentialOpener(options: { vault: CredentialVault; maxKept?: number }): OpenCredential {
  const { vault, maxKept = MAX_KEPT } = options;
  const kept = new Map<string, { readonly sealed: string; readonly fields: OpenedCredential }>();
  return ({ sealedCredential: sealed, ...binding }) => {
    if (sealed === null) return OPEN_SERVICE;
    const { partnerId, userId, externalUserId, service, connectionId } = binding;
    const key = JSON.stringify([partnerId, userId, externalUserId, service, connectionId]);
    const last = kept.get(key);
    kept.delete(key);
    const entry = last?.sealed === sealed ? last : { sealed, fields: vault.open(sealed, binding) };
    kept.set(key, entry);
    if (kept.size > maxKept) {
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    }
    return entry.fields;
  };
}
