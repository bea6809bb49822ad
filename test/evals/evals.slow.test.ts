import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEvalsCommand } from '../../scripts/evals/command.ts';
import { readResults } from '../../scripts/tools-diff/eval-results.ts';
import { runInProcess } from '../support/run-command.ts';
import { playPlans, startModel } from './scripted-model.ts';

/** Raise the first and lower the others when tools get better: what a plan can do now is in README.md. */
const PINS = { completed: 30, calls: 50, read: 24_200 };

test('the requests of persons take no more than they did', async () => {
  const file = join(import.meta.dirname, 'requests.yaml');
  const model = await startModel({ play: playPlans(file) });
  const folder = await mkdtemp(join(tmpdir(), 'evals-'));
  const kept = join(folder, 'results.json');
  const options = ['--model-url', model.url, '--model', 'scripted', '--max-tokens', '1000000000', '--results', kept];
  const { out, code } = await runInProcess(createEvalsCommand, [file, ...options]);
  const { outcomes } = (await readResults(kept)).sides[0]!;
  await model.close();
  await rm(folder, { recursive: true });
  const sum = (of: 'calls' | 'read') => outcomes.reduce((total, outcome) => total + outcome[of], 0);
  expect(code, out).toBe(0);
  expect(outcomes).toHaveLength(30);
  expect(outcomes.filter(({ completed }) => completed).length, out).toBeGreaterThanOrEqual(PINS.completed);
  expect(sum('calls'), out).toBeLessThanOrEqual(PINS.calls);
  expect(sum('read'), out).toBeLessThanOrEqual(PINS.read);
  expect(outcomes.filter(({ why = 'tokens' }) => !why.endsWith('tokens'))).toEqual([]);
}, 600_000);
