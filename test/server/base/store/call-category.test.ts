import { expect, test } from 'vitest';
import { callCategory } from '../../../../server/base/store/reports/call-category.ts';
import { OUTCOMES, remedyOf } from '../../../../server/call/tools/results/outcomes.ts';

test('a call waits where its user can connect, allow or approve something, one that the user denied is denied, and every other without a result failed', () => {
  for (const outcome of OUTCOMES) {
    const waits = ['connect', 'allow', 'approve'].includes(remedyOf(outcome) ?? '');
    const expected = { ok: 'ok', denied_by_user: 'denied' }[outcome as string] ?? (waits ? 'waiting' : 'failed');
    expect([outcome, callCategory(outcome)]).toEqual([outcome, expected]);
  }
  expect(callCategory('of_the_future')).toBe('failed');
});
