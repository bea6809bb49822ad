import { expect, test } from 'vitest';
import { addDrift } from '../../../../server/modules/drift/tallies.ts';
import { givenDashboard } from './support.ts';

const DAY_MS = 86_400_000;
const given = givenDashboard();

test('the dashboard shows which answers differ from their descriptors, or that none does', async () => {
  const operator = await given.operator();
  expect((await operator.get('/admin/tools')).text).toContain('href="/admin/drift"');
  expect((await operator.get('/admin/drift')).text).toContain('Every answer matched its descriptor.');
  const today = given.now - (given.now % DAY_MS);
  const drift = { service: 'library', tool: 'library_burn', keyword: 'type', found: 'string', answers: 7 };
  await addDrift(given.store.db, [
    { ...drift, key: '1', day: today, definition: '', place: '/items/*/id' },
    { ...drift, key: '2', day: today, definition: 'older', place: '' },
    { ...drift, key: '3', day: today - 31 * DAY_MS, definition: '', place: '/gone' },
  ]);
  const { text } = await operator.get('/admin/drift');
  expect(text).toContain('<code>/items/*/id</code>');
  expect(text).toContain('the whole answer');
  expect(text).toContain('of an earlier definition');
  expect(text).not.toContain('/gone');
});
