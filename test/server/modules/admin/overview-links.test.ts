import { expect, test } from 'vitest';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { setWritingStopped } from '../../../../server/base/store/repositories/switches.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { connect } from '../../base/store/fixtures.ts';
import { givenDashboard, insertCalls, linksOf, rowsOf, type Visitor } from './support.ts';

const given = givenDashboard();
const HOUR_MS = 3_600_000;

/** Rows of the first table on all pages of a list, which links connect. */
async function countRows(operator: Visitor, address: string): Promise<number> {
  let rows = 0;
  let next: string | undefined = address;
  while (next !== undefined) {
    const { text } = await operator.get(next);
    const [first = ''] = /<table[\s\S]*?<\/table>/.exec(text) ?? [];
    rows += rowsOf(first).length;
    next = /<a href="([^"?]+\?(?:[^"]*&amp;)?before=[^"]*)" rel="next">/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return rows;
}

async function fill(): Promise<void> {
  const { store, now, partnerId } = given;
  const outcomes = ['ok', 'not_found', 'awaiting_approval', 'upstream_error', 'ok'];
  await insertCalls(
    given,
    Array.from({ length: 260 }, (_, index) => ({
      createdAt: now - index * 4 * 60_000,
      outcome: outcomes[index % 5] ?? 'ok',
      ...(index % 3 === 0 ? { tool: 'library_burn' } : {}),
      ...(index % 7 === 0 ? { service: 'other', tool: 'other_find' } : {}),
    })),
  );
  await insertCalls(given, [{ createdAt: now - 25 * HOUR_MS }, { createdAt: now - 25 * HOUR_MS, outcome: 'gone' }]);
  for (let index = 0; index < 70; index += 1) {
    const user = await ensureUser(store.db, { partnerId, externalUserId: `user-${index}`, now: now - index });
    const status = index % 4 === 0 ? 'attention' : 'active';
    await connect(store, { userId: user.id, service: index % 2 === 0 ? 'library' : 'other', status, now: now - index });
    await insertPartner(store.db, { clientId: `partner-${index}`, name: 'Partner', now });
    await insertClient(store.db, {
      ...{ clientId: `client-${index}`, clientName: null, redirectUris: [], applicationType: 'web', secretHash: null },
      ...{ authenticationMethod: 'none', now: now - Math.floor(index / 10) },
    });
    const of = { clientId: `client-${index}`, userId: user.id, scopes: [], services: null, resource: 'r' };
    await insertGrant(store.db, { ...of, now, expiresAt: now + (index % 5 === 0 ? -1 : HOUR_MS) });
  }
}

test('every count links to a list of as many rows', { timeout: 120_000 }, async () => {
  await fill();
  const operator = await given.operator();
  const { text } = await operator.get('/admin');
  const main = /<main[\s\S]*<\/main>/.exec(text)?.[0] ?? '';
  const figures = [...main.matchAll(/<a href="([^"]*)">([\d,]+)<\/a>/g)];
  const slices = [...main.matchAll(/<a class="slice" href="([^"]*)">[^:]*?<tspan>[^<]*<\/tspan>: ([^<%]*)<\/text>/g)];
  const numberOf = (text: string) => Number(text.replaceAll(',', ''));
  const counts = [...figures, ...slices.filter(([, , text = '']) => /^\d.*(?<!p95)$/.test(text))].map(
    ([, to = '', text = '']) => ({
      to: to.replaceAll('&amp;', '&'),
      count: (text.match(/[\d,]*\d/g) ?? []).map(numberOf).reduce((sum, one) => sum + one, 0),
    }),
  );
  // Eight figures, two services of two states, three tools twice, the failures, and 24 hours of calls and connections.
  expect(counts.length).toBe(8 + 4 + 6 + 4 + 48);
  const found: unknown[] = [];
  for (const { to } of counts) found.push({ to, count: await countRows(operator, to) });
  expect(found).toEqual(counts);
  expect(new Set(counts.map(({ count }) => count)).size).toBeGreaterThan(15);
});

test('every count on the page is a link', async () => {
  await insertCalls(given, [{}, { outcome: 'not_found' }]);
  const { text } = await (await given.operator()).get('/admin');
  const tables = [...text.matchAll(/<td class="number"[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell);
  const figures = [...text.matchAll(/<dd>([\s\S]*?)<\/dd>/g)].map(([, value = '']) => value);
  const bare = [...tables, ...figures].filter((cell) => /^[\d,]+$/.test(cell.trim()));
  expect(bare).toEqual([]);
});

test('a chosen time ends where it was said to end, whatever the length of its slices', async () => {
  const at = (minute: string) => Date.parse(`2030-01-15T${minute}:00Z`);
  await insertCalls(given, [{ createdAt: at('10:59') }, { createdAt: at('11:01') }, { createdAt: at('11:02') }]);
  const operator = await given.operator();
  const { text } = await operator.get('/admin?from=2030-01-15T10:00&to=2030-01-15T11:01');
  const [, to = '', count] = /<dt>Tool calls<\/dt><dd><a href="([^"]+)">(\d+)/.exec(text) ?? [];
  expect([count, rowsOf((await operator.get(to.replaceAll('&amp;', '&'))).text).length]).toEqual(['1', 1]);
  const links = linksOf(text).filter((link) => link.startsWith('/admin/calls?'));
  expect(links.filter((link) => /to=2030-01-15T11(%3A|:)0[2-9]/.test(link))).toEqual([]);
});

test('says that writing is stopped for as long as it is', async () => {
  const operator = await given.operator();
  const set = (isStopped: boolean) =>
    given.store.db
      .transaction()
      .execute((transaction) => setWritingStopped(transaction, isStopped, { now: given.now }));
  const says = async () => (await operator.get('/admin')).text.includes('Writing is stopped');
  expect(await says()).toBe(false);
  await set(true);
  expect(await says()).toBe(true);
  await set(false);
  expect(await says()).toBe(false);
});
