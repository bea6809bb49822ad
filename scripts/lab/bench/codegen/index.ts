/** Measures codegen and openapi-typescript in one run, on GitHub's descriptor and on a generated one. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median, medianRatio, toText } from '../gateway/report.ts';
import { createWideDescriptor } from './synthetic.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const DESCRIPTOR = path.join(ROOT, '.ci/tools/node_modules/@octokit/openapi/generated/api.github.com.json');
/** Reports what a process used. */
const USAGE = path.join(import.meta.dirname, 'usage.cjs');

interface Row {
  readonly title: string;
  readonly argv: readonly string[];
  /** Runs before each measurement, outside the measured time. */
  readonly prepare?: () => Promise<void>;
}

/** Prints one table per descriptor with one row per program, and ratios to openapi-typescript in the same round. */
export async function benchCodegen({ rounds }: { readonly rounds: number }): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-codegen-'));
  try {
    if (existsSync(DESCRIPTOR)) await measureTable("GitHub's descriptor", await prepareRows(folder), rounds, folder);
    else print("\nGitHub's descriptor: skipped, because @octokit/openapi is not installed (npm ci --prefix .ci/tools)");
    const synthetic = await prepareSynthetic(folder, createWideDescriptor(10_000));
    await measureTable('10,000 synthetic operations', synthetic, rounds, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureTable(subject: string, rows: readonly Row[], rounds: number, folder: string): Promise<void> {
  const costs = new Map<string, Cost[]>(rows.map(({ title }) => [title, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const { title, argv, prepare } of rows) {
      await prepare?.();
      const cost = await runWholeProcess(argv, folder);
      costs.get(title)?.push(cost);
      process.stderr.write(`round ${round} of ${rounds}: ${title}: ${cost.wall.toFixed(1)} s\n`);
    }
  }
  printTable(subject, [...costs], rounds);
}

async function prepareSynthetic(folder: string, descriptor: object): Promise<Row[]> {
  const root = path.join(folder, 'synthetic');
  await mkdir(path.join(root, 'specs/service'), { recursive: true });
  await mkdir(path.join(root, 'node_modules'));
  const file = path.join(root, 'specs/service/openapi.json');
  await writeFile(file, JSON.stringify(descriptor));
  return [
    typesRow(file, folder),
    {
      title: 'codegen --no-cache',
      argv: [...CODEGEN, root, '--no-cache'],
      prepare: () => rm(path.join(root, 'generated'), { recursive: true, force: true }),
    },
  ];
}

const CODEGEN = [path.join(ROOT, 'scripts/node.mjs'), path.join(ROOT, 'codegen/main.ts'), '--root'];

/** The row that all others are compared with. */
function typesRow(descriptor: string, folder: string): Row {
  const cli = path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js');
  return { title: 'openapi-typescript', argv: [cli, descriptor, '-o', path.join(folder, 'types.d.ts')] };
}

/** The first row is the one that all others are compared with. */
async function prepareRows(folder: string): Promise<Row[]> {
  const root = path.join(folder, 'project');
  await mkdir(path.join(root, 'specs/github'), { recursive: true });
  await mkdir(path.join(root, 'node_modules'));
  await copyFile(DESCRIPTOR, path.join(root, 'specs/github/openapi.json'));
  const codegen = [...CODEGEN, root];
  process.stderr.write('a first run of codegen, which leaves its record\n');
  await runWholeProcess(codegen, folder);

  const removeGenerated = () => rm(path.join(root, 'generated'), { recursive: true });
  return [
    typesRow(DESCRIPTOR, folder),
    { title: 'codegen --no-cache', argv: [...codegen, '--no-cache'], prepare: removeGenerated },
    { title: 'codegen, all files', argv: codegen, prepare: removeGenerated },
    { title: 'codegen, no change', argv: codegen },
  ];
}

function printTable(
  subject: string,
  rows: readonly (readonly [title: string, costs: readonly Cost[]])[],
  rounds: number,
): void {
  const base = rows[0]?.[1] ?? [];
  const kinds = ['wall', 'cpu', 'memory'] as const;
  const table = rows.map(([title, costs]) => {
    const of = (kind: keyof Cost) => costs.map((cost) => cost[kind]);
    const figures = kinds.map((kind) => {
      const digits = kind === 'memory' ? 0 : 2;
      return `${Math.min(...of(kind)).toFixed(digits)} / ${median(of(kind)).toFixed(digits)}`;
    });
    const bases = (kind: keyof Cost) => base.map((cost) => cost[kind]);
    return [title, ...figures, ...kinds.map((kind) => `${medianRatio(of(kind), bases(kind)).toFixed(2)}x`)];
  });
  print(`\n${subject}, ${rounds} rounds of whole processes: minimum / median; ratios are medians of the rounds`);
  print(toText([['', 'wall s', 'CPU s', 'peak MB', 'wall', 'CPU', 'memory'], ...table]));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export interface Cost {
  /** Seconds by the clock. */
  readonly wall: number;
  /** CPU seconds of all threads, user and system. */
  readonly cpu: number;
  /** Peak memory in megabytes. */
  readonly memory: number;
}

/**
 * @param argv a JavaScript or TypeScript file and its arguments, run by the current Node binary.
 * @param folder a folder for temporary files, which is also the program's working directory.
 * @throws {Error} with the end of the program's output if its exit code is not 0.
 */
export async function runWholeProcess(argv: readonly string[], folder: string): Promise<Cost> {
  const usageFile = path.join(folder, 'usage.json');
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', USAGE, ...argv], {
    cwd: folder,
    env: { ...process.env, BENCH_USAGE_FILE: usageFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-2000);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const wall = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with exit code ${code}:\n${printed}`);
  const usage = JSON.parse(await readFile(usageFile, 'utf8')) as NodeJS.ResourceUsage;
  return { wall, cpu: (usage.userCPUTime + usage.systemCPUTime) / 1e6, memory: (usage.maxRSS * 1024) / 1e6 };
}
