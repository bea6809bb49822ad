/** Notifications: events of users to the servers of their partners (`webhooks`), and events of services to subscribed agents (`events`, SEP-3415). */

import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { countRows } from '../../base/store/rows.ts';
import { settingIn } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { defineModule, modulesOf, type OpenModule, type TrustedCore } from '../../module.ts';
import { createDeliveryWorker, type DeliveryQueue } from './delivery/worker.ts';
import { addIncomingRoute, SEALED_INCOMING_WEBHOOKS } from './subscriptions/incoming-webhooks.ts';
import { createEventMethods } from './subscriptions/methods.ts';
import { EVENT_ID_MS, PAYLOAD_MS } from './subscriptions/occurrences.ts';
import { createEventQueue } from './subscriptions/queue.ts';
import { endSubscriptions, SEALED_SUBSCRIPTIONS } from './subscriptions/subscriptions.ts';
import { EVENTS_TABLES } from './subscriptions/tables.ts';
import { webhookParts } from './webhooks/dashboard.ts';
import { SEALED_ENDPOINTS } from './webhooks/endpoints.ts';
import { PARTNER_EVENTS, WEBHOOK_EVENTS } from './webhooks/event-types.ts';
import { appendEvents, skipEventNumbers } from './webhooks/outbox.ts';
import { createWebhookQueue } from './webhooks/queue.ts';
import { WEBHOOKS_TABLES } from './webhooks/tables.ts';
import { sealUserNames } from './webhooks/user-names.ts';

const DAY_MS = 86_400_000;

/** Time for which events of partners and their deliveries are stored. */
const PARTNER_EVENT_MS = 30 * DAY_MS;

const CALLS_PER_MINUTE = 600;
const CHALLENGES_PER_MINUTE = 30;
/** Less than `CHALLENGES_PER_MINUTE`, so that one user alone never uses up the challenges of a host. */
const CHALLENGES_OF_USER_PER_MINUTE = 10;

/** Creates the worker that delivers a queue. @param kind names the queue in the log. */
function createWorker(core: TrustedCore, kind: string, queue: DeliveryQueue) {
  const { store, outgoing, userAgent, now, log } = core;
  const onError = (error: unknown) => log.error({ err: error }, `${kind} could not be delivered`);
  return createDeliveryWorker({ db: store.db, queue, outgoing, userAgent, now, onError });
}

export const webhooks = defineModule({
  name: 'webhooks',
  summary: 'Delivers events to the addresses that partners name, signed and at least once.',
  events: {
    texts: WEBHOOK_EVENTS.texts,
    toPartners: PARTNER_EVENTS,
    onEvents: appendEvents,
    async prepare({ db, findKeys }) {
      const keys = findKeys();
      if (keys !== null) sealUserNames(db, keys);
    },
  },
  operations: async () => (await import('./webhooks/operations.ts')).WEBHOOK_OPERATIONS,
  storage: {
    tables: WEBHOOKS_TABLES,
    sealed: [SEALED_ENDPOINTS],
    restored: { words: {}, count: async () => ({}), end: skipEventNumbers },
    retention: () => [
      {
        table: 'webhook_deliveries',
        key: 'id',
        column: 'created_at',
        keepMs: PARTNER_EVENT_MS,
        why: 'a delivery can be repeated for as long as its event is there',
      },
      {
        table: 'partner_events',
        key: 'id',
        column: 'created_at',
        keepMs: PARTNER_EVENT_MS,
        why: 'a partner whose application was away for weeks can catch up',
      },
    ],
  },
  openTrusted(core) {
    const { config, store, vault, callerLimits, now } = core;
    const worker = createWorker(core, 'webhooks', createWebhookQueue(vault));
    worker.start();
    return {
      dashboard: webhookParts(store.db),
      async routes() {
        const [{ WEBHOOK_OPERATIONS }, { toRouter }] = await Promise.all([
          import('./webhooks/operations.ts'),
          import('../../partners/operation.ts'),
        ]);
        const types = modulesOf(config).flatMap(({ events }) => Object.keys(events?.toPartners ?? {}));
        const networks = config.outgoingNetworks;
        return [toRouter(WEBHOOK_OPERATIONS, { db: store.db, vault, callerLimits, types, networks, now })];
      },
      close: () => worker.stop(),
    };
  },
});

export const events = defineModule({
  name: 'events',
  summary: 'Lets agents subscribe to what services tell: by polling, or signed to an address of the client.',
  settings: {
    perUser: settingIn('Limits')({
      variable: 'EVENT_SUBSCRIPTIONS_PER_USER',
      read: wholeNumber(0, 10_000),
      default: 20,
      meaning:
        'Subscriptions to events that one user has at most, with all clients. 0: none; events can still be polled.',
    }),
  },
  operations: async () => (await import('./subscriptions/operations.ts')).EVENT_OPERATIONS,
  events: { onEvents: endSubscriptions },
  storage: {
    tables: EVENTS_TABLES,
    sealed: [SEALED_INCOMING_WEBHOOKS, SEALED_SUBSCRIPTIONS],
    restored: {
      words: { event_subscriptions: 'subscriptions to events' },
      async count(db, now) {
        const live = db.selectFrom('event_subscriptions').where('refresh_before', '>', now);
        return { event_subscriptions: await countRows(live) };
      },
      async end(db) {
        const { numDeletedRows } = await db.deleteFrom('event_subscriptions').executeTakeFirst();
        return { event_subscriptions: Number(numDeletedRows) };
      },
    },
    retention: () => [
      {
        table: 'event_occurrences',
        key: 'id',
        column: 'created_at',
        keepMs: PAYLOAD_MS,
        clears: 'sealed',
        why: 'a subscriber that was away for a weekend can catch up',
      },
      {
        table: 'event_occurrences',
        key: 'id',
        column: 'created_at',
        keepMs: EVENT_ID_MS,
        why: 'a call that is repeated brings no event again',
      },
      {
        table: 'event_subscriptions',
        key: 'id',
        column: 'refresh_before',
        keepMs: DAY_MS,
        why: 'a client that does not refresh wants no more',
      },
    ],
  },
  openTrusted(core, { perUser }) {
    const { config, vault, catalogue, outgoing, userAgent, callerLimits, limits, now } = core;
    const { db } = core.store;
    const { findConnector } = catalogue;
    const sealer = createValueSealer({ keys: core.keys, purpose: 'events' });
    const rules = { catalogue, withhold: config.withhold };
    const context = { db, rules, vault, sealer, now };
    const worker = createWorker(core, 'events', createEventQueue({ ...context, callerOf: core.callerOf }));

    const opened: OpenModule = {
      async routes() {
        const [{ EVENT_OPERATIONS }, { toRouter }, { default: Router }] = await Promise.all([
          import('./subscriptions/operations.ts'),
          import('../../partners/operation.ts'),
          import('@koa/router'),
        ]);
        const calls = limits.reconciled({ name: 'calls of services', points: CALLS_PER_MINUTE, durationSeconds: 60 });
        const onStored = () => worker.wake();
        return [
          addIncomingRoute(new Router(), { ...context, calls, callerLimits, findConnector, onStored }),
          toRouter(EVENT_OPERATIONS, { db, vault, callerLimits, findConnector, publicUrl: config.publicUrl, now }),
        ];
      },
      close: () => worker.stop(),
    };
    if (core.connectors.every((connector) => connector.events === undefined)) return opened;

    worker.start();
    const mcp = createEventMethods({
      ...context,
      outgoing,
      userAgent,
      networks: config.outgoingNetworks,
      challenges: limits.exact({ name: 'event challenges', points: CHALLENGES_PER_MINUTE, durationSeconds: 60 }),
      challengesOfUser: limits.exact({
        name: 'event challenges of a user',
        points: CHALLENGES_OF_USER_PER_MINUTE,
        durationSeconds: 60,
      }),
      perUser,
    });
    return { ...opened, mcp };
  },
});
