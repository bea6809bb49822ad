/** Events: agents subscribe to events that services report by calling the gateway (SEP-3415). */

import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { createDeliveryWorker } from '../../base/deliveries/worker.ts';
import { settingIn } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { defineModule, type OpenModule } from '../../module.ts';
import { createIncomingRouter, SEALED_INCOMING_WEBHOOKS } from './incoming-webhooks.ts';
import { createEventMethods } from './methods.ts';
import { EVENT_ID_MS, PAYLOAD_MS } from './occurrences.ts';
import { createEventQueue } from './queue.ts';
import { endSubscriptions, SEALED_SUBSCRIPTIONS } from './subscriptions.ts';
import { EVENTS_TABLES } from './tables.ts';

const CALLS_PER_MINUTE = 600;
const CHALLENGES_PER_MINUTE = 30;
/** Less than `CHALLENGES_PER_MINUTE`, so that one user alone never uses up the challenges of a host. */
const CHALLENGES_OF_USER_PER_MINUTE = 10;

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
  operations: async () => (await import('./operations.ts')).EVENT_OPERATIONS,
  events: { onEvents: endSubscriptions },
  storage: {
    tables: EVENTS_TABLES,
    sealed: [SEALED_INCOMING_WEBHOOKS, SEALED_SUBSCRIPTIONS],
    restored: {
      words: { event_subscriptions: 'subscriptions to events' },
      async count(db, now) {
        const live = db.selectFrom('event_subscriptions').select((row) => row.fn.countAll().as('count'));
        const { count } = await live.where('refresh_before', '>', now).executeTakeFirstOrThrow();
        return { event_subscriptions: Number(count) };
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
        keepMs: 86_400_000,
        why: 'a client that does not refresh wants no more',
      },
    ],
  },
  openTrusted(core, { perUser }) {
    const { config, vault, catalogue, outgoing, userAgent, limits, now, log } = core;
    const { db } = core.store;
    const sealer = createValueSealer({ keys: core.keys, purpose: 'events' });
    const rules = { catalogue, withhold: config.withhold };
    const worker = createDeliveryWorker({
      db,
      queue: createEventQueue({ db, rules, vault, sealer, callerOf: core.callerOf }),
      outgoing,
      userAgent,
      now,
      onError: (error) => log.error({ err: error }, 'events could not be delivered'),
    });

    const opened: OpenModule = {
      async routes() {
        const [{ EVENT_OPERATIONS }, { toRouter }] = await Promise.all([
          import('./operations.ts'),
          import('../../partners/operation.ts'),
        ]);
        const { callerLimits } = core;
        const { findConnector } = catalogue;
        const calls = limits.reconciled({ name: 'calls of services', points: CALLS_PER_MINUTE, durationSeconds: 60 });
        const onStored = () => worker.wake();
        return [
          createIncomingRouter({ db, vault, sealer, calls, callerLimits, findConnector, now, onStored }),
          toRouter(EVENT_OPERATIONS, { db, vault, callerLimits, findConnector, publicUrl: config.publicUrl, now }),
        ];
      },
      close: () => worker.stop(),
    };
    if (core.connectors.every(({ events }) => events === undefined)) return opened;

    worker.start();
    const mcp = createEventMethods({
      db,
      rules,
      vault,
      sealer,
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
      now,
    });
    return { ...opened, mcp };
  },
});
