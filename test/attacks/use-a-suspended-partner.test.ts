import { expect, test } from 'vitest';
import { findPartnerByClientId } from '../../server/base/store/repositories/partners.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { resumePartner, suspendPartner } from '../../server/identity/partners/lifecycle.ts';
import { type Answer, type ConnectUnderTest, describeConnect, REDIRECT_URI } from '../server/connect/support.ts';
import { openListeningStore } from '../support/listening.ts';

const KEY = { 'credential-0': 'good-key-1' };

function change(given: ConnectUnderTest, what: typeof suspendPartner): Promise<boolean> {
  return given.store.db.transaction().execute((transaction) => what(transaction, given.partnerId, { now: given.now }));
}

function rpc(given: ConnectUnderTest, token: string, message: object): Promise<Answer> {
  return given.send(MCP_PATH, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, ...message }),
  });
}

describeConnect('a suspended partner', (given) => {
  const suspend = () => change(given, suspendPartner);
  const resume = () => change(given, resumePartner);
  const refresh = (token: string) => given.token({ grant_type: 'refresh_token', refresh_token: token });
  const session = () =>
    given.send('/api/mcp/oauth/sessions', {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'acme', client_secret: given.secret, user_id: 'alice' }),
    });
  const headers = () => ({ Authorization: `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}` });

  test('gets no call, no list and no other answer for its users, and the error names whom to ask', async () => {
    const { body } = await given.connected('library', 'alice', KEY);
    expect(await given.tools(body.access_token)).toEqual(['library_list']);
    await suspend();
    const call = await given.call(body.access_token, 'library_list');
    expect(call.status).toBe(200);
    expect(call.body.result).toMatchObject({ isError: true });
    expect(call.text).toContain('partner_suspended');
    expect(call.text).toContain('Ask Acme & Sons');
    const methods = ['tools/list', 'initialize', 'ping', 'server/discover', 'resources/list'];
    for (const method of methods) {
      const answer = await rpc(given, body.access_token, { method, params: {} });
      expect([method, answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([method, 403, null]);
      expect(answer.body).toMatchObject({
        id: 7,
        error: { code: 403, message: expect.stringContaining('Acme & Sons') },
      });
    }
    await resume();
    expect(await given.tools(body.access_token)).toEqual(['library_list']);
    expect((await given.call(body.access_token, 'library_list')).body.result.isError ?? false).toBe(false);
  });

  test('can do nothing with its secret while suspended, and loses nothing', async () => {
    const { body } = await given.connected('library', 'alice', KEY);
    const code = await given.connect('pair', 'alice', { 'credential-0': 'good-key-1', 'credential-1': 'good-key-1' });
    await suspend();
    const redeem = () =>
      given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
    const users = '/api/partner/users/alice';
    const answers = [
      await redeem(),
      await refresh(body.refresh_token),
      await session(),
      await given.send(`${users}/connections`, { headers: headers() }),
      await given.send(`${users}/grants`, { headers: headers() }),
      await given.send(`${users}/links`, { method: 'POST', headers: headers() }),
      await given.send(users, { method: 'DELETE', headers: headers() }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.error]).toEqual([403, 'partner_suspended']);
    }
    await resume();
    expect((await redeem()).status).toBe(200);
    expect((await refresh(body.refresh_token)).status).toBe(200);
    expect((await session()).status).toBe(200);
  });

  test('gets no key at the connect page, even one that was already open', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    await suspend();
    const answers = [
      await visitor.submit('library', { decision: 'connect', ...KEY }),
      await given.visitor().open('library'),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('Acme &amp; Sons is suspended');
      expect(answer.headers.get('Location')).toBeNull();
    }
    expect(await given.store.db.selectFrom('connection_attempts').selectAll().execute()).toEqual([]);
  });

  test('is refused by a node that another node did not notify', async () => {
    const { body } = await given.connected('library', 'alice', KEY);
    const other = await openListeningStore({ url: given.databaseUrl });
    const partner = await findPartnerByClientId(other.db, 'acme');
    await other.db
      .transaction()
      .execute((transaction) => suspendPartner(transaction, partner?.id ?? '', { now: given.now }));
    await other.close();
    expect((await given.call(body.access_token, 'library_list')).text).toContain('partner_suspended');
  });
});
