import { expect, test, vi } from 'vitest';
import { type ConnectUnderTest, describeConnect, toForm } from './support.ts';

const GOOD = { 'credential-0': 'good-key-1' };

function basic(clientId: string, secret: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` };
}

describeConnect('the partner API', (given) => {
  const get = (path: string, headers = basic('acme', given.secret)) =>
    given.send(`/api/partner/users/${path}`, { headers });
  const remove = (path: string, headers = basic('acme', given.secret)) =>
    given.send(`/api/partner/users/${path}`, { method: 'DELETE', headers });

  test('lists the connections of one user only', async () => {
    await given.connected('library', 'alice', GOOD);
    await given.connected('open', 'alice', {});
    const { status, body } = await get('alice/connections');
    expect(status).toBe(200);
    expect(body).toEqual({
      user_id: 'alice',
      connections: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          service: 'library',
          title: 'The library',
          status: 'active',
          credential: 'key',
          account: null,
          connected_at: '2023-11-14T22:13:20.000Z',
          updated_at: '2023-11-14T22:13:20.000Z',
        },
        expect.objectContaining({ service: 'open', status: 'active', credential: 'none' }),
      ],
    });
    expect((await get('nobody/connections')).body).toEqual({ user_id: 'nobody', connections: [] });
  });

  test('accepts user ids with every character that a path must escape', async () => {
    const user = 'ada/lovelace?a=b&c#d %41 ü';
    await given.connected('library', user, GOOD);
    const { body } = await get(`${encodeURIComponent(user)}/connections`);
    expect(body.user_id).toBe(user);
    expect(body.connections).toHaveLength(1);
  });

  test('removes a connection and its tools at once, and no other', async () => {
    const { body } = await given.connected('library', 'alice', GOOD);
    await given.connected('open', 'alice', {});
    expect((await remove('alice/connections/library')).status).toBe(204);
    expect(await given.tools(body.access_token)).toEqual(['open_list']);
    expect((await remove('alice/connections/library')).status).toBe(404);
    expect(await rows(given, 'connections')).toHaveLength(1);
  });

  test('removes a user, revokes their tokens at once, and keeps the audit trail without the name', async () => {
    const { body } = await given.connected('library', 'alice-1815', GOOD);
    await given.call(body.access_token, 'library_list');
    const pending = await given.connect('library', 'alice-1815', GOOD);
    expect((await remove('alice-1815')).status).toBe(204);
    expect((await given.call(body.access_token, 'library_list')).status).toBe(401);
    const refreshed = await given.token({ grant_type: 'refresh_token', refresh_token: body.refresh_token });
    expect(refreshed.body.error).toBe('invalid_grant');
    const redeemed = {
      grant_type: 'authorization_code',
      code: pending,
      redirect_uri: 'https://acme.example/back',
      user_id: 'alice-1815',
    };
    expect((await given.token(redeemed)).body.error).toBe('invalid_grant');
    expect((await remove('alice-1815')).status).toBe(404);

    const events = await rows(given, 'audit_events');
    expect(JSON.stringify(events)).not.toContain('alice-1815');
    const named = events.filter((event) => event.user_id !== null);
    expect(named.length).toBeGreaterThan(1);
    expect(new Set(named.map((event) => event.user_id)).size).toBe(1);
    expect(named[0]?.user_id).toMatch(/^gone-/);
  });

  test('keeps no name of a removed user in records of calls that are written afterwards', async () => {
    const { body } = await given.connected('library', 'alice', GOOD);
    await given.call(body.access_token, 'library_list');
    await remove('alice');
    await vi.waitFor(async () => expect(await rows(given, 'call_records')).toHaveLength(1));
    expect((await rows(given, 'call_records'))[0]?.user_id).toMatch(/^gone-/);
  });

  test('reaches only the users of the partner', async () => {
    await given.connected('library', 'alice', GOOD);
    const other = await given.add('other');
    expect((await get('alice/connections', basic('other', other.secret))).body.connections).toEqual([]);
    expect((await remove('alice/connections/library', basic('other', other.secret))).status).toBe(404);
    expect((await remove('alice', basic('other', other.secret))).status).toBe(404);
    expect((await get('alice/connections')).body.connections).toHaveLength(1);
  });

  test.each(['GET alice/connections', 'DELETE alice/connections/library', 'DELETE alice'])(
    '%s requires the credentials of a partner',
    async (route) => {
      const [method = '', path = ''] = route.split(' ');
      const send = (headers: Record<string, string>) => given.send(`/api/partner/users/${path}`, { method, headers });
      const nobody = await send({});
      expect(nobody.status).toBe(401);
      expect(nobody.body.error).toBe('invalid_client');
      const wrong = await send(basic('acme', 'utg_ps_wrong'));
      expect(wrong.status).toBe(401);
      expect(wrong.headers.get('WWW-Authenticate')).toContain('Basic');
      const { body } = await given.connected('open', 'bob', {});
      expect((await send({ Authorization: `Bearer ${body.access_token}` })).status).toBe(401);
    },
  );

  test('accepts credentials in a form body', async () => {
    await given.connected('library', 'alice', GOOD);
    const answer = await given.send('/api/partner/users/alice', {
      method: 'DELETE',
      body: toForm({ client_id: 'acme', client_secret: given.secret }),
    });
    expect(answer.status).toBe(204);
  });

  test('refuses a user_id that no connect flow would accept', async () => {
    expect((await get(`${'x'.repeat(513)}/connections`)).status).toBe(400);
    expect((await get('a%00b/connections')).status).toBe(400);
  });
});

async function rows(given: ConnectUnderTest, table: 'connections' | 'audit_events' | 'call_records') {
  return (await given.store.db.selectFrom(table).selectAll().execute()) as { user_id: string | null }[];
}
