import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly strategy: {
    readonly matrix: { readonly include: readonly { readonly name: string; readonly titles: string }[] };
  };
  readonly steps: readonly { readonly name?: string; readonly run?: string }[];
}

const ROOT = path.resolve(import.meta.dirname, '../..');

const workflow = parse(await readFile(path.join(ROOT, '.github/workflows/check.yml'), 'utf8')) as {
  readonly jobs: Readonly<Record<'steps' | 'systems', Job>>;
};
const { steps, systems } = workflow.jobs;
const jobs = steps.strategy.matrix.include.map(({ name, titles }) => ({ name, titles: titles.trimEnd().split('\n') }));

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;
if (!hasBash) process.stdout.write('skipped: the jobs of the check: this machine has no bash\n');

function runCi(...args: string[]) {
  return spawnSync('bash', ['.ci/run', ...args], { cwd: ROOT, encoding: 'utf8' });
}

describe.skipIf(!hasBash)('the jobs of the check', () => {
  const listed = runCi('--list').stdout.trimEnd().split('\n');

  test('run every step of .ci/run, and nothing else', () => {
    expect(listed).toHaveLength(new Set(listed).size);
    expect(new Set(jobs.flatMap(({ titles }) => titles))).toEqual(new Set(listed));
  });

  test.each(jobs)('$name runs its steps in the order of .ci/run, after npm ci', ({ titles }) => {
    expect(titles).toEqual(listed.filter((title) => titles.includes(title)));
    expect(titles[0]).toMatch(/^npm ci( && npm test)?$/);
  });

  test('pass each title to .ci/run unchanged', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'check-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await mkdir(path.join(root, '.ci'));
    await writeFile(path.join(root, '.ci/run'), '#!/usr/bin/env bash\nprintf \'%s\\n\' "$@"\n', { mode: 0o755 });
    const script = steps.steps.find(({ name }) => name === 'Run the steps')?.run ?? 'exit 9';
    for (const { titles } of jobs) {
      const env = { ...process.env, TITLES: `${titles.join('\n')}\n` };
      const { stdout } = spawnSync('bash', ['-e', '-c', script], { cwd: root, encoding: 'utf8', env });
      expect(stdout.trimEnd().split('\n')).toEqual(['--only', ...titles]);
    }
  });
});

describe.skipIf(!hasBash)('.ci/run', () => {
  test('--only runs only the steps that it names', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'check-'));
    onTestFinished(() => rm(root, { recursive: true }));
    for (const file of ['run', 'steps.sh', 'install.sh', 'checks.sh'])
      await cp(path.join(ROOT, '.ci', file), path.join(root, '.ci', file));
    spawnSync('git', ['init', '-q'], { cwd: root });
    spawnSync('git', ['-C', root, 'add', '.']);
    const run = () =>
      spawnSync('bash', ['.ci/run', '--only', 'nothing was left behind'], { cwd: root, encoding: 'utf8' });
    expect(run().stdout).toMatch(/The checks left changes behind:\nA {2}\.ci\/checks\.sh[\s\S]+\n0 passed, 1 failed,/);
    spawnSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'First']);
    const { status, stdout } = run();
    expect([status, stdout.match(/^==> .*$/gm)]).toEqual([0, ['==> nothing was left behind']]);
  });

  test.each([
    [['--only', 'no such step'], 'No step has the title "no such step"; .ci/run --list prints them.\n'],
    [['--only'], 'Usage: .ci/run [--list | --only <title>...]\n'],
    [['--help'], 'Usage: .ci/run [--list | --only <title>...]\n'],
  ])('%j is wrong usage', (args, message) => {
    const { status, stdout, stderr } = runCi(...args);
    expect([status, stdout, stderr]).toEqual([2, '', message]);
  });
});

test('other systems and .ci/run run the test command of README.md and CONTRIBUTING.md', async () => {
  const page = await readFile(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, command] = /The tests:\n\n<!--.+-->\n```sh\n(.+)\n```/.exec(page) ?? [];
  expect(systems.steps.flatMap(({ run }) => run ?? [])).toEqual([command]);
  expect(await readFile(path.join(ROOT, 'README.md'), 'utf8')).toContain(`\n${command}\n`);
  expect(await readFile(path.join(ROOT, '.ci/run'), 'utf8')).toContain(`\nstep '${command}' eval '${command}'\n`);
});
