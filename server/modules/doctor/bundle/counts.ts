/** Counts rows of the store, and lists the last failures: no names or ids of users, partners or clients. */

import type { Store } from '../../../base/store/index.ts';

const DAY_MS = 86_400_000;
const MAX_ROWS = 200;
const MAX_FAILURES = 50;

/** Everything in it can be written as JSON. Tables of modules that this store never had are left out. */
export async function readCounts({ db, dialect }: Store, now: number) {
  const present = new Set((await db.introspection.getTables()).map(({ name }) => name));
  const rows: Record<string, number> = {};
  for (const table of present) {
    const { number } = await db
      .selectFrom(table as 'users')
      .select(({ fn }) => fn.countAll<number>().as('number'))
      .executeTakeFirstOrThrow();
    rows[table] = Number(number);
  }
  const connections = await db
    .selectFrom('connections')
    .select(['service', 'status', ({ fn }) => fn.countAll<number>().as('number')])
    .groupBy(['service', 'status'])
    .orderBy('service')
    .limit(MAX_ROWS)
    .execute();
  const outcomes = await db
    .selectFrom('call_records')
    .select(['service', 'outcome', ({ fn }) => fn.countAll<number>().as('number')])
    .where('created_at', '>=', now - DAY_MS)
    .groupBy(['service', 'outcome'])
    .orderBy('number', 'desc')
    .limit(MAX_ROWS)
    .execute();
  const failures = await db
    .selectFrom('call_records')
    .select(['created_at', 'service', 'tool', 'outcome', 'upstream_status', 'duration_ms'])
    .where('outcome', '<>', 'ok')
    .orderBy('created_at', 'desc')
    .limit(MAX_FAILURES)
    .execute();
  const deliveries = !present.has('webhook_deliveries')
    ? []
    : await db
        .selectFrom('webhook_deliveries')
        .select(['status', 'problem', 'answer_status', ({ fn }) => fn.countAll<number>().as('number')])
        .groupBy(['status', 'problem', 'answer_status'])
        .limit(MAX_ROWS)
        .execute();
  const events = !present.has('audit_events')
    ? []
    : await db
        .selectFrom('audit_events')
        .select(['type', ({ fn }) => fn.countAll<number>().as('number')])
        .where('created_at', '>=', now - 7 * DAY_MS)
        .groupBy('type')
        .orderBy('type')
        .execute();
  return {
    dialect,
    rows,
    connections,
    outcomesOfOneDay: outcomes,
    lastFailures: failures.map(({ created_at, ...failure }) => ({
      time: new Date(created_at).toISOString(),
      ...failure,
    })),
    webhookDeliveries: deliveries,
    auditEventsOfSevenDays: events,
  };
}
