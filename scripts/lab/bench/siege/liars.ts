/** The attackers, a separate process: sends requests at a fixed rate, whether or not they are answered. */

import { Agent, request } from 'node:http';
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

/** The results of their requests. */
export interface Outcome {
  readonly sent: number;
  /** Requests not sent, because too many were open. */
  readonly held: number;
  /** Number of responses by status; `none` if the connection ended without a response. */
  readonly statuses: Readonly<Record<string, number>>;
}

const TICK_MS = 2;
const MAX_OPEN = 1000;
const MAX_SOCKETS = 100;
const AFTERWARDS_MS = 5_000;

async function lie(orders: Orders): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const statuses: Record<string, number> = {};
  const count = (status: string): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    open -= 1;
  };
  let [open, sent, held] = [0, 0, 0];
  const send = (): void => {
    if (open >= MAX_OPEN) {
      held += 1;
      return;
    }
    const { method, path, headers, body } = tell(sent);
    const localAddress = orders.addresses[sent % orders.addresses.length];
    sent += 1;
    open += 1;
    const own = { host: orders.host, 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(orders.origin + path, { method, agent, localAddress, headers: { ...headers, ...own } });
    let answered = false;
    outgoing.on('response', (answer) => {
      answered = true;
      answer.resume().on('close', () => count(String(answer.statusCode)));
    });
    outgoing.on('error', () => {
      if (!answered) count('none');
    });
    outgoing.end(body);
  };

  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      while (sent + held < (elapsed / 1000) * orders.requestsPerSecond) send();
      if (elapsed < orders.milliseconds) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const endsAt = performance.now() + AFTERWARDS_MS;
  while (open > 0 && performance.now() < endsAt) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  agent.destroy();
  return { sent, held, statuses };
}

process.once('message', async (orders: Orders) => {
  process.send?.(await lie(orders));
  process.disconnect?.();
});
