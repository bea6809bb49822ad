/** Identity providers that vouch for users of their partner. */

import { createTables, type TableSet } from '../table-set.ts';

const baseline = createTables(
  () => `
create table identity_issuers (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  issuer text not null,
  tenant text not null,
  jwks_uri text,
  jwks text,
  subject_claim text not null,
  created_at bigint not null,
  last_used_at bigint,
  constraint identity_issuers_by_name unique (issuer, tenant)
);
create index identity_issuers_by_partner on identity_issuers (partner_id);`,
);

export const IDENTITY_ASSERTIONS_TABLES: TableSet = {
  owner: 'identity-assertions',
  tables: ['identity_issuers'],
  migrations: { '0001-baseline': baseline },
};
