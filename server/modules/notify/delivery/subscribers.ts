/** Rows of subscribers, in the tables of those who have them: one node at a time claims each, and each has sealed secrets. */

import { sql } from 'kysely';
import type { CredentialBinding, SealedRows } from '../../../base/store/repositories/sealed-credentials.ts';
import type { Executor } from '../../../base/store/schema.ts';

/** The columns that every table of subscribers has; `disabled_at`, `leased_by` and `leased_until` are among them. */
export interface SubscriberRow {
  readonly id: string;
  /** End of the time in which the previous secret signs too, in milliseconds since 1970; null without a previous one. */
  readonly previous_until: number | null;
  /** Milliseconds since 1970; null if the last attempt succeeded, or there was none. */
  readonly failing_since: number | null;
}

/** The right of a node to send to a subscriber; stored in the columns `leased_by` and `leased_until`. */
export interface Claim {
  /** Row id of the subscriber. */
  readonly id: string;
  /** Name of the node. */
  readonly node: string;
  /** Milliseconds since 1970, like `until`. */
  readonly now: number;
  readonly until: number;
}

/** Claims a subscriber, or extends the claim. Returns undefined if another node has it, or the subscriber was disabled or removed meanwhile. */
export async function claimSubscriber(
  executor: Executor,
  table: string,
  { id, node, now, until }: Claim,
): Promise<SubscriberRow | undefined> {
  const { rows } = await sql<SubscriberRow>`
    update ${sql.table(table)} set leased_by = ${node}, leased_until = ${until}
     where id = ${id} and disabled_at is null and (leased_until <= ${now} or leased_by = ${node})
    returning *`.execute(executor);
  return rows[0];
}

/** Ends a claim and moves the subscriber to the end of the queue. */
export async function reclaimSubscriber(
  executor: Executor,
  table: string,
  { id, node, now }: { id: string; node: string; now: number },
): Promise<void> {
  await sql`
    update ${sql.table(table)} set leased_by = null, leased_until = ${now}
     where id = ${id} and leased_by = ${node}`.execute(executor);
}

/** The secrets of a subscriber. `previous` signs too during a rotation. */
interface SubscriberSecrets {
  readonly current?: string;
  readonly previous?: string | undefined;
}

/** Returns the secrets that sign a message now. */
export function signingSecrets(
  { current = '', previous }: SubscriberSecrets,
  previousUntil: number | null,
  now: number,
): string[] {
  const isPreviousValid = previousUntil !== null && previousUntil > now;
  return previous !== undefined && isPreviousValid ? [current, previous] : [current];
}

/** The columns that the secrets of a row are bound to. */
export interface BoundRow {
  readonly id: string;
  readonly partner_id: string;
  /** Default: the row belongs to no user. */
  readonly user_id?: string;
}

/** Returns what a row's secrets are sealed for. @param kind says what the row is. */
export function bindingOf(
  { id, partner_id: partnerId, user_id: userId = '' }: BoundRow,
  kind: string,
): CredentialBinding {
  return { connectionId: id, partnerId, userId, externalUserId: '', service: kind };
}

/** Declares the sealed secrets of a table, in its column `sealed_credential`. */
export function sealedRowsIn<Row extends BoundRow & { readonly sealed_credential: string }>(
  table: string,
  kindOf: (row: Row) => string,
): SealedRows {
  return {
    table,
    async list(executor, { after, limit }) {
      const { rows } = await sql<Row>`
        select * from ${sql.table(table)} where id > ${after} order by id limit ${sql.lit(limit)}`.execute(executor);
      return rows.map((row) => ({ ...bindingOf(row, kindOf(row)), sealed: row.sealed_credential }));
    },
  };
}
