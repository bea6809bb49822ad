import { expect, test } from 'vitest';
import { listConnections } from '../../../../../server/base/store/repositories/connections.ts';
import { describeLease, HOUR_MS } from './support.ts';

describeLease('the credential of a connection that a team shares', (given) => {
  test('when its refresh fails for a member, says nothing of the owner, whose partner is told of the owner', async () => {
    await given.start(2);
    await given.connect();
    const owner = given.userId;
    const { db } = given.store;
    await db.updateTable('connections').set({ account: 'ada@acme.example' }).execute();
    const api = async (path: string, body: object) =>
      expect((await given.send('PUT', `/api/partner/teams/sales${path}`, body)).status).toBe(204);
    await api('', { name: 'Team Sales' });
    await api('/members', { user_ids: ['ada', 'bob'] });
    await api('/shares/library', { user_id: 'ada' });
    const bob = await db
      .selectFrom('users')
      .select('id')
      .where('external_user_id', '=', 'bob')
      .executeTakeFirstOrThrow();
    given.userId = bob.id;
    given.now += HOUR_MS;
    expect((await given.call()).data).toMatchObject({ token: 'seen' });
    given.now += HOUR_MS;
    given.upstream.refreshTokens.clear();
    const calls = await Promise.all(Array.from({ length: 6 }, (_, index) => given.call('library_list', index % 2)));
    calls.push(await given.call());
    expect(new Set(calls.map(({ error }) => error.code))).toEqual(new Set(['connection_needs_attention']));
    expect(JSON.stringify(calls)).not.toMatch(/ada|acme\.example|at-0|rt-0/);
    expect(JSON.stringify(calls)).toContain('ask Acme about the team');
    const events = await db
      .selectFrom('audit_events')
      .selectAll()
      .where('type', '=', 'connection_needs_attention')
      .execute();
    expect(events.map(({ user_id, partner_id }) => [user_id, partner_id])).toEqual([[owner, given.partnerId]]);
    const outbox = await db.selectFrom('partner_events').selectAll().where('type', 'like', '%attention%').execute();
    expect(outbox.map(({ user_id, partner_id }) => [user_id, partner_id])).toEqual([[owner, given.partnerId]]);
    expect((await listConnections(db, owner)).map(({ status }) => status)).toEqual(['attention']);
  });

  test('when the authorization server is down or the service refuses it, says nothing of the owner either', async () => {
    await given.start();
    await given.connect();
    const { db } = given.store;
    await given.send('PUT', '/api/partner/teams/sales', { name: 'Team Sales' });
    await given.send('PUT', '/api/partner/teams/sales/members', { user_ids: ['ada', 'bob'] });
    await given.send('PUT', '/api/partner/teams/sales/shares/library', { user_id: 'ada' });
    const owner = given.userId;
    const bob = await db
      .selectFrom('users')
      .select('id')
      .where('external_user_id', '=', 'bob')
      .executeTakeFirstOrThrow();
    given.userId = bob.id;
    given.now += HOUR_MS;
    given.upstream.fault = { status: 500, body: { error: 'ada at-0 rt-0' } };
    const down = await given.call();
    expect(down.error.code).toBe('credential_not_renewed');
    given.upstream.fault = null;
    given.now += HOUR_MS;
    given.upstream.broken = { status: 401, body: { message: 'Unauthorized' } };
    const once = await given.call();
    const lacks = await given.call('library_admin');
    const refused = await given.call();
    expect([once, lacks, refused].map(({ error }) => error.code)).toEqual([
      'refused_once',
      'scope_not_granted',
      'credential_refused',
    ]);
    expect(JSON.stringify([down, once, lacks, refused])).not.toMatch(/ada|at-\d|rt-\d/);
    const events = await db
      .selectFrom('audit_events')
      .select('user_id')
      .where('type', '=', 'connection_needs_attention')
      .execute();
    expect(events).toEqual([{ user_id: owner }]);
  });
});
