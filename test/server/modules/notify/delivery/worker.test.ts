import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CredentialUnreadableError } from '../../../../../server/base/credentials/index.ts';
import { LOOPBACK_NETWORKS } from '../../../../../server/base/guarded-fetch/networks.ts';
import { createOutgoing } from '../../../../../server/base/guarded-fetch/outgoing.ts';
import { insertPartner, setPartnerSuspended } from '../../../../../server/base/store/repositories/partners.ts';
import { createTable, dialectOf } from '../../../../../server/base/store/tables/table-set.ts';
import { type Attempt, judgeAnswer } from '../../../../../server/modules/notify/delivery/attempt.ts';
import { createWebhookSecret } from '../../../../../server/modules/notify/delivery/send.ts';
import {
  claimSubscriber,
  listDueSubscribers,
  NEW_SUBSCRIBER,
  SUBSCRIBER_COLUMNS,
  type SubscriberRow,
} from '../../../../../server/modules/notify/delivery/subscribers.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../../../../../server/modules/notify/delivery/worker.ts';
import { describeStore } from '../../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../../base/store/fixtures.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const secret = createWebhookSecret();
const now = Date.now();

describeStore('a worker of deliveries', (given) => {
  let receiver: Receiver;
  let partnerId: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    partnerId = (await insertPartnerAndUser(given.store)).partner.id;
    const { db } = given.store;
    await sql.raw(createTable('subscribers', { columns: SUBSCRIBER_COLUMNS }, dialectOf(db))).execute(db);
  });
  afterEach(async () => {
    await sql`drop table subscribers`.execute(given.store.db);
    await receiver.close();
  });

  const addSubscriber = async (changes: Partial<SubscriberRow> = {}) => {
    const row = {
      ...NEW_SUBSCRIBER,
      id: 'one',
      partner_id: partnerId,
      sealed_credential: '',
      created_at: 0,
      cursor: 0,
    };
    const subscriber = { ...row, ...changes };
    await given.store.db
      .insertInto('subscribers' as never)
      .values(subscriber as never)
      .execute();
  };

  /** One round of a queue in memory: one subscriber, which gets one message. */
  async function deliverOnce(
    messageOf: () => Promise<string | undefined>,
    {
      deliver = (worker: DeliveryWorker) => worker.round(),
      subscriber = {},
    }: { deliver?: (worker: DeliveryWorker) => Promise<void>; subscriber?: Partial<SubscriberRow> } = {},
  ) {
    await addSubscriber(subscriber);
    const due = [{ attempts: 0, first_attempt_at: null }];
    const settled: Attempt[] = [];
    const outgoing = createOutgoing({ networks: LOOPBACK_NETWORKS });
    const worker = createDeliveryWorker({
      db: given.store.db,
      outgoing,
      userAgent: 'gateway-test/1.0',
      now: () => now,
      onError(error) {
        throw error;
      },
      queue: {
        table: 'subscribers',
        isDue: () => sql`true`,
        listDue: async () => due.splice(0),
        async messageOf() {
          const body = await messageOf();
          return body === undefined ? body : { id: 'm1', url: `${receiver.origin}/hook`, body, secrets: [secret] };
        },
        settle: async (_executor, _subscriber, _delivery, attempt) => void settled.push(attempt),
      },
    });
    await deliver(worker);
    await worker.stop();
    await outgoing.destroy();
    return settled;
  }

  test('sends what a queue of any kind says is due, signed', async () => {
    const [attempt] = await deliverOnce(async () => '{"a":1}');
    expect(attempt).toMatchObject({ status: 'delivered', answerStatus: 204, problem: null, startedAt: now });
    expect(attempt?.subscriber).toBeUndefined();
    const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({ a: 1 });
  });

  test('sends what is due when it is woken, without waiting for its next round', async () => {
    const settled = await deliverOnce(async () => '{}', {
      async deliver(worker) {
        worker.wake();
        await expect.poll(() => receiver.received.length).toBe(1);
      },
    });
    expect(settled).toMatchObject([{ status: 'delivered' }]);
  });

  test.each([
    [500, { failingSince: now }],
    [410, { failingSince: now, disabled: 'gone' }],
  ])('judges an answer of %i for the delivery and for the subscriber', async (answerStatus, subscriber) => {
    receiver.answer = (_, response) => response.writeHead(answerStatus).end();
    const [attempt] = await deliverOnce(async () => '{}');
    expect(attempt).toMatchObject({ answerStatus, status: 'waiting' });
    expect(attempt?.subscriber).toEqual(subscriber);
  });

  test('does not try again to deliver an event that is no longer stored', async () => {
    const [attempt] = await deliverOnce(async () => undefined);
    expect(attempt).toMatchObject({ status: 'failed', problem: 'event_gone' });
    expect(attempt?.subscriber).toBeUndefined();
  });

  test('holds a subscriber whose secret cannot be read until the next attempt', async () => {
    const [attempt] = await deliverOnce(() => Promise.reject(new CredentialUnreadableError('unknown-key', 'k1')));
    expect(attempt).toMatchObject({ status: 'waiting', problem: 'secret_unreadable', durationMs: 0 });
    expect(attempt?.subscriber?.heldUntil).toBe(attempt?.nextAttemptAt);
    expect(receiver.received).toEqual([]);
  });

  test.each([
    ['another node has claimed', { leased_by: 'another', leased_until: now + 1 }],
    ['is disabled', { disabled_at: now - 1 }],
  ])('sends nothing to a subscriber that %s', async (_, subscriber) => {
    expect(await deliverOnce(async () => '{}', { subscriber })).toEqual([]);
  });

  test('sends to a subscriber whose node let its claim expire, and releases it', async () => {
    const subscriber = { leased_by: 'a node that is gone', leased_until: now };
    expect(await deliverOnce(async () => '{}', { subscriber })).toMatchObject([{ status: 'delivered' }]);
    const rows = await given.store.db
      .selectFrom('subscribers' as 'webhook_endpoints')
      .selectAll()
      .execute();
    expect(rows).toMatchObject([{ leased_by: null, leased_until: now }]);
  });

  test('lists one subscriber of each partner before the second of any, and none of a suspended partner', async () => {
    const { db } = given.store;
    const b = (await insertPartner(db, { clientId: 'b', name: 'B', now: 1 })).id;
    const c = (await insertPartner(db, { clientId: 'c', name: 'C', now: 1 })).id;
    for (const [id, partner_id, leased_until] of [
      ['a1', partnerId, 1],
      ['a2', partnerId, 2],
      ['b1', b, 3],
      ['c1', c, 0],
    ] as const)
      await addSubscriber({ id, partner_id, leased_until });
    await setPartnerSuspended(db, c, now);
    const list = async (limit: number) =>
      (await listDueSubscribers(db, { table: 'subscribers', isDue: () => sql`true` }, { now, limit })).map(
        ({ id }) => id,
      );
    expect(await list(10)).toEqual(['a1', 'b1', 'a2']);
    expect(await list(2)).toEqual(['a1', 'b1']);
  });

  test('lets one node claim a subscriber, which may extend its claim', async () => {
    await addSubscriber();
    const claim = async (node: string, at: number) =>
      (await claimSubscriber(given.store.db, 'subscribers', { id: 'one', node, now: at, until: at + 60 }))?.id;
    expect(await claim('first', now)).toBe('one');
    expect(await claim('second', now + 59)).toBeUndefined();
    expect(await claim('first', now + 59)).toBe('one');
    expect(await claim('second', now + 118)).toBeUndefined();
    expect(await claim('second', now + 119)).toBe('one');
  });
});

const MINUTE_MS = 60_000;

test.each([
  [0, 5_000],
  [1, 30_000],
  [2, 2 * MINUTE_MS],
  [3, 10 * MINUTE_MS],
  [4, 30 * MINUTE_MS],
  [5, 60 * MINUTE_MS],
  [6, 120 * MINUTE_MS],
  [7, 240 * MINUTE_MS],
  [20, 240 * MINUTE_MS],
])('after %i failed attempts and one more, the next one comes in %i ms, more or less a fifth', (attempts, delay) => {
  const answer = { status: 500, problem: null, durationMs: 1 };
  const times = { startedAt: now, endedAt: now };
  const delays = Array.from(
    { length: 200 },
    () => judgeAnswer(now, { attempts, first_attempt_at: now }, answer, times).nextAttemptAt - now,
  );
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(delay * 0.8);
  expect(Math.max(...delays)).toBeLessThanOrEqual(delay * 1.2);
  expect(new Set(delays).size).toBeGreaterThan(1);
});
