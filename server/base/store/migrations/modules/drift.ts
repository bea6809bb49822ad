/** Answers that differ from their output schemas, as sums by day, place and type. */

import { createTables, type TableSet } from '../table-set.ts';

const baseline = createTables(
  () => `
create table drift_tallies (
  key text primary key,
  created_at bigint not null,
  service text not null,
  tool text not null,
  definition text not null,
  place text not null,
  keyword text not null,
  found text not null,
  answers bigint not null
);
create index drift_tallies_by_time on drift_tallies (created_at);`,
);

export const DRIFT_TABLES: TableSet = {
  owner: 'drift',
  tables: ['drift_tallies'],
  migrations: { '0001-baseline': baseline },
};
