import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createToolsDiffCommand } from '../../scripts/tools-diff/command.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { loadReviewed } from '../../server/call/tools/catalogue/reviewed.ts';
import { runInProcess } from '../support/run-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CASE = path.join(ROOT, 'test/codegen/report/cases/path-changed');
const folder = mkdtempSync(path.join(tmpdir(), 'approve-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a report with nothing to decide approves every definition', async () => {
  const file = path.join(folder, 'reviewed.json');
  const args = ['--base-dir', ROOT, '--head-dir', ROOT, '--approve', file];
  const { code, err } = await runInProcess(createToolsDiffCommand, args);
  expect(code).toBe(0);
  expect(err).toContain('approves the definitions of 78 tools and skills');
  const reviewedOf = await loadReviewed(file, ROOT);
  const connectors = await loadConnectors();
  expect(connectors.flatMap((connector) => [...reviewedOf(connector)])).toHaveLength(78);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['tools']);
});

test('a report with something to decide approves nothing', async () => {
  const file = path.join(folder, 'other.json');
  const args = ['--base-dir', CASE, '--head-dir', ROOT, '--approve', file];
  expect((await runInProcess(createToolsDiffCommand, args)).code).toBe(1);
  expect(existsSync(file)).toBe(false);
});
