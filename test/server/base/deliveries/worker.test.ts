import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CredentialUnreadableError } from '../../../../server/base/credentials/index.ts';
import type { Attempt } from '../../../../server/base/deliveries/attempt.ts';
import { createWebhookSecret } from '../../../../server/base/deliveries/send.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../../../../server/base/deliveries/worker.ts';
import { LOOPBACK_NETWORKS } from '../../../../server/base/guarded-fetch/networks.ts';
import { createOutgoing } from '../../../../server/base/guarded-fetch/outgoing.ts';
import { describeStore } from '../store/dialects.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const secret = createWebhookSecret();
const now = Date.now();

describeStore('a worker of deliveries', (given) => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  /** One round of a queue in memory: one target, which gets one message. */
  async function deliverOnce(
    messageOf: () => Promise<string | undefined>,
    deliver: (worker: DeliveryWorker) => Promise<void> = (worker) => worker.round(),
  ) {
    const target = { id: 'target', failingSince: null };
    const due = [{ attempts: 0, firstAttemptAt: null }];
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
        listDueTargets: async () => [{ id: target.id, partnerId: 'partner' }],
        lease: async () => target,
        release: async () => {},
        hold: async () => {},
        listDue: async () => due.splice(0),
        async messageOf() {
          const body = await messageOf();
          return body === undefined ? body : { id: 'm1', url: `${receiver.origin}/hook`, body, secrets: [secret] };
        },
        settle: async (_executor, _target, _delivery, attempt) => void settled.push(attempt),
      },
    });
    await deliver(worker);
    await worker.stop();
    await outgoing.destroy();
    return settled;
  }

  test('sends what a queue of any kind says is due, signed', async () => {
    expect(await deliverOnce(async () => '{"a":1}')).toMatchObject([
      { status: 'delivered', answerStatus: 204, problem: null, startedAt: now, target: null },
    ]);
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
    [500, { status: 'waiting', target: { failingSince: now, heldUntil: null, disabled: null } }],
    [410, { status: 'waiting', target: { failingSince: now, heldUntil: null, disabled: 'gone' } }],
  ])('judges an answer of %i for the delivery and for the target', async (answerStatus, attempt) => {
    receiver.answer = (_, response) => response.writeHead(answerStatus).end();
    expect(await deliverOnce(async () => '{}')).toMatchObject([{ answerStatus, ...attempt }]);
  });

  test('does not try again what is no longer kept', async () => {
    const [attempt] = await deliverOnce(async () => undefined);
    expect(attempt).toMatchObject({ status: 'failed', problem: 'event_gone', target: null });
  });

  test('holds a target whose secret cannot be read until the next attempt', async () => {
    const [attempt] = await deliverOnce(() => Promise.reject(new CredentialUnreadableError('unknown-key', 'k1')));
    expect(attempt).toMatchObject({ status: 'waiting', problem: 'secret_unreadable', durationMs: 0 });
    expect(attempt?.target?.heldUntil).toBe(attempt?.nextAttemptAt);
    expect(receiver.received).toEqual([]);
  });
});
