/** Probes: whether the process is up, and whether it should get requests. */

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import manifest from '../../../package.json' with { type: 'json' };
import { withTimeout } from '../with-timeout.ts';
import { STREAM_HEADERS } from './exchange.ts';
import { FORWARDED_HEADERS } from './origin.ts';
import type { GatewayContext, RequestState } from './state.ts';

/** Dependencies of the health routes. */
export interface HealthDependencies {
  readonly store: { ping(): Promise<void> };
  /** True once the gateway has begun to stop. */
  readonly stopping: AbortSignal;
  /** Returns true if a value of `Authorization` belongs to an operator's command. By default no value does. */
  readonly isOperator?: ((authorization: string) => boolean) | undefined;
  /** Longest time in which the store answers, in milliseconds. Default: 2000. */
  readonly pingTimeoutMs?: number | undefined;
}

const PING_TIMEOUT_MS = 2_000;

/**
 * `GET /healthz`: 200 while the process runs; an operator's command is also told how its request arrived, as JSON or, where it
 * accepts `text/event-stream`, as a stream. `GET /readyz`: 200, or 503 while the store does not answer or the
 * gateway stops.
 */
export function createHealthRouter(deps: HealthDependencies): Router<RequestState> {
  const router = new Router<RequestState>();
  router.get('/healthz', (ctx) => {
    if (deps.isOperator?.(ctx.get('Authorization')) !== true) return answer(ctx, 200, { status: 'ok' });
    const request = toSeenRequest(ctx, manifest.version);
    answer(ctx, 200, { status: 'ok', request });
    if (ctx.get('Accept') !== 'text/event-stream') return;
    ctx.set(STREAM_HEADERS);
    ctx.body = streamSeenRequest(request);
  });
  router.get('/readyz', async (ctx) => {
    const status = await readiness(deps, ctx.state.log);
    answer(ctx, status === 'ready' ? 200 : 503, { status });
  });
  return router;
}

/** The answer of `/readyz`. */
export async function readiness(
  deps: HealthDependencies,
  log: Logger,
): Promise<'ready' | 'stopping' | 'store unreachable'> {
  if (deps.stopping.aborted) return 'stopping';
  const reachable = await answersInTime(deps.store.ping(), deps.pingTimeoutMs ?? PING_TIMEOUT_MS, (error) =>
    log.warn({ err: error }, 'the store does not answer'),
  );
  return reachable ? 'ready' : 'store unreachable';
}

function answer(ctx: GatewayContext, status: number, body: { status: string; request?: object }): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.body = body;
}

async function answersInTime(ping: Promise<void>, ms: number, onError: (error: unknown) => void): Promise<boolean> {
  try {
    await withTimeout(ping, ms);
    return true;
  } catch (error) {
    onError(error);
    return false;
  }
}

/** The JSON of the answer. It describes only the caller's own request. */
export interface SeenRequest {
  /** Address of the client, according to trusted proxies. */
  readonly address: string;
  /** Address of the other end of the connection. */
  readonly peer: string;
  /** `Host` as received. */
  readonly host: string;
  /** Received forwarding headers: value by name. */
  readonly forwarded: Readonly<Record<string, string>>;
  /** Version of the gateway that answered. */
  readonly version: string;
}

/** Pause between the two events of `streamSeenRequest`. */
const PAUSE_MS = 3_000;

function toSeenRequest({ ip, req }: Context, version: string): SeenRequest {
  const forwarded = FORWARDED_HEADERS.flatMap((name) => {
    const value = req.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return {
    address: ip,
    peer: req.socket.remoteAddress ?? '',
    host: req.headers.host ?? '',
    forwarded: Object.fromEntries(forwarded),
    version,
  };
}

/** The same as a stream of two events: a caller that receives both at once is behind a buffering proxy. */
function streamSeenRequest(seen: SeenRequest): Readable {
  const events = async function* (): AsyncGenerator<string> {
    yield `data: ${JSON.stringify(seen)}\n\n`;
    await sleep(PAUSE_MS);
    yield 'data: end\n\n';
  };
  return Readable.from(events());
}
