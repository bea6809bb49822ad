/** Approvals of exact calls, what partners require of them, and the operator's switches. */

import { createTables } from './table-set.ts';

export const approvals = createTables(
  () => `create table approvals (
  id text primary key,
  digest text unique,
  user_id text not null references users (id) on delete cascade,
  grant_id text references oauth_grants (id) on delete cascade,
  token_id text references access_tokens (id) on delete cascade,
  connection_id text not null references connections (id) on delete cascade,
  service text not null,
  tool text not null,
  sealed text,
  status text not null,
  channel text,
  proof text,
  created_at bigint not null,
  decided_at bigint,
  expires_at bigint not null
);
create index approvals_by_connection_id on approvals (connection_id);
create index approvals_by_expires_at on approvals (expires_at);
create index approvals_by_grant_id on approvals (grant_id);
create index approvals_by_token_id on approvals (token_id);
create index approvals_by_user_id on approvals (user_id, id);
create table switches (name text primary key, set_at bigint not null);
alter table partners add column approvals text;`,
);
