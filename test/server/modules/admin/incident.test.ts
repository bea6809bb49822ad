import { beforeEach, describe, expect, test } from 'vitest';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { listPartnerSecrets } from '../../../../server/base/store/repositories/partner-secrets.ts';
import { findPartner, insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { tokenFor } from '../../base/store/fixtures.ts';
import { givenDashboard, type Visitor } from './support.ts';

const given = givenDashboard();
let operator: Visitor;
beforeEach(async () => {
  await given.start();
  operator = await given.operator();
});

function grantOf(userId: string, changes: object = {}): Promise<string> {
  const grant = { clientId: null, userId, scopes: ['tools:read'], services: null, resource: 'r' };
  return insertGrant(given.store.db, { ...grant, now: given.now, expiresAt: given.now + 60_000, ...changes });
}

async function lastEvent(type: string) {
  const [event] = await given.store.db.selectFrom('audit_events').selectAll().where('type', '=', type).execute();
  return event;
}

const alive = async () =>
  (await given.store.db.selectFrom('oauth_grants').select('id').where('revoked_at', 'is', null).execute()).map(
    ({ id }) => id,
  );

describe('a partner', () => {
  test('is suspended and resumed', async () => {
    const path = `/admin/partners/${given.partnerId}`;
    expect((await operator.confirm(path, `${path}/suspend`)).headers.get('location')).toBe(`${path}?done=suspended`);
    expect(await findPartner(given.store.db, given.partnerId)).toMatchObject({ suspendedAt: given.now });
    for (const page of [path, '/admin/partners']) {
      expect((await operator.get(page)).text).toContain('<span class="badge bad">suspended</span>');
    }
    expect((await operator.get(`/admin/users/${given.userId}`)).text).toContain('The partner is suspended');
    await operator.submit(path, `${path}/secrets`);
    await operator.submit(path, `${path}/resume`);
    expect(await findPartner(given.store.db, given.partnerId)).toMatchObject({ suspendedAt: null });
    expect(await lastEvent('partner_suspended')).toMatchObject({ partner_id: given.partnerId });
    expect(await lastEvent('partner_resumed')).toMatchObject({ partner_id: given.partnerId });
  });

  test('is not resumed without a valid secret', async () => {
    const path = `/admin/partners/${given.partnerId}`;
    await operator.submit(path, `${path}/secrets`);
    const [secret] = await listPartnerSecrets(given.store.db, given.partnerId);
    await operator.confirm(path, `${path}/secrets/${secret!.id}/revoke`);
    const refused = await operator.submit(path, `${path}/resume`);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('It has no valid secret')]);
    expect(await findPartner(given.store.db, given.partnerId)).toMatchObject({ suspendedAt: expect.any(Number) });
    await operator.submit(path, `${path}/secrets`);
    await operator.submit(path, `${path}/resume`);
    expect(await findPartner(given.store.db, given.partnerId)).toMatchObject({ suspendedAt: null });
  });

  test('is removed with its users', async () => {
    const path = `/admin/partners/${given.partnerId}`;
    await grantOf(given.userId);
    const removed = await operator.confirm(path, `${path}/remove`);
    expect(removed.headers.get('location')).toBe('/admin/partners?done=removed');
    expect(await findPartner(given.store.db, given.partnerId)).toBeUndefined();
    for (const table of ['users', 'connections', 'oauth_grants'] as const) {
      expect(await given.store.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect((await operator.get('/admin/partners?done=removed')).text).toContain('The partner is removed');
    expect((await operator.get('/admin/audit')).text).toContain('Partner removed');
  });
});

describe('grants', () => {
  test('are listed by user, partner, client and service, with minted tokens and codes', async () => {
    const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other Ltd', now: given.now });
    const bob = await ensureUser(given.store.db, { partnerId: other.id, externalUserId: 'bob', now: given.now });
    await grantOf(given.userId);
    await grantOf(bob.id);
    await insertAccessToken(given.store.db, { ...tokenFor(bob.id), now: given.now, expiresAt: given.now + 60_000 });
    await mintConnectionCode(given.store.db, { userId: bob.id, limits: WHOLE_LIMITS, now: given.now });
    const countOf = async (query: string) =>
      /<strong>([^<]*)<\/strong><\/p>/.exec((await operator.get(`/admin/grants${query}`)).text)?.[1];
    expect(await countOf('')).toBe('2 grants, 1 minted token, 1 connection code');
    expect(await countOf(`?partner=${other.id}`)).toBe('1 grant, 1 minted token, 1 connection code');
    expect(await countOf(`?user=${given.userId}`)).toBe('1 grant, 0 minted tokens, 0 connection codes');
    expect(await countOf('?service=library')).toBe('1 grant, 0 minted tokens, 0 connection codes');
    expect(await countOf('?client=nobody')).toBe('0 grants, 0 minted tokens, 0 connection codes');
  });

  test('show when they expire if unused, and when at the latest', async () => {
    const day = 86_400_000;
    await grantOf(given.userId, { expiresAt: given.now + 3 * day, endsAt: given.now + 9 * day });
    const { text } = await operator.get('/admin/grants');
    expect(text.replaceAll(/<[^>]+>/g, ' ')).toMatch(/Expires if unused +At the latest/);
    const times = [3, 9].map(
      (days) => `${new Date(given.now + days * day).toISOString().slice(0, 19).replace('T', ' ')}Z`,
    );
    expect([...text.matchAll(/<time datetime="([^"]+)"/g)].map(([, time]) => time)).toEqual(
      expect.arrayContaining(times),
    );
  });

  test('of an unknown realm are those of every partner, and the question says so', async () => {
    await grantOf(given.userId);
    const asked = await operator.submit('/admin/grants', '/admin/grants/revoke', { realm: 'Test' });
    expect(asked.text).toContain('<h1>Revoke everything, of every partner?</h1>');
    expect((await operator.get('/admin/grants?realm=Test')).text).toContain('>Revoke everything</button>');
  });

  test.each(['service', 'partner'])(
    'show by which %s they are selected, even if there is none of the name',
    async (name) => {
      const { text } = await operator.get(`/admin/grants?${name}=gone`);
      expect(text).toContain('<option value="gone" selected>gone</option>');
    },
  );

  test('are revoked as selected, and all at once', async () => {
    const other = await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: 'bob', now: 1 });
    await grantOf(given.userId);
    const left = await grantOf(other.id);
    const asked = await operator.submit('/admin/grants', '/admin/grants/revoke', { user: given.userId });
    expect([asked.text.includes('<strong>1 grant, '), (await alive()).length]).toEqual([true, 2]);
    const done = await operator.confirm('/admin/grants', '/admin/grants/revoke', { user: given.userId });
    expect(done.headers.get('location')).toBe(
      `/admin/grants?user=${given.userId}&done=revoked&grants=1&tokens=0&codes=0`,
    );
    expect(await alive()).toEqual([left]);
    const event = await lastEvent('grants_revoked');
    expect(event).toMatchObject({ user_id: given.userId, address: '127.0.0.1' });
    expect(JSON.parse(event?.details ?? '')).toEqual({
      by: 'operator',
      operator: 'admin',
      codes: 0,
      grants: 1,
      tokens: 0,
    });
    await operator.confirm('/admin/grants', '/admin/grants/revoke');
    expect(await alive()).toEqual([]);
    expect((await operator.get(done.headers.get('location') ?? '')).text).toContain('Revoked: 1 grant,');
  });
});
