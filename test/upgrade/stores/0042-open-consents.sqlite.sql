pragma foreign_keys = off;
CREATE TABLE access_tokens (
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
CREATE TABLE anonymous_events (
  key text primary key,
  type text not null,
  network text not null,
  count integer not null,
  created_at bigint not null,
  last_at bigint not null
);
CREATE TABLE approvals (
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
CREATE TABLE attempt_counters (
  key text primary key,
  count integer not null,
  expires_at bigint not null
);
CREATE TABLE audit_chains (
  number integer primary key,
  node text not null,
  created_at bigint not null,
  updated_at bigint not null,
  base_seq bigint not null,
  base_mac text not null,
  head_seq bigint not null,
  head_mac text not null,
  seal text not null
);
CREATE TABLE audit_events (
  id text primary key,
  created_at bigint not null,
  type text not null,
  partner_id text,
  user_id text,
  client_id text,
  grant_id text,
  address text,
  request_id text,
  details text not null,
  chain integer,
  chain_seq bigint,
  chain_mac text
, mac text);
CREATE TABLE audit_keys (
  id text primary key,
  sealed text not null
);
CREATE TABLE calls_made_once (
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
CREATE TABLE connect_sessions (
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
, account text);
CREATE TABLE connection_attempts (
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
, account text);
CREATE TABLE connection_refreshes (
  connection_id text primary key references connections (id) on delete cascade,
  holder text,
  held_until bigint not null,
  failures integer not null,
  retry_at bigint not null,
  refreshed_at bigint not null
);
CREATE TABLE connections (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  service text not null,
  status text not null,
  sealed_credential text,
  created_at bigint not null,
  updated_at bigint not null,
  refreshed_at bigint,
  account text,
  credential_type text, account_name text, account_identity text,
  constraint connections_of_user unique (user_id, service)
);
CREATE TABLE event_inlets (
  id text primary key references connections (id) on delete cascade,
  partner_id text not null references partners (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  service text not null,
  address_hash text not null unique,
  sealed_credential text not null,
  created_at bigint not null,
  seq bigint not null
);
CREATE TABLE event_occurrences (
  id text primary key,
  inlet_id text not null references event_inlets (id) on delete cascade,
  seq bigint not null,
  event_id text not null,
  name text not null,
  occurred_at bigint not null,
  sealed text,
  created_at bigint not null,
  constraint event_occurrences_by_seq unique (inlet_id, seq),
  constraint event_occurrences_by_event unique (inlet_id, event_id)
);
CREATE TABLE event_subscriptions (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  grant_id text not null references oauth_grants (id) on delete cascade,
  inlet_id text not null,
  name text not null,
  url_hash text not null,
  sealed_credential text not null,
  previous_until bigint,
  refresh_before bigint not null,
  created_at bigint not null,
  cursor bigint not null,
  next_attempt_at bigint,
  wakes bigint not null,
  ended text,
  attempts integer not null,
  first_attempt_at bigint,
  last_delivered_at bigint,
  last_error text,
  failing_since bigint,
  disabled_at bigint,
  leased_by text,
  leased_until bigint not null
);
CREATE TABLE identity_issuer_requests (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  issuer text not null,
  tenant text not null,
  jwks_uri text,
  jwks text,
  subject_claim text not null,
  created_at bigint not null,
  constraint identity_issuer_requests_by_name unique (partner_id, issuer, tenant)
);
CREATE TABLE identity_issuers (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  issuer text not null,
  tenant text not null,
  jwks_uri text,
  jwks text,
  subject_claim text not null,
  created_at bigint not null,
  last_used_at bigint, "approved_at" bigint,
  constraint identity_issuers_by_name unique (issuer, tenant)
);
CREATE TABLE kept_by_code (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  sealed text not null,
  created_at bigint not null
);
CREATE TABLE kept_files (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  sealed text not null,
  created_at bigint not null
);
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE oauth_clients (
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
, consent_open_until bigint);
CREATE TABLE oauth_codes (
  code_hash text primary key,
  grant_id text not null references oauth_grants (id) on delete cascade,
  redirect_uri text not null,
  code_challenge text not null,
  created_at bigint not null,
  expires_at bigint not null,
  consumed_at bigint
);
CREATE TABLE oauth_grants (
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
CREATE TABLE operator_sessions (
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
CREATE TABLE operators (
  id text primary key,
  name text not null unique,
  role text not null,
  secret_hash text not null unique,
  created_at bigint not null
);
CREATE TABLE partner_event_heads (
  partner_id text primary key references partners (id) on delete cascade,
  seq bigint not null
);
CREATE TABLE partner_events (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  seq bigint not null,
  type text not null,
  user_id text,
  external_user_id text,
  sealed_user_id text,
  service text,
  connection_id text,
  data text not null,
  created_at bigint not null,
  constraint partner_events_by_seq unique (partner_id, seq)
);
CREATE TABLE partner_secrets (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  secret_hash text not null unique,
  created_at bigint not null,
  revoked_at bigint
);
CREATE TABLE partners (
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
, approvals text, test_of text, footer integer not null default 1);
CREATE TABLE rate_limits (
  key text primary key,
  uses integer not null,
  expires_at bigint not null
);
CREATE TABLE refresh_tokens (
  id text primary key,
  token_hash text not null unique,
  grant_id text not null references oauth_grants (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  issues_at bigint,
  sealed_seed text
);
CREATE TABLE single_use_codes (
  code_hash text primary key,
  purpose text not null,
  user_id text references users (id) on delete cascade,
  payload text not null,
  created_at bigint not null,
  expires_at bigint not null,
  consumed_at bigint
);
CREATE TABLE store_keys (id text primary key, sealed text not null);
CREATE TABLE switches (name text primary key, set_at bigint not null);
CREATE TABLE tallies (
  id text primary key,
  day bigint not null,
  kind text not null,
  key text not null,
  count bigint not null
);
CREATE TABLE tasks (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  status text not null,
  version integer not null,
  state text not null,
  result text,
  approval_id text,
  holder text,
  held_until bigint not null,
  stops integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null
);
CREATE TABLE tool_facts (
  hash text primary key,
  facts text not null,
  created_at bigint not null
);
CREATE TABLE upstream_clients (
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
CREATE TABLE upstream_rates (
  key text primary key,
  points integer not null,
  expire bigint not null
);
CREATE TABLE upstream_slots (
  key text primary key,
  holder text not null,
  expires_at bigint not null
);
CREATE TABLE user_clients (
  client_id text primary key references oauth_clients (client_id) on delete cascade,
  user_id text not null references users (id) on delete cascade
);
CREATE TABLE users (
  id text primary key,
  partner_id text not null references partners (id),
  external_user_id text not null,
  created_at bigint not null, approvals text,
  constraint users_of_partner unique (partner_id, external_user_id)
);
CREATE TABLE webhook_deliveries (
  id text primary key,
  endpoint_id text not null references webhook_endpoints (id) on delete cascade,
  event_id text not null,
  type text not null,
  kind text not null,
  order_key text not null,
  seq bigint not null,
  status text not null,
  attempts integer not null,
  first_attempt_at bigint,
  next_attempt_at bigint not null,
  last_attempt_at bigint,
  answer_status integer,
  problem text,
  duration_ms integer,
  created_at bigint not null
);
CREATE TABLE webhook_endpoints (
  id text primary key,
  partner_id text not null references partners (id) on delete cascade,
  url text not null,
  types text,
  sealed_credential text not null,
  previous_until bigint,
  created_at bigint not null,
  cursor bigint not null,
  disabled_at bigint,
  disabled_reason text,
  failing_since bigint,
  held_until bigint not null,
  leased_by text,
  leased_until bigint not null
);
CREATE INDEX access_tokens_by_end on access_tokens (expires_at);
CREATE INDEX access_tokens_by_grant on access_tokens (grant_id);
CREATE INDEX access_tokens_by_user on access_tokens (user_id);
CREATE INDEX anonymous_events_by_time on anonymous_events (created_at);
CREATE INDEX approvals_by_connection_id on approvals (connection_id);
CREATE INDEX approvals_by_expires_at on approvals (expires_at);
CREATE INDEX approvals_by_grant_id on approvals (grant_id);
CREATE INDEX approvals_by_token_id on approvals (token_id);
CREATE INDEX approvals_by_user_id on approvals (user_id, id);
CREATE INDEX attempt_counters_by_end on attempt_counters (expires_at);
CREATE INDEX audit_events_by_chain on audit_events (chain, chain_seq);
CREATE INDEX audit_events_by_time on audit_events (created_at);
CREATE INDEX audit_events_of_user on audit_events (user_id, created_at);
CREATE INDEX audit_events_without_mac on audit_events (id) where mac is null;
CREATE INDEX calls_made_once_by_connection_id on calls_made_once (connection_id);
CREATE INDEX calls_made_once_by_expires_at on calls_made_once (expires_at);
CREATE INDEX calls_made_once_by_grant_id on calls_made_once (grant_id, answer_bytes);
CREATE INDEX calls_made_once_by_token_id on calls_made_once (token_id, answer_bytes);
CREATE INDEX calls_made_once_by_user_id on calls_made_once (user_id);
CREATE INDEX connect_sessions_by_end on connect_sessions (expires_at);
CREATE INDEX connect_sessions_of_user on connect_sessions (partner_id, external_user_id);
CREATE INDEX connection_attempts_by_end on connection_attempts (expires_at);
CREATE INDEX connection_attempts_of_network on connection_attempts (made_from, id) where made_from is not null;
CREATE INDEX connection_attempts_of_session on connection_attempts (session_id);
CREATE INDEX connection_attempts_of_user on connection_attempts (partner_id, external_user_id);
CREATE INDEX connections_by_refresh on connections (service, refreshed_at);
CREATE INDEX connections_by_status on connections (status, id);
CREATE INDEX event_inlets_by_partner on event_inlets (partner_id);
CREATE INDEX event_inlets_by_user on event_inlets (user_id);
CREATE INDEX event_occurrences_by_age on event_occurrences (created_at);
CREATE INDEX event_subscriptions_by_end on event_subscriptions (refresh_before);
CREATE INDEX event_subscriptions_by_grant on event_subscriptions (grant_id);
CREATE INDEX event_subscriptions_by_inlet on event_subscriptions (inlet_id, name);
CREATE INDEX event_subscriptions_by_partner on event_subscriptions (partner_id);
CREATE INDEX event_subscriptions_by_user on event_subscriptions (user_id);
CREATE INDEX event_subscriptions_due on event_subscriptions (next_attempt_at) where next_attempt_at is not null;
CREATE INDEX identity_issuers_by_partner on identity_issuers (partner_id);
CREATE INDEX kept_by_code_by_time on kept_by_code (created_at);
CREATE INDEX kept_by_code_by_user on kept_by_code (user_id, created_at);
CREATE INDEX kept_files_by_time on kept_files (created_at);
CREATE INDEX kept_files_by_user on kept_files (user_id, created_at);
CREATE INDEX oauth_clients_by_fetch on oauth_clients (document_fetched_at);
CREATE INDEX oauth_clients_by_time on oauth_clients (created_at);
CREATE INDEX oauth_clients_unused on oauth_clients (registered_from, created_at) where first_used_at is null;
CREATE INDEX oauth_codes_by_end on oauth_codes (expires_at);
CREATE INDEX oauth_codes_by_grant on oauth_codes (grant_id);
CREATE INDEX oauth_grants_by_client on oauth_grants (client_id);
CREATE INDEX oauth_grants_by_end on oauth_grants (expires_at);
CREATE INDEX oauth_grants_by_issuer on oauth_grants (issuer_id);
CREATE INDEX oauth_grants_by_redirect_uri on oauth_grants (redirect_uri);
CREATE INDEX oauth_grants_by_seen on oauth_grants ((permission ->> 'seen'));
CREATE INDEX oauth_grants_by_user on oauth_grants (user_id);
CREATE INDEX operator_sessions_by_expiry on operator_sessions (expires_at);
CREATE INDEX operator_sessions_by_operator on operator_sessions (operator_id);
CREATE INDEX partner_events_by_age on partner_events (created_at);
CREATE INDEX partner_events_by_user on partner_events (user_id);
CREATE INDEX partner_secrets_by_partner on partner_secrets (partner_id);
CREATE INDEX refresh_tokens_by_end on refresh_tokens (expires_at);
CREATE INDEX refresh_tokens_by_grant on refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_with_seed on refresh_tokens (issues_at) where sealed_seed is not null;
CREATE INDEX single_use_codes_by_end on single_use_codes (expires_at);
CREATE INDEX single_use_codes_by_user on single_use_codes (user_id);
CREATE INDEX tallies_by_kind on tallies (kind, day);
CREATE INDEX tallies_by_time on tallies (day);
CREATE INDEX tasks_by_expiry on tasks (expires_at);
CREATE INDEX tasks_by_user on tasks (user_id, expires_at);
CREATE INDEX upstream_clients_of_partner on upstream_clients (partner_id, service);
CREATE INDEX user_clients_by_user on user_clients (user_id);
CREATE INDEX users_by_external_user_id on users (external_user_id);
CREATE INDEX users_of_partner_by_age on users (partner_id, id);
CREATE INDEX webhook_deliveries_by_age on webhook_deliveries (created_at);
CREATE INDEX webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, status, next_attempt_at);
CREATE INDEX webhook_deliveries_by_order on webhook_deliveries (endpoint_id, order_key, seq);
CREATE INDEX webhook_endpoints_by_partner on webhook_endpoints (partner_id);
insert into "access_tokens" values ('Grüße, 世界 ''"% access_tokens 0', 'Grüße, 世界 ''"% access_tokens.token_hash 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% access_tokens.scopes 0', 'Grüße, 世界 ''"% access_tokens.services 0', 'Grüße, 世界 ''"% access_tokens.resource 0', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_grants 0', 9007199254740991);
insert into "access_tokens" values ('Grüße, 世界 ''"% access_tokens 1', 'Grüße, 世界 ''"% access_tokens.token_hash 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% access_tokens.scopes 1', null, 'Grüße, 世界 ''"% access_tokens.resource 1', 9007199254740990, 9007199254740990, null, null, null);
insert into "anonymous_events" values ('Grüße, 世界 ''"% anonymous_events 0', 'Grüße, 世界 ''"% anonymous_events.type 0', 'Grüße, 世界 ''"% anonymous_events.network 0', 2147483647, 9007199254740991, 9007199254740991);
insert into "anonymous_events" values ('Grüße, 世界 ''"% anonymous_events 1', 'Grüße, 世界 ''"% anonymous_events.type 1', 'Grüße, 世界 ''"% anonymous_events.network 1', 2147483646, 9007199254740990, 9007199254740990);
insert into "approvals" values ('Grüße, 世界 ''"% approvals 0', 'Grüße, 世界 ''"% approvals.digest 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% access_tokens 0', 'Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% approvals.service 0', 'Grüße, 世界 ''"% approvals.tool 0', 'Grüße, 世界 ''"% approvals.sealed 0', 'Grüße, 世界 ''"% approvals.status 0', 'Grüße, 世界 ''"% approvals.channel 0', 'Grüße, 世界 ''"% approvals.proof 0', 9007199254740991, 9007199254740991, 9007199254740991);
insert into "approvals" values ('Grüße, 世界 ''"% approvals 1', null, 'Grüße, 世界 ''"% users 1', null, null, 'Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% approvals.service 1', 'Grüße, 世界 ''"% approvals.tool 1', null, 'Grüße, 世界 ''"% approvals.status 1', null, null, 9007199254740990, null, 9007199254740990);
insert into "attempt_counters" values ('Grüße, 世界 ''"% attempt_counters 0', 2147483647, 9007199254740991);
insert into "attempt_counters" values ('Grüße, 世界 ''"% attempt_counters 1', 2147483646, 9007199254740990);
insert into "audit_chains" values (2147483646, 'Grüße, 世界 ''"% audit_chains.node 1', 9007199254740990, 9007199254740990, 9007199254740990, 'Grüße, 世界 ''"% audit_chains.base_mac 1', 9007199254740990, 'Grüße, 世界 ''"% audit_chains.head_mac 1', 'Grüße, 世界 ''"% audit_chains.seal 1');
insert into "audit_chains" values (2147483647, 'Grüße, 世界 ''"% audit_chains.node 0', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% audit_chains.base_mac 0', 9007199254740991, 'Grüße, 世界 ''"% audit_chains.head_mac 0', 'Grüße, 世界 ''"% audit_chains.seal 0');
insert into "audit_events" values ('00000000-0000-7423-b7aa-b412ee8527e5', 0, 'consent_given', null, 'Grüße, 世界 ''"% users 0', null, null, null, null, '{"n":0,"TEXT":"Grüße, 世界 ''\"% "}', null, null, null, 'k1.Xjm5Z5YYzJywVOTUPm6XN6rgJ7busmFQw_IAoZzFLiM');
insert into "audit_events" values ('00000000-0001-7ff6-b840-1a26a09193fd', 1, 'consent_given', null, 'Grüße, 世界 ''"% users 0', null, null, null, null, '{"n":1,"TEXT":"Grüße, 世界 ''\"% "}', null, null, null, 'k1.ni28QOl2zBNNQyipl97nqEKUIakjZBDYU3AjHSeuOwk');
insert into "audit_events" values ('00000000-0002-716d-af83-6117fbe5ab7f', 2, 'consent_given', null, 'Grüße, 世界 ''"% users 0', null, null, null, null, '{"n":2,"TEXT":"Grüße, 世界 ''\"% "}', null, null, null, 'k1.wL7zrfT5bL4BaOcD9LQLkd9afoG__quF3RkW8dTZTTo');
insert into "audit_events" values ('00000000-0003-77c9-957c-f46420df90ad', 3, 'consent_given', null, 'Grüße, 世界 ''"% users 0', null, null, null, null, '{"n":3,"TEXT":"Grüße, 世界 ''\"% "}', null, null, null, 'k1.Y2oilZIpoLiAi5so0YP6oaeG6II0RVdj2eEHxglWo44');
insert into "audit_events" values ('00000000-0004-7661-b7f8-09557d499d04', 4, 'consent_given', null, 'Grüße, 世界 ''"% users 0', null, null, null, null, '{"n":4,"TEXT":"Grüße, 世界 ''\"% "}', null, null, null, 'k1.CRmiHTetFTBA9Ve_3KAle_foxMfgItLsiLIqnmd-VIM');
insert into "audit_keys" values ('k1', 'v1.k1.lPJgoGBFow6DRmpX46k6Rx9dU_4-IYHVLVxlzF4NCgmx0VhPK0C5wWVLTRzuYLl1psmvPq1cQZhWitQm4vmsli7LKOl84ak-9JGqF2XPNToBR7khJp8nvB0CZwIyKmdFLyhaDdAI9D6JmbCUa_yZdg');
insert into "calls_made_once" values ('Grüße, 世界 ''"% calls_made_once 0', 'Grüße, 世界 ''"% calls_made_once.call_hash 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% access_tokens 0', 'Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% calls_made_once.status 0', 'Grüße, 世界 ''"% calls_made_once.holder 0', 9007199254740991, 'Grüße, 世界 ''"% calls_made_once.sealed_answer 0', 2147483647, 9007199254740991, 9007199254740991);
insert into "calls_made_once" values ('Grüße, 世界 ''"% calls_made_once 1', 'Grüße, 世界 ''"% calls_made_once.call_hash 1', 'Grüße, 世界 ''"% users 1', null, null, 'Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% calls_made_once.status 1', 'Grüße, 世界 ''"% calls_made_once.holder 1', 9007199254740990, null, 2147483646, 9007199254740990, 9007199254740990);
insert into "connect_sessions" values ('Grüße, 世界 ''"% connect_sessions 0', 'Grüße, 世界 ''"% connect_sessions.token_hash 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% connect_sessions.external_user_id 0', 'Grüße, 世界 ''"% connect_sessions.services 0', 'Grüße, 世界 ''"% connect_sessions.skipped 0', 'Grüße, 世界 ''"% connect_sessions.redirect_uri 0', 'Grüße, 世界 ''"% connect_sessions.state 0', 'Grüße, 世界 ''"% connect_sessions.locale 0', 'Grüße, 世界 ''"% connect_sessions.allowed_origins 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connect_sessions.browser_hash 0', 'Grüße, 世界 ''"% connect_sessions.code_hash 0', 9007199254740991, 'Grüße, 世界 ''"% connect_sessions.grant_id 0', 'Grüße, 世界 ''"% connect_sessions.account 0');
insert into "connect_sessions" values ('Grüße, 世界 ''"% connect_sessions 1', 'Grüße, 世界 ''"% connect_sessions.token_hash 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% connect_sessions.external_user_id 1', 'Grüße, 世界 ''"% connect_sessions.services 1', 'Grüße, 世界 ''"% connect_sessions.skipped 1', 'Grüße, 世界 ''"% connect_sessions.redirect_uri 1', null, null, 'Grüße, 世界 ''"% connect_sessions.allowed_origins 1', 9007199254740990, 9007199254740990, null, null, null, null, null);
insert into "connection_attempts" values ('Grüße, 世界 ''"% connection_attempts 0', 'Grüße, 世界 ''"% connection_attempts.code_hash 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% connection_attempts.external_user_id 0', 'Grüße, 世界 ''"% connection_attempts.service 0', 'Grüße, 世界 ''"% connection_attempts.redirect_uri 0', 'v2.k1.GWFQ9miVUAxt9_SfQXdDls0dmBGH_y1KGb1jnCZhxtrGcIDfEU70UlAU6RX3-oY75pPMIX3FP8tGc0gp', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connection_attempts.grant_id 0', 'Grüße, 世界 ''"% connection_attempts.session_id 0', 'Grüße, 世界 ''"% connection_attempts.made_from 0', 'Grüße, 世界 ''"% connection_attempts.account 0');
insert into "connection_attempts" values ('Grüße, 世界 ''"% connection_attempts 1', 'Grüße, 世界 ''"% connection_attempts.code_hash 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% connection_attempts.external_user_id 1', 'Grüße, 世界 ''"% connection_attempts.service 1', 'Grüße, 世界 ''"% connection_attempts.redirect_uri 1', 'v2.k1.FFl1FGC1y6RR6bCrYH9gXn2heRYm_Zi9MYil2BXRZCnZQyEhawNPYBXNLTtctgzcPlmz3qg9SIbAnl12', 9007199254740990, 9007199254740990, null, null, null, null, null);
insert into "connection_refreshes" values ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% connection_refreshes.holder 0', 9007199254740991, 2147483647, 9007199254740991, 9007199254740991);
insert into "connection_refreshes" values ('Grüße, 世界 ''"% connections 1', null, 9007199254740990, 2147483646, 9007199254740990, 9007199254740990);
insert into "connections" values ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% connections.service 0', 'Grüße, 世界 ''"% connections.status 0', 'v2.k1.-m4TcmlxvIfDfEkXF0Y23QWwFfFWFRuH-GR0qEkc_7B5q1tPqj7Rbrg5QLK2b31GUCyKvEHH7ADsaSoE', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% connections.account 0', 'Grüße, 世界 ''"% connections.credential_type 0', 'Grüße, 世界 ''"% connections.account_name 0', 'Grüße, 世界 ''"% connections.account_identity 0');
insert into "connections" values ('Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% connections.service 1', 'Grüße, 世界 ''"% connections.status 1', 'v2.k1.uN-uMgp06xvocsevA9UUq17JK6kzixrbusvy8KR4QpS8YDa7en79VRNa0kNjQNtAUkZ0puJdQiqE8LbQ', 9007199254740990, 9007199254740990, null, null, null, null, null);
insert into "event_inlets" values ('Grüße, 世界 ''"% connections 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% event_inlets.service 0', 'Grüße, 世界 ''"% event_inlets.address_hash 0', 'v2.k1.Ny4c4nitdh94bRMBxSryQqDPBFoD6MWmh8tgnDDdW_1_mw21V1-ychIlr8189_ayzMC-BEKb3Qp6ACEa', 9007199254740991, 9007199254740991);
insert into "event_inlets" values ('Grüße, 世界 ''"% connections 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% event_inlets.service 1', 'Grüße, 世界 ''"% event_inlets.address_hash 1', 'v2.k1.T4IDG3PDKxvAJzO_XlhclwDyEGXjDkp2hLpZFjqm_Bx_zKqyx3UlN8R_xN7Vg3gDB-yneWI1qUSw1HsO', 9007199254740990, 9007199254740990);
insert into "event_occurrences" values ('Grüße, 世界 ''"% event_occurrences 0', 'Grüße, 世界 ''"% connections 0', 9007199254740991, 'Grüße, 世界 ''"% event_occurrences.event_id 0', 'Grüße, 世界 ''"% event_occurrences.name 0', 9007199254740991, 'Grüße, 世界 ''"% event_occurrences.sealed 0', 9007199254740991);
insert into "event_occurrences" values ('Grüße, 世界 ''"% event_occurrences 1', 'Grüße, 世界 ''"% connections 1', 9007199254740990, 'Grüße, 世界 ''"% event_occurrences.event_id 1', 'Grüße, 世界 ''"% event_occurrences.name 1', 9007199254740990, null, 9007199254740990);
insert into "event_subscriptions" values ('Grüße, 世界 ''"% event_subscriptions 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% event_subscriptions.inlet_id 0', 'Grüße, 世界 ''"% event_subscriptions.name 0', 'Grüße, 世界 ''"% event_subscriptions.url_hash 0', 'v2.k1.Chh0Jfkyrqds_bkjD6xHwaPhG9Cm5sd6jv3Fk6iVob9xnRDFMvy-JWOEqVS9xWv-s0kSZdq0I6pxpabG', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% event_subscriptions.ended 0', 2147483647, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% event_subscriptions.last_error 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% event_subscriptions.leased_by 0', 9007199254740991);
insert into "event_subscriptions" values ('Grüße, 世界 ''"% event_subscriptions 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% oauth_grants 1', 'Grüße, 世界 ''"% event_subscriptions.inlet_id 1', 'Grüße, 世界 ''"% event_subscriptions.name 1', 'Grüße, 世界 ''"% event_subscriptions.url_hash 1', 'v2.k1.vjig7TW969Zst9zigI1Ket7Y2bOPzE1_8hjliwnWvWbbJmZf0mrYaeoik1u19atx7lO9nuR7URz1PEss', null, 9007199254740990, 9007199254740990, 9007199254740990, null, 9007199254740990, null, 2147483646, null, null, null, null, null, null, 9007199254740990);
insert into "identity_issuer_requests" values ('Grüße, 世界 ''"% identity_issuer_requests 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% identity_issuer_requests.issuer 0', 'Grüße, 世界 ''"% identity_issuer_requests.tenant 0', 'Grüße, 世界 ''"% identity_issuer_requests.jwks_uri 0', 'Grüße, 世界 ''"% identity_issuer_requests.jwks 0', 'Grüße, 世界 ''"% identity_issuer_requests.subject_claim 0', 9007199254740991);
insert into "identity_issuer_requests" values ('Grüße, 世界 ''"% identity_issuer_requests 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% identity_issuer_requests.issuer 1', 'Grüße, 世界 ''"% identity_issuer_requests.tenant 1', null, null, 'Grüße, 世界 ''"% identity_issuer_requests.subject_claim 1', 9007199254740990);
insert into "identity_issuers" values ('Grüße, 世界 ''"% identity_issuers 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% identity_issuers.issuer 0', 'Grüße, 世界 ''"% identity_issuers.tenant 0', 'Grüße, 世界 ''"% identity_issuers.jwks_uri 0', 'Grüße, 世界 ''"% identity_issuers.jwks 0', 'Grüße, 世界 ''"% identity_issuers.subject_claim 0', 9007199254740991, 9007199254740991, 9007199254740991);
insert into "identity_issuers" values ('Grüße, 世界 ''"% identity_issuers 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% identity_issuers.issuer 1', 'Grüße, 世界 ''"% identity_issuers.tenant 1', null, null, 'Grüße, 世界 ''"% identity_issuers.subject_claim 1', 9007199254740990, null, null);
insert into "kept_by_code" values ('Grüße, 世界 ''"% kept_by_code 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% kept_by_code.sealed 0', 9007199254740991);
insert into "kept_by_code" values ('Grüße, 世界 ''"% kept_by_code 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% kept_by_code.sealed 1', 9007199254740990);
insert into "kept_files" values ('Grüße, 世界 ''"% kept_files 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% kept_files.sealed 0', 9007199254740991);
insert into "kept_files" values ('Grüße, 世界 ''"% kept_files 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% kept_files.sealed 1', 9007199254740990);
insert into "kysely_migration" values ('0033-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0034-store-keys', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0035-approvals', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0036-accounts', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0037-account-identity', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0038-standing-approvals', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0039-test-partners', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0040-partner-footer', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0041-user-prefixes', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('0042-open-consents', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('admin/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('audit/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('audit/0002-mac', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('client-credentials/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('code/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('events/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('files/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('identity-assertions/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('identity-assertions/0002-approval', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('identity-assertions/0003-requests', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('tallies/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('tallies/0002-earlier-counts', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('tasks/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration" values ('webhooks/0001-baseline', '2026-01-01T00:00:00.000Z');
insert into "kysely_migration_lock" values ('migration_lock', 0);
insert into "oauth_clients" values ('Grüße, 世界 ''"% oauth_clients 0', 'Grüße, 世界 ''"% oauth_clients.secret_hash 0', 'Grüße, 世界 ''"% oauth_clients.authentication_method 0', 'Grüße, 世界 ''"% oauth_clients.application_type 0', 'Grüße, 世界 ''"% oauth_clients.client_name 0', 'Grüße, 世界 ''"% oauth_clients.redirect_uris 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_clients.jwks 0', 'Grüße, 世界 ''"% oauth_clients.jwks_uri 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_clients.registered_from 0', 9007199254740991);
insert into "oauth_clients" values ('Grüße, 世界 ''"% oauth_clients 1', null, 'Grüße, 世界 ''"% oauth_clients.authentication_method 1', 'Grüße, 世界 ''"% oauth_clients.application_type 1', null, 'Grüße, 世界 ''"% oauth_clients.redirect_uris 1', 9007199254740990, null, null, null, null, null, null, null);
insert into "oauth_codes" values ('Grüße, 世界 ''"% oauth_codes 0', 'Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% oauth_codes.redirect_uri 0', 'Grüße, 世界 ''"% oauth_codes.code_challenge 0', 9007199254740991, 9007199254740991, 9007199254740991);
insert into "oauth_codes" values ('Grüße, 世界 ''"% oauth_codes 1', 'Grüße, 世界 ''"% oauth_grants 1', 'Grüße, 世界 ''"% oauth_codes.redirect_uri 1', 'Grüße, 世界 ''"% oauth_codes.code_challenge 1', 9007199254740990, 9007199254740990, null);
insert into "oauth_grants" values ('Grüße, 世界 ''"% oauth_grants 0', 'Grüße, 世界 ''"% oauth_clients 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% oauth_grants.scopes 0', 'Grüße, 世界 ''"% oauth_grants.services 0', 'Grüße, 世界 ''"% oauth_grants.resource 0', 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% oauth_grants.revoked_reason 0', 'Grüße, 世界 ''"% oauth_grants.service 0', '{"seen":"Grüße, 世界 ''\"% "}', 9007199254740991, 'Grüße, 世界 ''"% oauth_grants.redirect_uri 0', 'Grüße, 世界 ''"% oauth_grants.issuer_id 0');
insert into "oauth_grants" values ('Grüße, 世界 ''"% oauth_grants 1', null, 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% oauth_grants.scopes 1', null, 'Grüße, 世界 ''"% oauth_grants.resource 1', 9007199254740990, 9007199254740990, null, null, null, null, null, null, null);
insert into "operator_sessions" values ('Grüße, 世界 ''"% operator_sessions 0', 'Grüße, 世界 ''"% operator_sessions.token_hash 0', 'Grüße, 世界 ''"% operators 0', 'Grüße, 世界 ''"% operator_sessions.name 0', 'Grüße, 世界 ''"% operator_sessions.role 0', 'Grüße, 世界 ''"% operator_sessions.address 0', 9007199254740991, 9007199254740991, 9007199254740991);
insert into "operator_sessions" values ('Grüße, 世界 ''"% operator_sessions 1', 'Grüße, 世界 ''"% operator_sessions.token_hash 1', null, 'Grüße, 世界 ''"% operator_sessions.name 1', 'Grüße, 世界 ''"% operator_sessions.role 1', 'Grüße, 世界 ''"% operator_sessions.address 1', 9007199254740990, 9007199254740990, 9007199254740990);
insert into "operators" values ('Grüße, 世界 ''"% operators 0', 'Grüße, 世界 ''"% operators.name 0', 'Grüße, 世界 ''"% operators.role 0', 'Grüße, 世界 ''"% operators.secret_hash 0', 9007199254740991);
insert into "operators" values ('Grüße, 世界 ''"% operators 1', 'Grüße, 世界 ''"% operators.name 1', 'Grüße, 世界 ''"% operators.role 1', 'Grüße, 世界 ''"% operators.secret_hash 1', 9007199254740990);
insert into "partner_event_heads" values ('Grüße, 世界 ''"% partners 0', 9007199254740991);
insert into "partner_event_heads" values ('Grüße, 世界 ''"% partners 1', 9007199254740990);
insert into "partner_events" values ('Grüße, 世界 ''"% partner_events 0', 'Grüße, 世界 ''"% partners 0', 9007199254740991, 'Grüße, 世界 ''"% partner_events.type 0', 'Grüße, 世界 ''"% partner_events.user_id 0', 'Grüße, 世界 ''"% partner_events.external_user_id 0', 'Grüße, 世界 ''"% partner_events.sealed_user_id 0', 'Grüße, 世界 ''"% partner_events.service 0', 'Grüße, 世界 ''"% partner_events.connection_id 0', 'Grüße, 世界 ''"% partner_events.data 0', 9007199254740991);
insert into "partner_events" values ('Grüße, 世界 ''"% partner_events 1', 'Grüße, 世界 ''"% partners 1', 9007199254740990, 'Grüße, 世界 ''"% partner_events.type 1', null, null, null, null, null, 'Grüße, 世界 ''"% partner_events.data 1', 9007199254740990);
insert into "partner_secrets" values ('Grüße, 世界 ''"% partner_secrets 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% partner_secrets.secret_hash 0', 9007199254740991, 9007199254740991);
insert into "partner_secrets" values ('Grüße, 世界 ''"% partner_secrets 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% partner_secrets.secret_hash 1', 9007199254740990, null);
insert into "partners" values ('Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% partners.client_id 0', 'Grüße, 世界 ''"% partners.name 0', 9007199254740991, 'Grüße, 世界 ''"% partners.redirect_uris 0', 'Grüße, 世界 ''"% partners.connect_uri 0', 'Grüße, 世界 ''"% partners.logo_text 0', 'Grüße, 世界 ''"% partners.services 0', 9007199254740991, 2147483647, 'Grüße, 世界 ''"% partners.accent_color 0', 'Grüße, 世界 ''"% partners.logo_hash 0', 'Grüße, 世界 ''"% partners.logo_type 0', 'Grüße, 世界 ''"% partners.logo 0', 'Grüße, 世界 ''"% partners.approvals 0', 'Grüße, 世界 ''"% partners.test_of 0', 2147483647);
insert into "partners" values ('Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% partners.client_id 1', 'Grüße, 世界 ''"% partners.name 1', 9007199254740990, 'Grüße, 世界 ''"% partners.redirect_uris 1', null, null, null, null, 2147483646, null, null, null, null, null, null, 2147483646);
insert into "rate_limits" values ('Grüße, 世界 ''"% rate_limits 0', 2147483647, 9007199254740991);
insert into "rate_limits" values ('Grüße, 世界 ''"% rate_limits 1', 2147483646, 9007199254740990);
insert into "refresh_tokens" values ('Grüße, 世界 ''"% refresh_tokens 0', 'Grüße, 世界 ''"% refresh_tokens.token_hash 0', 'Grüße, 世界 ''"% oauth_grants 0', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% refresh_tokens.sealed_seed 0');
insert into "refresh_tokens" values ('Grüße, 世界 ''"% refresh_tokens 1', 'Grüße, 世界 ''"% refresh_tokens.token_hash 1', 'Grüße, 世界 ''"% oauth_grants 1', 9007199254740990, 9007199254740990, null, null, null);
insert into "single_use_codes" values ('Grüße, 世界 ''"% single_use_codes 0', 'Grüße, 世界 ''"% single_use_codes.purpose 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% single_use_codes.payload 0', 9007199254740991, 9007199254740991, 9007199254740991);
insert into "single_use_codes" values ('Grüße, 世界 ''"% single_use_codes 1', 'Grüße, 世界 ''"% single_use_codes.purpose 1', null, 'Grüße, 世界 ''"% single_use_codes.payload 1', 9007199254740990, 9007199254740990, null);
insert into "store_keys" values ('Grüße, 世界 ''"% store_keys 0', 'Grüße, 世界 ''"% store_keys.sealed 0');
insert into "store_keys" values ('Grüße, 世界 ''"% store_keys 1', 'Grüße, 世界 ''"% store_keys.sealed 1');
insert into "switches" values ('Grüße, 世界 ''"% switches 0', 9007199254740991);
insert into "switches" values ('Grüße, 世界 ''"% switches 1', 9007199254740990);
insert into "tallies" values ('Grüße, 世界 ''"% tallies 0', 9007199254740991, 'Grüße, 世界 ''"% tallies.kind 0', 'Grüße, 世界 ''"% tallies.key 0', 9007199254740991);
insert into "tallies" values ('Grüße, 世界 ''"% tallies 1', 9007199254740990, 'Grüße, 世界 ''"% tallies.kind 1', 'Grüße, 世界 ''"% tallies.key 1', 9007199254740990);
insert into "tasks" values ('Grüße, 世界 ''"% tasks 0', 'Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% tasks.status 0', 2147483647, 'Grüße, 世界 ''"% tasks.state 0', 'Grüße, 世界 ''"% tasks.result 0', 'Grüße, 世界 ''"% tasks.approval_id 0', 'Grüße, 世界 ''"% tasks.holder 0', 9007199254740991, 2147483647, 9007199254740991, 9007199254740991, 9007199254740991);
insert into "tasks" values ('Grüße, 世界 ''"% tasks 1', 'Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% tasks.status 1', 2147483646, 'Grüße, 世界 ''"% tasks.state 1', null, null, null, 9007199254740990, 2147483646, 9007199254740990, 9007199254740990, 9007199254740990);
insert into "tool_facts" values ('Grüße, 世界 ''"% tool_facts 0', 'Grüße, 世界 ''"% tool_facts.facts 0', 9007199254740991);
insert into "tool_facts" values ('Grüße, 世界 ''"% tool_facts 1', 'Grüße, 世界 ''"% tool_facts.facts 1', 9007199254740990);
insert into "upstream_clients" values ('Grüße, 世界 ''"% upstream_clients 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% upstream_clients.service 0', 'Grüße, 世界 ''"% upstream_clients.owner 0', 'Grüße, 世界 ''"% upstream_clients.client_id 0', 'v2.k1.hzs7qj5Ls8Sen5LwNKpDqN4vf5CyHsi6phmWwFCCEHVq9lovxEpedcDsegsOtnGUZhtv0MAXruoMTfit', 9007199254740991, 9007199254740991);
insert into "upstream_clients" values ('Grüße, 世界 ''"% upstream_clients 1', null, 'Grüße, 世界 ''"% upstream_clients.service 1', 'Grüße, 世界 ''"% upstream_clients.owner 1', 'Grüße, 世界 ''"% upstream_clients.client_id 1', null, 9007199254740990, 9007199254740990);
insert into "upstream_rates" values ('Grüße, 世界 ''"% upstream_rates 0', 2147483647, 9007199254740991);
insert into "upstream_rates" values ('Grüße, 世界 ''"% upstream_rates 1', 2147483646, 9007199254740990);
insert into "upstream_slots" values ('Grüße, 世界 ''"% upstream_slots 0', 'Grüße, 世界 ''"% upstream_slots.holder 0', 9007199254740991);
insert into "upstream_slots" values ('Grüße, 世界 ''"% upstream_slots 1', 'Grüße, 世界 ''"% upstream_slots.holder 1', 9007199254740990);
insert into "user_clients" values ('Grüße, 世界 ''"% oauth_clients 0', 'Grüße, 世界 ''"% users 0');
insert into "user_clients" values ('Grüße, 世界 ''"% oauth_clients 1', 'Grüße, 世界 ''"% users 1');
insert into "users" values ('Grüße, 世界 ''"% users 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% users.external_user_id 0', 9007199254740991, 'Grüße, 世界 ''"% users.approvals 0');
insert into "users" values ('Grüße, 世界 ''"% users 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% users.external_user_id 1', 9007199254740990, null);
insert into "webhook_deliveries" values ('Grüße, 世界 ''"% webhook_deliveries 0', 'Grüße, 世界 ''"% webhook_endpoints 0', 'Grüße, 世界 ''"% webhook_deliveries.event_id 0', 'Grüße, 世界 ''"% webhook_deliveries.type 0', 'Grüße, 世界 ''"% webhook_deliveries.kind 0', 'Grüße, 世界 ''"% webhook_deliveries.order_key 0', 9007199254740991, 'Grüße, 世界 ''"% webhook_deliveries.status 0', 2147483647, 9007199254740991, 9007199254740991, 9007199254740991, 2147483647, 'Grüße, 世界 ''"% webhook_deliveries.problem 0', 2147483647, 9007199254740991);
insert into "webhook_deliveries" values ('Grüße, 世界 ''"% webhook_deliveries 1', 'Grüße, 世界 ''"% webhook_endpoints 1', 'Grüße, 世界 ''"% webhook_deliveries.event_id 1', 'Grüße, 世界 ''"% webhook_deliveries.type 1', 'Grüße, 世界 ''"% webhook_deliveries.kind 1', 'Grüße, 世界 ''"% webhook_deliveries.order_key 1', 9007199254740990, 'Grüße, 世界 ''"% webhook_deliveries.status 1', 2147483646, null, 9007199254740990, null, null, null, null, 9007199254740990);
insert into "webhook_endpoints" values ('Grüße, 世界 ''"% webhook_endpoints 0', 'Grüße, 世界 ''"% partners 0', 'Grüße, 世界 ''"% webhook_endpoints.url 0', 'Grüße, 世界 ''"% webhook_endpoints.types 0', 'v2.k1.czcnO_xZJhdiJKWABQFhyBdHIVI7H_t02rfZoYBwwdO8xRjmyCwrVlWL5SOuRf2NjZ7lfPEW99Io6YOP', 9007199254740991, 9007199254740991, 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% webhook_endpoints.disabled_reason 0', 9007199254740991, 9007199254740991, 'Grüße, 世界 ''"% webhook_endpoints.leased_by 0', 9007199254740991);
insert into "webhook_endpoints" values ('Grüße, 世界 ''"% webhook_endpoints 1', 'Grüße, 世界 ''"% partners 1', 'Grüße, 世界 ''"% webhook_endpoints.url 1', null, 'v2.k1.alVoCkiok_cCvRbyHA8Oo1fAOUFHbqgD4nnR3zjaqDXar7PDVFnKUC_O4S3W-3qCS6q22loEmmhIhyzJ', null, 9007199254740990, 9007199254740990, null, null, null, 9007199254740990, null, 9007199254740990);
CREATE TABLE call_records (
    id text primary key, created_at bigint not null, partner_id text not null, user_id text not null,
    token_id text not null, service text not null, tool text not null, outcome text not null, upstream_status integer,
    duration_ms integer not null, request_bytes integer not null, response_bytes integer not null,
    request_id text not null, upstream_code text, grant_id text, definition text, connection_id text, approved_by text
  ) without rowid;
CREATE TABLE call_tallies (
    key text primary key, partner_id text not null, created_at bigint not null, service text not null,
    tool text not null, outcome text not null, band integer not null, calls bigint not null
  ) without rowid;
CREATE INDEX call_records_by_time on call_records (created_at);
CREATE INDEX call_records_of_grant on call_records (grant_id, created_at);
CREATE INDEX call_records_of_user on call_records (user_id, created_at);
CREATE INDEX call_tallies_by_time on call_tallies (created_at);
CREATE INDEX call_tallies_of_partner on call_tallies (partner_id, created_at);
insert into "call_records" values ('Grüße, 世界 ''"% call_records 0', 9007199254740991, 'Grüße, 世界 ''"% call_records.partner_id 0', 'Grüße, 世界 ''"% call_records.user_id 0', 'Grüße, 世界 ''"% call_records.token_id 0', 'Grüße, 世界 ''"% call_records.service 0', 'Grüße, 世界 ''"% call_records.tool 0', 'Grüße, 世界 ''"% call_records.outcome 0', 2147483647, 2147483647, 2147483647, 2147483647, 'Grüße, 世界 ''"% call_records.request_id 0', 'Grüße, 世界 ''"% call_records.upstream_code 0', 'Grüße, 世界 ''"% call_records.grant_id 0', 'Grüße, 世界 ''"% call_records.definition 0', 'Grüße, 世界 ''"% call_records.connection_id 0', 'Grüße, 世界 ''"% call_records.approved_by 0');
insert into "call_records" values ('Grüße, 世界 ''"% call_records 1', 9007199254740990, 'Grüße, 世界 ''"% call_records.partner_id 1', 'Grüße, 世界 ''"% call_records.user_id 1', 'Grüße, 世界 ''"% call_records.token_id 1', 'Grüße, 世界 ''"% call_records.service 1', 'Grüße, 世界 ''"% call_records.tool 1', 'Grüße, 世界 ''"% call_records.outcome 1', null, 2147483646, 2147483646, 2147483646, 'Grüße, 世界 ''"% call_records.request_id 1', null, null, null, null, null);
insert into "call_tallies" values ('Grüße, 世界 ''"% call_tallies 0', 'Grüße, 世界 ''"% call_tallies.partner_id 0', 9007199254740991, 'Grüße, 世界 ''"% call_tallies.service 0', 'Grüße, 世界 ''"% call_tallies.tool 0', 'Grüße, 世界 ''"% call_tallies.outcome 0', 2147483647, 9007199254740991);
insert into "call_tallies" values ('Grüße, 世界 ''"% call_tallies 1', 'Grüße, 世界 ''"% call_tallies.partner_id 1', 9007199254740990, 'Grüße, 世界 ''"% call_tallies.service 1', 'Grüße, 世界 ''"% call_tallies.tool 1', 'Grüße, 世界 ''"% call_tallies.outcome 1', 2147483646, 9007199254740990);
