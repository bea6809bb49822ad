import { expect, test } from 'vitest';
import type { CallRecord } from '../../../../server/base/store/repositories/call-records.ts';
import { listAccounts, NEW_ACCOUNT, putConnection } from '../../../../server/base/store/repositories/connections.ts';
import { updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { findUserById } from '../../../../server/base/store/repositories/users.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { listActivity } from '../../../../server/identity/grants/allowed/activity.ts';
import { plansOf } from '../../../support/query-plans.ts';
import { type Answer, CONNECTORS, describeUserPage } from './support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const textOf = ({ text }: Answer) =>
  text
    .replace(/^[\s\S]*<body>/, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describeUserPage('activity in a user’s name', (given) => {
  const partnerId = async () => (await findUserById(given.store.db, given.userId))!.partnerId;
  const called = async (...calls: readonly Partial<CallRecord>[]) => {
    const of = { partnerId: await partnerId(), userId: given.userId, tokenId: 't', service: 'library' };
    const ended = { outcome: 'ok', upstreamCode: null, upstreamStatus: 200, requestId: 'r' };
    const sizes = { durationMs: 1, requestBytes: 2, responseBytes: 2 };
    await given.store.insertCallRecords(
      calls.map((call) => ({ ...of, ...ended, ...sizes, createdAt: given.now, tool: 'library_find', ...call })),
    );
  };
  const activityOf = async (query = '') => (await given.api('GET', `alice/activity${query}`)).body;

  test('is a sentence for each client, service, effect and outcome', async () => {
    const { grantId } = await given.allow('Claude <Code>');
    const own = await given.allow(null, { clientId: null });
    const at = given.now;
    await called(
      { grantId, createdAt: at - 50 * MINUTE },
      { grantId, createdAt: at - 20 * MINUTE },
      { grantId, createdAt: at - 10 * MINUTE, tool: 'library_lend' },
      { grantId, createdAt: at - 9 * MINUTE, tool: 'library_burn', outcome: 'rate_limited', upstreamStatus: 429 },
      { grantId: own.grantId, createdAt: at - 8 * MINUTE, service: 'archive', tool: 'archive_read' },
      { createdAt: at - 7 * MINUTE },
      { grantId: 'deleted', createdAt: at - 6 * MINUTE, tool: 'library_gone' },
    );
    const text = textOf(await (await given.entered()).get('/me/activity'));
    const sentences = [
      'A client that no longer has access called a tool in Library, 2030-01-15 11:54 UTC library_gone',
      'The operator of this gateway read data in Library, 2030-01-15 11:53 UTC Find &lt;books&gt;',
      'Acme &amp; Sons itself read data in City Archive, 2030-01-15 11:52 UTC archive_read',
      '“Claude &lt;Code&gt;” (unverified name) tried to delete or overwrite data in Library, which failed (rate limited), 2030-01-15 11:51 UTC',
      '“Claude &lt;Code&gt;” (unverified name) wrote data in Library, 2030-01-15 11:50 UTC',
      '“Claude &lt;Code&gt;” (unverified name) read data in Library 2 times, 2030-01-15 11:10 to 11:40 UTC Find &lt;books&gt;',
    ];
    const places = sentences.map((sentence) => text.indexOf(sentence));
    expect([text, places.every((place) => place > 0)]).toEqual([text, true]);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test('says what a client asked for, and whether it was denied', async () => {
    const { grantId } = await given.allow('Claude Code');
    const burn = { grantId, tool: 'library_burn', upstreamStatus: null };
    await called({ ...burn, outcome: 'awaiting_approval' }, { ...burn, outcome: 'denied_by_user' });
    await called({ ...burn, outcome: 'ok' });
    const { activity } = await activityOf();
    expect(activity.map(({ text }: { text: string }) => text).sort()).toEqual([
      '“Claude Code” (unverified name) asked to delete or overwrite data in Library',
      '“Claude Code” (unverified name) asked to delete or overwrite data in Library, which was denied',
      '“Claude Code” (unverified name) deleted or overwrote data in Library',
    ]);
  });

  test('names the account where the user has several of a service', async () => {
    const { grantId } = await given.allow('Claude Code');
    const { db } = given.store;
    const [first] = await listAccounts(db, given.userId, 'library');
    const own = { userId: given.userId, service: 'library', account: NEW_ACCOUNT };
    const second = await putConnection(db, { ...own, now: given.now, seal: () => null });
    const find = (connectionId: string) => ({ grantId, connectionId });
    await called(find(first!.id), find(second), find(second), find('removed'), { grantId });
    const { activity } = await activityOf();
    const said = activity.map((entry: { text: string; account_name?: string }) => [entry.text, entry.account_name]);
    expect(said.sort()).toEqual([
      ['“Claude Code” (unverified name) read data in Library (account-1)', 'account-1'],
      ['“Claude Code” (unverified name) read data in Library (account-2) 2 times', 'account-2'],
      ['“Claude Code” (unverified name) read data in Library', undefined],
      ['“Claude Code” (unverified name) read data in Library', undefined],
    ]);
    const text = textOf(await (await given.entered()).get('/me/activity'));
    expect(text).toContain('“Claude Code” (unverified name) read data in Library (account-2) 2 times');
  });

  test('sums up a busy client by the hour, and says which tools it used', async () => {
    const { grantId } = await given.allow('Busy');
    const calls = Array.from({ length: 300 }, (_, index) => ({
      grantId,
      createdAt: given.now - index * MINUTE,
      tool: index % 3 === 0 ? 'library_find' : 'library_old',
    }));
    await called(...calls.filter(({ tool }) => tool === 'library_find'));
    const { activity, next } = await activityOf();
    expect(next).toBeNull();
    expect(activity.map(({ calls: count }: { calls: number }) => count)).toEqual([20, 20, 20, 20, 20]);
    expect(activity[0]).toEqual({
      text: '“Busy” (unverified name) read data in Library 20 times',
      caller: 'client',
      client: { client_id: expect.stringMatching(/^client-/), client_name: 'Busy' },
      service: 'library',
      title: 'Library',
      effect: 'reading',
      outcome: 'ok',
      calls: 20,
      continues: false,
      tools: [{ tool: 'library_find', title: 'Find <books>', calls: 20 }],
      first_at: '2030-01-15T11:03:00.001Z',
      last_at: '2030-01-15T12:00:00.001Z',
    });
  });

  test('keeps two clients of one name apart, and two grants of one client together', async () => {
    const first = await given.allow('Twin');
    const clientId = `client-${given.now}`;
    const again = await given.allow('Twin', { clientId });
    const second = await given.allow('Twin');
    await called({ grantId: first.grantId }, { grantId: second.grantId }, { grantId: again.grantId });
    const { activity } = await activityOf();
    expect(activity.map(({ calls }: { calls: number }) => calls).sort()).toEqual([1, 2]);
  });

  test('counts each call on one page, whatever the size of the pages', async () => {
    const { grantId } = await given.allow('Paged');
    const tools = ['library_find', 'library_lend', 'library_burn'];
    const calls = Array.from({ length: 60 }, (_, index) => ({
      grantId,
      createdAt: given.now - Math.floor(index / 4) * 7 * MINUTE,
      tool: tools[index % 3]!,
    }));
    await called(...calls);
    for (const limit of [1, 2, 7]) {
      let sum = 0;
      let cursor = '';
      for (let pages = 0; pages < 99; pages += 1) {
        const { activity, next } = await activityOf(`?limit=${limit}${cursor}`);
        expect(activity.length).toBeLessThanOrEqual(limit);
        for (const { calls: count } of activity) sum += count;
        if (next === null) break;
        cursor = `&cursor=${next}`;
      }
      expect([limit, sum]).toEqual([limit, 60]);
    }
  });

  test('says where an entry continues on the next page, and counts it whole on the start page', async () => {
    const { grantId } = await given.allow('Mixed');
    const at = given.now;
    const find = (minutes: number) => ({ grantId, createdAt: at - minutes * MINUTE });
    const lend = (minutes: number) => ({ ...find(minutes), tool: 'library_lend' });
    const burn = (minutes: number) => ({ ...find(minutes), tool: 'library_burn' });
    await called(find(0), lend(1), burn(2), find(3), find(90));
    const textsOf = ({ activity }: { activity: { text: string }[] }) => activity.map(({ text }) => text);
    const first = await activityOf('?limit=2');
    expect(textsOf(first)).toEqual([
      '“Mixed” (unverified name) read data in Library at least once',
      '“Mixed” (unverified name) wrote data in Library',
    ]);
    expect(textsOf(await activityOf(`?cursor=${first.next}`))).toEqual([
      '“Mixed” (unverified name) deleted or overwrote data in Library',
      '“Mixed” (unverified name) read data in Library',
      '“Mixed” (unverified name) read data in Library',
    ]);
    const user = (await findUserById(given.store.db, given.userId))!;
    const options = { catalogue: createCatalogue(CONNECTORS), limit: 2, isExcerpt: true };
    const { entries, next } = await listActivity(given.store.db, user, options);
    expect(entries.map(({ calls, continues }) => [calls, continues])).toEqual([
      [2, false],
      [1, false],
    ]);
    expect(next).not.toBeNull();
  });

  test('examines a bounded number of records a page, and continues after them', async () => {
    await called(...Array.from({ length: 25 }, (_, index) => ({ createdAt: given.now - index })));
    const catalogue = createCatalogue(CONNECTORS);
    const user = (await findUserById(given.store.db, given.userId))!;
    const counts: [number, boolean][] = [];
    let after: Parameters<typeof listActivity>[2]['after'];
    for (let pages = 0; pages < 9; pages += 1) {
      const page = await listActivity(given.store.db, user, { catalogue, limit: 50, after, maxExamined: 10 });
      counts.push(...page.entries.map(({ calls, continues }) => [calls, continues] as [number, boolean]));
      if (page.next === null) break;
      after = page.next;
    }
    expect(counts).toEqual([
      [10, true],
      [10, true],
      [5, false],
    ]);
  });

  test('is found through the index of calls by user', async () => {
    const { grantId } = await given.allow('Indexed');
    await called({ grantId });
    const user = (await findUserById(given.store.db, given.userId))!;
    const plans = await plansOf(given.store, (db) =>
      listActivity(db, user, { catalogue: createCatalogue(CONNECTORS), limit: 5 }),
    );
    expect(plans.join('\n')).toMatch(/call_records_(by|of)_user/);
  });

  test('shows nothing of other users, on the page and to partners', async () => {
    await called({ userId: given.other.userId, tool: 'library_burn' });
    const browser = await given.entered();
    expect(textOf(await browser.get('/me'))).toContain('Recent activity No call is on record.');
    expect(textOf(await browser.get('/me/activity'))).toContain('No call is on record.');
    expect((await activityOf()).activity).toEqual([]);
    const theirs = await given.api('GET', 'alice/activity', undefined, { id: 'other', secret: given.other.secret });
    expect(theirs.body.activity).toMatchObject([{ effect: 'destructive', caller: 'operator', calls: 1 }]);
    expect((await given.api('GET', 'nobody/activity')).status).toBe(404);
    expect((await given.browser().get('/me/activity')).status).toBe(401);
  });

  test('refuses a cursor that came from elsewhere; the page then shows the latest', async () => {
    await called({});
    const foreign = Buffer.from("1' or 1=1").toString('base64url');
    expect((await given.api('GET', `alice/activity?cursor=${foreign}`)).status).toBe(400);
    const page = await (await given.entered()).get("/me/activity?before=1'%20or%001=1");
    expect(textOf(page)).toContain('read data in Library');
  });

  test('is shown in brief on the start page, and in full behind a link', async () => {
    const { grantId } = await given.allow('Often');
    await called(...Array.from({ length: 40 }, (_, index) => ({ grantId, createdAt: given.now - index * HOUR })));
    const browser = await given.entered();
    const start = await browser.get('/me');
    expect(textOf(start).match(/Often” \(unverified name\) read data/g)).toHaveLength(5);
    expect(start.text).toContain('href="/me/activity"');
    const first = await browser.get('/me/activity');
    expect(textOf(first).match(/Often” \(unverified name\) read data/g)).toHaveLength(30);
    const [, earlier] = /href="(\/me\/activity\?before=[^"]+)"/.exec(first.text)!;
    const second = textOf(await browser.get(earlier!));
    expect(second.match(/Often” \(unverified name\) read data/g)).toHaveLength(10);
    expect(second).toContain('Latest activity');
  });

  test('leads to the partner to reconnect what it offers, unless it is suspended', async () => {
    const links = async () => {
      const { text } = await (await given.entered()).get('/me');
      return [...text.matchAll(/href="([^"]+)">Reconnect/g)].map(([, url]) => url);
    };
    expect(await links()).toEqual([]);
    const connectUri = 'https://acme.example/connections?from=gateway&x="';
    await updatePartner(given.store.db, await partnerId(), { connectUri, services: ['library'] });
    expect(await links()).toEqual(['https://acme.example/connections?from=gateway&amp;x=%22&amp;service=library']);
    const browser = await given.entered();
    await given.store.db.updateTable('partners').set({ suspended_at: given.now }).execute();
    expect((await browser.get('/me')).text).not.toContain('>Reconnect');
  });
});
