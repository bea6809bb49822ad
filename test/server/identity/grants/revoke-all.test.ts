import { describe, expect, test } from 'vitest';
import { everyToolOf, FULL_PERMISSION, writePermission } from '../../../../server/base/principal/permission.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import {
  type AccessSelection,
  countAccess,
  listAccess,
} from '../../../../server/base/store/repositories/live-access.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import type { Executor } from '../../../../server/base/store/schema.ts';
import { revokeAccess } from '../../../../server/identity/grants/allowed/revoke.ts';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { describeStore, type StoreUnderTest } from '../../base/store/dialects.ts';
import { connect, tokenFor } from '../../base/store/fixtures.ts';

const NOW = 100;
const NOTHING = { codes: 0, grants: 0, tokens: 0 };

interface World {
  readonly acme: string;
  readonly ada: string;
  readonly bob: string;
}

async function createWorld({ store: { db } }: StoreUnderTest): Promise<World> {
  const partnerOf = async (clientId: string) => (await insertPartner(db, { clientId, name: clientId, now: 1 })).id;
  const userOf = async (partnerId: string, externalUserId: string) =>
    (await ensureUser(db, { partnerId, externalUserId, now: 1 })).id;
  const acme = await partnerOf('acme');
  const ada = await userOf(acme, 'ada');
  const bob = await userOf(await partnerOf('other'), 'bob');
  await insertClient(db, {
    clientId: 'claude',
    secretHash: null,
    authenticationMethod: 'none',
    applicationType: 'native',
    clientName: 'Claude',
    redirectUris: [],

    now: 1,
  });
  return { acme, ada, bob };
}

describeStore('bulk revocation', (given) => {
  const grant = (
    userId: string,
    changes: Partial<Parameters<typeof insertGrant>[1]> = {},
    db: Executor = given.store.db,
  ) =>
    insertGrant(db, {
      clientId: 'claude',
      userId,
      scopes: ['tools:read'],
      services: null,
      resource: 'r',
      now: 10,
      expiresAt: 1000,
      ...changes,
    });
  const token = (userId: string, tokenHash: string, changes = {}) =>
    insertAccessToken(given.store.db, { ...tokenFor(userId), tokenHash, expiresAt: 1000, ...changes });
  const code = (userId: string, services: string[] | null = null) =>
    mintConnectionCode(given.store.db, { userId, limits: { ...WHOLE_LIMITS, services }, now: NOW });
  const count = (selection: AccessSelection) => countAccess(given.store.db, selection, NOW);
  const revoke = (selection: AccessSelection) => revokeAccess(given.store.db, selection, { by: 'operator', now: NOW });
  const events = () =>
    given.store.db
      .selectFrom('audit_events')
      .select(['type', 'partner_id', 'user_id', 'client_id', 'details'])
      .execute();

  test('counts and revokes by user, client and partner, and all at once', async () => {
    const { acme, ada, bob } = await createWorld(given);
    for (const user of [ada, bob]) {
      await grant(user);
      await grant(user, { clientId: null });
      await token(user, `token of ${user}`);
      await code(user);
    }
    const mine = { codes: 1, grants: 2, tokens: 1 };
    expect(await count({})).toEqual({ codes: 2, grants: 4, tokens: 2 });
    expect(await count({ clientId: 'claude' })).toEqual({ ...NOTHING, grants: 2 });
    expect(await count({ userId: ada })).toEqual(mine);
    expect(await count({ partnerId: acme })).toEqual(mine);
    expect(await count({ partnerId: acme, userId: bob })).toEqual(NOTHING);

    expect(await revoke({ clientId: 'claude', userId: bob })).toEqual({ ...NOTHING, grants: 1 });
    expect(await revoke({ partnerId: acme })).toEqual(mine);
    expect(await count({})).toEqual({ codes: 1, grants: 1, tokens: 1 });
    expect(await given.store.findAccessToken(`token of ${ada}`)).toBeUndefined();
    expect(await given.store.findAccessToken(`token of ${bob}`)).toBeDefined();
    expect(await revoke({})).toEqual({ codes: 1, grants: 1, tokens: 1 });
    expect(await count({})).toEqual(NOTHING);
  });

  test('revokes by service only what can use it now', async () => {
    const { ada, bob } = await createWorld(given);
    await connect(given.store, { userId: ada, service: 'crm' });
    await connect(given.store, { userId: ada, service: 'c_m' });
    await connect(given.store, { userId: bob, service: 'mailer' });
    const without = (names: string[]) => writePermission({ ...FULL_PERMISSION, without: names });
    const taken = [await grant(ada), await grant(ada, { services: ['mailer', 'crm'] })];
    const left = [
      await grant(bob),
      await grant(ada, { services: ['crm-2', 'mailer'] }),
      await grant(ada, { permission: without([everyToolOf('crm')]) }),
    ];
    taken.push(await grant(ada, { permission: without(['crm_delete']) }));
    await token(ada, 'narrowed', { services: ['mailer'] });
    await token(ada, 'whole');
    await code(ada, ['crm']);
    await code(ada, ['mailer']);
    const listed = await listAccess(given.store.db, 'grants', { selection: { service: 'crm' }, now: NOW, limit: 10 });
    expect(listed.map(({ id }) => id).sort()).toEqual(taken.toSorted());
    expect(await count({ service: 'c_m' })).toMatchObject({ grants: 3 });
    expect(await revoke({ service: 'crm' })).toEqual({ codes: 1, grants: 3, tokens: 1 });
    const alive = await given.store.db
      .selectFrom('oauth_grants')
      .select('id')
      .where('revoked_at', 'is', null)
      .execute();
    expect(alive.map(({ id }) => id).sort()).toEqual(left.toSorted());
  });

  test('skips what is revoked or expired, and does nothing the second time', async () => {
    const { ada } = await createWorld(given);
    await grant(ada, { expiresAt: NOW });
    await grant(ada, { endsAt: NOW });
    await token(ada, 'expired', { expiresAt: NOW });
    await grant(ada);
    expect(await revoke({ userId: ada })).toEqual({ ...NOTHING, grants: 1 });
    expect(await revoke({ userId: ada })).toEqual(NOTHING);
    expect(await events()).toHaveLength(1);
  });

  test('writes one audit event with the counts, however many there are', async () => {
    const { ada } = await createWorld(given);
    await given.store.db.transaction().execute(async (transaction) => {
      for (let made = 0; made < 1001; made += 1) await grant(ada, {}, transaction);
    });
    expect(await revoke({ userId: ada })).toEqual({ ...NOTHING, grants: 1001 });
    const [event, ...more] = await events();
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'grants_revoked', partner_id: null, user_id: ada, client_id: null });
    expect(JSON.parse(event?.details ?? '')).toEqual({ by: 'operator', codes: 0, grants: 1001, tokens: 0 });
  });

  describe('the list', () => {
    test('names user, partner and client, newest first, page by page', async () => {
      const { ada, bob } = await createWorld(given);
      const first = await grant(ada, { services: ['crm'] });
      const second = await grant(bob, { clientId: null, now: 11 });
      await token(bob, 'minted');
      const options = { selection: {}, now: NOW, limit: 1 };
      const [youngest] = await listAccess(given.store.db, 'grants', options);
      expect(youngest).toMatchObject({ id: second, externalUserId: 'bob', partnerName: 'other', clientId: null });
      const [older] = await listAccess(given.store.db, 'grants', { ...options, before: second });
      expect(older).toMatchObject({ id: first, clientName: 'Claude', services: ['crm'], createdAt: 10 });
      const tokens = await listAccess(given.store.db, 'tokens', options);
      expect(tokens).toMatchObject([{ kind: 'tokens', userId: bob, clientId: null }]);
    });
  });
});
