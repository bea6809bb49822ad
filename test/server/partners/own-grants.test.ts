import { expect, test } from 'vitest';
import { describeUserPage } from '../modules/me/support.ts';

const PATH = '/api/partner/grants';

describeUserPage('the partner API for the grants of all its users', (given) => {
  const send = (method: string, query = '', as = { id: 'acme', secret: given.secret }) =>
    given.send(PATH + query, {
      method,
      headers: { Authorization: `Basic ${Buffer.from(`${as.id}:${as.secret}`).toString('base64')}` },
    });
  const clientIdOf = async (query: string) => (await send('GET', query)).body.grants[0].client.client_id as string;

  test('lists and counts them', async () => {
    const first = await given.allow('Claude', { services: ['library'] });
    await given.allow(null);
    await given.allow('Foreign', { userId: given.other.userId });
    const { body } = await send('GET');
    expect(body).toMatchObject({ live: { grants: 2, tokens: 0, connection_codes: 0 }, next: null });
    expect(body.grants).toHaveLength(2);
    expect(body.grants.at(-1)).toEqual({
      id: first.grantId,
      user_id: 'alice',
      client: { client_id: expect.stringMatching(/^client-/), client_name: 'Claude' },
      allowed_at: expect.stringMatching(/^2030-01-15T/),
      expires_at: expect.stringMatching(/^2030-02-14T/),
      services: ['library'],
      read_only: false,
    });
    expect((await send('GET', '?service=museum')).body.live.grants).toBe(0);
    expect((await send('GET', '?service=archive')).body.live.grants).toBe(1);
    expect((await send('GET', '?user_id=nobody')).status).toBe(404);
    expect((await send('GET', '?cursor=x')).status).toBe(400);
  });

  test('a misspelt selection revokes nothing', async () => {
    for (const [query, nearest] of [
      ['?user_id=alice&clientid=x', 'client_id'],
      ['?user_id=alice&services=crm', 'service'],
    ] as const) {
      const { status, body } = await send('DELETE', query);
      expect([status, body.error_description]).toEqual([400, expect.stringContaining(`Did you mean ${nearest}?`)]);
    }
  });

  test('revokes those of a client, a service, a user, or all, but never those of another partner', async () => {
    const claude = await given.allow('Claude', { services: ['museum', 'archive'] });
    const client = await clientIdOf('');
    const cursor = await given.allow('Cursor', { services: ['library'] });
    const own = await given.allow(null);
    const foreign = await given.allow('Foreign', { userId: given.other.userId });
    const revoke = async (query: string) => (await send('DELETE', query)).body.revoked?.grants;

    expect(await revoke(`?client_id=${client}`)).toBe(1);
    expect(await given.tools(claude.token)).toBe(401);
    expect(await revoke('?service=library')).toBe(2);
    expect(await given.tools(cursor.token)).toBe(401);
    expect(await given.tools(own.token)).toBe(401);
    await given.allow('Claude');
    expect(await revoke('?user_id=alice')).toBe(1);
    expect(await revoke('?user_id=alice')).toBe(0);
    await given.allow('Claude');
    expect(await revoke('?all=true')).toBe(1);
    expect(await given.tools(foreign.token)).not.toBe(401);
    const events = await given.auditOf('grants_revoked');
    expect(events.map(({ details }) => details.by)).toEqual(['partner', 'partner', 'partner', 'partner']);
  });

  test.each(['', '?all=yes', '?all=true&user_id=alice', '?client=x'])('refuses to revoke by "%s"', async (query) => {
    const { token } = await given.allow('Claude');
    const { status, body } = await send('DELETE', query);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(await given.tools(token)).not.toBe(401);
  });
});
