/** What the gateway saw of a request, for the operator's `utg doctor`: what the proxies in front made of it. */

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { FORWARDED_HEADERS } from '../forwarded.ts';

/** As JSON. It describes the caller's own request, and nothing else. */
export interface SeenRequest {
  /** The client's, as far as trusted proxies say so. */
  readonly address: string;
  /** Of the other end of the connection. */
  readonly peer: string;
  /** `Host`, as it arrived. */
  readonly host: string;
  /** Value by name of each forwarded header that arrived. */
  readonly forwarded: Readonly<Record<string, string>>;
  /** Of the gateway that answered. */
  readonly version: string;
}

/** Between the two events of `streamSeenRequest`. */
const PAUSE_MS = 3_000;

export function toSeenRequest({ ip, req }: Pick<Context, 'ip' | 'req'>, version: string): SeenRequest {
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

/** The same as a stream of two events: a caller that gets both at once is behind a proxy that buffers. */
export function streamSeenRequest(seen: SeenRequest): Readable {
  const events = async function* (): AsyncGenerator<string> {
    yield `data: ${JSON.stringify(seen)}\n\n`;
    await sleep(PAUSE_MS);
    yield 'data: end\n\n';
  };
  return Readable.from(events());
}
