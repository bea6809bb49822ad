import { expect, test } from 'vitest';
import { addTallies } from '../../../../server/modules/tallies/table.ts';
import { givenDashboard } from './support.ts';

const DAY_MS = 86_400_000;
const given = givenDashboard();

test('the page of a tool says which of its answers differ from the descriptor, or that none does', async () => {
  const operator = await given.operator();
  const path = '/admin/tools/library_burn';
  expect((await operator.get(path)).text).toContain('Every answer matched its descriptor.');
  const today = given.now - (given.now % DAY_MS);
  await addTallies(given.store.db, [
    { day: today, kind: 'drift', key: 'library_burn\t/items/*/id\tstring', count: 7 },
    { day: today, kind: 'drift', key: 'library_burn\t\tnull', count: 1 },
    { day: today, kind: 'drift', key: 'library_find\t/other\tstring', count: 7 },
    { day: today - 31 * DAY_MS, kind: 'drift', key: 'library_burn\t/gone\tstring', count: 7 },
  ]);
  const { text } = await operator.get(path);
  expect(text).toContain('<code>/items/*/id</code>');
  expect(text).toContain('the whole answer');
  expect(text).not.toMatch(/\/gone|\/other/);
});

test('the page of a tool counts the calls by each of its old names', async () => {
  const operator = await given.operator();
  const today = given.now - (given.now % DAY_MS);
  await addTallies(given.store.db, [{ day: today, kind: 'old_name', key: 'library_delete', count: 1234 }]);
  const { text } = await operator.get('/admin/tools/library_burn');
  expect(text).toMatch(/<code>library_delete<\/code>[\s\S]*?1,234/);
  expect((await operator.get('/admin/tools/library_find')).text).not.toContain('Old names');
});
