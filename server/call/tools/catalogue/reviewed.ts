/** The reviewed definitions, from a file that a reviewer wrote or from a git revision. */

import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Connector } from '../../../contract/index.ts';
import { type AnyTool, allToolsOf, isHandWritten } from './permitted.ts';
import { addressOfSkill, definitionsOf, type ReviewedOf } from './provenance.ts';

/** The file that `npm run tools:diff -- --approve` writes: digests by name (see `definitionsOf`). */
export const reviewedFile = z.object({ tools: z.record(z.string(), z.string()) });

/** Failure to read the value of `REQUIRE_REVIEWED`. */
export class ReviewedError extends Error {
  override readonly name = 'ReviewedError';
}

const UNDECISIVE =
  /^(import .*;| {2}(title|description|categories|descriptor|logo|skills|search): .*,| {4}[A-Za-z_$][\w$]*,)$/;

const run = promisify(execFile);
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Loads the reviewed definitions.
 *
 * A file holds digests, which are compared with those of the loaded definitions. With a revision, a tool is reviewed if
 * its file in `generated/` is unchanged since, and so are the settings in the service's `index.ts` and, for a
 * hand-written tool, the code in `specs/<service>/tools/`.
 *
 * @param name a path, relative to the working directory, or else a revision of the project's repository.
 * @param root folder of the project.
 * @throws {ReviewedError}
 */
export async function loadReviewed(name: string, root: string): Promise<ReviewedOf> {
  return statSync(name, { throwIfNoEntry: false })?.isFile() === true
    ? readReviewedFile(name)
    : readRevision(name, root);
}

function readReviewedFile(file: string): ReviewedOf {
  try {
    const tools = new Map(Object.entries(reviewedFile.parse(JSON.parse(readFileSync(file, 'utf8'))).tools));
    return (connector) => {
      const definitions = [...definitionsOf(connector)];
      return new Set(definitions.filter(([name, digest]) => tools.get(name) === digest).map(([name]) => name));
    };
  } catch (error) {
    throw new ReviewedError(`REQUIRE_REVIEWED names ${file}, which is not a list of reviewed tools: ${String(error)}`);
  }
}

async function readRevision(name: string, root: string): Promise<ReviewedOf> {
  const commit = await git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  if (commit === null) {
    throw new ReviewedError(
      `REQUIRE_REVIEWED names ${name}, which is neither a file nor a revision of the repository in ${root}.`,
    );
  }
  const [there, changed] = await Promise.all([
    git(root, ['ls-tree', '-r', '-z', '--name-only', commit.trim(), '--', 'generated']),
    git(root, [
      'diff',
      '--no-ext-diff',
      '--no-renames',
      '--name-only',
      '-z',
      commit.trim(),
      '--',
      'generated',
      'specs',
    ]),
  ]);
  if (there === null || changed === null) throw new ReviewedError(`git cannot compare generated/ with ${name}.`);
  const files = { there: new Set(there.split('\0')), changed: new Set(changed.split('\0')) };
  const indexes = new Map<string, boolean>();
  for (const file of files.there) {
    if (!/^generated\/[^/]+\/index\.ts$/.test(file)) continue;
    indexes.set(file, !files.changed.has(file) || (await isSameService(root, commit.trim(), file)));
  }
  return (connector) => {
    if (indexes.get(`generated/${connector.name}/index.ts`) !== true) return new Set();
    const same = allToolsOf(connector).filter((tool) => isUnchanged(connector, tool, files));
    const texts = `generated/${connector.name}/skills.ts`;
    const skills = files.there.has(texts) && !files.changed.has(texts) ? Object.keys(connector.skills ?? {}) : [];
    return new Set([...same.map((tool) => tool.name), ...skills.map((name) => addressOfSkill(connector.name, name))]);
  };
}

interface RevisionFiles {
  readonly there: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
}

function isUnchanged({ name: service }: Connector, tool: AnyTool, { there, changed }: RevisionFiles): boolean {
  const file = `generated/${service}/tools/${tool.name.replaceAll('_', '-')}.ts`;
  if (!there.has(file) || changed.has(file)) return false;
  if (!isHandWritten(tool)) return tool.rules === undefined || !changed.has(`generated/${service}/rules.ts`);
  return ![...changed].some((one) => one.startsWith(`specs/${service}/tools/`));
}

/** True if a service's `index.ts` differs only in parts that do not affect calls: its texts, and its list of tools. */
async function isSameService(root: string, commit: string, file: string): Promise<boolean> {
  const was = await git(root, ['show', `${commit}:${file}`]);
  return was !== null && decisionsOf(was) === decisionsOf(readFileSync(join(root, file), 'utf8'));
}

/** Codegen writes each import, text and listed tool on a separate line. */
function decisionsOf(text: string): string {
  const lines = text.split(/\r?\n/);
  return lines.filter((line) => !UNDECISIVE.test(line)).join('\n');
}

async function git(root: string, args: readonly string[]): Promise<string | null> {
  try {
    return (await run('git', ['-C', root, ...args], { maxBuffer: MAX_BYTES })).stdout;
  } catch {
    return null;
  }
}
