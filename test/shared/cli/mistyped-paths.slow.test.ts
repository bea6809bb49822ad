import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCodegenCommand } from '../../../codegen/command.ts';
import { createAddCommand, createUpdateCommand } from '../../../scripts/connector/command.ts';
import { createToolsDiffCommand } from '../../../scripts/tools-diff/command.ts';
import { runInProcess } from '../../support/run-command.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'utg-mistyped-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a folder that does not exist is an error, and is not created', () => {
  test.each([
    ['codegen --root', createCodegenCommand, ['--root']],
    ['add --root', createAddCommand, ['openapi.yaml', '--name', 'notes', '--root']],
    ['update --reports', createUpdateCommand, ['--all', '--reports']],
    ['tools:diff --base-dir', createToolsDiffCommand, ['--base-dir']],
    ['tools:diff --head-dir', createToolsDiffCommand, ['--head-dir']],
    ['tools:diff --approve', createToolsDiffCommand, ['--approve']],
  ])('%s', async (_, create, argv) => {
    const result = await runInProcess(create, [...argv, join(folder, 'mistyped/deeper')]);
    expect(result).toMatchObject({ code: 2, out: '' });
    expect(result.err).toMatch(/^There is no folder \S+mistyped\S*, which --[a-z-]+ names\./);
    expect(await readdir(folder)).toEqual([]);
  });

  test('codegen creates no generated/ if there is no specs/', async () => {
    const result = await runInProcess(createCodegenCommand, ['--root', folder]);
    expect(result).toMatchObject({ code: 2, err: expect.stringContaining(`There is no folder specs/ in ${folder}`) });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a command in the wrong folder', () => {
  const run = (program: string, args: readonly string[], env: Record<string, string> = {}) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } };
    return promisify(execFile)(process.execPath, [join(ROOT, program), ...args], options).then(
      () => null,
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    );
  };

  test.each<[string, string[]]>([
    ['token', ['--user', 'ada']],
    ['partner', ['list']],
    ['usage', []],
  ])('%s creates no database, and says how to create one', async (command, args) => {
    expect(await run('scripts/utg.ts', [command, ...args])).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^There is no database \S+\/data\/gateway\.sqlite\. .*npm start.*DATABASE_URL.*npm run demo.*dashboard/,
      ),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a mistyped file in an existing folder creates no database', async () => {
    await mkdir(join(folder, 'data'));
    const env = { DATABASE_URL: 'sqlite:data/gatway.sqlite' };
    expect((await run('scripts/utg.ts', ['operator', 'list'], env))?.stderr).toContain('There is no database');
    expect(await readdir(join(folder, 'data'))).toEqual([]);
  });

  test.each(['demo', 'sandbox'])('%s says that it needs specs/', async (command) => {
    expect((await run('scripts/utg.ts', [command]))?.stderr).toContain('There is no folder specs/ in');
    expect(await readdir(folder)).toEqual([]);
  });
});
