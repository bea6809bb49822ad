/**
 * The types of the core's tables, and the executor that every repository function takes. It is one long list so that a reader sees every
 * column at once; modules add the types of their own tables to `Database`.
 */

import type { Kysely, Transaction } from 'kysely';

/** `attention`: an upstream refused the credential. */
export type ConnectionStatus = 'active' | 'attention';

/** The kind of a connection's credential: none, keys and cookies, a user name with a password, or OAuth 2.0 tokens. */
export type CredentialType = 'none' | 'key' | 'basic' | 'oauth2';

/** An application that owns users. */
export interface PartnersTable {
  id: string;
  /** Public identifier, unique. */
  client_id: string;
  name: string;
  created_at: number;
  /** JSON array of allowed redirect URIs of connect flows, compared byte for byte. */
  redirect_uris: string;
  /** Where the partner's application starts a connect flow; null: the gateway cannot point to it. */
  connect_uri: string | null;
  /** One to three characters that represent the partner on pages. */
  logo_text: string | null;
  /** Services that the partner may offer, separated by commas; null: all. */
  services: string | null;
  /** 1: a plain link may begin a connect flow of this partner. 0: only a connect session may. */
  plain_links: number;
  /** When the partner was suspended; null: it is active. */
  suspended_at: number | null;
  /** `#rrggbb` in lower case; null: none. */
  accent_color: string | null;
  /** Hash of `logo`, in hexadecimal digits; null: no logo. */
  logo_hash: string | null;
  /** Media type of `logo`. */
  logo_type: string | null;
  /** The image as base64url. */
  logo: string | null;
  /** Kinds of calls that its users approve one by one, separated by commas; null: no more than the operator requires. */
  approvals: string | null;
  /** Row id of the partner whose test partner this is; null: it is a live one. It never changes. */
  test_of: string | null;
  /** 1: its pages name the gateway below. 0: they do not. */
  footer: number;
}

/** An end user; `(partner_id, external_user_id)` is unique. */
export interface UsersTable {
  id: string;
  partner_id: string;
  /** The partner's own name for the user. */
  external_user_id: string;
  created_at: number;
  /** Rules that the user has set, which make more calls wait for approval (`OwnRule`), separated by commas; null: none. */
  approvals: string | null;
}

/** One user's authorized link to an upstream: one per user, service and account. `(user_id, service)` is unique. */
interface ConnectionsTable {
  id: string;
  user_id: string;
  /** Connector name; of every account but the first, with its number: see `slotOf`. */
  service: string;
  status: ConnectionStatus;
  /** What `CredentialVault.seal` returned; null for open services. */
  sealed_credential: string | null;
  created_at: number;
  updated_at: number;
  /** When its refresh token was issued or last used; null: it has none. */
  refreshed_at: number | null;
  /** Human-readable name of the connected upstream account; null: not known. */
  account: string | null;
  /** Null in connections that are older than this column. */
  credential_type: CredentialType | null;
  /** By which tools choose the account; null: the service has had only this one. */
  account_name: string | null;
  /** Keyed hash of what the service says about the account; null: not known. */
  account_identity: string | null;
}

/** The refresh of a connection's access token: its current holder, and earlier outcomes. No row: there was none yet. */
interface ConnectionRefreshesTable {
  connection_id: string;
  /** Names one attempt; null: no refresh is running. */
  holder: string | null;
  /** When the hold ends; after that, another holder may begin. */
  held_until: number;
  /** Consecutive attempts that returned no tokens. */
  failures: number;
  /** No attempt before this time. */
  retry_at: number;
  /** When an attempt last returned tokens; 0: never. */
  refreshed_at: number;
}

/** The gateway's registrations with the authorization servers of upstreams; `(owner, service)` is unique. */
interface UpstreamClientsTable {
  id: string;
  /** Null: the operator's, for every partner that has none. */
  partner_id: string | null;
  /** Connector name. */
  service: string;
  /** `partner_id`, or empty for the operator, because a unique index does not compare nulls. */
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
  /** The grant that the token was issued under, and is revoked with. Null: minted outside OAuth. */
  grant_id: string | null;
  /** Written only if lost answers of a refresh may be repeated (`REFRESH_RETRY_SECONDS`). */
  first_used_at: number | null;
}

/** One row per tool call: who, what, outcome, duration, sizes. Never arguments or answers. */
interface CallRecordsTable {
  id: string;
  created_at: number;
  partner_id: string;
  user_id: string;
  token_id: string;
  service: string;
  tool: string;
  /** `ok`, or why the call failed, from a closed list. */
  outcome: string;
  /** The upstream's own code, or null. Null in records that are older than this column. */
  upstream_code: string | null;
  /** Status of the upstream's answer, or null when there was none. */
  upstream_status: number | null;
  duration_ms: number;
  request_bytes: number;
  response_bytes: number;
  request_id: string;
  /** Null: the token came from no grant, or the record is older than this column. */
  grant_id: string | null;
  /** Digest of the tool's definition, as in `_meta` of the tool. Null in records that are older than this column. */
  definition: string | null;
  /** Which account was used; null: the user had one, or the record is older than this column. */
  connection_id: string | null;
  /** How its user approved the call; null: no rule asked, or the record is older than this column. */
  approved_by: ApprovalsTable['channel'] | 'standing';
}

/** Calls with an idempotency key; see `takeKey`. */
interface CallsMadeOnceTable {
  /** SHA-256 of owner and key as base64url. */
  key_hash: string;
  /** SHA-256 of key, tool and arguments as base64url. The key is not stored, so no one can guess the arguments. */
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
  /** Null until the call is done, and if its answer is not kept. */
  sealed_answer: string | null;
  answer_bytes: number;
  created_at: number;
  expires_at: number;
}

/** A call that waits for its user's approval, or got it. */
export interface ApprovalsTable {
  id: string;
  /** Keyed hash of the exact call, unique; null once it was made. */
  digest: string | null;
  user_id: string;
  /** Null: the token came from no grant. */
  grant_id: string | null;
  /** Null: the approval is for the grant. */
  token_id: string | null;
  connection_id: string;
  /** Connector name. */
  service: string;
  tool: string;
  /** What is shown to who decides; null once it is decided or too late. */
  sealed: string | null;
  /** `standing`: not of a call, but of a tool whose calls are approved until it expires. */
  status: 'pending' | 'approved' | 'denied' | 'spent' | 'standing';
  /** How it was decided; null: not yet. */
  channel: 'page' | 'partner' | 'client' | null;
  /** Keyed hash that only the gateway can make of an approval that was given. */
  proof: string | null;
  created_at: number;
  decided_at: number | null;
  /** Of its state: until then it can be decided, and after that used. */
  expires_at: number;
}

/** Number of a partner's calls: one row for each day, service, tool, outcome and duration band. Names no user. */
export interface CallTalliesTable {
  /** The columns up to `band`; their combination is unique. */
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

/** Secrets that are valid for one use: minted, shown, and consumed atomically. */
interface SingleUseCodesTable {
  /** SHA-256 of the code as base64url. */
  code_hash: string;
  /** The purpose of the code; a code is never valid for another purpose. */
  purpose: string;
  /** The user the code speaks for; it is deleted with the user. */
  user_id: string | null;
  /** JSON that the minting side wrote for the consuming side. */
  payload: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
}

/** Secrets of partners, by hash only. A partner has at most two that are not revoked, so that it can rotate them. */
interface PartnerSecretsTable {
  id: string;
  partner_id: string;
  /** SHA-256 of the secret as base64url, unique. */
  secret_hash: string;
  created_at: number;
  revoked_at: number | null;
}

/** How a client authenticates at the token endpoint (RFC 7591 §2, `token_endpoint_auth_method`). */
export type ClientAuthenticationMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** OpenID Connect Registration §2, `application_type`: where the client runs. */
export type ApplicationType = 'native' | 'web';

/** OAuth clients: those that registered themselves (RFC 7591), and those whose id is the URL of a metadata document. */
export interface OAuthClientsTable {
  client_id: string;
  /** SHA-256 of the secret as base64url; null for a client without one. */
  secret_hash: string | null;
  authentication_method: ClientAuthenticationMethod;
  application_type: ApplicationType;
  client_name: string | null;
  /** JSON array. */
  redirect_uris: string;
  created_at: number;
  /** When a user first granted the client access; null: not yet, and the registration expires. */
  first_used_at: number | null;
  /** JSON: the client's public keys (RFC 7517 §5); null: it has none, or they are at `jwks_uri`. */
  jwks: string | null;
  jwks_uri: string | null;
  /** When the metadata document was last read; null: the client registered itself. */
  document_fetched_at: number | null;
  /** When the read document expires. */
  document_expires_at: number | null;
  /** The network that registered the client (see `siteOf`); null: it has a document, or is older than this column. */
  registered_from: string | null;
  /** Until when a consent page that shows the client can be answered; null: none was opened before the client was allowed. */
  consent_open_until: number | null;
}

/** The access that a user granted to a client. Its id names the family of its tokens, which are revoked with it. */
export interface OAuthGrantsTable {
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
  /** The service whose connect flow created the grant; null: it came another way. */
  service: string | null;
  /** JSON of `Permission`; null: limited by scopes and services only. */
  permission: string | null;
  /** When every token of the grant has expired; null: each refresh extends it. */
  ends_at: number | null;
  /** Row id of the identity issuer that vouched for the user; null: the grant came another way. */
  issuer_id: string | null;
  /** The redirect URI of the authorization request, as requested; null: the grant came another way. */
  redirect_uri: string | null;
}

/** Facts of tools that a user saw at consent, by hash: one row for each distinct set. */
interface ToolFactsTable {
  /** SHA-256 of `facts` as base64url. */
  hash: string;
  /** JSON object: facts by tool name. */
  facts: string;
  /** When a grant that names it was last created, or up to half a day before. */
  created_at: number;
}

/**
 * Connections that a person completed at `/connect/<service>` and that the partner has not redeemed yet.
 *
 * An attempt exists next to the connection that it will create or replace, so the old one works until then, and no user
 * is created that the partner has not confirmed.
 */
interface ConnectionAttemptsTable {
  id: string;
  /** SHA-256 of the code as base64url, unique. In a connect session, the row's id, because the session has the code. */
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
  /** What `CredentialVault.seal` returned for this row's id; null for open services, and after redemption. */
  sealed_credential: string | null;
  created_at: number;
  expires_at: number;
  redeemed_at: number | null;
  /** The grant that resulted, which a replay revokes. */
  grant_id: string | null;
  /** The network of the browser (see `siteOf`); null after redemption, and in attempts older than this column. */
  made_from: string | null;
  /** JSON of an `AccountToSave`; null: it is for the first account. */
  account: string | null;
}

/** Visits to the connect page that partners' servers requested, each for one user. */
interface ConnectSessionsTable {
  id: string;
  /** SHA-256 of the token as base64url, unique. */
  token_hash: string;
  partner_id: string;
  /** The partner's own name for the user. */
  external_user_id: string;
  /** Connector names in the order of their pages, separated by commas. */
  services: string;
  /** The `services` that the user skipped, separated by commas. */
  skipped: string;
  redirect_uri: string;
  state: string | null;
  /** BCP 47. */
  locale: string | null;
  /** JSON array of the origins that a popup may post its result to. */
  allowed_origins: string;
  created_at: number;
  /** Deadline of the next step: use the token, complete the pages, or redeem the code. */
  expires_at: number;
  /** SHA-256 of the cookie of the browser that used the token, as base64url; null: the token is unused. */
  browser_hash: string | null;
  /** SHA-256 of the code as base64url, unique; null: the user has not finished. */
  code_hash: string | null;
  redeemed_at: number | null;
  /** The grant that resulted, which a replay revokes. */
  grant_id: string | null;
  /** JSON of a `WantedAccount`; null: the person is asked. */
  account: string | null;
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
  /** When its successor was issued, which invalidated this token. */
  used_at: number | null;
  /** When its successor is due, set by the first request for it; null: not requested yet. It identifies the use. */
  issues_at: number | null;
  /** Sealed random bytes that the successor is derived from; null before the use and after it. */
  sealed_seed: string | null;
}

/** Counts of guesses in a window that begins with the first guess. */
interface GuessCountersTable {
  key: string;
  count: number;
  expires_at: number;
}

/** Counts for rate limits, in a window that begins with the first use. */
interface RateLimitsTable {
  /** Name of the limit, `:`, and the key that it counts for. */
  key: string;
  uses: number;
  expires_at: number;
}

/** Slots for concurrent requests of a connection. A slot that was not given back is free again at `expires_at`. */
interface UpstreamSlotsTable {
  /** Row id of the connection, `/` and a number. */
  key: string;
  holder: string;
  expires_at: number;
}

/** Counts of a connection's requests in a window that begins with the first; the columns of rate-limiter-flexible. */
interface UpstreamRatesTable {
  /** Row id of the connection. */
  key: string;
  points: number;
  /** When the window ends. */
  expire: number;
}

/** What an operator has switched on for every gateway of the store. */
interface SwitchesTable {
  name: 'writing_stopped';
  set_at: number;
}

/** Keys of the store itself. */
interface StoreKeysTable {
  id: string;
  /** See `startStoreKey`. */
  sealed: string;
}

/**
 * All tables.
 *
 * Both dialects store times as integer milliseconds since 1970, booleans as 0 or 1, bytes as base64url text.
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
  calls_made_once: CallsMadeOnceTable;
  approvals: ApprovalsTable;
  single_use_codes: SingleUseCodesTable;
  partner_secrets: PartnerSecretsTable;
  oauth_clients: OAuthClientsTable;
  oauth_grants: OAuthGrantsTable;
  oauth_codes: OAuthCodesTable;
  refresh_tokens: RefreshTokensTable;
  attempt_counters: GuessCountersTable;
  rate_limits: RateLimitsTable;
  connection_attempts: ConnectionAttemptsTable;
  connect_sessions: ConnectSessionsTable;
  tool_facts: ToolFactsTable;
  upstream_slots: UpstreamSlotsTable;
  upstream_rates: UpstreamRatesTable;
  store_keys: StoreKeysTable;
  switches: SwitchesTable;
}

/**
 * The database, or an open transaction.
 *
 * Repositories take it as an argument: a call on the database from inside a transaction would wait for that
 * transaction.
 */
export type Executor = Kysely<Database> | Transaction<Database>;
