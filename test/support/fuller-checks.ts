/** What only `.ci/run` has: tools next to the project, and a PostgreSQL server. */

import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

const TOOLS = resolve(import.meta.dirname, '../../.ci/tools/node_modules');

/** True in `.ci/run`, where nothing may be skipped. */
export const NOTHING_MAY_BE_SKIPPED = process.env.FULL_CHECKS === '1';

/**
 * A path below `.ci/tools/node_modules`, or null if `.ci/run` has not installed it.
 *
 * If it is missing, prints why the tests that need it are skipped.
 *
 * @throws {Error} if it is missing although nothing may be skipped.
 */
export function findTool(path: string): string | null {
  const found = resolve(TOOLS, path);
  if (existsSync(found)) {
    return found;
  }
  skipBecause(`${path} is not installed (.ci/run installs it: npm ci --prefix .ci/tools)`);
  return null;
}

/** The path of an installed program, or null. Prints nothing. */
export function findProgram(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => resolve(folder, name)).find((path) => existsSync(path)) ?? null;
}

/**
 * Prints why tests are skipped.
 *
 * @throws {Error} if nothing may be skipped.
 */
export function skipBecause(reason: string): void {
  if (NOTHING_MAY_BE_SKIPPED) {
    throw new Error(`A fuller check cannot run: ${reason}`);
  }
  process.stderr.write(`skipped: ${reason}\n`);
}
