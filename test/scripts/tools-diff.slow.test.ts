import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToolsDiffCommand } from '../../scripts/tools-diff/command.ts';
import { runInProcess } from '../support/run-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TOOL = 'generated/crm/tools/crm-list-lists.ts';
const CONFIG = 'specs/crm/connector.yaml';
let root = '';

const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
const commit = (message: string) => {
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false', 'commit', '-qm', message);
};
const edit = async (file: string, change: (text: string) => string) => {
  const target = path.join(root, file);
  const text = await readFile(target, 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(target, change(text));
};

const run = (...args: string[]) => runInProcess(createToolsDiffCommand, [...args, '--head-dir', root]);

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'tools-diff-'));
  await mkdir(path.join(root, 'generated'));
  await mkdir(path.join(root, 'specs'));
  await cp(path.join(ROOT, 'generated/crm'), path.join(root, 'generated/crm'), { recursive: true });
  await cp(path.join(ROOT, 'specs/crm'), path.join(root, 'specs/crm'), { recursive: true });
  git('init', '-q', '-b', 'main');
  commit('First');
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('tools:diff', () => {
  test('says that nothing changed, and what it compared', async () => {
    const { code, out } = await run('HEAD');
    expect(code).toBe(0);
    expect(out).toMatch(/^Tool changes\n={12}\n\nHEAD \([0-9a-f]{7}\) → the working tree\n\nNo tool changed\.\n$/);
    expect((await run('HEAD', '--format', 'markdown')).out).toMatch(
      /^## Tool changes\n\nHEAD \([0-9a-f]{7}\) → the working tree\n\nNo tool changed\.\n$/,
    );
  });

  test('finds a change of the committed literals, fails, and passes once the change is acknowledged', async () => {
    await edit(TOOL, (text) =>
      text.replace('readOnlyHint: true', 'readOnlyHint: false').replace("path: '/v2/", "path: '/v3/"),
    );
    const first = await run('HEAD', '--format', 'json');
    expect(first.code).toBe(1);
    const report = JSON.parse(first.out);
    expect(report).toMatchObject({ version: 2, open: 1, stale: [] });
    expect(report.groups.map((group: { rule: string }) => group.rule)).toEqual(['read-tool-writes', 'path-changed']);

    const [{ fingerprint }] = report.groups;
    await edit(CONFIG, (text) => `${text}\nacknowledged:\n  '${fingerprint}': Listing marks them as seen.\n`);
    const second = await run('HEAD');
    expect(second.code).toBe(0);
    expect(second.out).toContain('Every breaking change and every risk is acknowledged.');
    expect(second.out).toContain('acknowledged: Listing marks them as seen.');
  });

  test('annotates the line of the change', async () => {
    const { out } = await run('HEAD', '--format', 'github');
    const lines = (await readFile(path.join(root, TOOL), 'utf8')).split('\n');
    const line = lines.findIndex((text) => text.includes('readOnlyHint')) + 1;
    expect(out).toContain(
      `::notice file=${TOOL},line=${line},title=risk%3A A tool that only read may now write::crm_list_lists: effect: reads -> writes%0A`,
    );
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  test('compares with the branch point on the main line', async () => {
    git('checkout', '-q', '-b', 'change');
    commit('Second');
    const branch = await run();
    expect(branch.out).toMatch(/^Tool changes\n={12}\n\nmerge base with main \([0-9a-f]{7}\) → the working tree/);
    expect(branch.out).toContain('Path changed');
    git('checkout', '-q', '-B', 'main');
    git('checkout', '-q', '-b', 'fresh');
    const fresh = await run();
    expect(fresh.out).toMatch(/\n\nmerge base with main \([0-9a-f]{7}\) → the working tree\n\nNo tool changed\./);
    git('checkout', '-q', '--detach', 'main');
    expect((await run()).out).toMatch(/\n\nHEAD~1 \([0-9a-f]{7}\) → /);
    git('checkout', '-q', 'main');
    expect((await run()).out).toMatch(/\n\nHEAD~1 \([0-9a-f]{7}\) → /);
  });

  test('reports acknowledgements that match nothing only where the change adds them', async () => {
    expect((await run('HEAD')).out).toMatch(/No tool changed\.\n$/);
    await edit(CONFIG, (text) => `${text}  '0123456789ab': Mistyped.\n`);
    const later = await run('HEAD');
    expect(later.code).toBe(0);
    expect(later.out).toContain('Acknowledgements that match no change (remove them):');
    expect(later.out).toContain('0123456789ab in specs/crm/connector.yaml:');
    expect(later.out).not.toContain('Listing marks them as seen.');
    commit('Third');
    expect((await run('HEAD')).out).toMatch(/No tool changed\.\n$/);
    expect((await run('--base-dir', root)).out).toMatch(/No tool changed\.\n$/);
  });

  test('compares two folders', async () => {
    const { code, out } = await run('--base-dir', ROOT, '--max-length', '5000');
    expect(code).toBe(1);
    expect(out).toContain('Service removed: billing');
    expect(out.length).toBeLessThan(8000);
  });

  test.each([
    [['nowhere'], 'There is no revision "nowhere".'],
    [['--format', 'sarif'], 'Allowed choices are text, markdown, github, json.'],
    [['--max-length', '9'], 'Use a whole number from 5000 on.'],
    [['HEAD', '--base-dir', '.'], 'Name a revision or --base-dir, not both.'],
    [['--wrong'], "Unknown option '--wrong'"],
  ])('%j is refused with exit code 2', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  test('prints its help', async () => {
    expect((await run('--help')).out).toContain('Exit codes');
  });
});
