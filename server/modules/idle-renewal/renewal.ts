/** Renews tokens of unused connections whose refresh tokens expire when idle. */

import { kindsOf, oauth2PartOf } from '../../base/credentials/kinds.ts';
import {
  type IdleConnection,
  listIdleConnections,
} from '../../base/store/repositories/upstream/connection-refreshes.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Leases } from '../../call/upstream/lease.ts';
import type { Connector } from '../../contract/index.ts';

interface IdleRenewalOptions {
  readonly db: Executor;
  readonly connectors: readonly Connector[];
  readonly renewIdle: Leases['renewIdle'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with the number of renewed connections, unless it is 0. */
  readonly onRenewed: (count: number) => void;
  /** Called with the reason why a round failed. The next round tries again. */
  readonly onError: (error: unknown) => void;
}

/** A refresh token is used after this share of its idle lifetime. */
const USE_AT_SHARE = 0.6;
/** Rounds in the shortest idle lifetime. */
const ROUNDS_PER_LIFE = 20;
const MAX_INTERVAL_MS = 3_600_000;
const MIN_INTERVAL_MS = 1_000;
/** Maximum of connections of one service in one round. */
const BATCH = 100;

/**
 * Starts the timer if a connector needs it; it does not keep the process alive. Gateways run at different times. When two
 * run at once, one refreshes and the other reads the result.
 *
 * @returns a function that stops it after the current connection.
 */
export function startIdleRenewal(options: IdleRenewalOptions): () => Promise<void> {
  const lives = options.connectors.flatMap((connector) => {
    const idleMs = idleLifeOf(connector);
    return idleMs === null ? [] : [{ connector, idleMs }];
  });
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const shortest = Math.min(...lives.map(({ idleMs }) => idleMs));
  const interval = Math.max(MIN_INTERVAL_MS, Math.min(MAX_INTERVAL_MS, shortest / ROUNDS_PER_LIFE));
  const schedule = (): void => {
    timer = setTimeout(
      () => {
        running = renewIdleOnce(options, lives, stopping.signal).then(() => {
          if (!stopping.signal.aborted) schedule();
        });
      },
      interval * (0.5 + Math.random() / 2),
    );
    timer.unref();
  };
  if (lives.length > 0) schedule();
  return async () => {
    clearTimeout(timer);
    stopping.abort();
    await running;
  };
}

/** A connector, and the time that its refresh tokens may be idle, in milliseconds. */
interface IdleLife {
  readonly connector: Connector;
  readonly idleMs: number;
}

/** Renews one bounded batch per service. Partners and services never wait for those of others, which may hang. Never throws. */
async function renewIdleOnce(
  { db, renewIdle, now, onRenewed, onError }: IdleRenewalOptions,
  lives: readonly IdleLife[],
  signal: AbortSignal,
): Promise<void> {
  let renewed = 0;
  const renewInTurn = async (connector: Connector, connections: readonly IdleConnection[]): Promise<void> => {
    for (const connection of connections) {
      if (signal.aborted) return;
      const kind = await renewIdle(connection, connector);
      if (kind === 'renewed') renewed += 1;
    }
  };
  const renewAll = async ({ connector, idleMs }: IdleLife): Promise<void> => {
    const at = now();
    const due = { service: connector.name, idleSince: at - idleMs * USE_AT_SHARE, now: at, limit: BATCH };
    const byPartner = Map.groupBy(await listIdleConnections(db, due), ({ partnerId }) => partnerId);
    await Promise.all([...byPartner.values()].map((own) => renewInTurn(connector, own).catch(onError)));
  };
  await Promise.all(lives.map((life) => renewAll(life).catch(onError)));
  if (renewed > 0) onRenewed(renewed);
}

/** Returns the idle lifetime in milliseconds, or null if idle refresh tokens do not expire. */
function idleLifeOf({ credential }: Connector): number | null {
  const lives = kindsOf(credential).flatMap((kind) => {
    const seconds = oauth2PartOf(kind)?.oauth2.refreshTokenIdleSeconds ?? null;
    return seconds === null ? [] : [seconds * 1000];
  });
  return lives.length === 0 ? null : Math.min(...lives);
}
