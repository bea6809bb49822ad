/** Code mode: clients that write programs instead of calling tools one by one. */

import { availableParallelism } from 'node:os';
import { LoopTurns } from '../../base/limits/loop-turns.ts';
import { RunQueue } from '../../base/limits/run-queue.ts';
import { createSealedCache, type SealedCacheRow, sealedCacheTable } from '../../base/sealed-cache.ts';
import { McpError } from '../../call/mcp/additions.ts';
import { INVALID_PARAMS } from '../../call/mcp/json-rpc.ts';
import type { CodeTool } from '../../call/tools/call/dependencies.ts';
import { settingIn } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { defineModule } from '../../module.ts';
import { MAX_RESOURCE, RESULT_URI_PREFIX } from './messages.ts';
import type { StoredValue } from './run-code.ts';
import { ProgramThreads } from './threads.ts';
import { createCodeTools } from './tools.ts';

declare module '../../base/store/schema.ts' {
  interface Database {
    kept_by_code: SealedCacheRow;
  }
}

const limits = settingIn('Limits');

/** Limits of one program. */
const MAX_CPU_MS = 2_000;
const MAX_CALLS = 500;
/** Most stored results and collected calls of one user. */
const MAX_STORED = 10;

const SETTINGS = {
  atOnce: limits({
    variable: 'CODE_RUNS_AT_ONCE',
    read: wholeNumber(0, 64),
    default: null,
    defaultText: 'one less than the cores of the machine, and at least 1',
    meaning:
      'Programs of `run_code` that run at the same time, each in a thread, in one process. 0: none; then CATALOGUE_MODE=code is as search.',
    example: '2',
  }),
  totalMs: limits({
    variable: 'CODE_TIMEOUT_MS',
    read: wholeNumber(1_000, 600_000),
    default: 60_000,
    meaning: 'Time of one program with its calls, in milliseconds.',
  }),
  callsPerMinute: limits({
    variable: 'CODE_CALLS_PER_MINUTE',
    read: wholeNumber(1, 1_000_000),
    default: 2_000,
    meaning: "Calls of tools that a user's programs make per minute. They do not count for TOOL_CALLS_PER_MINUTE.",
  }),
};

const TOO_LONG =
  'The result is too long to be read whole. Select from it with read_kept, or read it in a program of run_code.';

type Call = CodeTool['run'] & {};

/** Returns a call that is loaded when it is first made. */
function lazyCall(load: () => Promise<Call>): Call {
  let loaded: Promise<Call> | undefined;
  return async (...call) => {
    loaded ??= load();
    return (await loaded)(...call);
  };
}

export const code = defineModule({
  name: 'code',
  summary: 'Runs programs of models, which call the tools of their user, in an isolated engine.',
  settings: SETTINGS,
  storage: sealedCacheTable('code', 'kept_by_code', 'a later program of the same client reads it soon, or never'),
  provide({ config, store, keys, now, limits: rateLimits, workBudget, threads, log }, settings) {
    const { totalMs, callsPerMinute } = settings;
    const atOnce = settings.atOnce ?? Math.max(1, availableParallelism() - 1);
    if (atOnce === 0) return { codeTools: [], programs: null };
    const queue = new RunQueue(atOnce);
    const programThreads = new ProgramThreads();
    const stopping = new AbortController();
    const counted = { runs: 0, failed: 0 };
    const storedValues = createSealedCache<StoredValue>({
      db: store.db,
      keys,
      now,
      rules: config.withhold,
      table: 'kept_by_code',
      prefix: 'kept_',
      maxPerUser: MAX_STORED,
      threads,
      budget: workBudget,
    });
    const turns = new LoopTurns(workBudget.charge);
    const runParts = {
      queue,
      storedValues,
      resultTokens: config.resultTokens,
      stopping: stopping.signal,
      budget: workBudget,
      turns,
      threads,
      calls: rateLimits.reconciled({ name: 'code calls', points: callsPerMinute, durationSeconds: 60 }),
      programThreads,
      limits: { cpuMs: MAX_CPU_MS, totalMs, calls: MAX_CALLS },
      onRun(run: { readonly ms: number; readonly calls: number; readonly how: string }) {
        counted.runs += 1;
        if (run.how !== 'done') counted.failed += 1;
        log.debug(run, 'a program has run');
      },
    };
    // Loaded on first use, because most gateways run no program.
    const runCode = lazyCall(async () => (await import('./run-code.ts')).createRunCode(runParts));
    const readKept = lazyCall(async () => (await import('./read-kept.ts')).createReadKept(runParts));
    return {
      codeTools: createCodeTools({ runCode, readKept }),
      programs: { storedValues, turns, queue, counted, stopping, programThreads },
    };
  },
  open({ workBudget, threads }, _settings, { programs }) {
    if (programs === null) return {};
    const { storedValues, turns, queue, counted, stopping, programThreads } = programs;
    return {
      resources: {
        prefix: RESULT_URI_PREFIX,
        template: {
          uriTemplate: `${RESULT_URI_PREFIX}{handle}`,
          name: 'kept-result',
          description:
            'A result of run_code that was too large for its answer, by its handle, for ten minutes, if it has at most 1 MiB.',
        },
        async read(principal, uri) {
          const value = await storedValues.read(principal, uri.slice(RESULT_URI_PREFIX.length));
          if (value === undefined || !('result' in value)) return undefined;
          if (value.result.length > MAX_RESOURCE) throw new McpError(INVALID_PARAMS, TOO_LONG, { uri });
          // Writing the answer takes some milliseconds.
          await turns.take(principal.userId);
          return { mimeType: 'application/json', text: value.result };
        },
      },
      metrics: [
        {
          name: 'gateway.code.runs',
          description: 'Programs that have run.',
          kind: 'counter',
          read: () => counted.runs,
        },
        {
          name: 'gateway.code.failed',
          description: 'Programs that failed.',
          kind: 'counter',
          read: () => counted.failed,
        },
        { name: 'gateway.code.running', description: 'Programs that run.', kind: 'gauge', read: () => queue.running },
        { name: 'gateway.code.waiting', description: 'Programs that wait.', kind: 'gauge', read: () => queue.waiting },
        {
          name: 'gateway.code.work_milliseconds',
          description: 'Milliseconds of one processor that large answers and calls of programs have taken.',
          kind: 'counter',
          read: () => Math.round(workBudget.chargedMs),
        },
        {
          name: 'gateway.code.work_jobs',
          description: 'Large answers that are being read, or wait for that.',
          kind: 'gauge',
          read: () => threads.jobs,
        },
      ],
      async close() {
        stopping.abort();
        // Waits until programs have ended, so that all of their calls are recorded.
        await queue.idle();
        await programThreads.close();
      },
    };
  },
});
