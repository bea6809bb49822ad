/** `npm run lab -- bench gateway`: measures this gateway and other MCP servers in one run against one upstream. */

import path from 'node:path';
import { createDatabase, GATEWAY_ENDPOINT, SHIPPED_TOOLS, startGatewayProcess } from './gateway-process.ts';
import { measureWorkload, mergeRuns, type Plan, type Series, toWorkloadSection } from './measure.ts';
import { type Print, type Section, withRange } from './report.ts';
import type { RunningSubject } from './server-process.ts';
import { onStage, type Stage } from './stage.ts';
import { BARE, SUBJECTS, type Subject } from './subjects.ts';
import { askForList, WORKLOADS, type Workload, writeToolList } from './workloads.ts';

export interface GatewayOptions extends Plan {
  /** How often everything is measured, each time by processes of its own. */
  readonly runs: number;
  /** Names of servers and workloads; empty: all. */
  readonly only: readonly string[];
  readonly postgresUrl: string | null;
  /** Where gateways write their CPU profiles; null: none. */
  readonly profileFolder: string | null;
}

export interface GatewayFigures {
  readonly series: readonly Series[];
  /** Milliseconds of each start. */
  readonly starts: readonly number[];
}

/** Measures one workload after another, each on its own servers, and prints a table for each. */
export async function benchGateway(options: GatewayOptions, print: Print): Promise<GatewayFigures> {
  const { subjects, workloads } = choose(options);
  const series: Series[] = [];
  for (const workload of workloads) {
    const runs: Series[][] = [];
    while (runs.length < options.runs) {
      runs.push(await onStage((stage) => benchWorkload(stage, workload, subjects, options)));
    }
    series.push(...mergeRuns(runs));
    const took = options.runs === 1 ? `${options.rounds} rounds` : `${options.runs} runs of ${options.rounds} rounds`;
    const section = toWorkloadSection(
      series.filter((row) => row.workload === workload),
      took,
    );
    if (section !== null) print(section);
  }
  if (options.profileFolder !== null) process.stdout.write(`\nCPU profiles: ${options.profileFolder}\n`);
  const starts = await onStage((stage) => measureStarts(stage, options.runs * options.rounds));
  print(toStartSection(starts));
  return { series, starts };
}

function choose({ only, postgresUrl }: GatewayOptions): { subjects: Subject[]; workloads: readonly Workload[] } {
  const named = SUBJECTS.filter(({ name }) => only.includes(name));
  const wanted = named.length === 0 ? SUBJECTS : SUBJECTS.filter(({ name }) => name === BARE || only.includes(name));
  const subjects = wanted.filter((subject) => {
    if (!subject.needsPostgres || postgresUrl !== null) return true;
    const why = 'there is no PostgreSQL server (--postgres-url, or TEST_DATABASE_URL)';
    process.stdout.write(`${subject.title}: skipped, because ${why}\n`);
    return false;
  });
  const workloads = WORKLOADS.filter(({ name }) => only.includes(name));
  return { subjects, workloads: workloads.length === 0 ? WORKLOADS : workloads };
}

async function benchWorkload(
  { upstream, load, folder, atEnd }: Stage,
  workload: Workload,
  subjects: readonly Subject[],
  options: GatewayOptions,
): Promise<Series[]> {
  const surroundings = {
    upstream,
    folder,
    tools: workload.tools,
    users: Math.max(...options.clients),
    postgresUrl: options.postgresUrl,
  };
  const listFile = await writeToolList(surroundings);
  const running = new Map<Subject, RunningSubject>();
  for (const subject of subjects.filter(({ revisions }) => revisions.includes(workload.revision))) {
    const profileFile =
      options.profileFolder && path.join(options.profileFolder, `${workload.name}-${subject.name}.cpuprofile`);
    const server = await subject.start({ ...surroundings, listFile, profileFile });
    atEnd(() => server.stop());
    running.set(subject, server);
  }
  return measureWorkload(load, workload, running, options);
}

/** @returns milliseconds from the start of the process to the end of its first `tools/list`, one value per start. */
async function measureStarts({ upstream, folder }: Stage, starts: number): Promise<number[]> {
  const { url, credentials } = await createDatabase({ folder, users: 1, postgresUrl: null });
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const server = await startGatewayProcess(url, { upstream, tools: SHIPPED_TOOLS, profileFile: null });
    await askForList({ ...GATEWAY_ENDPOINT, origin: server.origin, credentials });
    times.push(performance.now() - server.startedAt);
    await server.stop();
  }
  return times;
}

function toStartSection(starts: readonly number[]): Section {
  return {
    name: 'start',
    title: 'From the start of the process to its first answer',
    table: [
      ['tools', 'ms'],
      [String(SHIPPED_TOOLS), withRange(starts, 0)],
    ],
  };
}
