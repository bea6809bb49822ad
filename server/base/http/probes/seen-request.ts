/** What the gateway saw of a request: shows `utg doctor` what the proxies in front changed. */

import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { FORWARDED_HEADERS } from '../forwarded.ts';

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

/** The same as a stream of two events: a caller that receives both at once is behind a buffering proxy. */
export function streamSeenRequest(seen: SeenRequest): Readable {
  const events = async function* (): AsyncGenerator<string> {
    yield `data: ${JSON.stringify(seen)}\n\n`;
    await sleep(PAUSE_MS);
    yield 'data: end\n\n';
  };
  return Readable.from(events());
}
