import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defineEvents, emit } from '../../../../../server/base/store/events.ts';
import type { Store } from '../../../../../server/base/store/index.ts';
import { insertPartner } from '../../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../../server/base/store/repositories/users.ts';
import type { Executor } from '../../../../../server/base/store/schema.ts';
import { forgetUser } from '../../../../../server/identity/partners/forget-user.ts';
import {
  findEventHead,
  findPartnerEvent,
  listPartnerEvents,
} from '../../../../../server/modules/notify/webhooks/outbox.ts';
import { sealUserNames } from '../../../../../server/modules/notify/webhooks/user-names.ts';
import { keyBytes } from '../../../../support/keys.ts';
import { openListeningStore } from '../../../../support/listening.ts';
import { describeStore } from '../../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../../base/store/fixtures.ts';

const GRANT = { grantId: 'g', clientId: null };
const EVENTS = defineEvents('test', { called: null });
const CALLED = { called_as: 'old', tool: 'new', until: null };

describeStore('partner events', (given) => {
  async function begin(store: Store, work: (transaction: Executor) => Promise<void>) {
    const appended = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const done = store.db.transaction().execute(async (transaction) => {
      await work(transaction);
      appended.resolve();
      await commit.promise;
    });
    await Promise.race([appended.promise, done]);
    return {
      async commit() {
        commit.resolve();
        await done;
      },
      async fail(error: Error) {
        commit.reject(error);
        await done;
      },
    };
  }

  async function withStores<Result>(run: (stores: Store[]) => Promise<Result>): Promise<Result> {
    const stores = await Promise.all([1, 2].map(() => openListeningStore({ url: given.url })));
    try {
      return await run(stores);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  }

  const seqsAfter = async (store: Store, partnerId: string, after: number) =>
    (await listPartnerEvents(store.db, { partnerId, after, limit: 1000 })).map(({ seq }) => seq);

  test('are numbered from 1 for each partner, and read in pages', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: 1 });
    const bob = await ensureUser(given.store.db, { partnerId: other.id, externalUserId: 'bob', now: 1 });
    const event = { type: 'grant_given', ...GRANT, now: 5 } as const;
    await emit(given.store.db, [
      { ...event, userId: user.id },
      { ...event, userId: bob.id },
      { type: 'connection_created', userId: user.id, service: 'crm', connectionId: 'c', now: 5 },
      { ...event, userId: 'nobody' },
    ]);
    const [first, second] = await listPartnerEvents(given.store.db, { partnerId: partner.id, after: 0, limit: 9 });
    expect(second).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      seq: 2,
      partner_id: partner.id,
      type: 'connection.created',
      user_id: user.id,
      external_user_id: 'alice',
      service: 'crm',
      connection_id: 'c',
      data: {},
      created_at: 5,
    });
    expect(await listPartnerEvents(given.store.db, { partnerId: partner.id, after: 0, limit: 1 })).toEqual([first]);
    expect(await seqsAfter(given.store, partner.id, 1)).toEqual([2]);
    expect(await seqsAfter(given.store, other.id, 0)).toEqual([1]);
    expect(await findEventHead(given.store.db, other.id)).toBe(1);
    expect(await findPartnerEvent(given.store.db, { id: first!.id, partnerId: partner.id })).toEqual(first);
    expect(await findPartnerEvent(given.store.db, { id: first!.id, partnerId: other.id })).toBeUndefined();
  });

  test('of one id are written once', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const sent = { type: 'tool.deprecated_called', data: CALLED };
    const event = { type: 'called', userId: user.id, partner: sent, id: 'evt_same', now: 1 } as const;
    await EVENTS.emit(given.store.db, event);
    await EVENTS.emit(given.store.db, event);
    expect(await seqsAfter(given.store, partner.id, 0)).toEqual([1]);
  });

  test('of an open transaction hold later ones back, so a reader never skips one that commits late', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const append = (transaction: Executor) =>
      emit(transaction, { type: 'grant_given', userId: user.id, ...GRANT, now: 1 });
    await withStores(async ([first, second]) => {
      const late = await begin(first!, append);
      let isSecondDone = false;
      const quick = second!.db
        .transaction()
        .execute(append)
        .then(() => {
          isSecondDone = true;
        });
      expect(await seqsAfter(given.store, partner.id, 0)).toEqual([]);
      expect(isSecondDone).toBe(false);
      await late.commit();
      await quick;
    });
    expect(await seqsAfter(given.store, partner.id, 0)).toEqual([1, 2]);
  });

  test('of a failed transaction use up no number', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const event = { type: 'grant_given', userId: user.id, ...GRANT, now: 1 } as const;
    await withStores(async ([first, second]) => {
      const failing = await begin(first!, (transaction) => emit(transaction, event));
      const waiting = second!.db.transaction().execute((transaction) => emit(transaction, event));
      await expect(failing.fail(new Error('rolled back'))).rejects.toThrow('rolled back');
      await waiting;
    });
    expect(await seqsAfter(given.store, partner.id, 0)).toEqual([1]);
  });

  test('of many writers reach a reader without a gap', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const event = { type: 'grant_given', userId: user.id, ...GRANT, now: 1 } as const;
    await withStores(async (stores) => {
      const writing = Promise.all(
        stores.flatMap((store) =>
          Array.from({ length: 30 }, () => store.db.transaction().execute((transaction) => emit(transaction, event))),
        ),
      );
      const seen: number[] = [];
      while (seen.length < 60) {
        seen.push(...(await seqsAfter(given.store, partner.id, seen.at(-1) ?? 0)));
        await nextTurn();
      }
      await writing;
      expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    });
  }, 30_000);

  test('name a removed user to its partner, and store the name only sealed', async () => {
    sealUserNames(given.store.db, [{ id: 'test', key: keyBytes(1) }]);
    const { partner, user } = await insertPartnerAndUser(given.store);
    const userId = user.id;
    await emit(given.store.db, { type: 'connection_created', userId, service: 'crm', connectionId: 'c', now: 3 });
    await given.store.db.transaction().execute((transaction) => forgetUser(transaction, user, { now: 4 }));
    const rows = await given.store.db.selectFrom('partner_events').selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`alice|${userId}`));
    const events = await listPartnerEvents(given.store.db, { partnerId: partner.id, after: 0, limit: 9 });
    expect(events.map((event) => [event.type, event.external_user_id])).toEqual([
      ['connection.created', 'alice'],
      ['user.removed', 'alice'],
    ]);
  });

  test('name no removed user if names cannot be sealed', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    await given.store.db.transaction().execute((transaction) => forgetUser(transaction, user, { now: 4 }));
    const [removed] = await listPartnerEvents(given.store.db, { partnerId: partner.id, after: 0, limit: 9 });
    expect(removed?.external_user_id).toMatch(/^gone-/);
  });
});
