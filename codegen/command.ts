/** The codegen command: what its arguments mean, what it prints, and which exit code tells what happened. */

import path from 'node:path';
import { parseArgs } from 'node:util';
import type { ServiceRun } from './cache/last-run.ts';
import { findReusable, NO_REUSE, type Reuse, toCounts } from './cache/reuse.ts';
import { compareDiagnostics } from './diagnostics.ts';
import type { GenerateResult, ServiceResult } from './generate.ts';
import { listServices } from './load/service-folder.ts';
import { nearest } from './nearest.ts';
import { formatDiagnostics, formatSummary, type ServiceSummary } from './print.ts';
import { createProgressPrinter } from './progress.ts';
import { type Change, compareGenerated, listGenerated, WriteError, writeChanges } from './write.ts';

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True where `err` leads to a terminal, on which a line can be written over. Default: false. */
  readonly isTerminal?: boolean;
  /** How long a service is worked on before it is told how far it is, in milliseconds. Default: two seconds. */
  readonly quietMs?: number;
}

const HELP = `npm run codegen [-- [service...] [options]]

Makes generated/<service>/ from specs/<service>/openapi.yaml and connector.yaml.
Without names: every folder of specs/. Where anything is wrong, nothing is written.
A service is left alone where nothing that decides its files changed since the last run, and its files are as that run
left them. --check never relies on that.

  --check       write nothing; print how generated/ differs from what would be written
  --no-cache    generate everything, also what did not change since the last run
  --verbose     print every warning and note, and the time of each stage
  --root <dir>  folder that holds specs/ and generated/ (default: this project)
  --help        print this

Exit codes
  0  generated/ is up to date (it was, or it is now)
  1  specs/ has errors, or --check found differences
  2  wrong arguments, or a defect of codegen itself
`;

/** From here on it is told how far one service is, in milliseconds. */
const QUIET_MS = 2000;

/** Time between two such lines, in milliseconds. */
const TERMINAL_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 2000;

/**
 * @param sources Folder of codegen's own sources, which decide what is generated.
 * @returns The exit code, as the help text lists them.
 */
export async function runCodegen(
  argv: readonly string[],
  output: Output,
  sources: string = import.meta.dirname,
): Promise<0 | 1 | 2> {
  const { out, err } = output;
  const parsed = readArguments(argv);
  if (typeof parsed === 'string') {
    err(`${parsed}\nRun \`npm run codegen -- --help\` for what is possible.\n`);
    return 2;
  }
  if (parsed.help) {
    out(HELP);
    return 0;
  }
  const known = await listServices(parsed.root);
  const unknown = parsed.services.filter((service) => !known.includes(service));
  if (unknown.length > 0) {
    err(unknown.map((service) => `${unknownService(service, known)}\n`).join(''));
    return 2;
  }
  try {
    return await run({ ...parsed, known, sources }, output);
  } catch (error) {
    const text = error instanceof WriteError ? error.message : `codegen has a defect: ${(error as Error).stack}`;
    err(`${text}\nNothing was written after this.\n`);
    return 2;
  }
}

interface Arguments {
  readonly services: readonly string[];
  readonly check: boolean;
  readonly verbose: boolean;
  readonly 'no-cache': boolean;
  readonly help: boolean;
  readonly root: string;
}

interface Run extends Arguments {
  readonly known: readonly string[];
  readonly sources: string;
}

async function run(
  { root, services, known, check, verbose, sources, 'no-cache': noCache }: Run,
  output: Output,
): Promise<0 | 1> {
  const selected = await selectServices(root, services, known);
  const started = performance.now();
  const today = new Date().toISOString().slice(0, 10);
  const reuse = check || noCache ? NO_REUSE : findReusable({ root, services: selected, known, sources, today });
  const result = await generateRest({ root, selected, today, reuse, output });
  const diagnostics = [...reuse.services.values()].flatMap((last) => last.diagnostics);
  output.err(formatDiagnostics([...result.diagnostics, ...diagnostics].sort(compareDiagnostics), verbose));
  if (result.diagnostics.some(({ severity }) => severity === 'error')) {
    output.err('Nothing was written.\n');
    return 1;
  }
  const changes = await compareGenerated({ root, files: result.files, kept: reuse.files, services: selected, known });
  if (check) return reportCheck(result, changes, output);
  await writeChanges(root, changes);
  if (result.files.length > 0) reuse.keep(result);
  const reports = new Map(result.services.map((report) => [report.name, report]));
  const summaries = selected.map((name) => toSummary(name, reports.get(name), reuse.services.get(name)));
  output.out(formatSummary(summaries, changes, { verbose, milliseconds: performance.now() - started }));
  return 0;
}

interface Rest {
  readonly root: string;
  readonly selected: readonly string[];
  readonly today: string;
  readonly reuse: Reuse;
  readonly output: Output;
}

/** Loads the generator only where there is something to generate, because its libraries take most of a second. */
async function generateRest({ root, selected, today, reuse, output }: Rest): Promise<GenerateResult> {
  const services = selected.filter((service) => !reuse.services.has(service));
  if (services.length === 0 && reuse.index) return { files: [], diagnostics: [], services: [] };
  const { generate } = await import('./generate.ts');
  const { err, isTerminal = false, quietMs = QUIET_MS } = output;
  const intervalMs = isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS;
  const { stage, step, end } = createProgressPrinter({ write: err, isTerminal, quietMs, intervalMs });
  try {
    return await generate({ root, services, today, onStage: stage, onStep: step });
  } finally {
    end();
  }
}

function toSummary(name: string, report: ServiceResult | undefined, last: ServiceRun | undefined): ServiceSummary {
  const counts = last ?? toCounts(report?.connector ?? null);
  return { ...counts, name, milliseconds: report?.milliseconds ?? null };
}

async function reportCheck(result: GenerateResult, changes: readonly Change[], { out }: Output): Promise<0 | 1> {
  const { formatCheck } = await import('./print-check.ts');
  out(formatCheck(result.files.length, changes));
  return changes.length === 0 ? 0 : 1;
}

/** The named services, and those that were never generated: the index would import folders that do not exist. */
async function selectServices(root: string, named: readonly string[], known: readonly string[]): Promise<string[]> {
  if (named.length === 0) return [...known];
  const generated = await listGenerated(root);
  return known.filter((service) => named.includes(service) || !generated.includes(service));
}

function readArguments(argv: readonly string[]): Arguments | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        check: { type: 'boolean', default: false },
        'no-cache': { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        root: { type: 'string', default: path.dirname(import.meta.dirname) },
      },
    });
    return { ...values, root: path.resolve(values.root), services: positionals };
  } catch (error) {
    return (error as Error).message;
  }
}

function unknownService(service: string, known: readonly string[]): string {
  const folders = known.length === 0 ? 'specs/ has no folders.' : `specs/ has: ${known.join(', ')}.`;
  const [near] = nearest(service, known);
  return `There is no specs/${service}/.${near === undefined ? '' : ` Did you mean ${near}?`} ${folders}`;
}
