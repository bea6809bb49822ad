/** Runs programs concurrently and prints the result of each. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError } from '../../shared/cli/run.ts';

/** A program that exits with 0 if it finds no problem. */
export interface Check {
  readonly title: string;
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUILD_INFO = 'node_modules/.cache/unified-tool-gateway';
/** Biome needs 65 MB, so it is one of the tools that a fresh `npm ci` does not bring. */
const BIOME = '.ci/tools/node_modules/@biomejs/biome/bin/biome';

function onNode(program: string, ...args: string[]): Check['command'] {
  return [process.execPath, program, ...args];
}

/**
 * Checks the types of one project. The result is cached, so that the next run checks only changes and what depends on them.
 */
function checkTypes(title: string, project: string): Check {
  const cacheOptions = ['--incremental', '--tsBuildInfoFile', `${BUILD_INFO}/${project}.tsbuildinfo`];
  return { title, command: onNode('node_modules/typescript-native/bin/tsc', '-p', project, ...cacheOptions) };
}

/** Checks other than tests, longest first, because they start in this order. */
const STATIC_CHECKS: readonly Check[] = [
  checkTypes('types', 'tsconfig.json'),
  { title: 'lint', command: onNode(BIOME, 'check', '.') },
  { title: 'generated files', command: onNode('codegen/main.ts', '--check') },
  checkTypes('types of the generated files', 'tsconfig.generated.json'),
  { title: 'reference pages', command: onNode('scripts/docs/main.ts', '--check') },
];

/** @returns what a failed check printed; null if it passed. */
async function run({ command: [program, ...args] }: Check): Promise<string | null> {
  try {
    await promisify(execFile)(program, args, { cwd: ROOT, maxBuffer: 1 << 28 });
    return null;
  } catch (error) {
    const { stdout = '', stderr = String(error) } = error as { readonly stdout?: string; readonly stderr?: string };
    return (stdout + stderr).trimEnd();
  }
}

/**
 * Runs all checks even if one fails, and prints a line for each as it ends, followed by the output of a failed one.
 *
 * @param atOnce how many run concurrently.
 * @returns the titles of those that failed, in order.
 */
export async function runChecks(
  checks: readonly Check[],
  print: (text: string) => void,
  atOnce = availableParallelism(),
): Promise<readonly string[]> {
  const queue = [...checks];
  const failed = new Set<Check>();
  const work = async () => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      const output = await run(check);
      if (output !== null) failed.add(check);
      print(output === null ? `passed: ${check.title}\n` : `FAILED: ${check.title}\n${output}\n`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return checks.filter((check) => failed.has(check)).map(({ title }) => title);
}

/** `npm run check:static`. */
export function createStaticChecksCommand(output = PROCESS_OUTPUT): Command {
  return createCommand('check:static', output)
    .summary('types, lint, generated files')
    .description('Checks types, lint and generated files side by side. `npm run check` goes on with the tests.')
    .action(async () => {
      if (!existsSync(path.join(ROOT, BIOME))) {
        throw new FailureError('Biome is not installed: run "npm ci --prefix .ci/tools" first.');
      }
      const failed = await runChecks(STATIC_CHECKS, output.out);
      if (failed.length > 0) throw new FailureError(`Failed: ${failed.join(', ')}.`);
    });
}
