/** The tables as TypeScript sees them, and the executor that every repository function takes. */

import type { Kysely, Transaction } from 'kysely';

/** `pending` until the partner redeems the connect flow's code, `attention` after an upstream refused the credential. */
export type ConnectionStatus = 'pending' | 'active' | 'attention';

/** An application that owns users. */
export interface PartnersTable {
  id: string;
  /** Public identifier, unique. */
  client_id: string;
  name: string;
  created_at: number;
}

/** An end user; `(partner_id, external_user_id)` is unique. */
export interface UsersTable {
  id: string;
  partner_id: string;
  /** The partner's own name for the user. */
  external_user_id: string;
  created_at: number;
}

/** One user's authorized link to an upstream; `(user_id, service)` is unique. */
export interface ConnectionsTable {
  id: string;
  user_id: string;
  /** Connector name. */
  service: string;
  status: ConnectionStatus;
  /** What `CredentialVault.seal` returned; null while there is none, and for open services. */
  sealed_credential: string | null;
  created_at: number;
  updated_at: number;
}

/** Access tokens, by hash only. */
export interface AccessTokensTable {
  id: string;
  /** SHA-256 of the token as base64url, unique. */
  token_hash: string;
  user_id: string;
  /** Space-separated. */
  scopes: string;
  /** Services that the token is narrowed to, separated by commas; null: all of the user's. */
  services: string | null;
  /** Resource indicator (RFC 8707) that the token is good for. */
  resource: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
}

/** One row per tool call: who, what, how it ended, how long, how much. Never arguments or answers. */
export interface CallRecordsTable {
  id: string;
  created_at: number;
  partner_id: string;
  user_id: string;
  token_id: string;
  service: string;
  tool: string;
  /** `ok`, or the code of the error. */
  outcome: string;
  /** Status of the upstream's answer, or null when there was none. */
  upstream_status: number | null;
  duration_ms: number;
  request_bytes: number;
  response_bytes: number;
  request_id: string;
}

/** Secrets that are good for one use: codes that are minted, shown, and consumed atomically. */
export interface SingleUseCodesTable {
  /** SHA-256 of the code as base64url. */
  code_hash: string;
  /** What the code is for; a code of one purpose is never good for another. */
  purpose: string;
  /** Whom the code speaks for; its codes go with a deleted user. */
  user_id: string | null;
  /** JSON that the minting side wrote for the consuming side. */
  payload: string;
  created_at: number;
  expires_at: number;
  consumed_at: number | null;
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
  access_tokens: AccessTokensTable;
  call_records: CallRecordsTable;
  single_use_codes: SingleUseCodesTable;
}

/**
 * The database, or the transaction that is open.
 *
 * Repositories take it as an argument: a call on the database from inside a transaction would wait for that transaction.
 */
export type Executor = Kysely<Database> | Transaction<Database>;
