/** The tables of the core. Times are integer milliseconds, booleans 0 or 1. */

import { createTables } from './table-set.ts';

export const baseline = createTables((dialect) => {
  const permission = dialect === 'postgres' ? 'permission::json' : 'permission';
  // Unlogged: a crash of the server loses the last minute's counts. Logged, each count would wait for the disk.
  const counters = dialect === 'postgres' ? 'create unlogged' : 'create';
  return `
create table partners (
  id text primary key,
  client_id text not null unique,
  name text not null,
  created_at bigint not null,
  redirect_uris text not null default '[]',
  connect_uri text,
  logo_text text,
  services text,
  suspended_at bigint,
  plain_links integer not null default 1,
  accent_color text,
  logo_hash text,
  logo_type text,
  logo text
);

create table partner_secrets (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  secret_hash text not null unique,
  created_at bigint not null,
  revoked_at bigint
);
create index partner_secrets_by_partner on partner_secrets (partner_id);

create table users (
  id text primary key,
  partner_id text not null references partners (id),
  external_user_id text not null,
  created_at bigint not null,
  constraint users_of_partner unique (partner_id, external_user_id)
);
create index users_by_external_user_id on users (external_user_id);
create index users_of_partner_by_age on users (partner_id, id);

create table connections (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  service text not null,
  status text not null,
  sealed_credential text,
  created_at bigint not null,
  updated_at bigint not null,
  refreshed_at bigint,
  account text,
  credential_type text,
  constraint connections_of_user unique (user_id, service)
);
create index connections_by_refresh on connections (service, refreshed_at);
create index connections_by_status on connections (status, id);

create table connection_refreshes (
  connection_id text primary key references connections (id) on delete cascade,
  holder text,
  held_until bigint not null,
  failures integer not null,
  retry_at bigint not null,
  refreshed_at bigint not null
);

create table upstream_clients (
  id text primary key,
  partner_id text references partners (id) on delete cascade,
  service text not null,
  owner text not null,
  client_id text not null,
  sealed_secret text,
  created_at bigint not null,
  updated_at bigint not null,
  constraint upstream_clients_by_owner unique (owner, service)
);
create index upstream_clients_of_partner on upstream_clients (partner_id, service);

create table upstream_slots (
  key text primary key,
  holder text not null,
  expires_at bigint not null
);

create table upstream_rates (
  key text primary key,
  points integer not null,
  expire bigint not null
);

create table oauth_clients (
  client_id text primary key,
  secret_hash text,
  authentication_method text not null,
  application_type text not null,
  client_name text,
  redirect_uris text not null,
  created_at bigint not null,
  first_used_at bigint,
  jwks text,
  jwks_uri text,
  document_fetched_at bigint,
  document_expires_at bigint,
  registered_from text
);
create index oauth_clients_by_fetch on oauth_clients (document_fetched_at);
create index oauth_clients_by_time on oauth_clients (created_at);
create index oauth_clients_unused on oauth_clients (registered_from, created_at) where first_used_at is null;

create table oauth_grants (
  id text primary key,
  client_id text references oauth_clients (client_id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  scopes text not null,
  services text,
  resource text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint,
  revoked_reason text,
  service text,
  permission text,
  ends_at bigint,
  redirect_uri text,
  issuer_id text
);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_by_end on oauth_grants (expires_at);
create index oauth_grants_by_issuer on oauth_grants (issuer_id);
create index oauth_grants_by_redirect_uri on oauth_grants (redirect_uri);
create index oauth_grants_by_seen on oauth_grants ((${permission} ->> 'seen'));
create index oauth_grants_by_user on oauth_grants (user_id);

create table tool_facts (
  hash text primary key,
  facts text not null,
  created_at bigint not null
);

create table oauth_codes (
  code_hash text primary key,
  grant_id text not null references oauth_grants (id) on delete cascade,
  redirect_uri text not null,
  code_challenge text not null,
  created_at bigint not null,
  expires_at bigint not null,
  consumed_at bigint
);
create index oauth_codes_by_end on oauth_codes (expires_at);
create index oauth_codes_by_grant on oauth_codes (grant_id);

create table access_tokens (
  id text primary key,
  token_hash text not null unique,
  user_id text not null references users (id) on delete cascade,
  scopes text not null,
  services text,
  resource text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint,
  grant_id text references oauth_grants (id) on delete cascade,
  first_used_at bigint
);
create index access_tokens_by_end on access_tokens (expires_at);
create index access_tokens_by_grant on access_tokens (grant_id);
create index access_tokens_by_user on access_tokens (user_id);

create table refresh_tokens (
  id text primary key,
  token_hash text not null unique,
  grant_id text not null references oauth_grants (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  issues_at bigint,
  sealed_seed text
);
create index refresh_tokens_by_end on refresh_tokens (expires_at);
create index refresh_tokens_by_grant on refresh_tokens (grant_id);
create index refresh_tokens_with_seed on refresh_tokens (issues_at) where sealed_seed is not null;

create table single_use_codes (
  code_hash text primary key,
  purpose text not null,
  user_id text references users (id) on delete cascade,
  payload text not null,
  created_at bigint not null,
  expires_at bigint not null,
  consumed_at bigint
);
create index single_use_codes_by_end on single_use_codes (expires_at);
create index single_use_codes_by_user on single_use_codes (user_id);

create table connect_sessions (
  id text primary key,
  token_hash text not null unique,
  partner_id text not null references partners (id) on delete cascade,
  external_user_id text not null,
  services text not null,
  skipped text not null,
  redirect_uri text not null,
  state text,
  locale text,
  allowed_origins text not null,
  created_at bigint not null,
  expires_at bigint not null,
  browser_hash text,
  code_hash text unique,
  redeemed_at bigint,
  grant_id text
);
create index connect_sessions_by_end on connect_sessions (expires_at);
create index connect_sessions_of_user on connect_sessions (partner_id, external_user_id);

create table connection_attempts (
  id text primary key,
  code_hash text not null unique,
  partner_id text not null references partners (id) on delete cascade,
  external_user_id text not null,
  service text not null,
  redirect_uri text not null,
  sealed_credential text,
  created_at bigint not null,
  expires_at bigint not null,
  redeemed_at bigint,
  grant_id text,
  session_id text,
  made_from text
);
create index connection_attempts_by_end on connection_attempts (expires_at);
create index connection_attempts_of_network on connection_attempts (made_from, id) where made_from is not null;
create index connection_attempts_of_session on connection_attempts (session_id);
create index connection_attempts_of_user on connection_attempts (partner_id, external_user_id);

create table attempt_counters (
  key text primary key,
  count integer not null,
  expires_at bigint not null
);
create index attempt_counters_by_end on attempt_counters (expires_at);

${counters} table rate_limits (
  key text primary key,
  uses integer not null,
  expires_at bigint not null
);

create table call_records (
  id text primary key,
  created_at bigint not null,
  partner_id text not null,
  user_id text not null,
  token_id text not null,
  service text not null,
  tool text not null,
  outcome text not null,
  upstream_status integer,
  duration_ms integer not null,
  request_bytes integer not null,
  response_bytes integer not null,
  request_id text not null,
  upstream_code text,
  grant_id text,
  definition text
);
create index call_records_by_time on call_records (created_at);
create index call_records_by_tool on call_records (tool, created_at);
create index call_records_failed on call_records (created_at) where outcome <> 'ok';
create index call_records_of_grant on call_records (grant_id, created_at);
create index call_records_of_partner on call_records (partner_id, created_at);
create index call_records_of_request on call_records (request_id);
create index call_records_of_service on call_records (service, created_at);
create index call_records_of_user on call_records (user_id, created_at);

create table call_tallies (
  key text primary key,
  partner_id text not null,
  created_at bigint not null,
  service text not null,
  tool text not null,
  outcome text not null,
  band integer not null,
  calls bigint not null
);
create index call_tallies_by_time on call_tallies (created_at);
create index call_tallies_of_partner on call_tallies (partner_id, created_at);

create table calls_made_once (
  key_hash text primary key,
  call_hash text not null,
  user_id text not null references users (id) on delete cascade,
  grant_id text references oauth_grants (id) on delete cascade,
  token_id text references access_tokens (id) on delete cascade,
  connection_id text not null references connections (id) on delete cascade,
  status text not null,
  holder text not null,
  held_until bigint not null,
  sealed_answer text,
  answer_bytes integer not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index calls_made_once_by_connection_id on calls_made_once (connection_id);
create index calls_made_once_by_expires_at on calls_made_once (expires_at);
create index calls_made_once_by_grant_id on calls_made_once (grant_id, answer_bytes);
create index calls_made_once_by_token_id on calls_made_once (token_id, answer_bytes);
create index calls_made_once_by_user_id on calls_made_once (user_id);`;
});
