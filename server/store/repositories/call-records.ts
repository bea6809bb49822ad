/** Call records: one row per tool call, without arguments and answers. */

import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';

/** How one tool call went. */
export interface CallRecord {
  /** When the call began, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly partnerId: string;
  readonly userId: string;
  readonly tokenId: string;
  /** Connector name. */
  readonly service: string;
  readonly tool: string;
  /** `ok`, or why the call failed, of a closed list (`server/tools/results/outcomes.ts`). */
  readonly outcome: string;
  /** The upstream's own code, bounded, or null. */
  readonly upstreamCode: string | null;
  /** Status of the upstream's answer, or null when there was none. */
  readonly upstreamStatus: number | null;
  readonly durationMs: number;
  /** Bytes of the arguments as JSON. */
  readonly requestBytes: number;
  /** Bytes of the result as JSON. */
  readonly responseBytes: number;
  readonly requestId: string;
}

/** Rows per statement: SQLite allows 32,766 values in one. */
const ROWS_PER_INSERT = 500;

/** Writes a batch of records, in the order given. */
export async function insertCallRecords(executor: Executor, records: readonly CallRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += ROWS_PER_INSERT) {
    const rows = records.slice(start, start + ROWS_PER_INSERT).map((record) => ({
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
    }));
    await executor.insertInto('call_records').values(rows).execute();
  }
}
