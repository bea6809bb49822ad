import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const HERE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'utg-fresh-'));
  await mkdir(join(root, 'scripts'));
  await copyFile(resolve(import.meta.dirname, '../../../scripts/node.mjs'), join(root, 'scripts/node.mjs'));
});
afterEach(() => rm(root, { recursive: true }));

/** Runs a program in a clone in which `npm ci` has not run. */
async function run(manifest: object, code: string): Promise<{ code: number; stderr: string }> {
  await writeFile(join(root, 'package.json'), JSON.stringify({ type: 'module', ...manifest }));
  await writeFile(join(root, 'program.js'), code);
  const args = [join(root, 'scripts/node.mjs'), 'program.js'];
  return promisify(execFile)(process.execPath, args, { cwd: root, env: {} }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error) => ({ code: error.code, stderr: error.stderr }),
  );
}

const OLD = { engines: { node: '>=999' } };
const NEW = { engines: { node: '>=1' }, optionalDependencies: {} };

test('an old Node reports to run npm ci, if that installs one for this platform', async () => {
  const { code, stderr } = await run({ ...OLD, optionalDependencies: { [HERE]: '1.0.0' } }, '');
  expect([code, stderr]).toEqual([
    1,
    `This is Node ${process.versions.node}; the project needs 999 or later. Run "npm ci": it installs one.\n`,
  ]);
});

test('an old Node reports that it must be replaced, if npm ci installs none for this platform', async () => {
  const { code, stderr } = await run({ ...OLD, optionalDependencies: { 'node-elsewhere-x64': '1.0.0' } }, '');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`not for ${process.platform} ${process.arch}: install a newer`),
  ]);
});

test.each([
  ['a package', 'npm ci', "import 'commander';"],
  ['a program of a package', 'npm ci', "await import(new URL('./node_modules/commander/main.js', import.meta.url));"],
  [
    'a program of the tools in .ci/tools',
    'npm ci --prefix .ci/tools',
    "await import(new URL('.ci/tools/node_modules/commander/main.js', import.meta.url));",
  ],
])('reports in one sentence that %s is not installed, with %s', async (_, command, code) => {
  expect(await run(NEW, code)).toEqual({
    code: 1,
    stderr: `The package commander is not installed: run "${command}" first.\n`,
  });
});

test('other errors of a program pass through', async () => {
  expect((await run(NEW, "import './absent.js';")).stderr).toContain('ERR_MODULE_NOT_FOUND');
  expect((await run(NEW, "throw new RangeError('mine');")).stderr).toContain('RangeError: mine');
});
