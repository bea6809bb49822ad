/** `npm run lab -- bench gateway-memory`: measures whether a gateway's memory grows with its calls. */

import { setTimeout as delay } from 'node:timers/promises';
import { SHIPPED_TOOLS, startGateway } from './gateway-process.ts';
import type { Section } from './report.ts';
import { onStage } from './stage.ts';
import { toTarget } from './workloads.ts';

interface MemoryPlan {
  /** Users who call in turn. */
  readonly users: number;
  /** Ascending call counts after which memory is read. */
  readonly calls: readonly number[];
}

export interface MemoryFigure {
  /** Since the gateway's start. */
  readonly calls: number;
  readonly residentBytes: number;
  /** Heap size after a full garbage collection. */
  readonly liveBytes: number;
}

const CLIENTS = 16;
/** Time to write and collect what the last calls left behind. */
const SETTLE_MS = 1_000;

/** Calls a gateway on SQLite, and reads its memory at intervals. */
export function measureMemory({ users, calls }: MemoryPlan): Promise<MemoryFigure[]> {
  return onStage(async ({ upstream, load, folder, atEnd }) => {
    const gateway = await startGateway({
      upstream,
      folder,
      users,
      tools: SHIPPED_TOOLS,
      postgresUrl: null,
      profileFile: null,
      listFile: '',
    });
    atEnd(() => gateway.stop());
    const call = { method: 'tools/call', revision: '2025-11-25' } as const;
    await load.open(toTarget(call, gateway, CLIENTS));
    const read: MemoryFigure[] = [];
    let made = CLIENTS;
    for (const count of calls) {
      await load.run({ requests: count - made });
      made = count;
      await delay(SETTLE_MS);
      const { residentBytes } = await gateway.usage();
      read.push({ calls: count, residentBytes, liveBytes: await gateway.liveHeap() });
    }
    await load.close();
    return read;
  });
}

export function toMemorySection(read: readonly MemoryFigure[], users: number): Section {
  const [first] = read;
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const growth = ({ residentBytes }: MemoryFigure): string =>
    first === undefined ? '' : (residentBytes / first.residentBytes).toFixed(2);
  return {
    name: 'memory',
    title: `Memory of a gateway on SQLite whose ${users} users call tools in turn`,
    table: [
      ['calls', 'resident MB', 'x first', 'live heap MB'],
      ...read.map((one) => [String(one.calls), megabytes(one.residentBytes), growth(one), megabytes(one.liveBytes)]),
    ],
  };
}
