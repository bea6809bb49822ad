/** The codegen command: what its arguments mean, and what it prints. */

import path from 'node:path';
import type { Command } from 'commander';
import { addHelpTable, createCommand } from '../shared/cli/command.ts';
import { requireFolder, requireSpecs } from '../shared/cli/folders.ts';
import { type Output, PROCESS_OUTPUT } from '../shared/cli/output.ts';
import { FailureError, UsageError } from '../shared/cli/run.ts';
import type { ServiceRun } from './cache/last-run.ts';
import { findReusable, NO_REUSE, type Reuse, toCounts } from './cache/reuse.ts';
import { compareDiagnostics } from './diagnostics.ts';
import type { GenerateResult, ServiceResult } from './generate.ts';
import { listServices } from './load/service-folder.ts';
import { nearest } from './nearest.ts';
import { formatDiagnostics, formatSummary, type ServiceSummary } from './print.ts';
import { createProgressPrinter } from './progress.ts';
import { type Change, compareGenerated, listGenerated, WriteError, writeChanges } from './write.ts';

/** The outputs of codegen, and the time at which it starts to print its progress. */
interface CodegenOutput extends Output {
  /** Milliseconds of work on a service before its progress is printed. Default: two seconds. */
  readonly quietMs?: number;
}

interface CodegenOptions {
  /** Folder that holds `specs/` and `generated/`. */
  readonly root: string;
  /** Default: every folder of `specs/`. */
  readonly services: readonly string[];
  /** Write nothing; print how `generated/` differs. */
  readonly check?: boolean;
  /** False: generate everything, even what has not changed since the last run. Default: true. */
  readonly cache?: boolean;
  readonly verbose?: boolean;
  /** Print progress only: the caller prints the diagnostics and the summary. Default: false. */
  readonly isQuiet?: boolean;
  /** Called with what was generated, before it is written. */
  readonly onGenerated?: (result: GenerateResult) => void;
  /** Folder of codegen's own sources, which decide what is generated. */
  readonly sources?: string;
}

/** Milliseconds of work on a service before its progress is printed. */
const QUIET_MS = 2000;

/** Milliseconds between two progress lines. */
const TERMINAL_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 2000;

/** `npm run codegen`. The other parameters are for tests. */
export function createCodegenCommand(output: CodegenOutput = PROCESS_OUTPUT, sources = import.meta.dirname): Command {
  const command = createCommand('codegen', output)
    .summary('generate tools from descriptors')
    .description(
      'Writes generated/<service>/ from specs/<service>/openapi.yaml (or mcp.json) and connector.yaml. If there is any error in a ' +
        'service, nothing of it is written.\n\n' +
        'A service is skipped if nothing that affects its files has changed since the last run, and its files are ' +
        'as that run left them. --check never skips.',
    )
    .argument('[service...]', 'names of folders in specs/; default: all of them')
    .option('--check', 'write nothing; fail if generated/ differs, and print how')
    .option('--no-cache', 'generate everything, even what has not changed since the last run')
    .option('--verbose', 'print every warning and note, and the time of each stage')
    .option('--root <dir>', 'folder that holds specs/ and generated/; default: this project')
    .action(async (services: string[], { root = process.cwd(), ...options }: Partial<CodegenOptions>) => {
      requireFolder(path.resolve(root), '--root');
      requireSpecs(path.resolve(root));
      const isUpToDate = await runCodegen({ ...options, root: path.resolve(root), services, sources }, output);
      if (!isUpToDate) throw new FailureError();
    });
  return addHelpTable(command, 'Examples', {
    'utg codegen': 'after a descriptor or a connector.yaml changed',
    'utg codegen crm --verbose': 'one service, with every warning',
    'utg codegen --check': 'what a pull request must pass',
  });
}

/**
 * @returns false where `specs/` has errors, or where `check` found differences; both are printed.
 * @throws {UsageError} for a service that has no folder.
 * @throws {FailureError} if a file cannot be written, and for a bug in codegen.
 */
export async function runCodegen(options: CodegenOptions, output: CodegenOutput): Promise<boolean> {
  const allServices = await listServices(options.root);
  const unknown = options.services.filter((service) => !allServices.includes(service));
  if (unknown.length > 0)
    throw new UsageError(unknown.map((service) => unknownService(service, allServices)).join('\n'));
  try {
    return await run(options, allServices, output);
  } catch (error) {
    const text = error instanceof WriteError ? error.message : `codegen has a bug: ${(error as Error).stack}`;
    throw new FailureError(`${text}\nNothing was written after this.`);
  }
}

async function run(
  {
    root,
    services,
    check = false,
    cache = true,
    verbose = false,
    isQuiet = false,
    onGenerated = () => {},
    sources = import.meta.dirname,
  }: CodegenOptions,
  allServices: readonly string[],
  output: CodegenOutput,
): Promise<boolean> {
  const selected = await selectServices(root, services, allServices);
  const started = performance.now();
  const today = new Date().toISOString().slice(0, 10);
  const reuse = check || !cache ? NO_REUSE : findReusable({ root, services: selected, allServices, sources, today });
  const result = await generateChanged({ root, selected, today, reuse, output });
  onGenerated(result);
  const { out, err } = isQuiet ? SILENT : output;
  const diagnostics = [...reuse.services.values()].flatMap((last) => last.diagnostics);
  err(formatDiagnostics([...result.diagnostics, ...diagnostics].sort(compareDiagnostics), verbose));
  const failed = result.services.filter(({ files }) => files.length === 0).map(({ name }) => name);
  if (failed.length > 0 && failed.length === selected.length) {
    err('Nothing was written.\n');
    return false;
  }
  if (failed.length > 0) err(`${failed.join(', ')}: nothing was written.\n`);
  const servicesWithoutErrors = selected.filter((service) => !failed.includes(service));
  const changes = await compareGenerated({
    root,
    files: result.files,
    unchangedFiles: reuse.files,
    services: servicesWithoutErrors,
    allServices,
  });
  if (check) return (await reportCheck(result, changes, { out })) && failed.length === 0;
  await writeChanges(root, changes);
  if (result.files.length > 0 && failed.length === 0) reuse.recordRun(result);
  const reports = new Map(result.services.map((report) => [report.name, report]));
  const summaries = servicesWithoutErrors.map((name) => toSummary(name, reports.get(name), reuse.services.get(name)));
  out(formatSummary(summaries, changes, { verbose, milliseconds: performance.now() - started }));
  return failed.length === 0;
}

const SILENT: Output = { out: () => {}, err: () => {} };

interface GenerationInput {
  readonly root: string;
  readonly selected: readonly string[];
  readonly today: string;
  readonly reuse: Reuse;
  readonly output: CodegenOutput;
}

/** Loads the generator only where there is something to generate, because its libraries take most of a second. */
async function generateChanged({ root, selected, today, reuse, output }: GenerationInput): Promise<GenerateResult> {
  const services = selected.filter((service) => !reuse.services.has(service));
  if (services.length === 0 && reuse.isIndexUnchanged) return { files: [], diagnostics: [], services: [] };
  const { generate } = await import('./generate.ts');
  const { err, isTerminal = false, quietMs = QUIET_MS } = output;
  const intervalMs = isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
  const { stage, step, end } = createProgressPrinter({ write: err, isTerminal, quietMs, intervalMs });
  try {
    const generated = await listGenerated(root);
    return await generate({ root, services, generated, today, onStage: stage, onStep: step });
  } finally {
    end();
  }
}

function toSummary(name: string, report: ServiceResult | undefined, last: ServiceRun | undefined): ServiceSummary {
  const counts = last ?? toCounts(report?.connector ?? null);
  return { ...counts, name, milliseconds: report?.milliseconds ?? null };
}

async function reportCheck(
  result: GenerateResult,
  changes: readonly Change[],
  { out }: Pick<Output, 'out'>,
): Promise<boolean> {
  const { formatCheck } = await import('./print-check.ts');
  out(formatCheck(result.files.length, changes));
  return changes.length === 0;
}

/** The named services, and those that were never generated: without them, the index would import missing folders. */
async function selectServices(
  root: string,
  requested: readonly string[],
  allServices: readonly string[],
): Promise<string[]> {
  if (requested.length === 0) return [...allServices];
  const generated = await listGenerated(root);
  return allServices.filter((service) => requested.includes(service) || !generated.includes(service));
}

function unknownService(service: string, allServices: readonly string[]): string {
  const folders = allServices.length === 0 ? 'specs/ has no folders.' : `specs/ has: ${allServices.join(', ')}.`;
  const [near] = nearest(service, allServices);
  return `There is no specs/${service}/.${near === undefined ? '' : ` Did you mean ${near}?`} ${folders}`;
}
