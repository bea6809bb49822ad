import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Check, runChecks } from '../../scripts/check/command.ts';

const ending = (title: string, code: number, printed = ''): Check => ({
  title,
  command: [process.execPath, '-e', `process.stdout.write(${JSON.stringify(printed)}); process.exitCode = ${code}`],
});

async function run(checks: readonly Check[]) {
  let printed = '';
  const failed = await runChecks(
    checks,
    (text) => {
      printed += text;
    },
    1,
  );
  return { failed, printed };
}

test('all checks run even after one fails, and the failed ones are named', async () => {
  const { failed } = await run([ending('a', 0), ending('b', 1), ending('c', 0), ending('d', 3)]);
  expect(failed).toEqual(['b', 'd']);
});

test('the output of a failed check is shown', async () => {
  const { printed } = await run([ending('a', 0, 'seventeen files\n'), ending('b', 1, 'x.ts is wrong\n')]);
  expect(printed).toBe('passed: a\nFAILED: b\nx.ts is wrong\n');
});

test('checks run in parallel: two that wait for each other both finish', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'check-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const meeting = (own: string, other: string): Check => ({
    title: own,
    command: [
      process.execPath,
      '-e',
      `const { existsSync, writeFileSync } = require('node:fs');
      process.chdir(${JSON.stringify(folder)});
      writeFileSync('${own}', '');
      setInterval(() => existsSync('${other}') && process.exit(), 10);`,
    ],
  });
  expect(await runChecks([meeting('a', 'b'), meeting('b', 'a')], () => {}, 2)).toEqual([]);
});
