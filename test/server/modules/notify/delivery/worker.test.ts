import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CredentialUnreadableError } from '../../../../../server/base/credentials/index.ts';
import { LOOPBACK_NETWORKS } from '../../../../../server/base/guarded-fetch/networks.ts';
import { createOutgoing } from '../../../../../server/base/guarded-fetch/outgoing.ts';
import type { Attempt } from '../../../../../server/modules/notify/delivery/attempt.ts';
import { createWebhookSecret } from '../../../../../server/modules/notify/delivery/send.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../../../../../server/modules/notify/delivery/worker.ts';
import { describeStore } from '../../../base/store/dialects.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const secret = createWebhookSecret();
const now = Date.now();

describeStore('a worker of deliveries', (given) => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  /** One round of a queue in memory: one subscriber, which gets one message. */
  async function deliverOnce(
    messageOf: () => Promise<string | undefined>,
    deliver: (worker: DeliveryWorker) => Promise<void> = (worker) => worker.round(),
  ) {
    const { db } = given.store;
    await sql`
      create table subscribers (
        id text primary key, previous_until bigint, failing_since bigint, disabled_at bigint, leased_by text, leased_until bigint
      )`.execute(db);
    await sql`insert into subscribers (id, leased_until) values ('one', 0)`.execute(db);
    const due = [{ attempts: 0, first_attempt_at: null }];
    const settled: Attempt[] = [];
    const outgoing = createOutgoing({ networks: LOOPBACK_NETWORKS });
    const worker = createDeliveryWorker({
      db,
      outgoing,
      userAgent: 'gateway-test/1.0',
      now: () => now,
      onError(error) {
        throw error;
      },
      queue: {
        table: 'subscribers',
        listDueSubscribers: async () => [{ id: 'one', partnerId: 'partner' }],
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
    await sql`drop table subscribers`.execute(db);
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
    const settled = await deliverOnce(
      async () => '{}',
      async (worker) => {
        worker.wake();
        await expect.poll(() => receiver.received.length).toBe(1);
      },
    );
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
});
