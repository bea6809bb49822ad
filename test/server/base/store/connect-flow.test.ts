import { expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import {
  findConnectionAttempt,
  redeemConnectionAttempt,
  setGrantOfAttempt,
} from '../../../../server/base/store/repositories/connection-attempts.ts';
import { markConnectionRefused, putConnection } from '../../../../server/base/store/repositories/connections.ts';
import {
  insertPartnerSecret,
  listPartnerSecrets,
  revokePartnerSecret,
} from '../../../../server/base/store/repositories/partner-secrets.ts';
import { findPartner, insertPartner, updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { forgetUser } from '../../../../server/identity/partners/forget-user.ts';
import { describeStore } from './dialects.ts';
import { findConnection, insertAttempt, insertPartnerAndUser, tokenFor } from './fixtures.ts';

describeStore('partner settings', (given) => {
  test('are stored unchanged', async () => {
    const settings = {
      name: 'Acme',
      redirectUris: ['https://acme.example/back'],
      connectUri: 'https://acme.example/connect',
      logoText: 'A',
      services: ['crm', 'mailer'],
      plainLinks: false,
    };
    const partner = await insertPartner(given.store.db, { clientId: 'acme', now: 1, ...settings });
    expect(await findPartner(given.store.db, partner.id)).toEqual({ ...partner, ...settings });
  });

  test('change one by one, and can be removed', async () => {
    const partner = await insertPartner(given.store.db, {
      clientId: 'acme',
      name: 'Acme',
      now: 1,
      logoText: 'A',
      services: ['crm'],
    });
    await updatePartner(given.store.db, partner.id, { services: null, redirectUris: ['https://acme.example/'] });
    expect(await findPartner(given.store.db, partner.id)).toMatchObject({
      name: 'Acme',
      logoText: 'A',
      services: null,
      redirectUris: ['https://acme.example/'],
    });
    await updatePartner(given.store.db, partner.id, { logoText: null, services: [] });
    expect(await findPartner(given.store.db, partner.id)).toMatchObject({ logoText: null, services: [] });
    expect(await updatePartner(given.store.db, 'nobody', { name: 'x' })).toBe(false);
  });

  test('a secret is listed without its hash, and becomes invalid when revoked', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    await given.store.db
      .transaction()
      .execute((transaction) =>
        insertPartnerSecret(transaction, { partnerId: partner.id, secretHash: 'secret hash', now: 5 }),
      );
    const [secret] = await listPartnerSecrets(given.store.db, partner.id);
    expect(JSON.stringify(secret)).not.toContain('secret hash');
    const ending = { id: secret!.id, partnerId: partner.id, now: 6 };
    expect(await revokePartnerSecret(given.store.db, { ...ending, partnerId: 'another' })).toBe(false);
    expect(await revokePartnerSecret(given.store.db, ending)).toBe(true);
    expect(await revokePartnerSecret(given.store.db, ending)).toBe(false);
    expect(await listPartnerSecrets(given.store.db, partner.id)).toEqual([]);
  });
});

describeStore('connection attempts', (given) => {
  test('exactly one of a hundred concurrent redemptions succeeds', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    await insertAttempt(given.store, { id: 'a', partnerId: partner.id });
    const redeemed = await Promise.all(
      Array.from({ length: 100 }, () => redeemConnectionAttempt(given.store.db, 'a', 10)),
    );
    expect(redeemed.filter(Boolean)).toHaveLength(1);
  });

  test('a redeemed attempt keeps its grant and no credential', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    await insertAttempt(given.store, { id: 'a', partnerId: partner.id });
    expect((await findConnectionAttempt(given.store.db, 'hash of a'))?.sealedCredential).toBe('sealed');
    await redeemConnectionAttempt(given.store.db, 'a', 10);
    await setGrantOfAttempt(given.store.db, 'a', 'grant');
    expect(await findConnectionAttempt(given.store.db, 'hash of a')).toMatchObject({
      sealedCredential: null,
      redeemedAt: 10,
      grantId: 'grant',
    });
  });

  test('an attempt that has expired is not redeemed', async () => {
    const { partner } = await insertPartnerAndUser(given.store);
    await insertAttempt(given.store, { id: 'a', partnerId: partner.id, expiresAt: 10 });
    expect(await redeemConnectionAttempt(given.store.db, 'a', 10)).toBe(false);
  });
});

describeStore('a refused credential', (given) => {
  test('marks its own connection, and none that replaced it', async () => {
    const { user } = await insertPartnerAndUser(given.store);
    const of = { userId: user.id, service: 'crm' };
    await putConnection(given.store.db, { ...of, now: 2, seal: () => 'old' });
    const id = await putConnection(given.store.db, { ...of, now: 3, seal: () => 'new' });
    expect(await markConnectionRefused(given.store.db, { id, updatedAt: 2, now: 4 })).toBe(false);
    expect((await findConnection(given.store.db, user.id, 'crm'))?.status).toBe('active');
    expect(await markConnectionRefused(given.store.db, { id, updatedAt: 3, now: 4 })).toBe(true);
    expect((await findConnection(given.store.db, user.id, 'crm'))?.status).toBe('attention');
  });
});

describeStore('a removed user', (given) => {
  test('leaves no token, no attempt and no name', async () => {
    const { db } = given.store;
    const { user, partner } = await insertPartnerAndUser(given.store);
    await insertAccessToken(db, tokenFor(user.id));
    await insertAttempt(given.store, { id: 'a', partnerId: partner.id });
    await emit(db, { type: 'connection_activated', now: 5, userId: user.id });
    const call = { createdAt: 5, partnerId: partner.id, tokenId: 't', service: 'crm', tool: 'crm_x', outcome: 'ok' };
    const sizes = {
      upstreamStatus: 200,
      upstreamCode: null,
      durationMs: 1,
      requestBytes: 1,
      responseBytes: 1,
      requestId: 'r',
    };
    await given.store.insertCallRecords([{ ...call, ...sizes, userId: user.id }]);

    const forget = () => db.transaction().execute((transaction) => forgetUser(transaction, user, { now: 9 }));
    expect(await forget()).toBe(true);
    expect(await forget()).toBe(false);

    expect(await given.store.findAccessToken('hash')).toBeUndefined();
    expect(await findConnectionAttempt(db, 'hash of a')).toBeUndefined();
    const rows = [
      ...(await db.selectFrom('audit_events').select('user_id').execute()),
      ...(await db.selectFrom('call_records').select('user_id').execute()),
    ];
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map((row) => row.user_id)).size).toBe(1);
    expect(rows[0]?.user_id).toMatch(/^gone-/);
  });
});
