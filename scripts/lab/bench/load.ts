/** The load generator, a separate process: each client sends its next request when the last one is answered. */

import { createHistogram } from 'node:perf_hooks';
import { Client } from 'undici';
import { type LoadFigures, type LoadMessage, type LoadTarget, nextRequest } from './load-process.ts';

interface Opened {
  readonly target: LoadTarget;
  readonly clients: readonly Client[];
  /** Bytes of an answer's body. */
  readonly bytes: number;
}

/** Connects every client and checks the whole response to its first request. */
async function open(target: LoadTarget): Promise<Opened> {
  const clients: Client[] = [];
  let bytes = 0;
  for (let index = 0; index < target.clients; index += 1) {
    const client = new Client(target.origin);
    const { statusCode, body } = await client.request(nextRequest(target));
    const text = await body.text();
    if (statusCode !== 200 || !text.includes('"result"') || text.includes('"isError":true')) {
      throw new Error(`${target.origin} answered ${statusCode}: ${text.slice(0, 500)}`);
    }
    bytes = Buffer.byteLength(text);
    clients.push(client);
  }
  return { target, clients, bytes };
}

/** Sends a request and discards the body of its answer, which costs less than to read it. @returns the status. */
function send(client: Client, target: LoadTarget): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    client.dispatch(nextRequest(target), {
      onRequestStart() {},
      onResponseStart(_, statusCode) {
        status = statusCode;
      },
      onResponseData() {},
      onResponseEnd: () => resolve(status),
      onResponseError: (_, error) => reject(error),
    });
  });
}

/** Runs until the time is over, then waits for open requests. */
async function run({ target, clients, bytes }: Opened, milliseconds: number): Promise<LoadFigures> {
  /** In nanoseconds. */
  const latencies = createHistogram();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + milliseconds;
  const runClient = async (client: Client): Promise<void> => {
    while (performance.now() < endsAt) {
      const sentAt = performance.now();
      const status = await send(client, target);
      if (status !== 200) throw new Error(`an answer had status ${status}`);
      latencies.record(Math.ceil((performance.now() - sentAt) * 1e6));
    }
  };
  await Promise.all(clients.map(runClient));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    requests: latencies.count,
    seconds,
    p50: latencies.percentile(50) / 1e6,
    p99: latencies.percentile(99) / 1e6,
    share: (user + system) / 1e6 / seconds,
    answerBytes: bytes,
  };
}

let opened: Opened | null = null;

async function answer(message: LoadMessage): Promise<LoadFigures | null> {
  if (message.kind === 'open') {
    opened = await open(message.target);
    return null;
  }
  if (opened === null) throw new Error('nothing is open');
  if (message.kind === 'run') return run(opened, message.milliseconds);
  await Promise.all(opened.clients.map((client) => client.close()));
  opened = null;
  return null;
}

function fail(error: unknown): void {
  process.send?.({ error: error instanceof Error ? error.message : String(error) });
}

process.on('message', (message) => {
  answer(message as LoadMessage).then((value) => process.send?.({ value }), fail);
});
process.on('disconnect', () => process.exit());
