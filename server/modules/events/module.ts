/** Events: agents subscribe to what services tell by calling the gateway (SEP-3415). */

import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { createDeliveryWorker } from '../../base/deliveries/worker.ts';
import { settingIn } from '../../config/setting.ts';
import { wholeNumber } from '../../config/values.ts';
import { defineModule } from '../../module.ts';
import { createInletRouter, KEEP_MS, REMEMBER_MS, SEALED_INLETS } from './inlets.ts';
import { createEventMethods } from './methods.ts';
import { createEventQueue } from './queue.ts';
import { endSubscriptions, SEALED_SUBSCRIPTIONS } from './subscriptions.ts';
import { EVENTS_TABLES } from './tables.ts';

const CALLS_PER_MINUTE = 600;
const CHALLENGES_PER_MINUTE = 30;
/** So that one user alone never uses up what a host may be asked. */
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
  tables: EVENTS_TABLES,
  listen: endSubscriptions,
  sealed: [SEALED_INLETS, SEALED_SUBSCRIPTIONS],
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
      ...{ table: 'event_occurrences', key: 'id', column: 'created_at', keepMs: KEEP_MS, clears: 'sealed' },
      why: 'a subscriber that was away for a weekend can catch up',
    },
    {
      ...{ table: 'event_occurrences', key: 'id', column: 'created_at', keepMs: REMEMBER_MS },
      why: 'a call that is repeated brings no event again',
    },
    {
      ...{ table: 'event_subscriptions', key: 'id', column: 'refresh_before', keepMs: 86_400_000 },
      why: 'a client that does not refresh wants no more',
    },
  ],
  openTrusted(
    {
      config,
      connectors,
      store,
      vault,
      keys,
      catalogue,
      outgoing,
      userAgent,
      callerLimits,
      callerOf,
      limits,
      now,
      log,
    },
    { perUser },
  ) {
    const { db } = store;
    const sealer = createValueSealer({ keys, purpose: 'events' });
    const offering = { catalogue, rules: config.withhold };
    const worker = createDeliveryWorker({
      ...{ db, outgoing, userAgent, now },
      queue: createEventQueue({ ...offering, db, vault, sealer, callerOf }),
      onError: (error) => log.error({ err: error }, 'events could not be delivered'),
    });
    const { findConnector } = catalogue;
    const isUsed = connectors.some(({ events }) => events !== undefined);
    if (isUsed) worker.start();
    return {
      ...(isUsed && {
        mcp: createEventMethods({
          ...{ ...offering, db, vault, sealer, outgoing, userAgent, now, networks: config.outgoingNetworks },
          challenges: limits.exact({ name: 'event challenges', points: CHALLENGES_PER_MINUTE, durationSeconds: 60 }),
          challengesOfUser: limits.exact({
            name: 'event challenges of a user',
            points: CHALLENGES_OF_USER_PER_MINUTE,
            durationSeconds: 60,
          }),
          perUser,
        }),
      }),
      async routes() {
        const [{ EVENT_OPERATIONS }, { toRouter }] = await Promise.all([
          import('./operations.ts'),
          import('../../partners/operation.ts'),
        ]);
        const calls = limits.reconciled({ name: 'calls of services', points: CALLS_PER_MINUTE, durationSeconds: 60 });
        return [
          createInletRouter({
            db,
            vault,
            sealer,
            calls,
            callerLimits,
            findConnector,
            now,
            onKept: () => worker.wake(),
          }),
          toRouter(EVENT_OPERATIONS, { db, vault, callerLimits, findConnector, publicUrl: config.publicUrl, now }),
        ];
      },
      close: () => worker.stop(),
    };
  },
});
