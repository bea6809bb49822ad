/** Call records: one row per tool call, without arguments and answers. */

import { newId, timeOfId } from '../rows.ts';
import type { Database } from '../schema.ts';

/** The way in which the user of a call approved it. `standing`: by a choice that holds until the next day. */
export type ApprovedBy = NonNullable<Database['call_records']['approved_by']>;

/** The record of one tool call. */
export interface CallRecord {
  /** Start of the call, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly partnerId: string;
  readonly userId: string;
  readonly tokenId: string;
  /** Row id of the grant that the token came from. Default: none. */
  readonly grantId?: string | null;
  /** Connector name. */
  readonly service: string;
  readonly tool: string;
  /** `ok`, or why the call failed, from a closed list (`server/call/tools/results/outcomes.ts`). */
  readonly outcome: string;
  /** The upstream's own code, truncated; for `invalid_arguments`, the names of these arguments; else null. */
  readonly upstreamCode: string | null;
  /** Status of the upstream's answer, or null when there was none. */
  readonly upstreamStatus: number | null;
  readonly durationMs: number;
  /** Bytes of the arguments as JSON. */
  readonly requestBytes: number;
  /** Bytes of the result as JSON. */
  readonly responseBytes: number;
  readonly requestId: string;
  /** Digest of the tool's definition. Default: not known. */
  readonly definition?: string | null;
  /** Row id of the connection, where the user has several accounts of the service. Default: there is one. */
  readonly connectionId?: string | null;
  /** Default: no rule asked its user. */
  readonly approvedBy?: ApprovedBy | null;
}

/** Named in the statements, so that a newer gateway may add a column with a default. */
const COLUMNS: readonly (keyof Database['call_records'])[] = [
  ...(['id', 'created_at', 'partner_id', 'user_id', 'token_id', 'service', 'tool', 'outcome'] as const),
  ...(['upstream_code', 'upstream_status', 'duration_ms', 'request_bytes', 'response_bytes', 'request_id'] as const),
  ...(['grant_id', 'definition', 'connection_id', 'approved_by'] as const),
];

/** SQL for better-sqlite3: inserts the row whose values are the parameters, as `toCallValues` returns them. */
export const SQLITE_CALL_INSERT = `
  insert into call_records (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')})`;

/** SQL for pg: inserts the rows in the first parameter, a JSON array. */
export const POSTGRES_CALL_INSERT = `
  insert into call_records (${COLUMNS.join(', ')})
  select ${COLUMNS.join(', ')} from json_populate_recordset(null::call_records, $1)`;

/** Longest time from the start of a request to the start of its calls. */
const CALLS_OF_REQUEST_MS = 600_000;

/** The time in which the calls of a request began, from its id; empty for no id, and for an id from before ids had a time. */
export function spanOfRequest(requestId = ''): { readonly since?: number; readonly until?: number } {
  const since = timeOfId(requestId);
  return since === null ? {} : { since, until: since + CALLS_OF_REQUEST_MS };
}

/** Builds the row of a record, with a new id. */
export function toCallRow(record: CallRecord): Database['call_records'] {
  return {
    id: newId(record.createdAt),
    created_at: record.createdAt,
    partner_id: record.partnerId,
    user_id: record.userId,
    token_id: record.tokenId,
    service: record.service,
    tool: record.tool,
    outcome: record.outcome,
    upstream_code: record.upstreamCode,
    upstream_status: record.upstreamStatus,
    duration_ms: Math.round(record.durationMs),
    request_bytes: record.requestBytes,
    response_bytes: record.responseBytes,
    request_id: record.requestId,
    grant_id: record.grantId ?? null,
    definition: record.definition ?? null,
    connection_id: record.connectionId ?? null,
    approved_by: record.approvedBy ?? null,
  };
}

/** Returns the values of the row of a record, in the order of the columns: to bind them by name takes longer. */
export function toCallValues(record: CallRecord): unknown[] {
  const row = toCallRow(record);
  return COLUMNS.map((name) => row[name]);
}
