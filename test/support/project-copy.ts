/** A copy of this project in its own repository, where commands of a page may change anything. */

import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COPIED = [
  'codegen',
  'docs/reference/gateway-openapi.yaml',
  'examples',
  'generated',
  'package.json',
  'packages',
  'sandbox',
  'scripts',
  'server',
  'shared',
  'specs',
];
const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

export interface ProjectCopy {
  readonly root: string;
  /** Runs commands with a shell, and stops at the first that fails. */
  run(command: string, env?: Readonly<Record<string, string>>): CommandOutput;
  remove(): Promise<void>;
}

export interface CommandOutput {
  readonly status: number | null;
  /** Standard output, followed by standard error. */
  readonly output: string;
}

/**
 * Copies files and folders to the branch `main` of a new repository. Packages are linked, caches omitted.
 *
 * @param names paths relative to the project's root. Default: what most commands need.
 */
export async function copyProject(names: readonly string[] = COPIED): Promise<ProjectCopy> {
  // Commands may also write next to the project.
  const folder = await mkdtemp(path.join(tmpdir(), 'project-'));
  const root = path.join(folder, 'project');
  await mkdir(root);
  for (const name of names) await cp(path.join(ROOT, name), path.join(root, name), { recursive: true });
  await mkdir(path.join(root, 'node_modules'));
  const packages = (await readdir(path.join(ROOT, 'node_modules'))).filter((name) => name !== '.cache');
  for (const name of packages) {
    await symlink(path.join(ROOT, 'node_modules', name), path.join(root, 'node_modules', name));
  }
  const run: ProjectCopy['run'] = (command, env = {}) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', command], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, ...GIT, NODE_OPTIONS: '', npm_config_loglevel: 'silent', ...env },
    });
    return { status, output: stdout + stderr };
  };
  const { status, output } = run(
    "git init -q -b main && echo node_modules >> .git/info/exclude && git add . && git commit -qm 'The project'",
  );
  if (status !== 0) throw new Error(`The project cannot be copied:\n${output}`);
  return { root, run, remove: () => rm(folder, { recursive: true, force: true }) };
}
