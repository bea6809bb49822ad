/** `npm run bench -- gateway`: this gateway beside what else answers MCP clients, in one run against one upstream. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startLoad } from './load-process.ts';
import { measureWorkload, type Plan, type Running, type Series } from './measure.ts';
import { startServer } from './server-process.ts';
import { BARE, type RunningSubject, SUBJECTS, type Subject, type Surroundings } from './subjects.ts';
import { toTable, toText } from './table.ts';
import { writeToolList } from './tool-list.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

export interface GatewayOptions extends Plan {
  /** Names of servers and workloads; empty: all. */
  readonly only: readonly string[];
  readonly postgresUrl: string | null;
  readonly profileFolder: string | null;
}

/** Measures, prints a table for each workload, and returns what was measured. */
export async function benchGateway(options: GatewayOptions): Promise<Series[]> {
  const { subjects, workloads } = choose(options);
  const load = startLoad();
  const upstream = await startServer({ file: 'scripts/bench/gateway/servers/upstream.ts' });
  const all: Series[] = [];
  try {
    for (const workload of workloads) {
      const folder = await mkdtemp(path.join(tmpdir(), 'bench-gateway-'));
      const running = new Map<Subject, RunningSubject>();
      try {
        await startAll(running, subjects, workload, { ...options, upstream: upstream.origin, folder });
        const series = await measureWorkload(load, workload, running, options);
        print(`\n${workload.title}, ${workload.revision}, ${workload.tools} tools\n${toText(toTable(series))}`);
        all.push(...series);
      } finally {
        for (const server of running.values()) await server.stop();
        await rm(folder, { recursive: true, force: true });
      }
    }
  } finally {
    await upstream.stop();
    await load.stop();
  }
  return all;
}

function choose({ only, postgresUrl }: GatewayOptions): { subjects: Subject[]; workloads: readonly Workload[] } {
  const named = SUBJECTS.filter(({ name }) => only.includes(name));
  const wanted = named.length === 0 ? SUBJECTS : SUBJECTS.filter(({ name }) => name === BARE || only.includes(name));
  const subjects = wanted.filter((subject) => {
    const reason = subject.whyMissing({ postgresUrl });
    if (reason !== null) print(`${subject.title}: skipped, because ${reason}`);
    return reason === null;
  });
  const workloads = WORKLOADS.filter(({ name }) => only.includes(name));
  return { subjects, workloads: workloads.length === 0 ? WORKLOADS : workloads };
}

async function startAll(
  running: Map<Subject, RunningSubject>,
  subjects: readonly Subject[],
  { tools, revision }: Workload,
  { clients, ...options }: GatewayOptions & Pick<Surroundings, 'upstream' | 'folder'>,
): Promise<Running> {
  const surroundings = { ...options, tools, users: Math.max(...clients) };
  const listFile = await writeToolList(surroundings);
  for (const subject of subjects) {
    if (!subject.revisions.includes(revision)) continue;
    running.set(subject, await subject.start({ ...surroundings, listFile }));
  }
  return running;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
