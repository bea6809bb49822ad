/** The pipeline as a table of contents: load -> model -> tools -> emit. Specs in, files and diagnostics out. */

import { getHeapStatistics } from 'node:v8';
import { decideService, hasErrors } from './decide.ts';
import { compareDiagnostics, DIAGNOSTICS, type Diagnostic, toDiagnostic } from './diagnostics.ts';
import { type EmittedFile, emitConnector, emitIndex } from './emit/index.ts';
import { checkTokenBudget } from './emit/token-budget.ts';
import { listServices } from './load/index.ts';
import { findExpiredAliases, findExpiredOldNames, hasOldNames } from './tools/connector/old-names.ts';
import type { ConnectorModel } from './tools/types.ts';

export type Stage = 'load' | 'model' | 'tools' | 'emit';

interface GenerateOptions {
  /** Folder that holds `specs/` and `generated/`. */
  readonly root: string;
  /** Names of folders in `specs/`. Default: all. */
  readonly services?: readonly string[] | undefined;
  /** Services that were generated before: the index keeps them where they have errors now. */
  readonly generated?: readonly string[];
  /** Called at the start of each stage. */
  readonly onStage?: (service: string, stage: Stage) => void;
  /** Called often during a stage that can take seconds, with its next step. */
  readonly onStep?: (service: string, stage: Stage, next: string) => void;
  /** ISO date: aliases that expired before it cause a warning. Default: today, in UTC. */
  readonly today?: string;
  /** Milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
  /** Used share of the heap's limit, from 0 to 1. Default: what V8 reports. */
  readonly heapShare?: () => number;
}

/** The result for one service. */
export interface ServiceResult {
  readonly name: string;
  /** Null if errors kept the service from being decided. */
  readonly connector: ConnectorModel | null;
  /** Empty if a diagnostic is an error. */
  readonly files: readonly EmittedFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** True where the diagnostics depend on the day. */
  readonly isDated: boolean;
  readonly milliseconds: Readonly<Record<Stage, number>>;
}

export interface GenerateResult {
  /** Every file of the services without an error, and `generated/index.ts`; empty if no service is left. */
  readonly files: readonly EmittedFile[];
  /** Sorted by file, line, pointer and code. */
  readonly diagnostics: readonly Diagnostic[];
  readonly services: readonly ServiceResult[];
}

/**
 * Generates in memory. Reads only the folders of the named services, but the index lists every folder of `specs/`.
 *
 * A service with errors, or one that triggers a bug in codegen, is left out; the others are generated.
 */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const all = await listServices(options.root);
  const files: EmittedFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const services: ServiceResult[] = [];
  for (const service of options.services ?? all) {
    const result = await generateSafely(options, service);
    files.push(...result.files);
    diagnostics.push(...result.diagnostics);
    services.push(result);
  }
  const failed = services.filter((one) => one.files.length === 0).map(({ name }) => name);
  const listed = all.filter((service) => !failed.includes(service) || options.generated?.includes(service));
  return {
    files: listed.length === 0 && failed.length > 0 ? [] : [...files, emitIndex(listed)],
    diagnostics: diagnostics.sort(compareDiagnostics),
    services,
  };
}

/** If a service exceeds a limit or triggers a bug in codegen, only that service fails. */
async function generateSafely(options: GenerateOptions, service: string): Promise<ServiceResult> {
  try {
    return await generateService(options, service);
  } catch (error) {
    const isTooLarge = error instanceof ServiceTooLargeError;
    const code = isTooLarge ? 'service-too-large' : 'codegen-defect';
    const { severity, fix } = DIAGNOSTICS[code];
    const message = isTooLarge ? `${service} was not generated. ${error.message}` : toCauses(error).join(': ');
    const file = `specs/${service}`;
    return {
      name: service,
      connector: null,
      files: [],
      diagnostics: [{ code, severity, file, pointer: '', position: null, message, fix }],
      isDated: false,
      milliseconds: { load: 0, model: 0, tools: 0, emit: 0 },
    };
  }
}

/** The messages of an error and of its causes, with the stack of the innermost. */
function toCauses(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  return error.cause === undefined ? [error.stack ?? error.message] : [error.message, ...toCauses(error.cause)];
}

async function generateService(options: GenerateOptions, service: string): Promise<ServiceResult> {
  const clock = createClock(options, service);
  const checkLimits = createLimitCheck(options);
  const { loaded, decided, configFile, ...found } = await decideService(
    { root: options.root, service },
    { onStage: clock.begin, onOperation: checkLimits },
  );
  const problems = [...found.problems];
  const connector = decided?.connector ?? null;
  let files: EmittedFile[] = [];
  if (connector !== null) {
    const today = options.today ?? new Date().toISOString().slice(0, 10);
    problems.push(...findExpiredAliases(loaded.handWritten, today));
    const listed = [...connector.tools, ...connector.handWritten];
    problems.push(...(await checkTokenBudget(listed, loaded.config.budget, configFile)));
    if (loaded.configFile !== null) problems.push(...findExpiredOldNames(loaded.config, loaded.configFile, today));
  }
  if (connector !== null && !hasErrors(problems)) {
    clock.begin('emit');
    const onStep = (next: string) => {
      checkLimits(next);
      options.onStep?.(service, 'emit', next);
    };
    files = await emitConnector(connector, loaded.document, onStep);
  }
  return {
    name: service,
    connector,
    files,
    diagnostics: problems.map((problem) => toDiagnostic(problem, loaded.locate)),
    isDated:
      hasOldNames(loaded.config) || loaded.handWritten.some(({ definition }) => definition.aliases !== undefined),
    milliseconds: clock.end(),
  };
}

/** Wall-clock time from the first operation to the last file: ten times what 10,000 operations take. */
const MAX_MILLISECONDS = 600_000;
/** Share of this process's heap; the rest is for the files of the other services. */
const MAX_HEAP_SHARE = 0.85;

/** Thrown if one service needs more time or memory than any should. */
class ServiceTooLargeError extends Error {
  override name = 'ServiceTooLargeError';
}

/**
 * Starts the clock. Call the returned function before each step with the step's place, such as `post /search
 * (/paths/~1search/post)`. Steps are small, because each operation has its own limits.
 *
 * @throws {ServiceTooLargeError} from the returned function, with the place at which the limit was reached
 */
function createLimitCheck({
  now = () => performance.now(),
  heapShare = shareOfHeap,
}: GenerateOptions): (where: string) => void {
  const started = now();
  return (where) => {
    const seconds = (now() - started) / 1000;
    if (seconds * 1000 > MAX_MILLISECONDS) {
      throw new ServiceTooLargeError(`It was not done after ${MAX_MILLISECONDS / 1000} s, at ${where}.`);
    }
    const share = heapShare();
    if (share > MAX_HEAP_SHARE) {
      const percent = Math.round(share * 100);
      throw new ServiceTooLargeError(
        `It needs too much memory: ${percent} % of what Node may have is used, at ${where}.`,
      );
    }
  };
}

function shareOfHeap(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}

function createClock({ onStage, now = () => performance.now() }: GenerateOptions, service: string) {
  const milliseconds: Record<Stage, number> = { load: 0, model: 0, tools: 0, emit: 0 };
  let current: Stage | null = null;
  let since = now();
  function finish(): void {
    if (current !== null) milliseconds[current] = now() - since;
    since = now();
  }
  return {
    begin(stage: Stage): void {
      finish();
      current = stage;
      onStage?.(service, stage);
    },
    end(): Readonly<Record<Stage, number>> {
      finish();
      return milliseconds;
    },
  };
}
