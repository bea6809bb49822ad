import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrateToLatest } from '../../../../server/base/store/migrate.ts';
import { addTallies, sumTallies, TALLY_TABLES, type Tally } from '../../../../server/modules/tallies/table.ts';
import { describeStore } from '../../base/store/dialects.ts';

const DAY_MS = 86_400_000;
const tally = (key: string, day = 0, kind: Tally['kind'] = 'drift'): Tally => ({ day, kind, key, count: 2 });

describeStore('daily counts', (given) => {
  test('are added by day, kind and key, and summed up over days', async () => {
    const { db } = given.store;
    for (let time = 0; time < 5; time += 1) await addTallies(db, [tally('a\tx'), tally('a\tx', DAY_MS)]);
    await addTallies(db, [tally('a_b\tx'), tally('a\tx', 0, 'old_name')]);
    expect(await sumTallies(db, 'drift', { since: 0, until: 2 * DAY_MS })).toEqual([
      { key: 'a\tx', count: 20, lastDay: DAY_MS },
      { key: 'a_b\tx', count: 2, lastDay: 0 },
    ]);
    expect(await sumTallies(db, 'drift', { since: 0, until: DAY_MS, prefix: 'a\t' })).toEqual([
      { key: 'a\tx', count: 10, lastDay: 0 },
    ]);
    expect(await sumTallies(db, 'drift', { since: 2 * DAY_MS, until: 3 * DAY_MS })).toEqual([]);
  });

  test('take over those of the tables of earlier versions, which stay as they are', async () => {
    const { db } = given.store;
    const usage = 'key text, created_at bigint, tool text, place text, facet text, calls bigint, partners_0 bigint';
    const drift = 'key text, created_at bigint, service text, tool text, definition text, place text, keyword text';
    await sql.raw(`create table usage_tallies (${usage})`).execute(db);
    await sql.raw(`create table drift_tallies (${drift}, found text, answers bigint)`).execute(db);
    await sql`insert into usage_tallies values ('1', 86400000, 'crm_get', 'status', 'class:text', 7, 5)`.execute(db);
    await sql`
      insert into drift_tallies values
        ('2', 86400000, 'crm', 'crm_get', 'old', '/id', 'type', 'string', 3),
        ('3', 86400000, 'crm', 'crm_get', 'new', '/id', 'enum', 'string', 4)`.execute(db);
    await db.schema.dropTable('tallies').execute();
    await sql`delete from kysely_migration where name like 'tallies/%'`.execute(db);
    expect(await migrateToLatest(db, given.dialect, [TALLY_TABLES])).toEqual([
      'tallies/0001-baseline',
      'tallies/0002-earlier-counts',
    ]);
    const span = { since: 0, until: 2 * DAY_MS };
    expect(await sumTallies(db, 'usage', span)).toEqual([
      { key: 'crm_get\tstatus\tclass:text', count: 7, lastDay: DAY_MS },
    ]);
    expect(await sumTallies(db, 'drift', span)).toEqual([{ key: 'crm_get\t/id\tstring', count: 7, lastDay: DAY_MS }]);
    const left = await sql<{ key: string }>`
      select key from usage_tallies union select key from drift_tallies order by key`.execute(db);
    expect(left.rows.map(({ key }) => key)).toEqual(['1', '2', '3']);
  });
});
