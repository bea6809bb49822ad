/** Runs programs side by side and prints what became of each. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';

/** A program that exits with 0 where nothing is wrong. */
export interface Check {
  readonly title: string;
  /** What runs it, followed by its arguments. */
  readonly command: readonly [string, ...string[]];
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUILD_INFO = 'node_modules/.cache/unified-tool-gateway';
const { resolve } = createRequire(import.meta.url);

function onNode(program: string, ...args: string[]): Check['command'] {
  return [process.execPath, program, ...args];
}

/** Types of one project. What it found is kept, so that the next run looks only at what changed and what that concerns. */
function checkTypes(title: string, project: string): Check {
  const kept = ['--incremental', '--tsBuildInfoFile', `${BUILD_INFO}/${project}.tsbuildinfo`];
  return { title, command: onNode('node_modules/typescript-native/bin/tsc', '-p', project, ...kept) };
}

/** What needs no test: the longest first, because they start in this order. */
export const STATIC_CHECKS: readonly Check[] = [
  checkTypes('types', 'tsconfig.json'),
  { title: 'lint', command: onNode(resolve('@biomejs/biome/bin/biome'), 'check', '.') },
  { title: 'generated files', command: onNode('codegen/main.ts', '--check') },
  { title: 'types of the partner client', command: onNode('scripts/partner-client.ts', '--check') },
  checkTypes('types of the generated files', 'tsconfig.generated.json'),
  { title: 'reference pages', command: onNode('scripts/docs.ts', '--check') },
];

function run({ command: [program, ...args] }: Check): Promise<{ isPassed: boolean; printed: string }> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    child.on('error', fail).on('close', (code) => done({ isPassed: code === 0, printed }));
  });
}

/**
 * Runs all of them, also where one fails, and prints a line for each as it ends; what a failed one printed is under its line.
 *
 * @param atOnce how many run at the same time.
 * @returns the titles of those that failed, in their order.
 */
export async function runChecks(
  checks: readonly Check[],
  print: (text: string) => void,
  atOnce = availableParallelism(),
): Promise<readonly string[]> {
  const left = [...checks];
  const failed = new Set<Check>();
  const work = async () => {
    for (let check = left.shift(); check !== undefined; check = left.shift()) {
      const { isPassed, printed } = await run(check);
      if (!isPassed) failed.add(check);
      print(isPassed ? `passed: ${check.title}\n` : `FAILED: ${check.title}\n${printed.trimEnd()}\n`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return checks.filter((check) => failed.has(check)).map(({ title }) => title);
}
