/** Revokes tokens at the upstream when their connection is removed (RFC 7009). */

import { formsOf, oauth2PartOf, signInsOf } from '../../../base/credentials/kinds.ts';
import type { PerRealm } from '../../../base/per-realm.ts';
import type { InRealm } from '../../../base/realm.ts';
import { listConnections } from '../../../base/store/repositories/connections.ts';
import { findRealm } from '../../../base/store/repositories/partners.ts';
import { findUserById } from '../../../base/store/repositories/users.ts';
import type { Executor } from '../../../base/store/schema.ts';
import { withTimeout } from '../../../base/with-timeout.ts';
import type { Connector } from '../../../contract/index.ts';
import { type OpenCredential, type StoredToken, tokenIn } from './stored-token.ts';
import { type ClientLookup, findClientOf, type UpstreamOAuth } from './types.ts';

interface RevocationDependencies {
  readonly db: Executor;
  readonly openCredential: OpenCredential;
  readonly realms: PerRealm<{
    readonly connectors: readonly Connector[];
    readonly oauth: UpstreamOAuth;
    readonly clients: ClientLookup;
  }>;
  /** Called with the reason why tokens were not revoked. Contains no secret. */
  readonly onProblem: (problem: { service: string; error: unknown }) => void;
  /** Called when the tokens of one connection were revoked. Default: no call. */
  readonly onRevoked?: (service: string) => void;
  /** Waits, without limit, until a revocation may start, and for all revocations of a list. Default: false. */
  readonly patient?: boolean;
}

/** Connections of a user: one, those of one service, or all. */
interface Removal {
  /** Row id. */
  readonly userId: string;
  readonly service?: string;
  /** Row id: that of one account. */
  readonly connectionId?: string | undefined;
}

/** Revokes tokens at upstreams. */
export interface Revocations {
  /**
   * Removes connections, then revokes their tokens: one attempt, without waiting for the outcome. For a list it waits at most a
   * second, so that a caller who removes list after list does not exceed the limit; `patient` revocations wait for all.
   *
   * @param remove commits the removal; its result is returned. Nothing is revoked when that is false or null.
   */
  after<Removed>(removal: Removal | readonly Removal[], remove: () => Promise<Removed>): Promise<Removed>;
  /** Waits for running revocations. */
  close(): Promise<void>;
}

/** A token to revoke, and where it came from. */
interface RevocableToken extends InRealm {
  readonly token: StoredToken;
  readonly partnerId: string;
  readonly service: string;
}

/** Concurrent revocations. More are dropped, so that removing many users builds no queue. */
const MAX_RUNNING = 50;

const MAX_WAIT_FOR_LIST_MS = 1_000;

export function createRevocations(deps: RevocationDependencies): Revocations {
  const { onProblem, onRevoked, patient = false } = deps;
  const realms = deps.realms.map((upstreams) => ({
    ...upstreams,
    connectors: upstreams.connectors.filter(canRevoke),
  }));
  const running = new Set<Promise<void>>();

  const revoke = async ({ token, partnerId, service, realm }: RevocableToken): Promise<void> => {
    const { oauth, clients } = realms.of({ realm });
    const client = await findClientOf(clients, { partnerId, service, clientRow: token.clientRow });
    if (client === null) throw new Error('no client is registered for it');
    const { signal } = new AbortController();
    const revokeOne = (text: string, hint: 'access_token' | 'refresh_token') =>
      oauth.revoke(token.part.oauth2, { client, token: text, hint }, signal);
    if (token.refreshToken !== null) await revokeOne(token.refreshToken, 'refresh_token');
    await revokeOne(token.accessToken, 'access_token');
  };

  const start = (revocable: RevocableToken): void => {
    const { service } = revocable;
    if (running.size >= MAX_RUNNING) {
      onProblem({ service, error: new Error('too many revocations at once') });
      return;
    }
    const work: Promise<void> = revoke(revocable)
      .then(() => onRevoked?.(service))
      .catch((error: unknown) => onProblem({ service, error }))
      .finally(() => running.delete(work));
    running.add(work);
  };

  return {
    async after(removal, remove) {
      const removals = [removal].flat();
      const connectorsOf = (owner: InRealm) => realms.find(owner)?.connectors ?? [];
      const revocables = await Promise.all(removals.map((each) => findTokens(deps, connectorsOf, each)));
      const removed = await remove();
      if (removed === false || removed === null) return removed;
      for (const revocable of revocables.flat()) {
        if (patient && running.size >= MAX_RUNNING) await Promise.race(running);
        start(revocable);
      }
      if (patient) await Promise.allSettled(running);
      else if (Array.isArray(removal)) await withTimeout(Promise.allSettled(running), MAX_WAIT_FOR_LIST_MS, () => []);
      return removed;
    },
    async close() {
      await Promise.allSettled(running);
    },
  };
}

async function findTokens(
  { db, openCredential, onProblem }: RevocationDependencies,
  connectorsOf: (owner: InRealm) => readonly Connector[],
  removal: Removal,
): Promise<RevocableToken[]> {
  const user = await findUserById(db, removal.userId);
  if (user === undefined) return [];
  const { id: userId, partnerId, externalUserId } = user;
  const realm = await findRealm(db, partnerId);
  const connectors = connectorsOf({ realm });
  if (connectors.length === 0) return [];
  const tokens: RevocableToken[] = [];
  for (const { id: connectionId, service, sealedCredential } of await listConnections(db, userId)) {
    const connector = connectors.find(({ name }) => name === service);
    if (connector === undefined || service !== (removal.service ?? service)) continue;
    if (connectionId !== (removal.connectionId ?? connectionId)) continue;
    try {
      const fields = openCredential({ connectionId, partnerId, userId, externalUserId, service, sealedCredential });
      for (const extra of [undefined, ...signInsOf(connector.credential)]) {
        const token = tokenIn(connector, fields, extra);
        if (token !== null) tokens.push({ token, partnerId, service, realm });
      }
    } catch (error) {
      onProblem({ service, error });
    }
  }
  return tokens;
}

function canRevoke({ credential }: Connector): boolean {
  return formsOf(credential).some((kind) => (oauth2PartOf(kind)?.oauth2.revocationUrl ?? null) !== null);
}
