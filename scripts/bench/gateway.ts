/** Measures requests through the whole gateway beside a bare relay to the same upstream, in one run. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool } from 'undici';
import type { BenchServers } from './gateway-servers.ts';

export interface GatewayOptions {
  /** How long each row is measured, in milliseconds. */
  readonly milliseconds: number;
  readonly clients: number;
}

/** Prints a row for each kind of request. */
export async function benchGateway({ milliseconds, clients }: GatewayOptions): Promise<void> {
  const child = fork(join(import.meta.dirname, 'gateway-servers.ts'));
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`the servers ended with exit code ${code}`)),
  );
  const [servers] = (await Promise.race([once(child, 'message'), ended])) as [BenchServers];
  await measureAll(child, servers, milliseconds, clients);
  ended.catch(() => {});
  child.send('stop');
  await once(child, 'exit');
}

interface Figures {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
}

/** CPU time of the servers' process so far, in microseconds. */
async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return user + system;
}

async function measureAll(
  child: ChildProcess,
  servers: BenchServers,
  milliseconds: number,
  clients: number,
): Promise<void> {
  const call = { name: 'retrieval_list_documents', arguments: { pageSize: 5 } };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const modern = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
  const rows = [
    { title: 'relay, tools/call', url: servers.relay, method: 'tools/call', params: call, headers: {} },
    { title: '2025, tools/call', url: servers.gateway, method: 'tools/call', params: call, headers: {} },
    {
      title: '2026, tools/call',
      url: servers.gateway,
      method: 'tools/call',
      params: { ...call, _meta: meta },
      headers: { ...modern('tools/call'), 'mcp-name': call.name },
    },
    { title: '2025, tools/list', url: servers.gateway, method: 'tools/list', params: {}, headers: {} },
    {
      title: '2026, tools/list',
      url: servers.gateway,
      method: 'tools/list',
      params: { _meta: meta },
      headers: modern('tools/list'),
    },
  ];
  console.log(`${clients} clients, ${milliseconds / 1000} s each after a warm-up\n`);
  console.log('                       requests/s    p50 ms    p99 ms   CPU µs each   of the relay');
  let floor: number | null = null;
  for (const { title, url, method, params, headers } of rows) {
    const send = createSender(url, { method, params }, { ...headers, authorization: `Bearer ${servers.token}` });
    await measure(send, milliseconds / 4, clients);
    const before = await cpuOf(child);
    const { perSecond, p50, p99, requests } = await measure(send, milliseconds, clients);
    const cpu = ((await cpuOf(child)) - before) / requests;
    floor ??= cpu;
    const cells = [
      perSecond.toFixed(0).padStart(10),
      p50.toFixed(2).padStart(9),
      p99.toFixed(2).padStart(9),
      cpu.toFixed(0).padStart(13),
    ];
    console.log(`${title.padEnd(22)} ${cells.join(' ')}   ${(cpu / floor).toFixed(1).padStart(10)} x`);
    await send.close();
  }
}

function createSender(url: string, message: object, headers: Record<string, string>) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 64 });
  let id = 0;
  const send = async (): Promise<void> => {
    id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...message });
    const answer = await pool.request({
      path: pathname,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || !text.includes('"result"') || text.includes('"isError":true')) {
      throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`);
    }
  };
  return Object.assign(send, { close: () => pool.close() });
}

async function measure(send: () => Promise<void>, milliseconds: number, clients: number): Promise<Figures> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + milliseconds;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let now = performance.now(); now < endsAt; ) {
        await send();
        const after = performance.now();
        latencies.push(after - now);
        now = after;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), requests: latencies.length };
}
