import { expect, test } from 'vitest';
import { givenDashboard, insertCalls, linksOf } from './support.ts';

const given = givenDashboard();

const states = (text: string) =>
  [...text.matchAll(/<li><span class="badge \w+">([^<]+)<\/span> <strong>([^<]+)<\/strong>/g)].map(
    ([, state, title]) => `${title}: ${state}`,
  );

test('the overview of a new gateway is a checklist that fills itself and then disappears', async () => {
  const { db } = given.store;
  await db.deleteFrom('connections').execute();
  await db.deleteFrom('users').execute();
  await db.deleteFrom('partners').execute();
  const operator = await given.operator();
  const empty = await operator.get('/admin');
  expect(states(empty.text)).toEqual([
    'Encryption keys: to do',
    'A partner: to do',
    'A service: done',
    'The first connection: to do',
    'The first call: to do',
  ]);
  expect(linksOf(empty.text)).toEqual(expect.arrayContaining(['/admin/partners', '/admin/tools', '/admin/users']));
  await db.insertInto('store_keys').values({ id: 'store', sealed: 'sealed' }).execute();
  expect(states((await operator.get('/admin')).text)[0]).toBe('Encryption keys: done');
  await insertCalls(given, [{}]);
  expect(states((await operator.get('/admin')).text)).toEqual([
    'Encryption keys: done',
    'A partner: to do',
    'A service: done',
    'The first connection: done',
    'The first call: done',
  ]);
  await operator.submit('/admin/partners', '/admin/partners', { client_id: 'acme', name: 'Acme' });
  expect((await operator.get('/admin')).text).not.toContain('Set up:');
});
