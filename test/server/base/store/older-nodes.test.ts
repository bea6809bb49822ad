import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { expect, test, vi } from 'vitest';
import type { TableSet } from '../../../../server/base/store/tables/table-set.ts';
import { TABLE_SETS } from '../../../support/listening.ts';
import { describeStore, emptyDatabase, withLater } from './dialects.ts';
import { findBreaks } from './older-nodes.ts';

vi.setConfig({ testTimeout: 60_000 });

const up = (...statements: readonly RawBuilder<unknown>[]): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(db);
  },
});
/** Tables without those that are named, and without columns that are named as `table.column`. */
function without(tables: TableSet['tables'], names: readonly string[]): TableSet['tables'] {
  const entries = Object.entries(tables).filter(([name]) => !names.includes(name));
  return Object.fromEntries(
    entries.map(([name, { columns, ...table }]) => {
      const left = Object.entries(columns).filter(([column]) => !names.includes(`${name}.${column}`));
      return [name, { ...table, columns: Object.fromEntries(left) }];
    }),
  );
}

/** For each migration after the baseline of a set, the versions before and after it. */
function versionsOf(set: TableSet) {
  const named = Object.entries(set.migrations);
  const upTo = (count: number) => {
    const migrations = Object.fromEntries(named.slice(0, count));
    const tables = without(
      set.tables,
      named.slice(count).flatMap(([, { adds = [] }]) => adds),
    );
    return TABLE_SETS.map((each) => (each === set ? { ...set, migrations, tables } : each));
  };
  return named.map(([name], index) => ({ name, older: upTo(index), newer: upTo(index + 1) }));
}

const isContract = (name: string) => /^\d{4}-contract-after-\d{4}-/.test(name);

describeStore('gateways of the previous version', (given) => {
  const breaksOf = (migration: Migration) => findBreaks(given, TABLE_SETS, withLater({ '9998-made-up': migration }));

  test('survive every migration that is not listed as breaking', async () => {
    const pairs = TABLE_SETS.flatMap(versionsOf).filter(({ name }) => !isContract(name));
    const found: string[] = [];
    for (const [index, { older, newer }] of pairs.entries()) {
      await emptyDatabase(given);
      found.push(...(await findBreaks(given, older, newer, index * 2)));
    }
    expect(found).toEqual([]);
  });

  test('survive new tables, columns that need no value, and indexes', async () => {
    const expand = up(
      sql`alter table users add column nickname text`,
      sql`alter table call_records add column retries integer not null default 0`,
      sql`create table badges (id text primary key, user_id text references users (id) on delete cascade, rank integer not null unique)`,
      sql`create index users_by_nickname on users (nickname)`,
    );
    expect(await breaksOf(expand)).toEqual([]);
  });

  test.each([
    ['a removed table', [sql`drop table tool_facts`], 'the table tool_facts is gone'],
    ['a renamed table', [sql`alter table tool_facts rename to facts`], 'the table tool_facts is gone'],
    ['a removed column', [sql`alter table partners drop column logo`], 'the column partners.logo is gone'],
    ['a renamed column', [sql`alter table partners rename column logo to picture`], 'the column partners.logo is gone'],
    [
      'a column that must be unique',
      [sql`create unique index users_by_name on users (external_user_id)`],
      'users (external_user_id) is unique now',
    ],
    [
      'rows that prevent the removal of others',
      [sql`create table badges (id text primary key, user_id text references users (id))`],
      'badges -> users keeps rows from being removed',
    ],
    ['changed rows', [sql`update partners set name = 'Another'`], 'the rows of partners are changed'],
    ['removed rows', [sql`delete from upstream_slots`], 'the rows of upstream_slots are changed'],
  ])('do not survive %s', async (_, statements, expected) => {
    expect(await breaksOf(up(...statements))).toEqual([expected]);
  });

  if (given.dialect === 'sqlite') return;

  test.each([
    [
      'a new column that requires a value',
      [sql`delete from upstream_slots`, sql`alter table upstream_slots add column since bigint not null`],
      'upstream_slots.since is new and needs a value',
    ],
    [
      'an old column that requires a value now',
      [sql`update partners set logo = ''`, sql`alter table partners alter column logo set not null`],
      'partners.logo needs a value',
    ],
    [
      'a column of another type',
      [sql`alter table upstream_rates alter column points type bigint`],
      'upstream_rates.points is bigint instead of integer',
    ],
    [
      'a column that refers to another table now',
      [
        sql`update call_records set user_id = (select min(id) from users)`,
        sql`alter table call_records add foreign key (user_id) references users (id) on delete cascade`,
      ],
      'call_records.user_id refers to another table',
    ],
  ])('do not survive %s', async (_, statements, expected) => {
    expect(await breaksOf(up(...statements))).toEqual([expected]);
  });
});
