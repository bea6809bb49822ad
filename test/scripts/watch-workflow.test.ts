import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Record<string, unknown>;
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Record<'update' | 'propose', { readonly permissions?: unknown; readonly steps: readonly Step[] }>;
}
const ROOT = path.resolve(import.meta.dirname, '../..');
const watch = parse(await readFile(path.join(ROOT, '.github/workflows/watch.yml'), 'utf8')) as Workflow;
const { update, propose } = watch.jobs;

describe('the permissions of the watcher', () => {
  test('only the job that runs no project code may write', () => {
    expect([watch.permissions, update.permissions]).toEqual([{ contents: 'read' }, undefined]);
    expect(propose.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
    expect(propose.steps.flatMap(({ run }) => run ?? []).join('\n')).not.toMatch(/\b(npm|npx|node)\b/);
  });

  test('actions are pinned, and no checkout keeps its token', () => {
    const actions = [...update.steps, ...propose.steps].filter(({ uses }) => uses !== undefined);
    for (const { uses, with: given } of actions) {
      expect(uses).toMatch(/@[0-9a-f]{40}$/);
      if (uses?.startsWith('actions/checkout@')) expect(given?.['persist-credentials']).toBe(false);
    }
  });
});

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;
if (!hasBash) process.stdout.write('skipped: the steps of the watcher: this machine has no bash\n');

describe.skipIf(!hasBash && process.env.FULL_CHECKS === undefined)('the steps of the watcher', () => {
  let root = '';
  const env: Record<string, string> = {};
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
  const runStep = (step: Step | undefined, more: Record<string, string> = {}) =>
    spawnSync('bash', ['-e', '-c', step?.run ?? 'exit 9'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', ...env, ...more },
    });
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'watch-'));
    const bin = path.join(root, '.bin');
    await mkdir(bin);
    for (const folder of ['specs/crm', 'specs/mailer', 'generated/crm', 'generated/mailer']) {
      await cp(path.join(ROOT, folder), path.join(root, folder), { recursive: true });
    }
    await writeFile(path.join(root, '.gitignore'), '.*\nupdates\n');
    execFileSync('git', ['init', '-q', '--bare', path.join(root, '.origin')]);
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 't');
    git('config', 'user.email', 't@example.com');
    git('config', 'commit.gpgsign', 'false');
    git('remote', 'add', 'origin', path.join(root, '.origin'));
    git('add', '-A');
    git('commit', '-qm', 'First');
    const fake = async (name: string, script: string) => {
      await writeFile(path.join(bin, name), `#!/usr/bin/env bash\n${script}`);
      await chmod(path.join(bin, name), 0o755);
    };
    await fake(
      'npm',
      `mkdir -p updates\necho 'Two changes.' > updates/crm.md\necho 'None.' > updates/mailer.md\necho '# new' >> specs/crm/openapi.yaml\necho x > generated/crm/new.ts\nexit 1\n`,
    );
    await fake('gh', `echo "$*" >> .gh\nif [ "$2" = list ]; then cat .open; fi\n`);
    Object.assign(env, { PATH: `${bin}:${process.env.PATH}`, GITHUB_OUTPUT: path.join(root, '.output') });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  test('find the changed services even if one failed', async () => {
    const step = update.steps.find(({ name }) => name === 'Update');
    const { status, stderr } = runStep(step);
    expect([status, stderr]).toEqual([0, '']);
    expect(await readFile(path.join(root, '.output'), 'utf8')).toBe('services=crm\n');
    git('reset', '-q', '--hard');
  });

  test.each([
    ['0', 'pr create --head watch/crm --title Update the descriptor of crm --body-file updates/crm.md'],
    ['1', 'pr edit watch/crm --body-file updates/crm.md'],
  ])('with %s open, push one commit of only that service', async (open, call) => {
    await writeFile(path.join(root, '.open'), open);
    await writeFile(path.join(root, '.gh'), '');
    git('checkout', '-q', 'main');
    const { status, stderr } = runStep(propose.steps.at(-1), { SERVICES: 'crm' });
    expect([status, stderr]).toEqual([0, '']);
    expect(git('diff', '--name-only', 'main', 'origin/watch/crm').split('\n')).toEqual([
      'generated/crm/new.ts',
      'specs/crm/openapi.yaml',
    ]);
    expect(await readFile(path.join(root, '.gh'), 'utf8')).toContain(call);
  });

  test('a patch changes nothing outside its service', async () => {
    const patch = path.join(root, 'updates/crm.patch');
    const outside =
      'diff --git a/package.json b/package.json\nnew file mode 100644\n--- /dev/null\n+++ b/package.json\n@@ -0,0 +1 @@\n+{}\n';
    await writeFile(patch, (await readFile(patch, 'utf8')) + outside);
    git('checkout', '-q', 'main');
    expect(runStep(propose.steps.at(-1), { SERVICES: 'crm' }).status).toBe(0);
    expect(git('ls-tree', '--name-only', 'watch/crm').split('\n')).not.toContain('package.json');
  });
});
