/** Records for the operator's collector of logs (OpenTelemetry). */

/** One record. No member is a secret. */
export interface LogRecord {
  /** Kind of the record, such as `gateway.audit.grant_revoked`. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly severity: 'info' | 'warning';
  readonly text: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Sends a record in the background. Never waits and never throws. */
export type SendLog = (record: LogRecord) => void;
