import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createToolsDiffCommand } from '../../scripts/tools-diff/command.ts';
import { openReportCache } from '../../scripts/tools-diff/report-cache.ts';
import { runInProcess } from '../support/run-command.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const TOOL = 'generated/crm/tools/crm-list-lists.ts';
const DESCRIPTOR = 'specs/crm/openapi.yaml';
let root = '';
let base = '';
let head = '';

const fileOf = (folder: string) => path.join(folder, 'node_modules/.cache/unified-tool-gateway/tools-diff');
const run = () => runInProcess(createToolsDiffCommand, ['--base-dir', base, '--head-dir', head, '--format', 'json']);
const edit = async (file: string, change: (text: string) => string) => {
  const text = await readFile(path.join(head, file), 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(path.join(head, file), change(text));
};

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'tools-diff-kept-'));
  [base, head] = [path.join(root, 'base'), path.join(root, 'head')];
  for (const side of [base, head]) {
    for (const folder of ['generated/crm', 'specs/crm']) {
      await cp(path.join(PROJECT, folder), path.join(side, folder), { recursive: true });
    }
  }
  await mkdir(path.join(head, 'node_modules'));
  await edit(TOOL, (text) => text.replace('readOnlyHint: true', 'readOnlyHint: false'));
  await edit(DESCRIPTOR, (text) => text.replace('type: integer', 'type: number'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('values that tools:diff keeps', () => {
  test('give the same report, and are written once', async () => {
    const first = await run();
    const { mtimeMs } = await stat(fileOf(head));
    const second = await run();
    expect(second).toEqual(first);
    expect(JSON.parse(first.out).open).toBeGreaterThan(0);
    expect((await stat(fileOf(head))).mtimeMs).toBe(mtimeMs);
    expect(await readdir(path.dirname(fileOf(head)))).toEqual(['tools-diff']);
  });

  test('do not hide what changed after they were kept', async () => {
    const before = JSON.parse((await run()).out);
    await edit(TOOL, (text) => text.replace("path: '/v2/", "path: '/v3/"));
    const rules = (report: { groups: { rule: string }[] }) => report.groups.map(({ rule }) => rule);
    expect(rules(before)).not.toContain('path-changed');
    expect(rules(JSON.parse((await run()).out))).toContain('path-changed');
  });

  test.each([
    ['damaged', (bytes: Buffer) => bytes.fill(0, 40, 60)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 50)],
    ['empty', () => Buffer.alloc(0)],
  ])('are left aside where their file is %s', async (_title, damage) => {
    const first = await run();
    await writeFile(fileOf(head), damage(await readFile(fileOf(head))));
    expect(await run()).toEqual(first);
  });

  test('are found by the next run, without those that it did not use', () => {
    const first = openReportCache(head);
    first.set('used', new Map([['crm', { type: 'object' }]]));
    first.set('unused', 1);
    first.write();
    const second = openReportCache(head);
    expect(second.get('used')).toEqual(new Map([['crm', { type: 'object' }]]));
    second.write();
    const third = openReportCache(head);
    expect(third.get('used')).toBeDefined();
    expect(third.get('unused')).toBeUndefined();
  });

  test('need a folder node_modules', async () => {
    const kept = openReportCache(base);
    kept.set('key', 1);
    kept.write();
    expect(await readdir(base)).toEqual(['generated', 'specs']);
  });
});
