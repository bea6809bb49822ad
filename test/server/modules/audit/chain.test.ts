import { expect, test } from 'vitest';
import { tell } from '../../../../server/base/store/events.ts';
import type { Store } from '../../../../server/base/store/index.ts';
import { purge } from '../../../../server/base/store/purge.ts';
import { forgetUser } from '../../../../server/identity/partners/forget-user.ts';
import { signAuditEvents } from '../../../../server/modules/audit/append.ts';
import { readAuditEvents } from '../../../../server/modules/audit/export.ts';
import { keepAuditKeys, loadAuditKeys } from '../../../../server/modules/audit/keys.ts';
import { keyBytes } from '../../../support/keys.ts';
import { openListeningStore, RETENTION } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../base/store/fixtures.ts';
import { RING, recordEvents, signAs, verify } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RULES = RETENTION;

describeStore('a chain of audit events', (given) => {
  const others: Store[] = [];

  async function openOther(node: string): Promise<Store> {
    const store = await openListeningStore({ url: given.url });
    await signAs(store, node);
    others.push(store);
    return store;
  }

  async function closeOthers(): Promise<void> {
    for (const store of others.splice(0)) await store.close();
  }

  test('holds the events of a host in order', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 3);
    const { chains, problems } = await verify(given.store);
    expect(problems).toEqual([]);
    expect(chains).toMatchObject([{ number: 1, node: 'a', events: 3, removed: 0, head: { chain: 1, seq: 3 } }]);
  });

  test('holds nothing of a transaction that was rolled back', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 1);
    const failing = given.store.db.transaction().execute(async (transaction) => {
      await tell(transaction, { type: 'grant_revoked', now: 8 });
      await tell(transaction, { type: 'grant_revoked', now: 9 });
      throw new Error('stop here');
    });
    await expect(failing).rejects.toThrow('stop here');
    await recordEvents(given.store, 1, 2_000);
    expect(await verify(given.store)).toMatchObject({ problems: [], chains: [{ events: 2 }] });
  });

  test('stays valid while several hosts write concurrently, repeatedly', async () => {
    const stores = await Promise.all(['a', 'b', 'c'].map(openOther));
    await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 12 }, (_, n) =>
          store.db
            .transaction()
            .execute(async (transaction) => {
              await tell(transaction, { type: 'tokens_issued', now: 1_000 + n });
              await tell(transaction, { type: 'consent_given', now: 1_000 + n });
              if (n % 4 === 0) throw new Error('stop here');
            })
            .catch(() => {}),
        ),
      ),
    );
    const { chains, problems } = await verify(given.store);
    await closeOthers();
    expect(problems).toEqual([]);
    expect(chains.reduce((sum, { events }) => sum + events, 0)).toBe(3 * 9 * 2);
    expect(new Set(chains.map(({ node }) => node))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('is continued by another host only after an hour without an event', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 1, 1_000);
    const other = await openOther('b');
    await recordEvents(other, 1, 1_000 + HOUR_MS);
    await recordEvents(await openOther('c'), 1, 1_001 + HOUR_MS);
    const { chains, problems } = await verify(given.store);
    await closeOthers();
    expect(problems).toEqual([]);
    expect(chains).toMatchObject([
      { number: 1, node: 'c', events: 2 },
      { number: 2, node: 'b', events: 1 },
    ]);
  });

  test('verifies texts that the database changes', async () => {
    await signAs(given.store, 'a');
    await tell(given.store.db, {
      type: 'client_registered',
      now: 7,
      clientId: 'half \ud800 a pair',
      details: { name: 'a\0b \ud800 \u{1f600} " \\', big: 1e21, list: [0.1, null] },
    });
    expect((await verify(given.store)).problems).toEqual([]);
  });

  test('is shortened by retention, and verifies from there on', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 7, DAY_MS);
    await recordEvents(given.store, 3, 400 * DAY_MS);
    const removed = await purge(given.store, RULES, { now: 401 * DAY_MS, batchRows: 2 });
    expect(removed).toMatchObject({ audit_events: 7 });
    expect(await verify(given.store)).toMatchObject({ problems: [], chains: [{ events: 3, removed: 7 }] });
    expect(await purge(given.store, RULES, { now: 401 * DAY_MS })).toMatchObject({ audit_events: 0 });
    await purge(given.store, RULES, { now: 900 * DAY_MS });
    await recordEvents(given.store, 2, 900 * DAY_MS);
    expect(await verify(given.store)).toMatchObject({ problems: [], chains: [{ events: 2, removed: 10 }] });
  });

  test('stays valid when a user is removed, whose events keep one reference', async () => {
    await signAs(given.store, 'a');
    const { user } = await insertPartnerAndUser(given.store);
    for (const now of [1, 2]) await tell(given.store.db, { type: 'consent_given', now, userId: user.id });
    await given.store.db.transaction().execute((transaction) => forgetUser(transaction, user, { now: 3 }));
    const references = await given.store.db.selectFrom('audit_events').select('user_id').distinct().execute();
    expect(references).toEqual([{ user_id: expect.stringMatching(/^gone-[\w-]{24}$/) }]);
    expect((await verify(given.store)).problems).toEqual([]);
  });

  test('stays verifiable when the key that signed it leaves the ring', async () => {
    const [first, second] = [RING[0]!, { id: 'k2', key: keyBytes(2) }];
    for (const ring of [[first], [first, second], [second, first], [second]]) {
      await keepAuditKeys(given.store.db, ring);
      await signAs(given.store, 'a', ring);
      await recordEvents(given.store, 1);
    }
    expect(await verify(given.store, { ring: [second] })).toMatchObject({ problems: [], chains: [{ events: 4 }] });
    expect(await loadAuditKeys(given.store.db, [{ id: 'k3', key: keyBytes(3) }])).toMatchObject({
      isForeign: true,
      lost: ['k1', 'k2'],
    });
    expect((await verify(given.store, { ring: [{ id: 'k1', key: keyBytes(3) }] })).problems.join()).toContain(
      'changed',
    );
  });

  test('is never continued with keys of another gateway', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 1);
    signAuditEvents(given.store.db, { keys: new Error('other keys'), node: 'a' });
    await expect(recordEvents(given.store, 1)).rejects.toThrow('other keys');
    expect(await verify(given.store)).toMatchObject({ problems: [], chains: [{ events: 1 }] });
  });

  test('is exported in chronological order, between two times', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 3, 2_000);
    await recordEvents(given.store, 600, 1_000);
    const timesOf = async (filter: { since?: number; until?: number }) => {
      const times: number[] = [];
      for await (const { created_at } of readAuditEvents(given.store.db, filter)) times.push(created_at);
      return times;
    };
    const all = await timesOf({});
    expect([all.length, all]).toEqual([603, all.toSorted((one, other) => one - other)]);
    expect(await timesOf({ since: 1_598, until: 2_001 })).toEqual([1_598, 1_599, 2_000]);
  });

  if (given.dialect === 'sqlite') return;

  test('never blocks: a transaction takes another chain while one holds it', async () => {
    await signAs(given.store, 'a');
    await recordEvents(given.store, 1);
    await given.store.db.transaction().execute(async (transaction) => {
      await tell(transaction, { type: 'consent_given', now: 2_000 });
      await recordEvents(given.store, 2, 3_000);
    });
    const { chains, problems } = await verify(given.store);
    expect(problems).toEqual([]);
    expect(chains).toMatchObject([{ events: 2 }, { events: 2 }]);
  });
});
