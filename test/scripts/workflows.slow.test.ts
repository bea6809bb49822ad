import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly 'working-directory'?: string;
  readonly with?: { readonly script?: string; readonly 'persist-credentials'?: boolean };
}
interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, { readonly permissions?: Record<string, string>; readonly steps: readonly Step[] }>;
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const GENERATED = 'Generated files are what codegen makes, not what somebody typed';
const TOOL = 'generated/crm/tools/crm-list-lists.ts';
const readWorkflow = async (name: string) =>
  parse(await readFile(path.join(ROOT, '.github/workflows', name), 'utf8')) as Workflow;
const tools = await readWorkflow('tools.yml');
const check = await readWorkflow('check.yml');
const stepOf = (job: string, name: string): Step => {
  const step = tools.jobs[job]?.steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`tools.yml has no step ${JSON.stringify(name)}`);
  return step;
};

describe('the permissions of the workflows', () => {
  test('only the job that runs nothing of the pull request may write', () => {
    expect([check.permissions, tools.permissions]).toEqual([{ contents: 'read' }, { contents: 'read' }]);
    const writing = [check, tools].flatMap(({ jobs }) =>
      Object.entries(jobs).filter(([, { permissions }]) => permissions !== undefined),
    );
    expect(writing.map(([name, { permissions }]) => [name, permissions])).toEqual([
      ['comment', { 'pull-requests': 'write' }],
    ]);
    const comment = writing[0]![1];
    expect(comment.steps.flatMap(({ uses, run }) => run ?? uses?.split('@')[0])).toEqual([
      'actions/download-artifact',
      'actions/github-script',
    ]);
  });

  test('no checkout keeps its token', () => {
    const checkouts = [check, tools]
      .flatMap(({ jobs }) => Object.values(jobs))
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual([false, false, false, false, false]);
  });
});

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;
if (!hasBash) process.stdout.write('skipped: the steps of the workflows: this machine has no bash\n');

describe.skipIf(!hasBash && process.env.FULL_CHECKS === undefined)('the report of a pull request', () => {
  let folder = '';
  let root = '';
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  const commit = (message: string): string => {
    git('add', '-A');
    git('-c', 'commit.gpgsign=false', 'commit', '-qm', message);
    return git('rev-parse', 'HEAD');
  };

  /** As the runner does it: `bash -e`, with the variables of a step. */
  async function runStep(job: string, name: string, env: Record<string, string> = {}) {
    const { run = '', 'working-directory': place = 'head' } = stepOf(job, name);
    const files = { GITHUB_STEP_SUMMARY: path.join(folder, '.summary'), GITHUB_OUTPUT: path.join(folder, '.output') };
    for (const file of Object.values(files)) await writeFile(file, '');
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', run], {
      cwd: path.join(folder, place),
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', ...files, ...env },
    });
    const [summary, output] = await Promise.all(Object.values(files).map((file) => readFile(file, 'utf8')));
    return { status, stdout, stderr, summary, output };
  }

  let base = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'workflow-'));
    root = path.join(folder, 'head');
    for (const part of [
      'codegen',
      'shared',
      'scripts',
      'sandbox',
      'server',
      'generated',
      'specs',
      'package.json',
      '.npmrc',
    ]) {
      await cp(path.join(ROOT, part), path.join(root, part), { recursive: true });
    }
    await cp(root, path.join(folder, 'base'), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'base', 'node_modules'));
    await writeFile(path.join(root, '.gitignore'), 'node_modules\n');
    git('init', '-q', '-b', 'main');
    commit('First');
    base = git('rev-parse', 'HEAD');
    await writeFile(path.join(root, 'later-on-main'), '');
    const laterOnMain = commit('Something else that landed meanwhile');
    git('checkout', '-q', '-b', 'change', base);
    base = laterOnMain;
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const checkGenerated = async () => {
    await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
    return runStep('generated', GENERATED);
  };

  test('says that a branch changes no tool, and the check of generated files passes', async () => {
    const { status, summary, output } = await runStep('report', 'Report', { BASE: base });
    expect([status, output]).toEqual([0, 'result=0\n']);
    expect(summary).toContain('No tool changed.');
    expect(await readFile(path.join(folder, 'base', 'report.md'), 'utf8')).toBe(summary);
    expect((await checkGenerated()).status).toBe(0);
  }, 60_000);

  test('annotates the line of a manual change, reports the result, and fails both gates', async () => {
    const file = path.join(root, TOOL);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('readOnlyHint: true', 'readOnlyHint: false'));
    commit('Make a reading tool write');
    const { status, stdout, summary, output } = await runStep('report', 'Report', { BASE: base });
    expect([status, output]).toEqual([0, 'result=1\n']);
    expect(stdout).toMatch(/^::error file=generated\/crm\/tools\/crm-list-lists\.ts,line=\d+,title=[^\n]+/m);
    expect(summary).toContain('**1 change to decide about.**');
    expect((await runStep('report', 'Every breaking change and every risk is acknowledged')).status).toBe(1);
    const edited = await checkGenerated();
    expect(edited.status).toBe(1);
    expect(edited.stdout).toContain(TOOL);
  }, 120_000);

  test('runs no code of the pull request, which could say that nothing changed', async () => {
    const command = path.join(root, 'scripts/tools-diff/command.ts');
    await writeFile(command, "process.stdout.write('No tool changed.');\nprocess.exit(0);\n");
    await writeFile(path.join(root, 'package.json'), '{"scripts":{"tools:diff":"echo No tool changed."}}');
    commit('Judge itself');
    const { output, summary } = await runStep('report', 'Report', { BASE: base });
    expect([output, summary]).toEqual(['result=1\n', expect.stringContaining('**1 change to decide about.**')]);
  }, 60_000);
});

describe('the comment of a pull request', () => {
  const script = stepOf('comment', 'Post the report, or update the one that is there').with?.script ?? '';
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const mark = '<!-- tool-report -->';

  async function post(report: string, comments: readonly object[]) {
    const sent: [string, object][] = [];
    const record = (name: string) => async (value: object) => {
      sent.push([name, value]);
    };
    const github = {
      paginate: async () => comments,
      rest: {
        issues: { listComments: {}, updateComment: record('update'), createComment: record('create') },
      },
    };
    const context = { repo: { owner: 'o', repo: 'r' }, payload: { pull_request: { number: 7 } } };
    const require = () => ({ readFileSync: () => report });
    await new AsyncFunction('github', 'context', 'require', script)(github, context, require);
    return sent;
  }

  test.each([
    ['is created if there is something to report', 'One change.', [], 'create', { issue_number: 7 }],
    ['is not created if nothing changed', 'No tool changed.', [], null, {}],
    [
      'is updated if it exists, even when nothing is left to report',
      'No tool changed.',
      [
        { id: 1, user: { type: 'User' }, body: `${mark} quoted by a person` },
        { id: 2, user: { type: 'Bot' }, body: `${mark}\nold` },
      ],
      'update',
      { comment_id: 2 },
    ],
  ] as const)('%s', async (_, report, comments, action, target) => {
    const sent = await post(report, comments);
    const expected =
      action === null ? [] : [[action, { owner: 'o', repo: 'r', ...target, body: `${mark}\n${report}` }]];
    expect(sent).toEqual(expected);
  });
});
