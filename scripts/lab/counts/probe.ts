/** Loaded with `--import` into a measured gateway and into its threads: counts what it does, and tells it over IPC. */

import { type HeapProfiler, type Profiler, Session } from 'node:inspector';
import { createRequire, registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/**
 * What is asked: the modules that were loaded until now · to begin to sample what is allocated, and the bytes by function · to begin to count
 * what the store and the sockets are sent, and the counts · how often each function was entered since it was last asked.
 */
export interface Answers {
  readonly modules: readonly string[];
  readonly sample: null;
  readonly sampled: Readonly<Record<string, number>>;
  readonly watch: null;
  readonly sent: Sent;
  readonly entered: Readonly<Record<string, number>>;
}

/** What the store and the sockets were sent so far, by the process and its threads. */
export interface Sent {
  readonly socketWrites: number;
  /** Of the main thread, by their text. */
  readonly statements: Readonly<Record<string, number>>;
  readonly statementsOfThreads: number;
}

const SHARED = 'statements of threads';
const SAMPLING = {
  samplingInterval: 4096,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};
const require = createRequire(import.meta.url);
const loaded = new Set<string>();
const statements = new Map<string, number>();
const session = new Session();
let socketWrites = 0;

// biome-ignore lint/suspicious/noExplicitAny: it replaces methods of other people's prototypes by their names.
type Methods = Record<string, (this: any, ...args: any[]) => unknown>;

function before(methods: Methods, name: string, count: (self: unknown, args: readonly unknown[]) => void): void {
  const original = methods[name];
  if (original === undefined) throw new Error(`there is no ${name} to count`);
  methods[name] = function (...args) {
    count(this, args);
    return original.apply(this, args);
  };
}

function watchStatements(count: (text: string) => void): void {
  const Sqlite = require('better-sqlite3');
  const memory = new Sqlite(':memory:');
  const statement = Object.getPrototypeOf(memory.prepare('select 1'));
  memory.close();
  for (const name of ['run', 'get', 'all', 'iterate']) {
    before(statement, name, (self) => count((self as { source: string }).source));
  }
  before(Sqlite.prototype, 'exec', (_, [text]) => count(String(text)));
  before(Sqlite.prototype, 'pragma', (_, [text]) => count(`pragma ${text}`));
  before(require('pg').Client.prototype, 'query', (_, [query]) => {
    count(typeof query === 'string' ? query : ((query as { text?: string }).text ?? 'a cursor'));
  });
}

function watchMainThread(): void {
  for (const name of ['_write', '_writev']) {
    before(Socket.prototype as unknown as Methods, name, () => {
      socketWrites += 1;
    });
  }
  watchStatements((text) => statements.set(text, (statements.get(text) ?? 0) + 1));
}

function post<Result>(method: string, params?: object): Promise<Result> {
  return new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error === null ? resolve(result as Result) : reject(error))),
  );
}

async function sampled(): Promise<Record<string, number>> {
  const { profile } = await post<HeapProfiler.StopSamplingReturnType>('HeapProfiler.stopSampling');
  const bytes: Record<string, number> = {};
  const add = ({
    callFrame: { url, functionName },
    selfSize,
    children,
  }: HeapProfiler.SamplingHeapProfileNode): void => {
    const name = `${url} ${functionName}`;
    bytes[name] = (bytes[name] ?? 0) + selfSize;
    for (const child of children) add(child);
  };
  add(profile.head);
  return bytes;
}

let coverage: Promise<unknown> | undefined;

async function entered(): Promise<Record<string, number>> {
  // Starting it again would forget what was entered.
  coverage ??= post('Profiler.enable').then(() =>
    post('Profiler.startPreciseCoverage', { callCount: true, detailed: false }),
  );
  await coverage;
  const { result } = await post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
  const all = result.flatMap(({ url, functions }) =>
    functions.map(({ functionName, ranges: [range] }) => {
      const { count = 0, startOffset = 0 } = range ?? {};
      const isWholeFile = functionName === '' && startOffset === 0;
      return [`${url}:${startOffset} ${functionName}`, isWholeFile ? 0 : count] as const;
    }),
  );
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

function answerQuestions(statementsOfThreads: Int32Array): void {
  const hooks = registerHooks({
    load(url, context, next) {
      loaded.add(url);
      return next(url, context);
    },
  });
  session.connect();
  const answers: { readonly [Question in keyof Answers]: () => Answers[Question] | Promise<Answers[Question]> } = {
    modules() {
      hooks.deregister();
      return [...loaded].filter((url) => url.startsWith('file:') && url !== import.meta.url);
    },
    sample: () => post('HeapProfiler.startSampling', SAMPLING),
    sampled,
    watch() {
      watchMainThread();
      return null;
    },
    sent: () => ({
      socketWrites,
      statements: Object.fromEntries(statements),
      statementsOfThreads: Atomics.load(statementsOfThreads, 0),
    }),
    entered,
  };
  process.on('message', async (question) => {
    if (typeof question !== 'string' || !(question in answers)) return;
    process.send?.(await answers[question as keyof Answers]());
  });
  process.channel?.unref();
}

// What the optimizing compilers leave out depends on when they run. Without them, the code allocates what is written.
for (const flag of ['--no-opt', '--no-maglev']) setFlagsFromString(flag);
if (isMainThread) {
  const shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setEnvironmentData(SHARED, shared as never);
  answerQuestions(shared);
} else {
  const shared = getEnvironmentData(SHARED) as unknown as Int32Array;
  watchStatements(() => Atomics.add(shared, 0, 1));
}
