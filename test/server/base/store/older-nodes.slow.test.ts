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
/** For each migration after the baseline of a set, the versions before and after it. */
function versionsOf(sets: readonly TableSet[], set: TableSet) {
  const versionOf = (count: number) => sets.map((each) => (each === set ? afterMigrations(set, count) : each));
  return Object.keys(set.migrations).map((name, index) => ({
    name,
    older: versionOf(index),
    newer: versionOf(index + 1),
  }));
}

/** The set in the version whose newest migration is the `count`th after the baseline. */
function afterMigrations(set: TableSet, count: number): TableSet {
  const migrations = Object.entries(set.migrations);
  const added = new Set(migrations.slice(count).flatMap(([, { adds = [] }]) => adds));
  const withoutAdded = <Value>(values: Readonly<Record<string, Value>> = {}, prefix = '') =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !added.has(prefix + name)));
  const tables = Object.entries(withoutAdded(set.tables)).map(([name, table]) => {
    const columns = withoutAdded(table.columns, `${name}.`);
    return [name, { ...table, columns, indexes: withoutAdded(table.indexes) }];
  });
  return { ...set, tables: Object.fromEntries(tables), migrations: Object.fromEntries(migrations.slice(0, count)) };
}

function withNickname(set: TableSet): TableSet {
  if (set.owner !== 'core') return set;
  const { users } = set.tables;
  if (users === undefined) throw new Error('the core has no table users');
  const columns = { ...users.columns, nickname: 'text' };
  const indexes = { ...users.indexes, users_by_nickname: '(nickname)' };
  return {
    ...set,
    tables: { ...set.tables, users: { ...users, columns, indexes } },
    migrations: { ...set.migrations, '9998-nicknames': { adds: ['users.nickname', 'users_by_nickname'] } },
  };
}

const isContract = (name: string) => /^\d{4}-contract-after-\d{4}-/.test(name);

describeStore('gateways of the previous version', (given) => {
  const breaksOf = (migration: Migration) => findBreaks(given, TABLE_SETS, withLater({ '9998-made-up': migration }));

  test.each([
    ['as released', TABLE_SETS],
    ['also one that adds a column and an index', TABLE_SETS.map(withNickname)],
  ])('survive every migration that is not listed as breaking, %s', async (_, sets) => {
    const pairs = sets.flatMap((set) => versionsOf(sets, set)).filter(({ name }) => !isContract(name));
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
