/** `npm run lab -- bench gateway-scale`: measures the throughput of one, two and four gateways on one PostgreSQL server. */

import { CALLERS, createDatabase, GATEWAY_ENDPOINT, SHIPPED_TOOLS, startGatewayProcess } from './gateway-process.ts';
import { median, type Section, withRange } from './report.ts';
import type { ServerProcess } from './server-process.ts';
import { onStage } from './stage.ts';
import { toTarget } from './workloads.ts';

interface ScalePlan {
  readonly postgresUrl: string;
  readonly rounds: number;
  /** Length of each sample. */
  readonly milliseconds: number;
}

/** One process count, one round. */
interface ScaleSample {
  readonly processes: number;
  /** Calls per second of all processes together. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of all processes per call, in microseconds, without PostgreSQL's. */
  readonly cpu: number;
}

const PROCESSES = [1, 2, 4];
const CLIENTS = 64;

/** Spreads calls over each number of processes in turn; the other processes idle. */
export function measureScale({ postgresUrl, rounds, milliseconds }: ScalePlan): Promise<ScaleSample[]> {
  return onStage(async ({ upstream, load, folder, atEnd }) => {
    const { url, credentials, remove } = await createDatabase({ folder, users: CALLERS, postgresUrl });
    atEnd(remove);
    const servers: ServerProcess[] = [];
    while (servers.length < Math.max(...PROCESSES)) {
      const server = await startGatewayProcess(url, { upstream, tools: SHIPPED_TOOLS, profileFile: null });
      atEnd(() => server.stop());
      servers.push(server);
    }
    const call = { method: 'tools/call', revision: '2025-11-25' } as const;
    const samples: ScaleSample[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const processes of PROCESSES) {
        const taken = servers.slice(0, processes);
        const origins = taken.map(({ origin }) => origin);
        await load.open(toTarget(call, { ...GATEWAY_ENDPOINT, origins, credentials }, CLIENTS));
        await load.run({ milliseconds: milliseconds / 3 });
        const before = await cpuOf(taken);
        const { requests, seconds, p50, p99 } = await load.run({ milliseconds });
        const cpu = ((await cpuOf(taken)) - before) / requests;
        await load.close();
        samples.push({ processes, rate: requests / seconds, p50, p99, cpu });
      }
    }
    return samples;
  });
}

async function cpuOf(servers: readonly ServerProcess[]): Promise<number> {
  const usages = await Promise.all(servers.map((server) => server.usage()));
  return usages.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0);
}

export function toScaleSection(samples: readonly ScaleSample[], cores: number): Section {
  const counts = [...new Set(samples.map(({ processes }) => processes))];
  const of = (processes: number, figure: keyof ScaleSample): number[] =>
    samples.filter((sample) => sample.processes === processes).map((sample) => sample[figure]);
  const single = median(of(counts[0] ?? 1, 'rate'));
  return {
    name: 'scale',
    title: 'tools/call on gateways that share one PostgreSQL server, 64 clients',
    table: [
      ['gateways', 'calls/s', 'x one', 'p50 ms', 'p99 ms', 'CPU µs'],
      ...counts.map((processes) => [
        String(processes),
        withRange(of(processes, 'rate'), 0),
        (median(of(processes, 'rate')) / single).toFixed(2),
        median(of(processes, 'p50')).toFixed(1),
        withRange(of(processes, 'p99'), 1),
        withRange(of(processes, 'cpu'), 0),
      ]),
    ],
    note: `This machine has ${cores} cores, for gateways, PostgreSQL, upstream and load generator together.`,
  };
}
