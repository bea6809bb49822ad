import { expect, test } from 'vitest';
import { putConnection } from '../../../../server/base/store/repositories/connections.ts';
import { connect } from '../../base/store/fixtures.ts';
import { createSessionVisitor, mintSession } from '../../connect/session-steps.ts';
import { describeConnect, locationOf, REDIRECT_URI } from '../../connect/support.ts';
import { Browser } from './support.ts';

describeConnect('a connection on the user’s own page', (given) => {
  const connections = () => given.store.db.selectFrom('connections').selectAll().execute();
  const redeem = (code: string) =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
  const openPage = async () => {
    const headers = { Authorization: `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}` };
    const { body } = await given.send('/api/partner/users/alice/links', { method: 'POST', headers });
    const browser = new Browser(given);
    await browser.enter(body.url.slice(given.origin.length));
    return (await browser.get('/me')).text;
  };

  test('has a link for what few tools need in addition, for each account until it is given', async () => {
    await given.connected('vault', 'alice', { 'credential-0': 'good-key-1' });
    const { id } = (await connections())[0]!;
    const { userId } = (await given.store.db.selectFrom('connections').select('user_id as userId').executeTakeFirst())!;
    const others = await putConnection(given.store.db, {
      userId,
      service: 'vault',
      account: 'new',
      now: 5,
      seal: () => null,
    });
    const name = (account: string, to: string) =>
      given.store.db.updateTable('connections').set({ account_name: to }).where('id', '=', account).execute();
    await name(id, 'Home');
    await name(others, 'Work');
    await connect(given.store, { userId, service: 'library' });
    const linksOf = async () => (await openPage()).match(/<a href="[^"]*">Connect more[^<]*<\/a>/g);
    const link = (account: string) =>
      `<a href="https://acme.example/connections?from=gateway&amp;service=vault&amp;account=${account}&amp;extra=Admin+key">Connect more of The vault: ${account}: Admin key</a>`;
    expect(await linksOf()).toEqual([link('Home'), link('Work')]);
    const visitor = createSessionVisitor(given);
    const wanted = { services: ['vault'], account: 'replace', account_name: 'Home', extra: 'Admin key' };
    await visitor.open((await mintSession(given, wanted)).body.connect_url);
    const back = await visitor.submit({ kind: '1', 'credential-0': 'admin-key-1' });
    await redeem(locationOf(back).parameters.code ?? '');
    expect(await linksOf()).toEqual([link('Work')]);
    await given.store.db.updateTable('connections').set({ status: 'attention' }).where('id', '=', others).execute();
    expect(await linksOf()).toBeNull();
  });

  test('shows the account, as the upstream with a tenant for each connection names it', async () => {
    await given.connected('office', 'alice', { 'credential-0': 'acme', 'credential-1': 'good-key-1' });
    await expect.poll(async () => (await connections())[0]?.account).toBe('acme');
    expect(await openPage()).toMatch(/Signed in as <bdi>acme<\/bdi>/);
  });
});
