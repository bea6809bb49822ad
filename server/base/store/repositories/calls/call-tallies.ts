/** Tallies of calls: daily sums of each partner's usage, so that no query has to count records. */

import type { Database } from '../../schema.ts';
import { type CallRecord, POSTGRES_CALL_INSERT } from '../call-records.ts';

/** Upper bounds of the duration bands, in milliseconds. The last band has all longer durations. */
export const DURATION_BANDS_MS = [
  5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000,
  20_000, 30_000, 60_000, 120_000, 600_000,
] as const;

/** A tally counts the calls of one day (UTC). */
const DAY_MS = 86_400_000;

const COLUMNS = 'key, partner_id, created_at, service, tool, outcome, band, calls';

/** SQL for better-sqlite3: adds one row. */
export const SQLITE_TALLY_UPSERT = `
  insert into call_tallies (${COLUMNS})
  values (@key, @partner_id, @created_at, @service, @tool, @outcome, @band, @calls)
  on conflict (key) do update set calls = calls + excluded.calls`;

/**
 * Statement for pg: inserts call records, and adds the tally rows in the second parameter, a JSON array, in a fixed
 * order to avoid deadlocks between writers.
 */
export const POSTGRES_CALLS_INSERT = {
  name: 'call-records',
  text: `with written as (${POSTGRES_CALL_INSERT})
    insert into call_tallies (${COLUMNS})
    select ${COLUMNS} from json_populate_recordset(null::call_tallies, $2) order by key
    on conflict (key) do update set calls = call_tallies.calls + excluded.calls`,
};

/** Builds the tally rows that a batch of records adds. */
export function toTallyRows(records: readonly CallRecord[]): Database['call_tallies'][] {
  const rows = new Map<string, Database['call_tallies']>();
  for (const record of records) {
    const row = toRow(record);
    const existing = rows.get(row.key);
    if (existing === undefined) rows.set(row.key, row);
    else existing.calls += 1;
  }
  return [...rows.values()];
}

function toRow({ partnerId, createdAt, service, tool, outcome, durationMs }: CallRecord): Database['call_tallies'] {
  const day = createdAt - (createdAt % DAY_MS);
  const bandIndex = DURATION_BANDS_MS.findIndex((bound) => Math.round(durationMs) < bound);
  const band = bandIndex === -1 ? DURATION_BANDS_MS.length - 1 : bandIndex;
  const key = [partnerId, day, service, tool, outcome, band].join(' ');
  return { key, partner_id: partnerId, created_at: day, service, tool, outcome, band, calls: 1 };
}
