import { expect, test } from 'vitest';
import { givenDashboard, insertCalls } from './support.ts';

const given = givenDashboard();

test('a file that leaves groups out says so in its last line', async () => {
  const calls = Array.from({ length: 10_001 }, (_, index) => ({ userId: `gone-${index}`, requestId: `r-${index}` }));
  await insertCalls(given, calls);
  const operator = await given.operator();
  const lines = (await operator.get('/admin/usage.csv?by=user')).text.trimEnd().split('\r\n');
  expect([lines.length, lines.at(-1)]).toEqual([10_002, '"Cut: only the first 10000 groups. 1 are left out."']);
  const { usage, groups_left_out: leftOut } = JSON.parse((await operator.get('/admin/usage.json?by=user')).text);
  expect([usage.length, leftOut]).toEqual([10_000, 1]);
});
