/** The attackers, a separate process: sends requests at a fixed rate, whether or not they are answered. */

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { tell } from './lies.ts';

/** Instructions for the attackers. */
export interface Orders {
  readonly origin: string;
  /** `Host` of every request. */
  readonly host: string;
  readonly requestsPerSecond: number;
  readonly milliseconds: number;
  /** Local addresses that they send from, in turn. */
  readonly addresses: readonly string[];
}

/** Number of requests by the status of their response; `none` if the connection ended without one, `held` if too many were open to send it. */
export type Statuses = Readonly<Record<string, number>>;

const TICK_MS = 2;
const MAX_OPEN = 1000;
const MAX_SOCKETS = 100;
const AFTERWARDS_MS = 5_000;

async function lie(orders: Orders): Promise<Statuses> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const statuses: Record<string, number> = {};
  const count = (status: string): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  let [open, sent] = [0, 0];
  const send = async (number: number): Promise<void> => {
    if (open >= MAX_OPEN) return count('held');
    open += 1;
    const { method, path, headers, body } = tell(number);
    const localAddress = orders.addresses[number % orders.addresses.length];
    const own = { host: orders.host, 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(orders.origin + path, { method, agent, localAddress, headers: { ...headers, ...own } });
    outgoing.end(body);
    const status = await once(outgoing, 'response').then(
      ([answer]: IncomingMessage[]) => String(answer?.resume().statusCode),
      () => 'none',
    );
    open -= 1;
    count(status);
  };
  const startedAt = performance.now();
  for (let elapsed = 0; elapsed < orders.milliseconds; elapsed = performance.now() - startedAt) {
    for (; sent < (elapsed / 1000) * orders.requestsPerSecond; sent += 1) void send(sent);
    await delay(TICK_MS);
  }
  const endsAt = performance.now() + AFTERWARDS_MS;
  while (open > 0 && performance.now() < endsAt) await delay(TICK_MS);
  agent.destroy();
  return statuses;
}

process.once('message', async (orders: Orders) => {
  process.send?.(await lie(orders));
  process.disconnect?.();
});
