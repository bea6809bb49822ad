/** The codegen command: what its arguments mean, what it prints, and which exit code tells what happened. */

import path from 'node:path';
import { parseArgs } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { type GenerateResult, generate, type Stage } from './generate.ts';
import { listServices } from './load/index.ts';
import { formatCheck, formatDiagnostics, formatSummary } from './print.ts';
import { type Change, compareGenerated, listGenerated, WriteError, writeChanges } from './write.ts';

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** How long a service is worked on before its stages are announced, in milliseconds. Default: two seconds. */
  readonly quietMs?: number;
}

const HELP = `npm run codegen [-- [service...] [options]]

Makes generated/<service>/ from specs/<service>/openapi.yaml and connector.yaml.
Without names: every folder of specs/. Where anything is wrong, nothing is written.

  --check       write nothing; print how generated/ differs from what would be written
  --verbose     print every warning and note, and the time of each stage
  --root <dir>  folder that holds specs/ and generated/ (default: this project)
  --help        print this

Exit codes
  0  generated/ is up to date (it was, or it is now)
  1  specs/ has errors, or --check found differences
  2  wrong arguments, or a defect of codegen itself
`;

/** From here on the stages of one service are announced, in milliseconds. */
const QUIET_MS = 2000;

/** @returns The exit code, as the help text lists them. */
export async function runCodegen(argv: readonly string[], output: Output): Promise<0 | 1 | 2> {
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
    return await run({ ...parsed, known }, output);
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
  readonly help: boolean;
  readonly root: string;
}

async function run(
  { root, services, known, check, verbose }: Arguments & { known: readonly string[] },
  output: Output,
) {
  const selected = await selectServices(root, services, known);
  const started = performance.now();
  const result = await generate({
    root,
    services: selected,
    onStage: announceSlowServices(output),
  });
  output.err(formatDiagnostics(result.diagnostics, verbose));
  if (result.diagnostics.some(({ severity }) => severity === 'error')) {
    output.err('Nothing was written.\n');
    return 1;
  }
  const changes = await compareGenerated({ root, files: result.files, services: selected, known });
  if (check) return reportCheck(result, changes, output);
  await writeChanges(root, changes);
  output.out(formatSummary(result.services, changes, { verbose, milliseconds: performance.now() - started }));
  return 0;
}

function announceSlowServices({ err, quietMs = QUIET_MS }: Output): (service: string, stage: Stage) => void {
  let current = '';
  let since = 0;
  return (service, stage) => {
    if (service !== current) since = performance.now();
    current = service;
    if (performance.now() - since > quietMs) err(`${service}: ${stage} ...\n`);
  };
}

function reportCheck(result: GenerateResult, changes: readonly Change[], { out }: Output): 0 | 1 {
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
  const nearest = known.length === 0 ? null : closest(service, [...known]);
  const near = nearest !== null && distance(service, nearest) <= Math.max(2, service.length / 3);
  return `There is no specs/${service}/.${near ? ` Did you mean ${nearest}?` : ''} ${folders}`;
}
