/** The load generator, a separate process: each client sends its next request when the last one is answered. */

import { type Connection, openConnection } from './keep-alive.ts';
import type { LoadFigures, LoadMessage, LoadTarget } from './load-process.ts';

/** Ids have nine digits, so that every request has the same length. */
const FIRST_ID = 100_000_000;

let nextId = FIRST_ID;
let nextHead = 0;

function toRequest({ heads, body: [before, after] }: LoadTarget): string {
  nextId += 1;
  nextHead = (nextHead + 1) % heads.length;
  return `${heads[nextHead]}${before}${nextId}${after}`;
}

/** Connects every client and checks the whole response to its first request. */
async function open(target: LoadTarget): Promise<{ connections: Connection[]; bytes: number }> {
  const connections: Connection[] = [];
  let bytes = 0;
  for (let client = 0; client < target.clients; client += 1) {
    const origin = target.origins[client % target.origins.length] ?? '';
    const connection = await openConnection(origin, fail);
    const { status, text, ...answer } = await new Promise<Parameters<Parameters<Connection['send']>[1]>[0]>((resolve) =>
      connection.send(toRequest(target), resolve, true),
    );
    if (status !== 200 || !text.includes('"result"') || text.includes('"isError":true')) {
      throw new Error(`${origin} answered ${status}: ${text.slice(0, 500)}`);
    }
    bytes = answer.bytes;
    connections.push(connection);
  }
  return { connections, bytes };
}

/** Runs until the time is over or the requests are sent, then waits for open requests. */
async function run(
  target: LoadTarget,
  connections: readonly Connection[],
  until: { readonly milliseconds?: number; readonly requests?: number },
): Promise<Omit<LoadFigures, 'answerBytes'>> {
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + (until.milliseconds ?? Number.POSITIVE_INFINITY);
  let left = until.requests ?? Number.POSITIVE_INFINITY;
  const runClient = (connection: Connection): Promise<void> =>
    new Promise((resolve) => {
      let sentAt = 0;
      const onAnswer = ({ status }: { status: number }): void => {
        const now = performance.now();
        if (status !== 200) throw new Error(`an answer had status ${status}`);
        latencies.push(now - sentAt);
        if (now < endsAt && left > 0) next(now);
        else resolve();
      };
      const next = (now: number): void => {
        sentAt = now;
        left -= 1;
        connection.send(toRequest(target), onAnswer);
      };
      if (left > 0) next(performance.now());
      else resolve();
    });
  await Promise.all(connections.map(runClient));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { requests: sorted.length, seconds, p50: at(0.5), p99: at(0.99), share: (user + system) / 1e6 / seconds };
}

let opened: { target: LoadTarget; connections: Connection[]; bytes: number } | null = null;

async function answer(message: LoadMessage): Promise<LoadFigures | null> {
  if (message.kind === 'open') {
    opened = { target: message.target, ...(await open(message.target)) };
    return null;
  }
  if (opened === null) throw new Error('nothing is open');
  const { target, connections, bytes } = opened;
  if (message.kind === 'run') return { ...(await run(target, connections, message)), answerBytes: bytes };
  for (const connection of connections) connection.close();
  opened = null;
  return null;
}

function fail(error: unknown): void {
  process.send?.({ error: error instanceof Error ? error.message : String(error) });
}

process.on('message', (message) => {
  answer(message as LoadMessage).then((value) => process.send?.({ value }), fail);
});
process.on('uncaughtException', fail);
process.on('disconnect', () => process.exit());
