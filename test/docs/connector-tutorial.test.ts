import { spawnSync } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandStep, excerptPattern, type FileStep, stepsOf } from '../support/page-steps.ts';
import { type RunningScript, runScript } from '../support/run-script.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = 'docs/tutorials/connector-in-15-minutes.md';
const COPIED = [
  'cli',
  'codegen',
  'docs/reference/gateway-openapi.yaml',
  'examples',
  'generated',
  'package.json',
  'patterns',
  'sandbox',
  'scripts',
  'search',
  'server',
  'specs',
];
const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};
const steps = stepsOf(await readFile(path.join(ROOT, PAGE), 'utf8'));

let root: string;
let demo: RunningScript | undefined;

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'tutorial-'));
  for (const name of COPIED) await cp(path.join(ROOT, name), path.join(root, name), { recursive: true });
  await mkdir(path.join(root, 'node_modules'));
  const packages = (await readdir(path.join(ROOT, 'node_modules'))).filter((name) => name !== '.cache');
  for (const name of packages) {
    await symlink(path.join(ROOT, 'node_modules', name), path.join(root, 'node_modules', name));
  }
  run(`git init -q -b main && git add ${COPIED.join(' ')} && git commit -qm 'The project'`);
});
afterAll(async () => {
  await demo?.stop();
  await rm(root, { recursive: true, force: true });
});

function run(command: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', command], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...GIT, ...env, NODE_OPTIONS: '', npm_config_loglevel: 'silent' },
  });
  return { status, output: stdout + stderr };
}

const printed = (pattern: RegExp) => pattern.exec(demo?.output() ?? '')?.[1] ?? '';

async function runDemo(prints: string): Promise<void> {
  demo = runScript('scripts/demo.ts', [], GIT, root);
  await demo.waitFor(/Ctrl-C stops/);
  expect(demo.output()).toMatch(excerptPattern(prints));
}

async function takeCommand({ command, remark, prints = '' }: CommandStep): Promise<void> {
  if (remark.startsWith('not run: ')) return;
  if (remark === 'runs until it is stopped') return runDemo(prints);
  const here = command
    .replaceAll('http://127.0.0.1:3000', printed(/gateway +(http:[^ ]*)\/api/))
    .replaceAll('http://127.0.0.1:3001', printed(/sandbox +(http:[^ ]*)/));
  const { status, output } = run(here, { TOKEN: printed(/token +(\S+)/) });
  expect([status, output]).toEqual([
    remark.startsWith('fails: ') ? 1 : 0,
    expect.stringMatching(excerptPattern(prints)),
  ]);
}

async function takeFile({ kind, file, text }: FileStep): Promise<void> {
  const place = path.join(root, file);
  if (kind === 'compare') expect(await readFile(place, 'utf8')).toMatch(excerptPattern(text));
  else await (kind === 'append' ? appendFile : writeFile)(place, text);
}

test.each(steps.map((step, index) => [index + 1, step] as const))(
  `step %i of ${PAGE}`,
  async (_, step) => {
    await (step.kind === 'command' ? takeCommand(step) : takeFile(step));
  },
  90_000,
);

test('the page leaves nothing behind', () => {
  expect(steps.length).toBeGreaterThan(15);
  expect(run('git branch --show-current; git status --porcelain --untracked-files=all specs generated').output).toBe(
    'main\n',
  );
});
