/** Users who send the largest bodies and hold them open, a separate process: half keep the last byte, half wait for an upstream that hangs. */

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Orders as CallerOrders } from './callers.ts';
import type { Statuses } from './liars.ts';

/** Instructions for the process. */
interface Orders extends Omit<CallerOrders, 'arguments' | 'callsPerSecond'> {
  /** Of each body. */
  readonly bytes: number;
  /** Requests that each user holds open. */
  readonly requestsPerUser: number;
}

/** The `Retry-After` of a request that is refused is two seconds; these users do not wait that long. */
const AGAIN_AFTER_MS = 1_000;
/** The users begin one after the other: a gigabyte at once would keep this machine busy, not the gateway. */
const BETWEEN_MS = 15;

async function holdBodies(orders: Orders): Promise<Statuses> {
  const params = { name: orders.tool, arguments: { data: '' } };
  const [before, after] = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }).split('"data":"');
  const filling = orders.bytes - `${before}"data":"${after}`.length;
  const body = Buffer.from(`${before}"data":"${'x'.repeat(filling)}${after}`);
  const statuses: Record<string, number> = {};
  const stop = AbortSignal.timeout(orders.milliseconds);
  const hold = async (token: string, number: number): Promise<void> => {
    const headers = { 'content-type': 'application/json', host: orders.host, authorization: `Bearer ${token}` };
    await delay(number * BETWEEN_MS);
    while (!stop.aborted) {
      const own = { ...headers, 'content-length': String(body.length) };
      const outgoing = request(orders.url, { method: 'POST', agent: false, headers: own, signal: stop });
      const answered = once(outgoing, 'response');
      outgoing.write(body.subarray(0, -1));
      if (number % 2 === 0) outgoing.end(body.subarray(-1));
      const status = await answered.then(
        ([answer]: IncomingMessage[]) => String(answer?.resume().statusCode),
        () => (stop.aborted ? 'held' : 'none'),
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
      await delay(AGAIN_AFTER_MS);
      outgoing.destroy();
    }
  };
  const holders = Array.from({ length: orders.requestsPerUser }, () => orders.tokens).flat();
  await Promise.all(holders.map(hold));
  return statuses;
}

process.once('message', async (orders: Orders) => {
  process.send?.(await holdBodies(orders));
  process.disconnect?.();
});
