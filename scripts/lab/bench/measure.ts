/** Measures servers in turn, round after round, so that other load on the machine affects all of them alike. */

import { writeFile } from 'node:fs/promises';
import { request } from 'undici';
import { ARGUMENTS, TOOL_NAME } from './call.ts';
import type { LoadGenerator, LoadTarget } from './load-generator.ts';
import {
  type Revision,
  type RunningSubject,
  SHIPPED_TOOLS,
  type Subject,
  type Surroundings,
  startGateway,
  toolListFile,
} from './subjects.ts';

export interface Workload {
  /** For `--only`. */
  readonly name: string;
  readonly method: 'tools/call' | 'tools/list';
  readonly revision: Revision;
  readonly tools: number;
  /** `Accept-Encoding` of the requests. Default: none. */
  readonly coding?: 'br';
  /** Requests a second. Default: as fast as they are answered. */
  readonly rate?: number;
}

/** In the order of the tables. */
export const WORKLOADS: readonly Workload[] = [
  { name: 'call', method: 'tools/call', revision: '2025-11-25', tools: SHIPPED_TOOLS },
  { name: 'call-2026', method: 'tools/call', revision: '2026-07-28', tools: SHIPPED_TOOLS },
  { name: 'call-1500', method: 'tools/call', revision: '2025-11-25', tools: SHIPPED_TOOLS, rate: 1500 },
  { name: 'call-2000', method: 'tools/call', revision: '2025-11-25', tools: SHIPPED_TOOLS, rate: 2000 },
  { name: 'list-shipped', method: 'tools/list', revision: '2025-11-25', tools: SHIPPED_TOOLS },
  { name: 'list-shipped-br', method: 'tools/list', revision: '2025-11-25', tools: SHIPPED_TOOLS, coding: 'br' },
  { name: 'list-1000', method: 'tools/list', revision: '2025-11-25', tools: 1000 },
];

export interface Plan {
  readonly rounds: number;
  /** Length of each sample. */
  readonly milliseconds: number;
  /** Requests of the warm-up of each server, before the first round. */
  readonly warmUpRequests: number;
  /** Numbers of clients. */
  readonly clients: readonly number[];
}

/** One server, one workload, one number of clients, one round. */
export interface Sample {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server's process per request, in microseconds. */
  readonly cpu: number;
  /** Resident memory of the server's process afterwards, in bytes. */
  readonly resident: number;
  /** Bytes that JavaScript allocated per request. */
  readonly allocated: number;
  readonly answerBytes: number;
  /** Stops of the server's event loop, in milliseconds: the longest, and that which one of 1,000 exceeds. */
  readonly loopMax: number;
  readonly loopP999: number;
  /** See `LoadFigures.share`. */
  readonly generatorShare: number;
}

/** All rounds of one server with one number of clients. */
export interface Series {
  readonly subject: Subject;
  readonly clients: number;
  /** CPU time of the first 250 requests after the start of the server's process, in milliseconds. */
  readonly firstCpu: number;
  readonly samples: readonly Sample[];
}

/** Starts the servers that speak the workload's revision, and measures them. */
export async function measureWorkload(
  workload: Workload,
  subjects: readonly Subject[],
  surroundings: Surroundings,
  { load, plan, stack }: { readonly load: LoadGenerator; readonly plan: Plan; readonly stack: AsyncDisposableStack },
): Promise<Series[]> {
  await writeToolList(surroundings);
  const series: (Series & { readonly server: RunningSubject; readonly samples: Sample[] })[] = [];
  const running = new Map<Subject, { readonly server: RunningSubject; readonly firstCpu: number }>();
  for (const subject of subjects.filter(({ revisions }) => revisions.includes(workload.revision))) {
    const server = await subject.start(surroundings);
    stack.defer(() => server.stop());
    const before = await server.usage();
    // Opening a client sends one request.
    await load.open(toTarget(workload, server, WARM_UP_CLIENTS));
    await load.run({ requests: FIRST_REQUESTS - WARM_UP_CLIENTS });
    const firstCpu = ((await server.usage()).cpuMicroseconds - before.cpuMicroseconds) / 1000;
    running.set(subject, { server, firstCpu });
    await load.run({ requests: plan.warmUpRequests });
  }
  for (const clients of workload.rate === undefined ? plan.clients : [RATE_CLIENTS]) {
    for (const [subject, { server, firstCpu }] of running)
      series.push({ subject, server, clients, firstCpu, samples: [] });
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const { server, clients, samples } of series) {
      await load.open(toTarget(workload, server, clients));
      samples.push(await measureOnce(load, server, { milliseconds: plan.milliseconds, rate: workload.rate }));
    }
  }
  return series;
}

const WARM_UP_CLIENTS = 16;
const FIRST_REQUESTS = 250;
/** Clients at a fixed rate: enough that a request that is due finds a free one. */
const RATE_CLIENTS = 64;

async function measureOnce(
  load: LoadGenerator,
  server: RunningSubject,
  { milliseconds, rate }: { readonly milliseconds: number; readonly rate: number | undefined },
): Promise<Sample> {
  await load.run({ milliseconds: milliseconds / 5, rate });
  const before = await server.usage();
  const { requests, seconds, p50, p99, share, answerBytes } = await load.run({ milliseconds, rate });
  const after = await server.usage();
  return {
    rate: requests / seconds,
    p50,
    p99,
    cpu: (after.cpuMicroseconds - before.cpuMicroseconds) / requests,
    resident: after.residentBytes,
    allocated: (after.allocatedBytes - before.allocatedBytes) / requests,
    answerBytes,
    loopMax: after.loopMax,
    loopP999: after.loopP999,
    generatorShare: share,
  };
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function toTarget({ method, revision, coding }: Workload, server: RunningSubject, clients: number): LoadTarget {
  const params: Record<string, unknown> = {};
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
  };
  if (coding !== undefined) headers['accept-encoding'] = coding;
  if (method === 'tools/call') Object.assign(params, { name: TOOL_NAME, arguments: ARGUMENTS });
  if (revision === '2026-07-28') {
    params._meta = META;
    headers['mcp-method'] = method;
    if (method === 'tools/call') headers['mcp-name'] = TOOL_NAME;
  }
  return {
    origin: server.origin,
    path: server.path,
    headers: server.credentials.map((credential) => ({ ...credential, ...headers })),
    body: ['{"jsonrpc":"2.0","id":', `,"method":"${method}","params":${JSON.stringify(params)}}`],
    clients,
  };
}

/** Writes the gateway's list for the servers that are no gateway. */
async function writeToolList(surroundings: Surroundings): Promise<void> {
  const gateway = await startGateway({ ...surroundings, users: 1, postgresUrl: undefined });
  try {
    const { result } = JSON.parse(await requestList(gateway)) as { result: { tools: unknown[] } };
    if (result.tools.length !== surroundings.tools)
      throw new Error(`The gateway lists ${result.tools.length} tools, not ${surroundings.tools}.`);
    await writeFile(toolListFile(surroundings.folder), JSON.stringify(result));
  } finally {
    await gateway.stop();
  }
}

/** Sends one `tools/list`. @returns the body. @throws {Error} if the server is unreachable or does not answer 200. */
async function requestList(server: RunningSubject): Promise<string> {
  const list = { name: '', method: 'tools/list', revision: '2025-11-25', tools: 0 } as const;
  const { origin, path, headers, body } = toTarget(list, server, 1);
  const answer = await request(origin + path, {
    method: 'POST',
    headers: { ...headers[0] },
    body: body.join('1'),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`tools/list was answered with ${answer.statusCode}: ${text}`);
  return text;
}

/** Returns milliseconds from the start of a gateway's process to the end of its first `tools/list`, one value per start. */
export async function measureStarts(surroundings: Surroundings, starts: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < starts) {
    const gateway = await startGateway({ ...surroundings, users: 1, postgresUrl: undefined });
    await requestList(gateway);
    times.push(performance.now() - gateway.startedAt);
    await gateway.stop();
  }
  return times;
}
