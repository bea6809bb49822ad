import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deriveModuleKeys } from '../../../../../server/base/credentials/key-ring.ts';
import { createValueSealer } from '../../../../../server/base/credentials/sealed-value.ts';
import { LOOPBACK_NETWORKS } from '../../../../../server/base/guarded-fetch/networks.ts';
import { createOutgoing } from '../../../../../server/base/guarded-fetch/outgoing.ts';
import { readPermission, writePermission } from '../../../../../server/base/principal/permission.ts';
import { emit } from '../../../../../server/base/store/events.ts';
import { setPartnerSuspended } from '../../../../../server/base/store/repositories/partners.ts';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import { createCallerOf } from '../../../../../server/call/tools/why.ts';
import { MCP_PATH } from '../../../../../server/gateway-paths.ts';
import { createDeliveryWorker } from '../../../../../server/modules/notify/delivery/worker.ts';
import { createEventQueue } from '../../../../../server/modules/notify/subscriptions/queue.ts';
import { keyBytes } from '../../../../support/keys.ts';
import { vaultBeside } from '../../../../support/vault-beside.ts';
import { describeUserPage } from '../../me/support.ts';
import { type Receiver, startReceiver, until } from '../delivery/receiver.ts';
import { ask, CLIENT_SECRET, NAME, openAddress, tell, told, WORLD } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const HOUR_MS = 3_600_000;

describeUserPage(
  'subscriptions to events',
  (given) => {
    let receiver: Receiver;
    let path: string;
    /** What came besides challenges. */
    const got = () => receiver.received.filter(({ event }) => event.type !== 'verification');
    const eventIds = () => got().map(({ body }) => JSON.parse(body).eventId);
    const confirm: Receiver['answer'] = ({ body }, response) => {
      const { challenge } = JSON.parse(body);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ challenge }));
    };
    beforeEach(async () => {
      given.now = Date.now();
      receiver = await startReceiver();
      receiver.answer = confirm;
      path = await openAddress(given);
    });
    const closing: (() => Promise<unknown>)[] = [];
    const errors: unknown[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
      await receiver.close();
      expect(errors).toEqual([]);
    });

    /** Opens a worker like that of another node, which runs no rounds of its own. */
    const openNode = async () => {
      const keys = [{ id: 'k1', key: keyBytes(1) }];
      const { db } = given.store;
      const now = () => given.now;
      const outgoing = createOutgoing({ networks: LOOPBACK_NETWORKS });
      const queue = createEventQueue({
        db,
        rules: { catalogue: createCatalogue(WORLD.connectors), withhold: [] },
        vault: await vaultBeside(given.store, keys),
        sealer: createValueSealer({ keys: deriveModuleKeys(keys, 'events'), purpose: 'events' }),
        callerOf: createCallerOf({ store: given.store, identity: { issuer: given.origin, path: MCP_PATH }, now }),
      });
      const onError = (error: unknown) => errors.push(error);
      const node = createDeliveryWorker({ db, queue, outgoing, userAgent: 'node', now, onError });
      closing.push(
        () => node.stop(),
        () => outgoing.destroy(),
      );
      return node;
    };

    const delivery = (changes = {}) => ({
      mode: 'webhook',
      url: `${receiver.origin}/hook`,
      secret: CLIENT_SECRET,
      ...changes,
    });
    const subscribe = (token: string, params: object = {}) =>
      ask(given, token, 'events/subscribe', { name: NAME, delivery: delivery(), ...params });
    const unsubscribe = (token: string, params: object = {}) =>
      ask(given, token, 'events/unsubscribe', { name: NAME, delivery: { url: delivery().url }, ...params });
    const rows = () => given.store.db.selectFrom('event_subscriptions').selectAll().execute();
    const untilRows = (holds: (found: Awaited<ReturnType<typeof rows>>) => boolean) =>
      vi.waitUntil(async () => holds(await rows()), { timeout: 10_000 });
    const narrow = async (grantId: string, changes: object) => {
      const permission = writePermission({ ...readPermission(null), ...changes });
      await given.store.db.updateTable('oauth_grants').set({ permission }).where('id', '=', grantId).execute();
    };

    test('deliver each event once, in order, signed for a Standard Webhooks library, with the id of the event', async () => {
      const { token } = await given.allow('Claude');
      const subscribed = await subscribe(token, { arguments: { shelf: 'north' }, ttlMs: HOUR_MS });
      expect(subscribed).toMatchObject({
        id: expect.stringMatching(/^sub_[0-9a-f]{32}$/),
        refreshBefore: new Date(given.now + HOUR_MS).toISOString(),
        truncated: false,
        cursor: expect.any(String),
      });
      await tell(given, path, told('a'));
      await tell(given, path, told('b', { shelf: 'south' }));
      await tell(given, path, told('c', { owner: { name: 'Ada', taxNumber: 't-4711' } }));
      await until(() => got().length === 2);
      expect(eventIds()).toEqual(['a', 'c']);
      for (const { headers, body } of receiver.received) {
        expect(new Webhook(CLIENT_SECRET).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
        expect(headers['x-mcp-subscription-id']).toBe(subscribed.id);
        expect(headers['content-type']).toBe('application/json');
      }
      expect(got().map(({ headers }) => headers['webhook-id'])).toEqual(['a', 'c']);
      expect(receiver.received[0]?.headers['webhook-id']).toMatch(/^msg_verification_/);
      expect(JSON.parse(got()[1]!.body)).toEqual({
        ...{ eventId: 'c', name: NAME, timestamp: new Date(given.now).toISOString(), cursor: expect.any(String) },
        data: { id: 'c', shelf: 'north', owner: { name: 'Ada' } },
      });
      await untilRows(([row]) => row?.next_attempt_at === null);
      expect(JSON.stringify(await rows())).not.toMatch(/hook|north|whsec/);
    });

    test('are refused without what a subscription needs, and without a word about the address', async () => {
      const { token } = await given.allow('Claude');
      const invalid = [
        { secret: 'whsec_c2hvcnQ=' },
        { secret: 'plain' },
        { secret: CLIENT_SECRET.slice('whsec_'.length) },
        { secret: `whsec_${'A'.repeat(33)}` },
        { secret: `whsec_${Buffer.alloc(23, 9).toString('base64')}` },
        { secret: `whsec_${Buffer.alloc(65, 9).toString('base64')}` },
        { url: 'http://example.com/hook' },
        { url: 'https://user:pass@example.com/' },
        { url: 'https://10.0.0.7/hook' },
        { url: 'https://169.254.169.254/latest' },
        { url: 'https://example.com:22/' },
      ];
      for (const changes of invalid)
        expect(await subscribe(token, { delivery: delivery(changes) })).toMatchObject({ code: -32602 });
      for (const ttlMs of ['soon', -1, 1.5]) expect(await subscribe(token, { ttlMs })).toMatchObject({ code: -32602 });
      const push = await subscribe(token, { delivery: delivery({ mode: 'push' }) });
      expect(push).toMatchObject({ code: -32026, data: { feature: 'deliveryMode', value: 'push' } });
      receiver.answer = (_, response) => response.writeHead(200).end('{"challenge":"guessed"}');
      expect(await subscribe(token)).toMatchObject({ code: -32027, data: { reason: 'challenge_failed' } });
      receiver.answer = (_, response) => response.writeHead(302, { Location: '/other' }).end();
      expect(await subscribe(token)).toMatchObject({ code: -32027, data: { reason: 'http_4xx' } });
      receiver.answer = (_, response) => response.writeHead(500).end('secret words');
      const failed = await subscribe(token);
      expect(failed).toMatchObject({ code: -32027, data: { reason: 'http_5xx' } });
      expect(JSON.stringify(failed)).not.toContain('secret words');
      const nobody = delivery({ url: 'http://127.0.0.1:9/hook' });
      expect(await subscribe(token, { delivery: nobody })).toMatchObject({
        code: -32027,
        data: { reason: 'connection_refused' },
      });
      expect(await rows()).toEqual([]);
    });

    test('leave room at a host for others, however often one user asks it', async () => {
      const { token } = await given.allow('Claude');
      receiver.answer = (_, response) => response.writeHead(500).end();
      const asked: unknown[] = [];
      for (let index = 0; index < 12; index += 1) {
        const { data } = await subscribe(token, { delivery: delivery({ url: `${receiver.origin}/hook-${index}` }) });
        asked.push(data.reason ?? data.limit);
      }
      expect(asked).toEqual([...Array(10).fill('http_5xx'), 'challenges', 'challenges']);
      expect(receiver.received).toHaveLength(10);
    });

    test('ask an address once per user, and belong to the user and client that made them', async () => {
      const { token, grantId } = await given.allow('Claude');
      const first = await subscribe(token);
      await subscribe(token, { arguments: { shelf: 'north' } });
      expect(receiver.received).toHaveLength(1);
      const other = await given.allow('Codex');
      const second = await subscribe(other.token);
      expect(receiver.received).toHaveLength(2);
      expect(second.id).not.toBe(first.id);
      expect(await unsubscribe(other.token, { name: 7, arguments: [] })).toMatchObject({ code: -32023 });
      expect(await unsubscribe(other.token, { delivery: 7 })).toMatchObject({ code: -32602 });
      expect(await unsubscribe(other.token)).toMatchObject({ resultType: 'complete' });
      expect(await unsubscribe(other.token)).toMatchObject({ code: -32023, data: { kind: 'subscription' } });
      expect((await rows()).map(({ grant_id }) => grant_id)).toEqual([grantId, grantId]);
      await tell(given, path, told('a'));
      await until(() => got().length === 2);
      expect(new Set(got().map(({ headers }) => headers['x-mcp-subscription-id'])).size).toBe(2);
    });

    test('catch up in order after an hour in which the receiver was down', async () => {
      const { token } = await given.allow('Claude');
      await subscribe(token);
      receiver.answer = (_, response) => response.writeHead(503).end();
      for (const nonce of ['a', 'b', 'c']) await tell(given, path, told(nonce));
      await until(() => got().length === 1);
      await untilRows(([row]) => row?.attempts === 1 && row.leased_by === null);
      const status = await subscribe(token);
      expect(status.deliveryStatus).toMatchObject({
        active: true,
        lastError: 'http_5xx',
        failedSince: expect.any(String),
      });
      await untilRows(([row]) => row?.leased_by === null && row.failing_since !== null);
      given.now += HOUR_MS - 60_000;
      receiver.received.length = 0;
      receiver.answer = (_, response) => response.writeHead(204).end();
      await until(() => got().length >= 3);
      expect([...new Set(eventIds())]).toEqual(['a', 'b', 'c']);
    });

    test('skip an event that the receiver refuses for good, and go on', async () => {
      const { token } = await given.allow('Claude');
      await subscribe(token);
      receiver.answer = ({ body }, response) => response.writeHead(JSON.parse(body).eventId === 'a' ? 410 : 204).end();
      for (const nonce of ['a', 'b']) await tell(given, path, told(nonce));
      await until(() => got().length === 2);
      expect(eventIds()).toEqual(['a', 'b']);
      expect(await rows()).toHaveLength(1);
    });

    test('replace their secret when they are refreshed, and sign with both for a while', async () => {
      const { token } = await given.allow('Claude');
      const first = await subscribe(token);
      const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
      const second = await subscribe(token, { delivery: delivery({ secret }), cursor: first.cursor, ttlMs: null });
      expect(first.refreshBefore).toBe(new Date(given.now + HOUR_MS).toISOString());
      expect([second.id, second.refreshBefore]).toEqual([first.id, new Date(given.now + 24 * HOUR_MS).toISOString()]);
      await tell(given, path, told('a'));
      await until(() => got().length === 1);
      const { headers, body } = got()[0]!;
      for (const one of [secret, CLIENT_SECRET]) new Webhook(one).verify(body, headers as Record<string, string>);
      expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
    });

    test('replay from a cursor when they are new, and expire when they are not refreshed', async () => {
      const { token } = await given.allow('Claude');
      const { cursor } = await ask(given, token, 'events/poll', { name: NAME, cursor: null });
      await tell(given, path, told('a'));
      await subscribe(token, { cursor });
      await untilRows(([row]) => row?.next_attempt_at === null && row.leased_by === null);
      given.now += 2 * HOUR_MS;
      await tell(given, path, told('b'));
      await untilRows((found) => found.length === 0);
      expect(eventIds()).toEqual(['a']);
    });

    test.each([
      [
        'a grant that ends',
        async (grantId: string) => {
          const browser = await given.entered();
          await browser.submit('/me', `/me/clients/${grantId}/revoke`);
        },
      ],
      [
        'a tool that is taken away',
        async (grantId: string) => {
          const { status } = await given.api('PATCH', `alice/grants/${grantId}`, { without: ['library_find'] });
          expect(status).toBe(200);
        },
      ],
      [
        'an address that is removed',
        async () => {
          await given.api('DELETE', 'alice/connections/library/event-address');
        },
      ],
      [
        'a service that is disconnected',
        async () => {
          await given.api('DELETE', 'alice/connections/library');
        },
      ],
    ])('end with %s: the receiver is told once, and gets nothing more', async (_, end) => {
      const { token, grantId } = await given.allow('Claude');
      await subscribe(token);
      await end(grantId);
      await until(() => got().length === 1);
      expect(JSON.parse(got()[0]!.body)).toEqual({
        type: 'terminated',
        error: { code: -32024, message: 'Forbidden', data: { reason: 'Access revoked' } },
      });
      expect(got()[0]?.headers['webhook-id']).toMatch(/^msg_terminated_/);
      await untilRows((found) => found.length === 0);
      await tell(given, path, told('a'));
      expect(got()).toHaveLength(1);
    });

    test('stay ended if the address is removed and made again while the receiver is down', async () => {
      const { token } = await given.allow('Claude');
      await subscribe(token);
      receiver.answer = (_, response) => response.writeHead(503).end();
      await given.api('DELETE', 'alice/connections/library/event-address');
      await openAddress(given);
      await untilRows(([row]) => row?.attempts === 1 && row.leased_by === null);
      receiver.answer = (_, response) => response.writeHead(204).end();
      given.now += HOUR_MS / 60;
      await until(() => got().length === 2);
      expect(got().map(({ body }) => JSON.parse(body).type)).toEqual(['terminated', 'terminated']);
      await untilRows((found) => found.length === 0);
    });

    test('send nothing that the grant no longer carries, whatever changed it', async () => {
      const { token, grantId } = await given.allow('Claude');
      await subscribe(token);
      await narrow(grantId, { pins: { library: { shelf: 'south' } } });
      await tell(given, path, told('a'));
      await tell(given, path, told('b', { shelf: 'south' }));
      await until(() => got().length === 1);
      expect(eventIds()).toEqual(['b']);
      await narrow(grantId, { without: ['library_find'] });
      await tell(given, path, told('c', { shelf: 'south' }));
      await until(() => got().length === 2);
      expect(JSON.parse(got()[1]!.body).type).toBe('terminated');
      await untilRows((found) => found.length === 0);
      expect(await subscribe(token)).toMatchObject({ code: -32024 });
    });

    test('get nothing from before them when their grant is narrowed, and nothing twice', async () => {
      await tell(given, path, told('old'));
      const { token, grantId } = await given.allow('Claude');
      await subscribe(token);
      const narrowed = () => emit(given.store.db, { type: 'grant_narrowed', grantId, now: given.now });
      await narrowed();
      await tell(given, path, told('a'));
      await until(() => eventIds().includes('a'));
      await untilRows(([row]) => row?.next_attempt_at === null);
      await narrowed();
      await untilRows(([row]) => row?.next_attempt_at === null);
      await tell(given, path, told('b'));
      await until(() => eventIds().includes('b'));
      expect(eventIds()).toEqual(['a', 'b']);
    });

    test('wait while their partner is suspended', async () => {
      const { token } = await given.allow('Claude');
      await subscribe(token);
      const { partner_id: id } = (await rows())[0]!;
      await setPartnerSuspended(given.store.db, id, given.now);
      await tell(given, path, told('a'));
      const node = await openNode();
      await node.round();
      expect(got()).toEqual([]);
      expect(await rows()).toMatchObject([{ ended: null, attempts: 0 }]);
      await setPartnerSuspended(given.store.db, id, null);
      await node.round();
      await until(() => got().length === 1);
      expect(eventIds()).toEqual(['a']);
    });

    test('are served by several nodes, each event once and in order', async () => {
      const nodes = [await openNode(), await openNode()];
      const { token } = await given.allow('Claude');
      for (const shelf of [{}, { shelf: 'north' }, { shelf: 'south' }]) await subscribe(token, { arguments: shelf });
      const nonces = Array.from({ length: 12 }, (_, index) => `event-${index}`);
      const { partner_id: id } = (await rows())[0]!;
      await setPartnerSuspended(given.store.db, id, given.now);
      for (const nonce of nonces) await tell(given, path, told(nonce));
      await setPartnerSuspended(given.store.db, id, null);
      await Promise.all(nodes.map((node) => node.round()));
      await until(() => got().length >= 24);
      const bySubscription = Map.groupBy(got(), ({ headers }) => headers['x-mcp-subscription-id']);
      expect([...bySubscription.values()].map((all) => all.map(({ body }) => JSON.parse(body).eventId))).toEqual([
        nonces,
        nonces,
      ]);
      expect(new Set(got().map(({ headers }) => headers['user-agent'])).has('node')).toBe(true);
    });

    test('are as many as the operator lets a user have', async () => {
      const { token } = await given.allow('Claude');
      const shelves = ['a', 'b', 'c', 'd', 'e', 'f'];
      const answers = await Promise.all(shelves.map((shelf) => subscribe(token, { arguments: { shelf } })));
      const refused = answers.filter((answer) => !('id' in answer));
      expect(refused).toHaveLength(3);
      for (const full of refused) {
        expect(full).toMatchObject({ code: -32025, data: { limit: 'subscriptions', max: 3 } });
      }
      const kept = shelves.find((_, index) => 'id' in answers[index]!);
      expect(await subscribe(token, { arguments: { shelf: kept } })).toHaveProperty('deliveryStatus');
    });
  },
  { EVENT_SUBSCRIPTIONS_PER_USER: '3' },
  WORLD,
);
