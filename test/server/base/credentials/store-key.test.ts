import { expect, test } from 'vitest';
import { type CredentialVault, createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { findLostKey, openEach } from '../../../../server/base/credentials/rotate-keys.ts';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { joinStoreKey, openVault, startStoreKey } from '../../../../server/base/credentials/store-key.ts';
import { digestOf, hashSecret } from '../../../../server/base/principal/secrets.ts';
import { openStore } from '../../../../server/base/store/index.ts';
import type { User } from '../../../../server/base/store/repositories/users.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { addPartnerSecret, authenticatePartner } from '../../../../server/identity/partners/secrets.ts';
import { sealedRowsOf } from '../../../../server/module.ts';
import { MODULES } from '../../../../server/modules/index.ts';
import { keyBytes } from '../../../support/keys.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { describeStore, type StoreUnderTest } from '../store/dialects.ts';
import { insertPartnerAndUser } from '../store/fixtures.ts';

const OLD = { id: 'k1', key: keyBytes(1) };
const NEW = { id: 'k2', key: keyBytes(2) };
const TABLES = sealedRowsOf(MODULES);

/** A partner, a user and what they hold, as a gateway before this version wrote it. */
async function seed({ store }: StoreUnderTest) {
  const { partner, user } = await insertPartnerAndUser(store);
  const { db } = store;
  const vault = createCredentialVault({ keys: [OLD] });
  await saveConnection(db, vault, { userId: user.id, service: 'crm', fields: { key: 'x' }, now: 1 });
  const resource = 'https://gateway.example';
  const grant = { userId: user.id, scopes: ['tools:read'] as const, services: null, resource, now: Date.now() };
  const { token } = await issueAccessToken(db, grant);
  const clientSecret = await db
    .transaction()
    .execute((transaction) => addPartnerSecret(transaction, { partnerId: partner.id, now: 1 }));
  return { clientId: partner.clientId, clientSecret, token, grant, user };
}

const nothing = async () => {};

async function unkeyedOf({ store }: StoreUnderTest, { id: userId, partnerId, externalUserId }: User, service: string) {
  const { id: connectionId } = await store.db
    .selectFrom('connections')
    .select('id')
    .where('service', '=', service)
    .executeTakeFirstOrThrow();
  const binding = { connectionId, partnerId, userId, externalUserId, service };
  return createCredentialVault({ keys: [OLD] }).seal({ key: 'y' }, binding);
}

async function sealedOf({ store }: StoreUnderTest): Promise<string> {
  const row = await store.db.selectFrom('connections').select('sealed_credential').executeTakeFirstOrThrow();
  return row.sealed_credential ?? '';
}

/** As if the gateway were stopped and started. */
async function reopen(given: StoreUnderTest): Promise<void> {
  await given.store.close();
  given.store = await openListeningStore({ url: given.url });
}

describeStore('the key of a store', (given) => {
  test('is made at the first start, and carries over what was stored without it', async () => {
    const { token, user, ...partner } = await seed(given);
    await reopen(given);
    const started = await startStoreKey(given.store.db, [OLD], TABLES);
    expect(started.isKeyed).toBe(true);
    await started.carryOver?.(nothing);
    expect(await given.store.findAccessToken(digestOf(token))).toBeUndefined();
    expect(await given.store.findAccessToken(hashSecret(given.store.db, token))).toMatchObject({ userId: user.id });
    expect(await authenticatePartner(given.store.db, partner)).toMatchObject({ clientId: partner.clientId });
    expect(await sealedOf(given)).toMatch(/^v3\.k1\./);
    const connection = await given.store.db.selectFrom('connections').select('id').executeTakeFirstOrThrow();
    const binding = { connectionId: connection.id, partnerId: user.partnerId, userId: user.id, service: 'crm' };
    const vault = await openVault(given.store.db, [OLD]);
    const { externalUserId } = user;
    expect(vault.open(await sealedOf(given), { ...binding, externalUserId })).toEqual({ key: 'x' });
    expect(() => vault.open('v2.k1.AAAA', { ...binding, externalUserId })).toThrow('damaged');
    expect(() =>
      vault.open(vault.seal({}, { ...binding, externalUserId: 'b' }), { ...binding, externalUserId }),
    ).toThrow();
  });

  test('lets credentials be opened before they are sealed with it, and the next start continue', async () => {
    const { user } = await seed(given);
    await saveConnection(given.store.db, createCredentialVault({ keys: [OLD] }), {
      userId: user.id,
      service: 'mailer',
      fields: { key: 'y' },
      now: 1,
    });
    const start = () => startStoreKey(given.store.db, [OLD], TABLES);
    const interrupted = await start();
    const crash = new Error('crashed');
    await expect(interrupted.carryOver?.(() => Promise.reject(crash))).rejects.toBe(crash);
    const isOpened = (vault: CredentialVault) =>
      openEach(given.store.db, vault, TABLES).then(({ opened }) => opened === 2);
    expect(await isOpened(interrupted.vault)).toBe(true);
    await given.store.db
      .updateTable('connections')
      .set({ sealed_credential: await unkeyedOf(given, user, 'mailer') })
      .where('service', '=', 'mailer')
      .execute();
    await reopen(given);
    const nodes = [await start(), await start()];
    const ofCommand = await openVault(given.store.db, [OLD]);
    for (const { vault } of nodes) expect(await isOpened(vault)).toBe(true);
    expect(await isOpened(ofCommand)).toBe(true);
    expect(await findLostKey(given.store.db, ofCommand, ['k1'])).toBeNull();
    await Promise.all(nodes.map(({ carryOver }) => carryOver?.(nothing)));
    for (const { vault } of nodes) expect(vault.versions).toEqual([3]);
    expect(await isOpened(await openVault(given.store.db, [OLD]))).toBe(true);
    expect((await start()).carryOver).toBeNull();
  });

  test('goes on accepting what waits for a key that is missing in the ring', async () => {
    await seed(given);
    expect(await (await startStoreKey(given.store.db, [NEW], TABLES)).carryOver?.(nothing)).toBe(0);
    const { vault, carryOver } = await startStoreKey(given.store.db, [NEW, OLD], TABLES);
    expect((await openEach(given.store.db, vault, TABLES)).opened).toBe(1);
    expect(await carryOver?.(nothing)).toBe(1);
  });

  test('opens no credential of the former form for a mark that the gateway did not set', async () => {
    await seed(given);
    const start = () => startStoreKey(given.store.db, [OLD], TABLES);
    await (await start()).carryOver?.(nothing);
    await given.store.db.insertInto('store_keys').values({ id: 'carry-over', sealed: 'v1.k1.AAAA' }).execute();
    const { vault, carryOver } = await start();
    expect([vault.versions, carryOver]).toEqual([[3], null]);
  });

  test('stays when the ring gets a new key, so that tokens stay valid', async () => {
    const { grant } = await seed(given);
    await reopen(given);
    await startStoreKey(given.store.db, [OLD], TABLES);
    const { token } = await issueAccessToken(given.store.db, grant);
    await startStoreKey(given.store.db, [NEW, OLD], TABLES);
    await reopen(given);
    await startStoreKey(given.store.db, [NEW], TABLES);
    expect(await given.store.findAccessToken(hashSecret(given.store.db, token))).toBeDefined();
  });

  test('is needed by commands that make or find secrets, and by no others', async () => {
    await startStoreKey(given.store.db, [OLD], TABLES);
    await reopen(given);
    for (const ring of [[], [NEW]]) {
      await joinStoreKey(given.store.db, ring);
      expect(() => hashSecret(given.store.db, 'secret')).toThrow('set ENCRYPTION_KEYS as the gateway of this store');
    }
  });

  test('is made by one of many gateways that start at once', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ url: given.url })));
    await Promise.all(stores.map(({ db }) => startStoreKey(db, [OLD], [])));
    expect(new Set(stores.map(({ db }) => hashSecret(db, 'secret'))).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('is not made beside gateways that could not read what it keys', async () => {
    const { token } = await seed(given);
    if (given.dialect === 'sqlite') return;
    const beside = await openStore({ url: given.url });
    expect((await startStoreKey(beside.db, [OLD], TABLES)).isKeyed).toBe(false);
    await beside.close();
    expect(await given.store.findAccessToken(hashSecret(given.store.db, token))).toBeDefined();
    expect(await sealedOf(given)).toMatch(/^v2\./);
  });
});
