import { expect, test } from 'vitest';
import { changePartner } from '../../server/identity/partners/manage.ts';
import { describeConnect, locationOf, REDIRECT_URI } from '../server/connect/support.ts';

const KEY = { 'credential-0': 'good-key-1' };

describeConnect('a partner whose services were narrowed', (given) => {
  const offer = (services: readonly string[] | null) =>
    given.store.db
      .transaction()
      .execute((transaction) => changePartner(transaction, given.partnerId, { services }, { now: given.now }));
  const session = (changes: Record<string, string> = {}) =>
    given.send('/api/mcp/oauth/sessions', {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'acme', client_secret: given.secret, user_id: 'alice', ...changes }),
    });

  test('neither lists nor calls a service that it no longer offers, until it offers it again', async () => {
    await given.connected('open', 'alice', {});
    const { body } = await given.connected('library', 'alice', KEY);
    expect(await given.tools(body.access_token)).toEqual(['library_list', 'open_list']);
    await offer(['open']);
    expect(await given.tools(body.access_token)).toEqual(['open_list']);
    const call = await given.call(body.access_token, 'library_list');
    expect(call.body.result.isError).toBe(true);
    expect(call.text).toContain('not_offered');
    expect(call.text).toContain('Acme & Sons does not offer The library');
    expect((await given.call(body.access_token, 'open_list')).body.result.isError ?? false).toBe(false);
    const refreshed = await given.token({ grant_type: 'refresh_token', refresh_token: body.refresh_token });
    expect(await given.tools(refreshed.body.access_token)).toEqual(['open_list']);
    expect((await given.call(refreshed.body.access_token, 'library_list')).text).toContain('not_offered');
    await offer(null);
    expect(await given.tools(refreshed.body.access_token)).toEqual(['library_list', 'open_list']);
    await offer([]);
    expect(await given.tools(refreshed.body.access_token)).toEqual([]);
  });

  test('cannot redeem a pending code until it offers the service again', async () => {
    const code = await given.connect('library', 'alice', KEY);
    const redeem = () =>
      given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
    await offer(['open']);
    const refused = await redeem();
    expect([refused.status, refused.body.error]).toEqual([400, 'unauthorized_client']);
    expect(await given.store.db.selectFrom('connections').selectAll().execute()).toEqual([]);
    await offer(['library']);
    expect((await redeem()).status).toBe(200);
  });

  test('gets no key accepted by a connect page that was already open', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    await offer(['open']);
    const answer = await visitor.submit('library', { decision: 'connect', ...KEY });
    expect(locationOf(answer).parameters).toMatchObject({ error: 'unauthorized_client' });
    expect(await given.store.db.selectFrom('connection_attempts').selectAll().execute()).toEqual([]);
  });

  test('gets no connect session for it, by service, tool or argument', async () => {
    await given.connected('open', 'alice', {});
    await offer(['open']);
    for (const named of [{ services: 'library' }, { tools: 'library_list' }, { arguments: '{"library":{"a":"b"}}' }]) {
      const answer = await session(named);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    }
    expect((await session()).status).toBe(200);
    expect((await session({ services: 'open' })).status).toBe(200);
  });
});
