/** The load generator: sends requests as fast as they are answered, or at a fixed rate. Orders arrive as messages. */

import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import { Client } from 'undici';
import type { LoadFigures, LoadOrder, LoadRun, LoadTarget } from './load-generator.ts';

let target: LoadTarget | undefined;
let clients: Client[] = [];
let answerBytes = 0;
let requestCount = 0;

process.on('message', (order: LoadOrder) => {
  execute(order).then(
    (figures) => process.send?.({ figures }),
    (error) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit());

async function execute(order: LoadOrder): Promise<LoadFigures | undefined> {
  if (!('origin' in order)) return run(order);
  await open(order);
  return undefined;
}

/** Connects every client and checks the whole response to its first request. */
async function open(loadTarget: LoadTarget): Promise<void> {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
  target = loadTarget;
  while (clients.length < loadTarget.clients) {
    const client = new Client(loadTarget.origin);
    const { statusCode, headers, body } = await client.request(nextRequest(loadTarget));
    const bytes = Buffer.from(await body.arrayBuffer());
    const text = (headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes).toString('utf8');
    if (statusCode !== 200 || !text.includes('"result"') || text.includes('"isError":true')) {
      throw new Error(`${loadTarget.origin} answered ${statusCode}: ${text.slice(0, 500)}`);
    }
    answerBytes = bytes.byteLength;
    clients.push(client);
  }
}

/** Returns the next request of a target: another id, and the headers of the next user. */
function nextRequest({ path, headers, body: [before, after] }: LoadTarget) {
  requestCount += 1;
  const body = `${before}${requestCount}${after}`;
  return { method: 'POST', path, headers: headers[requestCount % headers.length] ?? {}, body } as const;
}

/** Runs until the time is over or all requests were sent, then waits for open requests. */
async function run({ milliseconds = Infinity, requests = Infinity, rate }: LoadRun): Promise<LoadFigures> {
  const loadTarget = target;
  if (loadTarget === undefined) throw new Error('nothing is open');
  /** In nanoseconds. */
  const latencies = createHistogram();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let sent = 0;
  /** Returns the time that a latency counts from: at a fixed rate, the time that a late request was due. */
  const waitForTurn = async (): Promise<number> => {
    const now = performance.now();
    if (rate === undefined) return now;
    const due = startedAt + (sent * 1000) / rate;
    if (due <= now) return due;
    await delay(due - now);
    return performance.now();
  };
  const runClient = async (client: Client): Promise<void> => {
    while (performance.now() < startedAt + milliseconds && sent < requests) {
      const turn = waitForTurn();
      sent += 1;
      const sentAt = await turn;
      const status = await send(client, loadTarget);
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
    answerBytes,
  };
}

/** Sends a request and discards the body of its answer, which costs less than to read it. @returns the status. */
function send(client: Client, loadTarget: LoadTarget): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    client.dispatch(nextRequest(loadTarget), {
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
