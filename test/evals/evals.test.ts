import { expect, test } from 'vitest';
import { runEvals, toTable } from './run.ts';

/** Raise the first and lower the others when tools get better: what a plan can do now is in README.md. */
const PINS = { completed: 30, calls: 403, tokens: 34_400 };

test('the requests of persons take no more than they did', async () => {
  const outcomes = await runEvals();
  const sum = (of: 'calls' | 'tokens') => outcomes.reduce((total, outcome) => total + outcome[of], 0);
  const completed = outcomes.filter((outcome) => outcome.completed).length;
  const table = toTable(outcomes);
  expect(outcomes).toHaveLength(30);
  expect(completed, table).toBeGreaterThanOrEqual(PINS.completed);
  expect(sum('calls'), table).toBeLessThanOrEqual(PINS.calls);
  expect(sum('tokens'), table).toBeLessThanOrEqual(PINS.tokens);
  expect(outcomes.filter(({ why = 'tokens' }) => !why.endsWith('tokens'))).toEqual([]);
}, 600_000);
