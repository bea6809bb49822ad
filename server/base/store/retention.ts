/** Rules of retention: the time for which each kind of row is kept. */

import { UNNAMED_FACTS_KEEP_MS } from './repositories/tool-facts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Days for which tallies of calls are kept. */
export const CALL_TALLY_DAYS = 400;

/** Longer than `REFRESH_RETRY_SECONDS` can be. */
const SEED_KEEP_MS = 120_000;

/** Rows whose `column`, a time in milliseconds, is more than `keepMs` back: they go, or only what they hold in `clears`. */
export interface RetentionRule {
  readonly table: string;
  /** Unique column by which a batch is named. */
  readonly key: string;
  readonly column: string;
  readonly keepMs: number;
  /** Rows that have a value there stay. */
  readonly whereNull?: 'first_used_at' | 'redeemed_at' | 'user_id';
  /** The column that is emptied. Default: none, the row goes. */
  readonly clears?: 'sealed_seed' | 'sealed';
  readonly why: string;
}

const RULES: readonly RetentionRule[] = [
  {
    table: 'access_tokens',
    key: 'id',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'an expired token says so for a day, which helps anyone who asks why a client stopped',
  },
  {
    table: 'single_use_codes',
    key: 'code_hash',
    column: 'expires_at',
    keepMs: 0,
    whereNull: 'user_id',
    why: 'the id of a client assertion is refused for its age from then on, and anybody may register a client that sends them',
  },
  {
    table: 'single_use_codes',
    key: 'code_hash',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'a consumed code is recognised for a day when it is replayed',
  },
  {
    table: 'oauth_clients',
    key: 'client_id',
    column: 'created_at',
    keepMs: DAY_MS,
    whereNull: 'first_used_at',
    why: 'anybody may register a client; one that a user has allowed something is kept, or it could not recover',
  },
  {
    table: 'oauth_clients',
    key: 'client_id',
    column: 'document_fetched_at',
    keepMs: HOUR_MS,
    whereNull: 'first_used_at',
    why: 'anybody may name the URL of a metadata document; it is read again when a user comes with it',
  },
  {
    table: 'oauth_codes',
    key: 'code_hash',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'a consumed code is recognised for a day when it is replayed',
  },
  {
    table: 'refresh_tokens',
    key: 'id',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'a used token is recognised when it is replayed for as long as it could have been used, and a day',
  },
  {
    table: 'refresh_tokens',
    key: 'id',
    column: 'issues_at',
    keepMs: SEED_KEEP_MS,
    clears: 'sealed_seed',
    why: 'what a successor is derived with is destroyed once its answer is no longer shared or repeated',
  },
  {
    table: 'oauth_grants',
    key: 'id',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'a grant goes with what is left of its family, a day after its last code or refresh token expired',
  },
  {
    table: 'tool_facts',
    key: 'hash',
    column: 'created_at',
    keepMs: UNNAMED_FACTS_KEEP_MS,
    why: 'a set that a grant names is kept, or its client would have to be allowed again',
  },
  {
    table: 'connection_attempts',
    key: 'id',
    column: 'expires_at',
    keepMs: 0,
    whereNull: 'redeemed_at',
    why: 'a connect flow that nobody completed keeps no credential',
  },
  {
    table: 'connection_attempts',
    key: 'id',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'a redeemed code is recognised for a day when it is replayed',
  },
  {
    table: 'connect_sessions',
    key: 'id',
    column: 'expires_at',
    keepMs: 0,
    whereNull: 'redeemed_at',
    why: 'nobody used the token, finished the pages or redeemed the code in time',
  },
  {
    table: 'connect_sessions',
    key: 'id',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'a redeemed code is recognised for a day when it is replayed',
  },
  {
    table: 'calls_made_once',
    key: 'key_hash',
    column: 'expires_at',
    keepMs: 0,
    why: 'a client that repeats a call does so within a day; until then its answer is kept',
  },
  {
    table: 'approvals',
    key: 'id',
    column: 'expires_at',
    keepMs: 0,
    clears: 'sealed',
    why: 'the arguments of a call are kept for as long as they can be approved',
  },
  {
    table: 'approvals',
    key: 'id',
    column: 'expires_at',
    keepMs: DAY_MS,
    why: 'a user or partner who comes too late reads what became of it',
  },
  {
    table: 'attempt_counters',
    key: 'key',
    column: 'expires_at',
    keepMs: 0,
    why: 'a window that is over counts nothing',
  },
  {
    table: 'rate_limits',
    key: 'key',
    column: 'expires_at',
    keepMs: 0,
    why: 'a window that is over counts nothing',
  },
  {
    table: 'rule_counts',
    key: 'key',
    column: 'ends_at',
    keepMs: 0,
    why: 'a window that is over counts nothing',
  },
  {
    table: 'upstream_slots',
    key: 'key',
    column: 'expires_at',
    keepMs: 0,
    why: 'the gateway that held it has ended: its request is over by then',
  },
  {
    table: 'upstream_rates',
    key: 'key',
    column: 'expire',
    keepMs: 0,
    why: 'a window that is over counts nothing',
  },
  {
    table: 'call_tallies',
    key: 'key',
    column: 'created_at',
    keepMs: CALL_TALLY_DAYS * DAY_MS,
    why: 'a partner may compare a month with that of the year before; the sums name no user',
  },
];

/** The rules. Tables that are not named here hold what someone set up, and keep it until someone removes it. */
export function retentionRules(options: { callRecordDays: number }): RetentionRule[] {
  return [
    ...RULES,
    {
      table: 'call_records',
      key: 'id',
      column: 'created_at',
      keepMs: options.callRecordDays * DAY_MS,
      why: 'set by CALL_RECORD_RETENTION_DAYS',
    },
  ];
}
