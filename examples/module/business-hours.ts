/** A company's own module: refuses calls of tools that write outside business hours, and counts what it refused. */

import { defineModule, defineTables, html, parsedBy, type RowsOf, refuse, setting } from 'unified-tool-gateway/module';

/** Hours of a working day, UTC: the first one, and the one at which it is over. */
interface Hours {
  readonly from: number;
  readonly to: number;
}

const TABLES = defineTables('business-hours', {
  hours_refused_calls: {
    columns: { id: 'text primary key', tool: 'text not null', refused_at: 'bigint not null' },
  },
});

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 7;

/** Reads `8-18`. */
function parseHours(text: string): Hours {
  const [, from = '', to = ''] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  const hours = { from: Number(from), to: Number(to) };
  if (from === '' || hours.from >= hours.to || hours.to > 24) throw new Error('must be two hours, such as 8-18');
  return hours;
}

function isOpen({ from, to }: Hours, now: number): boolean {
  const date = new Date(now);
  const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
  return !isWeekend && date.getUTCHours() >= from && date.getUTCHours() < to;
}

export const businessHours = defineModule({
  name: 'business-hours',
  summary: 'Refuses calls of tools that write outside business hours.',
  settings: {
    hours: setting({
      variable: 'BUSINESS_HOURS',
      group: 'Other modules',
      read: parsedBy(parseHours),
      defaultText: 'tools may write at any time',
      type: 'hours',
      meaning: 'The hours (UTC) of Monday to Friday during which tools may write.',
      example: '8-18',
    }),
  },
  storage: {
    tables: TABLES,
    retention: () => [
      {
        table: 'hours_refused_calls',
        key: 'id',
        column: 'refused_at',
        keepMs: SHOWN_DAYS * DAY_MS,
        why: 'the dashboard shows the last seven days',
      },
    ],
  },
  provide({ store, now }, { hours }) {
    const refused = { calls: 0 };
    if (hours === null) return { refused };
    const db = store.db.withTables<RowsOf<typeof TABLES>>();
    return {
      refused,
      async interceptor({ entry: { tool } }, next) {
        if (tool.annotations.readOnlyHint || isOpen(hours, now())) return next();
        refused.calls += 1;
        const row = { id: crypto.randomUUID(), tool: tool.name, refused_at: now() };
        await db.insertInto('hours_refused_calls').values(row).execute();
        return refuse('not_allowed', {
          message: `${tool.name} writes, and tools may write from Monday to Friday between ${hours.from} and ${hours.to} o'clock UTC.`,
          advice: 'Call it again within these hours.',
        });
      },
    };
  },
  open({ store, now }, { hours }, { refused }) {
    if (hours === null) return {};
    const db = store.db.withTables<RowsOf<typeof TABLES>>();
    return {
      metrics: [
        {
          name: 'gateway.hours.refused_calls',
          description: 'Calls that were refused because they write outside business hours.',
          kind: 'counter',
          read: () => refused.calls,
        },
      ],
      dashboard: {
        overview: {
          async section() {
            const { calls } = await db
              .selectFrom('hours_refused_calls')
              .select(({ fn }) => fn.countAll<number | string>().as('calls'))
              .where('refused_at', '>=', now() - SHOWN_DAYS * DAY_MS)
              .executeTakeFirstOrThrow();
            return html`<h2>Business hours</h2>
<p>Tools may write from Monday to Friday between ${hours.from} and ${hours.to} o'clock UTC. Refused in the last ${SHOWN_DAYS} days: ${Number(calls)}.</p>`;
          },
        },
      },
    };
  },
});
