import { beforeEach, describe, expect, test } from 'vitest';
import { purge } from '../../../../server/base/store/purge.ts';
import { redeemConnectionAttempt } from '../../../../server/base/store/repositories/connection-attempts.ts';
import {
  boundUnusedClients,
  insertClient,
  markClientUsed,
  protectDuringConsent,
} from '../../../../server/base/store/repositories/oauth-clients.ts';
import { RETENTION } from '../../../support/listening.ts';
import { CLIENT } from '../../identity/oauth/rows.ts';
import { describeStore } from './dialects.ts';
import { insertAttempt } from './fixtures.ts';

/** A client is protected when it is new. */
const PROTECTION_MS = 600_000;
const MAX_PENDING_PER_NETWORK = 50;

describeStore('limits on rows of unknown callers', (given) => {
  const add = (clientId: string, registeredFrom: string, now: number) =>
    insertClient(given.store.db, { ...CLIENT, clientId, registeredFrom, now });
  const left = async () => {
    const rows = await given.store.db.selectFrom('oauth_clients').select('client_id').orderBy('client_id').execute();
    return rows.map((row) => row.client_id);
  };

  const later = PROTECTION_MS + 100;
  const bound = (kind: 'registered' | 'document', max: number, now = later) =>
    boundUnusedClients(given.store.db, kind, { max, now });

  test('the oldest unused clients of the network with the most are removed first', async () => {
    await add('honest', '192.0.2.1', 1);
    for (const at of [2, 3, 4, 5]) await add(`flood-${at}`, '198.51.100.1', at);
    expect(await bound('registered', 5)).toBe(5);
    expect(await bound('registered', 3)).toBe(3);
    expect(await left()).toEqual(['flood-4', 'flood-5', 'honest']);
  });

  test('of networks with equally many, the oldest client is removed first, then the one with the smallest id', async () => {
    await add('newest', '192.0.2.1', 3);
    await add('same-b', '192.0.2.2', 2);
    await add('same-a', '203.0.113.9', 2);
    await add('oldest', '203.0.113.7', 1);
    expect(await bound('registered', 3)).toBe(3);
    expect(await left()).toEqual(['newest', 'same-a', 'same-b']);
    expect(await bound('registered', 2)).toBe(2);
    expect(await left()).toEqual(['newest', 'same-b']);
  });

  test('a client is not removed in its first ten minutes, nor while its consent page is open', async () => {
    await add('new', '198.51.100.1', 100);
    await add('open', '198.51.100.1', 1);
    await add('idle', '198.51.100.1', 2);
    await protectDuringConsent(given.store.db, 'open', later);
    expect(await bound('registered', 0, later - 1)).toBe(2);
    expect(await left()).toEqual(['new', 'open']);
    expect(await bound('registered', 0, later)).toBe(1);
    expect(await bound('registered', 0, later + 60_000)).toBe(0);
  });

  test('a registration whose consent page is open does not expire', async () => {
    await add('open', '198.51.100.1', 1);
    await add('idle', '198.51.100.1', 1);
    const now = 2 * 86_400_000;
    await protectDuringConsent(given.store.db, 'open', now + 1);
    expect(await purge(given.store, RETENTION, { now })).toMatchObject({ oauth_clients: 1 });
    expect(await left()).toEqual(['open']);
  });

  test('an allowed client neither counts nor is removed', async () => {
    for (const at of [1, 2, 3]) await add(`client-${at}`, '198.51.100.1', at);
    await markClientUsed(given.store.db, 'client-1', 9);
    expect(await bound('registered', 1)).toBe(1);
    expect(await left()).toEqual(['client-1', 'client-3']);
  });

  test('clients with a document have their own limit, and a hard one that spares none', async () => {
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
    expect(await boundUnusedClients(given.store.db, 'document', { max: 1, hardMax: 2, now: 4 })).toBe(2);
    expect(await left()).toEqual(['https://2.example/', 'https://3.example/', 'registered']);
    expect(await bound('document', 1)).toBe(1);
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
        owner_sharing: 0,
        requires_allowance: 0,
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

    test('do not displace the newest, however early its id was created', async () => {
      for (let index = 1; index <= MAX_PENDING_PER_NETWORK; index += 1) await attempt(index, '198.51.100.1');
      await attempt(0, '198.51.100.1');
      expect(await ids()).toContain(idOf(0));
      expect(await ids()).toHaveLength(MAX_PENDING_PER_NETWORK);
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
