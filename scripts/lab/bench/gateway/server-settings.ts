/** The settings that the benchmark's own servers are started with. */

export interface ServerSettings {
  readonly port: number;
  /** Origin of the upstream. */
  readonly upstream: string;
  /** JSON file with the result of `tools/list`. */
  readonly listFile: string;
}

/** @throws {Error} if a setting is missing: only the benchmark starts these servers. */
export function readServerSettings(): ServerSettings {
  const { PORT, BENCH_UPSTREAM, BENCH_LIST_FILE } = process.env;
  if (PORT === undefined || BENCH_UPSTREAM === undefined || BENCH_LIST_FILE === undefined) {
    throw new Error('PORT, BENCH_UPSTREAM and BENCH_LIST_FILE must be set');
  }
  return { port: Number(PORT), upstream: BENCH_UPSTREAM, listFile: BENCH_LIST_FILE };
}
