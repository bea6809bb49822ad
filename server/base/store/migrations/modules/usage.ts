/** Usage of tools, as daily sums: published names, classes of values, and a sketch of the partners. */

import { createTables, type TableSet } from '../table-set.ts';

const baseline = createTables(
  () => `
create table usage_tallies (
  key text primary key,
  created_at bigint not null,
  tool text not null,
  place text not null,
  facet text not null,
  calls bigint not null,
  partners_0 bigint not null,
  partners_1 bigint not null,
  partners_2 bigint not null,
  partners_3 bigint not null
);
create index usage_tallies_by_time on usage_tallies (created_at);`,
);

export const USAGE_TABLES: TableSet = {
  owner: 'usage',
  tables: ['usage_tallies'],
  migrations: { '0001-baseline': baseline },
};
