/** The tables as TypeScript sees them, and the executor that every repository function takes. One list of all tables, so one long file. */

import type { Kysely, Transaction } from 'kysely';

/** `attention` after an upstream refused the credential. */
export type ConnectionStatus = 'active' | 'attention';

/** What a connection's credential is: nothing, keys and cookies, a user name with a password, or OAuth 2.0 tokens. */
export type CredentialType = 'none' | 'key' | 'basic' | 'oauth2';

/** An application that owns users. */
interface PartnersTable {
  id: string;
  /** Public identifier, unique. */
  client_id: string;
  name: string;
  created_at: number;
  /** JSON array: where a connect flow may end, compared byte for byte. */
  redirect_uris: string;
  /** Where the partner's application starts a connect flow; null: nowhere that the gateway could point to. */
  connect_uri: string | null;
  /** One to three characters that stand for the partner on pages. */
  logo_text: string | null;
  /** Services that the partner may offer, separated by commas; null: all. */
  services: string | null;
  /** 1: anyone may begin a connect flow of this partner by a link. 0: its connect sessions alone do. */
  plain_links: number;
  /** Since when nothing is done for the partner and its users; null: it is active. */
  suspended_at: number | null;
  /** `#rrggbb` in lower case; null: none. */
  accent_color: string | null;
  /** Of `logo`, in hexadecimal digits; null: it has none. */
  logo_hash: string | null;
  /** Media type of `logo`. */
  logo_type: string | null;
  /** Bytes of an image, base64url. */
  logo: string | null;
}

/** An end user; `(partner_id, external_user_id)` is unique. */
interface UsersTable {
  id: string;
  partner_id: string;
  /** The partner's own name for the user. */
  external_user_id: string;
  created_at: number;
}

/** One user's authorized link to an upstream; `(user_id, service)` is unique. */
interface ConnectionsTable {
  id: string;
  user_id: string;
  /** Connector name. */
  service: string;
  status: ConnectionStatus;
  /** What `CredentialVault.seal` returned; null for open services. */
  sealed_credential: string | null;
  created_at: number;
  updated_at: number;
  /** When its refresh token was issued or last used; null: it has none. */
  refreshed_at: number | null;
  /** Who is connected at the upstream, as people know it; null: not known. */
  account: string | null;
  /** Null in connections from before this column. */
  credential_type: CredentialType | null;
}

/** The refresh of a connection's access token: who is at it, and the outcome of earlier ones. No row: there was none yet. */
interface ConnectionRefreshesTable {
  connection_id: string;
  /** Names one attempt; null: no one is at it. */
  holder: string | null;
  /** Until when the holder has it; after that, another may begin. */
  held_until: number;
  /** Attempts in a row that gave no tokens. */
  failures: number;
  /** Not to be tried before. */
  retry_at: number;
  /** When the last one gave tokens; 0: none did. */
  refreshed_at: number;
}

/** The gateway's registrations at the authorization servers of upstreams; `(owner, service)` is unique. */
interface UpstreamClientsTable {
  id: string;
  /** Null: the operator's, for every partner that has none of its own. */
  partner_id: string | null;
  /** Connector name. */
  service: string;
  /** `partner_id`, or empty for the operator: nulls would not be unique. */
  owner: string;
  client_id: string;
  /** What `CredentialVault.seal` returned; null: a public client. */
  sealed_secret: string | null;
  created_at: number;
  updated_at: number;
}

/** Access tokens, by hash only. */
interface AccessTokensTable {
  id: string;
  /** SHA-256 of the token as base64url, unique. */
  token_hash: string;
  user_id: string;
  /** Space-separated. */
  scopes: string;
  /** Services that the token is narrowed to, separated by commas; null: all of the user's. */
  services: string | null;
  /** Resource indicator (RFC 8707) that the token is valid for. */
  resource: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  /** The grant that the token was issued under; it is revoked with that grant. Null: minted outside OAuth. */
  grant_id: string | null;
  /** Written only where lost answers of a refresh may be repeated (`REFRESH_RETRY_SECONDS`). */
  first_used_at: number | null;
}

/** One row per tool call: who, what, how it ended, how long, how much. Never arguments or answers. */
interface CallRecordsTable {
  id: string;
  created_at: number;
  partner_id: string;
  user_id: string;
  token_id: string;
  service: string;
  tool: string;
  /** `ok`, or why the call failed, of a closed list. */
  outcome: string;
  /** The upstream's own code, or null. Null in records from before this column. */
  upstream_code: string | null;
  /** Status of the upstream's answer, or null when there was none. */
  upstream_status: number | null;
  duration_ms: number;
  request_bytes: number;
  response_bytes: number;
  request_id: string;
  /** Null: the token came from no grant. Null in records from before this column. */
  grant_id: string | null;
  /** Digest of the tool's definition, as `_meta` of the tool names it. Null in records from before this column. */
  definition: string | null;
}

/** Calls that name an idempotency key; see `takeKey`. */
interface CallsMadeOnceTable {
  /** SHA-256 of owner and key as base64url. */
  key_hash: string;
  /** SHA-256 of key, tool and arguments as base64url: the key, which is not stored, keeps anyone from guessing the arguments. */
  call_hash: string;
  user_id: string;
  /** Null: the token came from no grant. */
  grant_id: string | null;
  /** Null: the key is that of the grant. */
  token_id: string | null;
  connection_id: string;
  status: 'running' | 'done' | 'unknown';
  /** Names one attempt. */
  holder: string;
  held_until: number;
  /** Null until the call is done, and where its answer is not kept. */
  sealed_answer: string | null;
  answer_bytes: number;
  created_at: number;
  expires_at: number;
}

/** How many calls of a partner there were: one row for each day, service, tool, outcome and band of durations. Names no user. */
export interface CallTalliesTable {
  /** The columns up to `band`, which are unique together. */
  key: string;
  partner_id: string;
  /** When the day (UTC) begins. */
  created_at: number;
  service: string;
  tool: string;
  outcome: string;
  /** Index in `DURATION_BANDS_MS`. */
  band: number;
  calls: number;
}

/** How tools were called; see `UsageTally`. */
interface UsageTalliesTable {
  /** SHA-256 of day, tool, place and facet as base64url. */
  key: string;
  /** When the day (UTC) begins. */
  created_at: number;
  tool: string;
  place: string;
  facet: string;
  calls: number;
  /** Words of a `PartnerSketch`. */
  partners_0: number;
  partners_1: number;
  partners_2: number;
  partners_3: number;
}

/** Where answers differed from their output schemas; see `DriftTally`. */
interface DriftTalliesTable {
  /** SHA-256 of the columns but `answers` as base64url. */
  key: string;
  /** When the day (UTC) begins. */
  created_at: number;
  service: string;
  tool: string;
  definition: string;
  place: string;
  keyword: string;
  found: string;
  answers: number;
}

/** Secrets that are valid for one use: codes that are minted, shown, and consumed atomically. */
interface SingleUseCodesTable {
  /** SHA-256 of the code as base64url. */
  code_hash: string;
  /** What the code is for; a code of one purpose is never valid for another. */
  purpose: string;
  /** Whom the code speaks for; its codes go with a deleted user. */
  user_id: string | null;
  /** JSON that the minting side wrote for the consuming side. */
  payload: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** Secrets of partners, by hash only. A partner has at most two that are not revoked, so that it can change over. */
interface PartnerSecretsTable {
  id: string;
  partner_id: string;
  /** SHA-256 of the secret as base64url, unique. */
  secret_hash: string;
  created_at: number;
  revoked_at: number | null;
}

/** How a client proves itself at the token endpoint (RFC 7591 §2, `token_endpoint_auth_method`). */
export type ClientAuthenticationMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** OpenID Connect Registration §2, `application_type`: where the client runs. */
export type ApplicationType = 'native' | 'web';

/** OAuth clients: those that registered themselves (RFC 7591), and those whose id is the URL of a metadata document. */
interface OAuthClientsTable {
  client_id: string;
  /** SHA-256 of the secret as base64url; null for a client without one. */
  secret_hash: string | null;
  authentication_method: ClientAuthenticationMethod;
  application_type: ApplicationType;
  client_name: string | null;
  /** JSON array. */
  redirect_uris: string;
  created_at: number;
  /** When a user first allowed the client something; null: not yet, and the registration expires. */
  first_used_at: number | null;
  /** JSON: the client's public keys (RFC 7517 §5); null: it has none, or they are at `jwks_uri`. */
  jwks: string | null;
  jwks_uri: string | null;
  /** When the metadata document was last read; null: the client registered itself. */
  document_fetched_at: number | null;
  /** Until when what was read counts. */
  document_expires_at: number | null;
  /** The network that registered the client (see `siteOf`); null: it has a document, or registered before this column. */
  registered_from: string | null;
}

/** What a user allowed a client. Its id names the family of tokens that come from it, and its end is theirs. */
interface OAuthGrantsTable {
  id: string;
  /** Null: the user's partner itself. */
  client_id: string | null;
  user_id: string;
  /** Space-separated. */
  scopes: string;
  /** Services that the grant is narrowed to, separated by commas; null: all of the user's. */
  services: string | null;
  /** Resource indicator (RFC 8707) that its tokens are valid for. */
  resource: string;
  created_at: number;
  /** When the last code or refresh token of the family expires. */
  expires_at: number;
  revoked_at: number | null;
  /** One of `GrantEnd`; null while the grant lives. */
  revoked_reason: string | null;
  /** The service whose connect flow made the grant; null: it came another way. */
  service: string | null;
  /** JSON of `Permission`; null: narrowed by scopes and services only. */
  permission: string | null;
  /** No token of the grant lives longer; null: each refresh extends it. */
  ends_at: number | null;
  /** Row id of the identity issuer that vouched for the user; null: the grant came another way. */
  issuer_id: string | null;
  /** Where the authorization code was sent, as it was asked for; null: the grant came another way. */
  redirect_uri: string | null;
}

/** Facts of tools that a user saw at consent, by their hash: one row for each different set. */
interface ToolFactsTable {
  /** SHA-256 of `facts` as base64url. */
  hash: string;
  /** JSON object: facts by name of tool. */
  facts: string;
  /** When a grant that names it was last made, or up to half a day before. */
  created_at: number;
}

/** Identity providers that speak for users of their partner; `(issuer, tenant)` is unique. */
interface IdentityIssuersTable {
  id: string;
  partner_id: string;
  /** As in `iss`, byte for byte. */
  issuer: string;
  /** As in the claim `tenant` of an issuer that has several; empty: its assertions have none. */
  tenant: string;
  /** Where its keys are; null: they are in `jwks`. */
  jwks_uri: string | null;
  /** JSON: its public keys (RFC 7517 §5). */
  jwks: string | null;
  /** The claim that holds the partner's own name for the user. */
  subject_claim: string;
  created_at: number;
  /** When it last vouched for a user; null: not yet. */
  last_used_at: number | null;
}

/**
 * Connections that a person made at `/connect/<service>` and that the partner has not redeemed yet.
 *
 * They are next to the connection that they will make or replace, so that there is no gap, and no user comes into being
 * that a partner has not confirmed.
 */
interface ConnectionAttemptsTable {
  id: string;
  /** SHA-256 of the code as base64url, unique. In a connect session the row's id: the session has the code. */
  code_hash: string;
  /** Row id of the connect session; null: a plain link led to the page. */
  session_id: string | null;
  partner_id: string;
  /** The partner's own name for the user. */
  external_user_id: string;
  /** Connector name. */
  service: string;
  /** As in the connect request, byte for byte. */
  redirect_uri: string;
  /** What `CredentialVault.seal` returned for this row's id; null for open services, and once it is redeemed. */
  sealed_credential: string | null;
  created_at: number;
  expires_at: number;
  redeemed_at: number | null;
  /** The grant that resulted, which a replay revokes. */
  grant_id: string | null;
  /** The network of the browser (see `siteOf`); null once it is redeemed, and in attempts from before this column. */
  made_from: string | null;
}

/** Visits of the connect page that partners' servers asked for, each for one user. */
interface ConnectSessionsTable {
  id: string;
  /** SHA-256 of the token as base64url, unique. */
  token_hash: string;
  partner_id: string;
  /** The partner's own name for the user. */
  external_user_id: string;
  /** Connector names in the order of their pages, separated by commas. */
  services: string;
  /** Those of `services` that the user does not want, separated by commas. */
  skipped: string;
  redirect_uri: string;
  state: string | null;
  /** BCP 47. */
  locale: string | null;
  /** JSON array of the origins that a popup may answer to. */
  allowed_origins: string;
  created_at: number;
  /** Until when the next step may be done: use the token, complete the pages, redeem the code. */
  expires_at: number;
  /** SHA-256 of the browser's cookie that used the token, as base64url; null: it is unused. */
  browser_hash: string | null;
  /** SHA-256 of the code as base64url, unique; null: the user has not finished. */
  code_hash: string | null;
  redeemed_at: number | null;
  /** The grant that resulted, which a replay revokes. */
  grant_id: string | null;
}

/** Authorization codes (RFC 6749 §4.1.2), by hash only. */
interface OAuthCodesTable {
  /** SHA-256 of the code as base64url. */
  code_hash: string;
  grant_id: string;
  /** As in the authorization request, byte for byte. */
  redirect_uri: string;
  /** RFC 7636, method S256. */
  code_challenge: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** Refresh tokens, by hash only. A used one stays, so that a replay is recognised. */
interface RefreshTokensTable {
  id: string;
  /** SHA-256 of the token as base64url, unique. */
  token_hash: string;
  grant_id: string;
  created_at: number;
  expires_at: number;
  /** When its successor was issued, which made it invalid. */
  used_at: number | null;
  /** When its successor is due, from the first request for it; null: no one has asked. It names the use. */
  issues_at: number | null;
  /** Sealed random bytes that the successor is derived with; null before the use and after it. */
  sealed_seed: string | null;
}

/** Security events. They name rows that may be gone by now, and hold no secret. */
export interface AuditEventsTable {
  id: string;
  created_at: number;
  type: string;
  partner_id: string | null;
  user_id: string | null;
  client_id: string | null;
  grant_id: string | null;
  /** IP address of the request. */
  address: string | null;
  request_id: string | null;
  /** JSON object. */
  details: string;
  /** Number of the chain that the event is in; null in events from before this column. */
  chain: number | null;
  /** Place in its chain, from 1 on. */
  chain_seq: number | null;
  /** See `signEvent`. */
  chain_mac: string | null;
}

/** Chains of audit events, each with a sealed beginning and end. Number 0 is the register: its head counts the chains. */
export interface AuditChainsTable {
  number: number;
  /** The host that writes it. Another one takes it over when it has been idle. */
  node: string;
  created_at: number;
  updated_at: number;
  /** Up to here retention has removed the events; 0: it has removed none. */
  base_seq: number;
  /** `chain_mac` of the last event that was removed; empty: none was. */
  base_mac: string;
  /** The newest event. */
  head_seq: number;
  head_mac: string;
  /** See `sealChain`. */
  seal: string;
}

/** Keys that audit chains are signed with, sealed, so that they outlive the ring's keys that they are derived from. */
interface AuditKeysTable {
  /** Id of the ring's key. */
  id: string;
  sealed: string;
}

/** How many events a partner has had. A transaction that appends one holds the row to its end. */
interface PartnerEventHeadsTable {
  partner_id: string;
  seq: number;
}

/** What a partner is informed of; see `appendPartnerEvents`. `(partner_id, seq)` is unique. */
export interface PartnerEventsTable {
  /** `evt_...`. */
  id: string;
  partner_id: string;
  /** Place among the partner's events, from 1 on, in the order in which they were committed. Numbers may be missing. */
  seq: number;
  type: string;
  /** Row id, or what stands for it once the user was removed. */
  user_id: string | null;
  /** The partner's own name for the user; null once the user was removed. */
  external_user_id: string | null;
  /** The same name, sealed; null until then. */
  sealed_user_id: string | null;
  /** Connector name. */
  service: string | null;
  connection_id: string | null;
  /** JSON object. */
  data: string;
  created_at: number;
}

/** Where a partner's events are sent. */
export interface WebhookEndpointsTable {
  id: string;
  partner_id: string;
  url: string;
  /** Types of events that are sent, separated by commas; null: all. */
  types: string | null;
  /** What `CredentialVault.seal` returned for the secrets `current` and `previous`. */
  sealed_credential: string;
  /** Until when `previous` signs too; null: there is none. */
  previous_until: number | null;
  created_at: number;
  /** Events up to this `seq` have become deliveries. */
  cursor: number;
  disabled_at: number | null;
  /** One of `DisabledReason`; null while it is enabled. */
  disabled_reason: string | null;
  /** Since when nothing was delivered though it was tried; null: the last attempt worked, or there was none. */
  failing_since: number | null;
  /** Nothing is sent before: it did not answer at all. */
  held_until: number;
  /** The node that sends to it. */
  leased_by: string | null;
  leased_until: number;
}

/** One event on its way to one endpoint, and the last answer. */
export interface WebhookDeliveriesTable {
  id: string;
  endpoint_id: string;
  event_id: string;
  type: string;
  kind: 'event' | 'replay' | 'test';
  /** Deliveries of one key are made one after another, by `seq`. */
  order_key: string;
  seq: number;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  first_attempt_at: number | null;
  next_attempt_at: number;
  last_attempt_at: number | null;
  /** Status of the last answer; null: there was none. */
  answer_status: number | null;
  /** One of `DeliveryProblem`; null: there was an answer. */
  problem: string | null;
  duration_ms: number | null;
  created_at: number;
}

/** How often callers that no one knows did something: one row for each hour, event and network. */
interface AnonymousEventsTable {
  /** Hour, type and network, which are unique together. */
  key: string;
  type: string;
  /** See `siteOf`; `elsewhere` for networks beyond those that an hour names. */
  network: string;
  count: number;
  /** When it first happened in that hour. */
  created_at: number;
  /** When it last happened in that hour. */
  last_at: number;
}

/** People who may sign in to the dashboard with a secret of their own. */
interface OperatorsTable {
  id: string;
  /** Unique. */
  name: string;
  role: 'look' | 'act';
  /** SHA-256 of the secret as base64url, unique. */
  secret_hash: string;
  created_at: number;
}

/** Sessions at the dashboard. One that ends goes. */
interface OperatorSessionsTable {
  id: string;
  /** SHA-256 of the cookie and what vouches for the session, as base64url; unique. */
  token_hash: string;
  /** Null: the operator signed in in another way than with a secret of `operators`. */
  operator_id: string | null;
  name: string;
  /** That of the sign-in; an operator of `operators` has the role that is there. */
  role: 'look' | 'act';
  address: string;
  created_at: number;
  used_at: number;
  /** When it ends unless it is used before. */
  expires_at: number;
}

/** Counts of guesses within a window that begins with the first. */
interface GuessCountersTable {
  key: string;
  count: number;
  expires_at: number;
}

/** Uses of what is limited, within a window that begins with the first. */
interface RateLimitsTable {
  /** Name of the limit, `:` and whom it counts for. */
  key: string;
  uses: number;
  expires_at: number;
}

/** Who sends a request of a connection now. What no one gave back is free again at `expires_at`. */
interface UpstreamSlotsTable {
  /** Row id of the connection, `/` and a number. */
  key: string;
  holder: string;
  expires_at: number;
}

/** Requests of connections within a window that begins with the first; the columns are those of rate-limiter-flexible. */
interface UpstreamRatesTable {
  /** Row id of the connection. */
  key: string;
  points: number;
  /** When the window ends. */
  expire: number;
}

/**
 * All tables.
 *
 * The same on both dialects: times are integer milliseconds since 1970, booleans 0 or 1, bytes base64url text.
 */
export interface Database {
  partners: PartnersTable;
  users: UsersTable;
  connections: ConnectionsTable;
  connection_refreshes: ConnectionRefreshesTable;
  upstream_clients: UpstreamClientsTable;
  access_tokens: AccessTokensTable;
  call_records: CallRecordsTable;
  call_tallies: CallTalliesTable;
  usage_tallies: UsageTalliesTable;
  drift_tallies: DriftTalliesTable;
  calls_made_once: CallsMadeOnceTable;
  single_use_codes: SingleUseCodesTable;
  partner_secrets: PartnerSecretsTable;
  oauth_clients: OAuthClientsTable;
  oauth_grants: OAuthGrantsTable;
  oauth_codes: OAuthCodesTable;
  refresh_tokens: RefreshTokensTable;
  audit_events: AuditEventsTable;
  audit_chains: AuditChainsTable;
  audit_keys: AuditKeysTable;
  anonymous_events: AnonymousEventsTable;
  partner_event_heads: PartnerEventHeadsTable;
  partner_events: PartnerEventsTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  attempt_counters: GuessCountersTable;
  rate_limits: RateLimitsTable;
  connection_attempts: ConnectionAttemptsTable;
  connect_sessions: ConnectSessionsTable;
  tool_facts: ToolFactsTable;
  identity_issuers: IdentityIssuersTable;
  operators: OperatorsTable;
  operator_sessions: OperatorSessionsTable;
  upstream_slots: UpstreamSlotsTable;
  upstream_rates: UpstreamRatesTable;
}

/**
 * The database, or the transaction that is open.
 *
 * Repositories take it as an argument: a call on the database from inside a transaction would wait for that transaction.
 */
export type Executor = Kysely<Database> | Transaction<Database>;
