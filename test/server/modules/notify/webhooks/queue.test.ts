import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCredentialVault } from '../../../../../server/base/credentials/index.ts';
import { rotateKeys } from '../../../../../server/base/credentials/rotate-keys.ts';
import { insertPartner, setPartnerSuspended } from '../../../../../server/base/store/repositories/partners.ts';
import { listDeliveries, testEndpoint } from '../../../../../server/modules/notify/webhooks/deliveries.ts';
import {
  changeEndpoint,
  findEndpoint,
  rotateSecret,
  SEALED_ENDPOINTS,
} from '../../../../../server/modules/notify/webhooks/endpoints.ts';
import { findEventHead, skipEventNumbers } from '../../../../../server/modules/notify/webhooks/outbox.ts';
import { keyBytes } from '../../../../support/keys.ts';
import { openListeningStore } from '../../../../support/listening.ts';
import { describeStore } from '../../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../../base/store/fixtures.ts';
import { type Receiver, startReceiver, until } from '../delivery/receiver.ts';
import { addReceiver, createWorkers, happen, vault, type Workers } from './support.ts';

const HOUR_MS = 3_600_000;

describeStore('webhooks', (given) => {
  let receiver: Receiver;
  let workers: Workers;
  let partnerId: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    workers = createWorkers();
    partnerId = (await insertPartnerAndUser(given.store)).partner.id;
  });
  afterEach(async () => {
    await workers.close();
    await receiver.close();
    expect(workers.errors).toEqual([]);
  });

  const add = (path = '/hook', types?: readonly string[]) =>
    addReceiver(given.store, { partnerId, url: receiver.origin + path, ...(types === undefined ? {} : { types }) });
  const occur = (grant: string, user = 'alice', more = {}) =>
    happen(given.store, { partnerId, user, grant, now: workers.now, ...more });
  const deliveriesOf = (id: string) => listDeliveries(given.store.db, { endpointIds: [id], limit: 100 });
  const endpointOf = async (id: string) => (await findEndpoint(given.store.db, { id, partnerId }))!;
  const grants = () => receiver.received.map(({ event }) => event.data.grant_id);
  const fail = (status = 500) => {
    receiver.answer = (_, response) => response.writeHead(status).end('no');
  };
  const recover = () => {
    receiver.answer = (_, response) => response.writeHead(200).end();
  };

  test('carry the event and a signature that a receiver verifies', async () => {
    workers.now = Date.now();
    const { id, secret } = await add();
    await occur('g1');
    await workers.open(given.store).round();
    const [request] = receiver.received;
    expect(request?.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'grant.created',
      timestamp: new Date(workers.now).toISOString(),
      data: { user_id: 'alice', grant_id: 'g1', client_id: null },
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'gateway-test/1.0',
      'webhook-id': request?.event.id,
    });
    const headers = request!.headers as Record<string, string>;
    expect(new Webhook(secret).verify(request!.body, headers)).toEqual(request?.event);
    expect(() => new Webhook(secret).verify(`${request!.body} `, headers)).toThrow();
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, answer_status: 204, problem: null });
  });

  test('are signed with both secrets until the rotation is over', async () => {
    workers.now = Date.now();
    const { id, secret } = await add();
    const change = { now: workers.now, previousSeconds: 60 };
    const endpoint = await endpointOf(id);
    const next = await given.store.db.transaction().execute((db) => rotateSecret(db, vault, endpoint, change));
    await occur('g1');
    const worker = workers.open(given.store);
    await worker.round();
    workers.now += 60_000;
    await occur('g2');
    await worker.round();
    const [during, after] = receiver.received;
    for (const valid of [secret, next!]) {
      new Webhook(valid).verify(during!.body, during!.headers as Record<string, string>);
    }
    expect(String(during?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(String(after?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(() => new Webhook(secret).verify(after!.body, after!.headers as Record<string, string>)).toThrow();
  });

  test('keep their secret when the key ring is rotated', async () => {
    const { id, secret } = await add();
    const next = { id: 'next', key: keyBytes(2) };
    const both = createCredentialVault({ keys: [next, { id: 'test', key: keyBytes(1) }] });
    expect((await rotateKeys(given.store.db, both, [SEALED_ENDPOINTS])).resealed).toBe(1);
    expect(SEALED_ENDPOINTS.open(createCredentialVault({ keys: [next] }), await endpointOf(id))).toEqual({
      current: secret,
    });
  });

  test('follow at once those that the endpoint does not ask for, also where numbers of events are missing', async () => {
    const { id } = await add('/revoked', ['grant.revoked']);
    await occur('g1');
    await skipEventNumbers(given.store.db);
    const worker = workers.open(given.store);
    await worker.round();
    expect((await endpointOf(id)).cursor).toBe(await findEventHead(given.store.db, partnerId));
    await occur('g1', 'alice', { type: 'grant.revoked' });
    await worker.round();
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['grant.revoked']);
  });

  test('wait in the outbox while a thousand deliveries of the endpoint wait', async () => {
    const { id } = await add();
    await occur('g1');
    fail();
    const worker = workers.open(given.store);
    await worker.round();
    const [waiting] = await deliveriesOf(id);
    const more = Array.from({ length: 999 }, (_, index) => ({ ...waiting!, id: `more ${index}` }));
    for (let from = 0; from < more.length; from += 333) {
      const rows = more.slice(from, from + 333);
      await given.store.db.insertInto('webhook_deliveries').values(rows).execute();
    }
    const { cursor, leased_until } = await endpointOf(id);
    await occur('g2', 'bob');
    workers.now += 1000;
    await worker.round();
    expect(await endpointOf(id)).toMatchObject({ cursor, leased_until });
    await given.store.db.deleteFrom('webhook_deliveries').where('id', '=', 'more 0').execute();
    await worker.round();
    expect((await endpointOf(id)).cursor).toBe(cursor + 1);
  });

  test('are sent for the types that the endpoint names, from its creation on', async () => {
    await occur('before');
    await add('/all');
    await add('/revoked', ['grant.revoked']);
    await occur('g1');
    await occur('g1', 'alice', { type: 'grant.revoked' });
    await workers.open(given.store).round();
    expect(receiver.received.map(({ path, event }) => `${path} ${event.type}`).sort()).toEqual([
      '/all grant.created',
      '/all grant.revoked',
      '/revoked grant.revoked',
    ]);
  });

  test('wait for earlier events of their user, and for no other user', async () => {
    await add();
    receiver.answer = ({ event }, response) =>
      response.writeHead(event.data.grant_id === 'a1' && receiver.received.length < 4 ? 500 : 200).end();
    for (const [grant, user] of [
      ['a1', 'alice'],
      ['a2', 'alice'],
      ['b1', 'bob'],
    ] as const)
      await occur(grant, user);
    const worker = workers.open(given.store);
    await worker.round();
    expect(grants().sort()).toEqual(['a1', 'b1']);
    await worker.round();
    expect(grants()).toHaveLength(2);
    workers.now += 10_000;
    await worker.round();
    expect(grants()).toHaveLength(3);
    workers.now += 60_000;
    await worker.round();
    expect(grants().slice(3)).toEqual(['a1', 'a2']);
  });

  test('are repeated with the same id and a new timestamp until an attempt succeeds', async () => {
    const { id } = await add();
    await occur('g1');
    fail();
    const worker = workers.open(given.store);
    await worker.round();
    workers.now += 10_000;
    await worker.round();
    recover();
    workers.now += 60_000;
    await worker.round();
    const seen = receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]);
    expect(new Set(seen.map(String)).size).toBe(1);
    expect(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).toEqual(['1000', '1010', '1070']);
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'delivered', attempts: 3, answer_status: 200 }]);
    expect(await endpointOf(id)).toMatchObject({ failing_since: null, disabled_at: null });
  });

  test('stop after a day of failures, are shown as failed, and continue where they stopped', async () => {
    const { id } = await add();
    await occur('g1');
    fail();
    const worker = workers.open(given.store);
    for (let at = 0; at <= 25 * HOUR_MS; at += HOUR_MS / 4) {
      await worker.round();
      workers.now += HOUR_MS / 4;
    }
    const disabled = await endpointOf(id);
    expect(disabled).toMatchObject({ disabled_reason: 'failing', failing_since: 1_000_000 });
    const attempts = receiver.received.length;
    expect(attempts).toBeGreaterThanOrEqual(11);
    expect(attempts).toBeLessThanOrEqual(16);
    await occur('g2');
    await worker.round();
    expect(receiver.received).toHaveLength(attempts);
    recover();
    const change = { by: 'partner', now: workers.now } as const;
    await given.store.db.transaction().execute((db) => changeEndpoint(db, disabled, { enabled: true }, change));
    await worker.round();
    expect(grants().slice(attempts)).toEqual(['g1', 'g2']);
  });

  test('that keep failing are given up after a day, and let later ones pass', async () => {
    const { id } = await add();
    await occur('bad');
    await occur('good');
    receiver.answer = ({ event }, response) => response.writeHead(event.data.grant_id === 'bad' ? 422 : 200).end();
    const worker = workers.open(given.store);
    for (let at = 0; at <= 25 * HOUR_MS; at += HOUR_MS / 2) {
      await occur(`bob ${at}`, 'bob');
      await worker.round();
      workers.now += HOUR_MS / 2;
    }
    const byEvent = new Map((await deliveriesOf(id)).map((one) => [one.attempts, one.status]));
    expect([...byEvent.values()]).toContain('failed');
    expect(grants()).toContain('good');
    expect(await endpointOf(id)).toMatchObject({ disabled_at: null });
  });

  test('stop at once if the endpoint answers 410', async () => {
    const { id } = await add();
    await occur('g1');
    fail(410);
    await workers.open(given.store).round();
    expect(await endpointOf(id)).toMatchObject({ disabled_reason: 'gone' });
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'waiting', answer_status: 410 }]);
  });

  test('follow no redirect', async () => {
    const { id } = await add();
    await occur('g1');
    receiver.answer = (_, response) => response.writeHead(307, { location: `${receiver.origin}/other` }).end();
    await workers.open(given.store).round();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'waiting', answer_status: 307 }]);
  });

  test('are sent once by two workers on one store', async () => {
    await add('/one');
    await add('/two');
    for (let made = 0; made < 10; made += 1) await occur(`g${made}`, `user ${made}`);
    const other = await openListeningStore({ url: given.url });
    const both = [workers.open(given.store), workers.open(other)];
    await Promise.all(both.map((worker) => worker.round()));
    await Promise.all(both.map((worker) => worker.round()));
    const seen = receiver.received.map(({ path, event }) => path + event.id);
    expect([seen.length, new Set(seen).size]).toEqual([20, 20]);
    await workers.close();
    await other.close();
  });

  test('are repeated with the same id by another node if one stops between the answer and the store', async () => {
    await add();
    await occur('g1');
    const dying = workers.open(given.store);
    let isHeld = false;
    receiver.answer = () => {
      isHeld = true;
    };
    const round = dying.round();
    await until(() => isHeld);
    await dying.stop();
    await round;
    recover();
    workers.now += 120_000;
    await workers.open(given.store).round();
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('wait for a lease of another node, but no longer than it lasts', async () => {
    const { id } = await add();
    await occur('g1');
    const held = { leased_by: 'a node that is gone', leased_until: workers.now + 60_000 };
    await given.store.db.updateTable('webhook_endpoints').set(held).where('id', '=', id).execute();
    const worker = workers.open(given.store);
    await worker.round();
    expect(receiver.received).toEqual([]);
    workers.now += 60_000;
    await worker.round();
    expect(grants()).toEqual(['g1']);
  });

  test('of an endpoint that does not answer delay no other, and pause that endpoint', async () => {
    const slow = await add('/slow');
    await add('/quick');
    for (let made = 0; made < 3; made += 1) await occur(`g${made}`, `user ${made}`);
    receiver.answer = ({ path }, response) => {
      if (path === '/quick') response.writeHead(200).end();
    };
    const worker = workers.open(given.store, { timeoutMs: 400 });
    const round = worker.round();
    await until(() => receiver.received.filter(({ path }) => path === '/quick').length === 3);
    await round;
    const slowRequests = () => receiver.received.filter(({ path }) => path === '/slow').length;
    const sent = slowRequests();
    await worker.round();
    expect(slowRequests()).toBe(sent);
    expect((await deliveriesOf(slow.id)).map(({ problem }) => problem)).toContain('timeout');
  });

  test('of five partners whose fifty endpoints hang leave another partner its places', async () => {
    await add('/quick');
    for (let made = 0; made < 5; made += 1) {
      const { id } = await insertPartner(given.store.db, { clientId: `slow ${made}`, name: 'Slow', now: 1 });
      for (let hook = 0; hook < 10; hook += 1)
        await addReceiver(given.store, { partnerId: id, url: `${receiver.origin}/slow/${hook}` });
      await happen(given.store, { partnerId: id, user: 'bob', grant: 'g', now: workers.now });
    }
    receiver.answer = ({ path }, response) => {
      if (path === '/quick') response.writeHead(204).end();
    };
    const worker = workers.open(given.store, { timeoutMs: 13_500 });
    worker.wake();
    await until(() => receiver.received.length >= 25);
    await occur('g1');
    worker.wake();
    const begun = performance.now();
    await until(() => receiver.received.some(({ path }) => path === '/quick'));
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  test('reach no address that the gateway may not send to', async () => {
    const { id } = await add();
    await occur('g1');
    await workers.open(given.store, { networks: [] }).round();
    expect(receiver.received).toEqual([]);
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'waiting', problem: 'address_not_allowed' }]);
  });

  test('pause while their partner is suspended', async () => {
    await add();
    await occur('g1');
    await setPartnerSuspended(given.store.db, partnerId, 1);
    const worker = workers.open(given.store);
    await worker.round();
    expect(receiver.received).toEqual([]);
    await setPartnerSuspended(given.store.db, partnerId, null);
    await worker.round();
    expect(grants()).toEqual(['g1']);
  });

  test('for a test have their own type, and wait for nothing', async () => {
    const { id } = await add();
    await testEndpoint(given.store.db, await endpointOf(id), workers.now);
    await workers.open(given.store).round();
    expect(receiver.received[0]?.event).toMatchObject({ type: 'webhook.test', data: { webhook_endpoint_id: id } });
  });
});
