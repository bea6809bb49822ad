import { beforeEach, describe, expect, test } from 'vitest';
import {
  MAX_PENDING_PER_NETWORK,
  redeemConnectionAttempt,
} from '../../../../server/base/store/repositories/connection-attempts.ts';
import {
  boundUnusedClients,
  insertClient,
  markClientUsed,
} from '../../../../server/base/store/repositories/oauth-clients.ts';
import { CLIENT } from '../../identity/oauth/rows.ts';
import { describeStore } from './dialects.ts';
import { insertAttempt } from './fixtures.ts';

describeStore('limits on rows of unknown callers', (given) => {
  const add = (clientId: string, registeredFrom: string, now: number) =>
    insertClient(given.store.db, { ...CLIENT, clientId, registeredFrom, now });
  const left = async () => {
    const rows = await given.store.db.selectFrom('oauth_clients').select('client_id').orderBy('client_id').execute();
    return rows.map((row) => row.client_id);
  };

  test('the oldest unused clients of the network with the most are removed first', async () => {
    await add('honest', '192.0.2.1', 1);
    for (const at of [2, 3, 4, 5]) await add(`flood-${at}`, '198.51.100.1', at);
    expect(await boundUnusedClients(given.store.db, 'registered', 5)).toBe(0);
    expect(await boundUnusedClients(given.store.db, 'registered', 3)).toBe(2);
    expect(await left()).toEqual(['flood-4', 'flood-5', 'honest']);
  });

  test('an allowed client neither counts nor is removed', async () => {
    for (const at of [1, 2, 3]) await add(`client-${at}`, '198.51.100.1', at);
    await markClientUsed(given.store.db, 'client-1', 9);
    expect(await boundUnusedClients(given.store.db, 'registered', 1)).toBe(1);
    expect(await left()).toEqual(['client-1', 'client-3']);
  });

  test('clients with a document have their own limit', async () => {
    await add('registered', '198.51.100.1', 1);
    for (const fetchedAt of [1, 2, 3]) {
      const document = { fetchedAt, expiresAt: 9 };
      await insertClient(given.store.db, {
        ...CLIENT,
        clientId: `https://${fetchedAt}.example/`,
        document,
        now: fetchedAt,
      });
    }
    expect(await boundUnusedClients(given.store.db, 'document', 1)).toBe(2);
    expect(await left()).toEqual(['https://3.example/', 'registered']);
  });

  describe('connect flows that are not redeemed yet', () => {
    const partnerId = 'partner';
    const attempt = (index: number, madeFrom: string | null) => insertAttempt(given.store, toAttempt(index, madeFrom));
    const toAttempt = (index: number, madeFrom: string | null) => ({ id: idOf(index), partnerId, madeFrom });
    const idOf = (index: number) => `attempt-${String(index).padStart(3, '0')}`;
    const ids = async () => {
      const rows = await given.store.db.selectFrom('connection_attempts').select('id').orderBy('id').execute();
      return rows.map(({ id }) => id);
    };
    beforeEach(async () => {
      const partner = {
        id: partnerId,
        client_id: 'acme',
        name: 'Acme',
        created_at: 1,
        redirect_uris: '[]',
        plain_links: 1,
        footer: 1,
      };
      await given.store.db.insertInto('partners').values(partner).execute();
    });

    test('are limited to the newest of a network', async () => {
      await attempt(0, '192.0.2.1');
      await attempt(1, null);
      for (let index = 2; index < MAX_PENDING_PER_NETWORK + 4; index += 1) await attempt(index, '198.51.100.1');
      const flooded = Array.from({ length: MAX_PENDING_PER_NETWORK }, (_, index) => idOf(index + 4));
      expect(await ids()).toEqual([idOf(0), idOf(1), ...flooded]);
    });

    test('displace no redeemed one, whose network is deleted', async () => {
      await attempt(0, '198.51.100.1');
      await redeemConnectionAttempt(given.store.db, idOf(0), 10);
      for (let index = 1; index <= MAX_PENDING_PER_NETWORK; index += 1) await attempt(index, '198.51.100.1');
      expect(await ids()).toHaveLength(MAX_PENDING_PER_NETWORK + 1);
      const row = await given.store.db
        .selectFrom('connection_attempts')
        .selectAll()
        .where('id', '=', idOf(0))
        .execute();
      expect(row).toMatchObject([{ made_from: null, sealed_credential: null, redeemed_at: 10 }]);
    });
  });
});
