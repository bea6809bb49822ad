import { expect, test } from 'vitest';
import { callCategory } from '../../../../server/base/store/reports/call-category.ts';
import { OUTCOMES, remedyOf } from '../../../../server/call/tools/results/outcomes.ts';

test('a call waits where its user can allow the tool or approve the call, and every other without a result failed', () => {
  for (const outcome of OUTCOMES) {
    const waits = ['allow', 'approve'].includes(remedyOf(outcome) ?? '');
    const withoutResult = waits ? 'waiting' : 'failed';
    expect([outcome, callCategory(outcome)]).toEqual([outcome, outcome === 'ok' ? 'ok' : withoutResult]);
  }
  expect(callCategory('of_the_future')).toBe('failed');
});
