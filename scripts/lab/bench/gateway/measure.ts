/** Measures servers in turn, round after round, so that other load on the machine affects all of them alike. */

import type { Load } from './load-process.ts';
import type { Subject } from './subjects.ts';
import type { RunningSubject } from './surroundings.ts';
import { toTarget, type Workload } from './workloads.ts';

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
  readonly answerBytes: number;
  /** See `LoadFigures.share`. */
  readonly generatorShare: number;
}

/** All rounds of one server with one number of clients. */
export interface Series {
  readonly subject: Subject;
  readonly workload: Workload;
  readonly clients: number;
  readonly samples: readonly Sample[];
  /** Milliseconds from the start of the server's process until it listens. */
  readonly listenedAfter: number;
}

export interface Plan {
  readonly rounds: number;
  /** Length of each sample. */
  readonly milliseconds: number;
  /** Warm-up of each server, before the first round. */
  readonly warmUpMilliseconds: number;
  readonly clients: readonly number[];
}

export type Running = ReadonlyMap<Subject, RunningSubject>;

/** Measures every server of one workload. */
export async function measureWorkload(load: Load, workload: Workload, running: Running, plan: Plan): Promise<Series[]> {
  for (const server of running.values()) {
    await load.open(toTarget(workload, { ...server, origins: [server.origin] }, 16));
    await load.run({ milliseconds: plan.warmUpMilliseconds });
    await load.close();
  }
  const rows = plan.clients.flatMap((clients) =>
    [...running].map(([subject, server]) => ({
      subject,
      server,
      workload,
      clients,
      samples: [] as Sample[],
      listenedAfter: server.listenedAfter,
    })),
  );
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const row of rows)
      row.samples.push(await measureOnce(load, workload, row.server, row.clients, plan.milliseconds));
  }
  return rows;
}

async function measureOnce(
  load: Load,
  workload: Workload,
  server: RunningSubject,
  clients: number,
  milliseconds: number,
): Promise<Sample> {
  await load.open(toTarget(workload, { ...server, origins: [server.origin] }, clients));
  await load.run({ milliseconds: milliseconds / 5 });
  const before = await server.usage();
  const { requests, seconds, p50, p99, share, answerBytes } = await load.run({ milliseconds });
  const after = await server.usage();
  await load.close();
  return {
    rate: requests / seconds,
    p50,
    p99,
    cpu: (after.cpuMicroseconds - before.cpuMicroseconds) / requests,
    resident: after.residentBytes,
    answerBytes,
    generatorShare: share,
  };
}
