/** Operators and their sessions. */

import { createTables, type TableSet } from '../table-set.ts';

const baseline = createTables(
  () => `
create table operators (
  id text primary key,
  name text not null unique,
  role text not null,
  secret_hash text not null unique,
  created_at bigint not null
);

create table operator_sessions (
  id text primary key,
  token_hash text not null unique,
  operator_id text references operators (id) on delete cascade,
  name text not null,
  role text not null,
  address text not null,
  created_at bigint not null,
  used_at bigint not null,
  expires_at bigint not null
);
create index operator_sessions_by_expiry on operator_sessions (expires_at);
create index operator_sessions_by_operator on operator_sessions (operator_id);`,
);

export const ADMIN_TABLES: TableSet = {
  owner: 'admin',
  tables: ['operators', 'operator_sessions'],
  migrations: { '0001-baseline': baseline },
};
