/** Rows of subscribers: one shape in the tables of all who have them, which one node at a time claims, and whose secrets are sealed and rotated. */

import { type RawBuilder, sql } from 'kysely';
import type { CredentialVault } from '../../../base/credentials/index.ts';
import type { CredentialBinding, SealedRows } from '../../../base/store/repositories/sealed-credentials.ts';
import type { Executor } from '../../../base/store/schema.ts';
import type { Row } from '../../../base/store/tables/table-set.ts';

/** The columns that every table of subscribers has. */
export const SUBSCRIBER_COLUMNS = {
  id: 'text primary key',
  partner_id: 'text not null references partners (id) on delete cascade',
  /** The secrets `current` and `previous`, and other fields of its table, as `CredentialVault.seal` returned them. */
  sealed_credential: 'text not null',
  /** Time until which `previous` also signs, in milliseconds since 1970 like all times. Null if there is no previous secret. */
  previous_until: 'bigint',
  created_at: 'bigint not null',
  /** Number of the last event that it needs no more, or that its deliveries hold. */
  cursor: 'bigint not null',
  /** Time since which every attempt has failed. Null if the last attempt succeeded, or there was no attempt. */
  failing_since: 'bigint',
  /** Nothing is sent from this time on. Null while it is enabled. */
  disabled_at: 'bigint',
  /** The node that may send to it now. */
  leased_by: 'text',
  leased_until: 'bigint not null',
} as const;

export type SubscriberRow = Row<typeof SUBSCRIBER_COLUMNS>;

/** The columns of a subscriber to which nothing was sent yet. */
export const NEW_SUBSCRIBER = {
  previous_until: null,
  failing_since: null,
  disabled_at: null,
  leased_by: null,
  leased_until: 0,
};

/** Lists the subscribers that are due and that no node has claimed: of each partner its longest waiting, then the next. */
export async function listDueSubscribers(
  executor: Executor,
  { table, isDue }: { readonly table: string; readonly isDue: (now: number) => RawBuilder<boolean> },
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<{ readonly id: string; readonly partnerId: string }[]> {
  const { rows } = await sql<{ id: string; partnerId: string }>`
    select s.id, s.partner_id as "partnerId" from ${sql.table(table)} s
      join partners p on p.id = s.partner_id
     where s.disabled_at is null and p.suspended_at is null and s.leased_until <= ${now} and ${isDue(now)}
     order by row_number() over (partition by s.partner_id order by s.leased_until, s.id), s.leased_until, s.id
     limit ${sql.lit(limit)}`.execute(executor);
  return rows;
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
export async function releaseSubscriber(
  executor: Executor,
  table: string,
  { id, node, now }: Omit<Claim, 'until'>,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set leased_by = null, leased_until = ${now}
     where id = ${id} and leased_by = ${node}`.execute(executor);
}

/** The columns that the secrets of a row are bound to. */
export interface BoundRow {
  readonly id: string;
  readonly partner_id: string;
  /** Default: the row belongs to no user. */
  readonly user_id?: string;
}

/** A row with its secrets. */
type Sealed<Bound> = Bound & { readonly sealed_credential: string };

/** The secrets in the column `sealed_credential` of a table. Those of another row, or of another owner, do not open. */
export interface SealedColumn<Bound extends BoundRow> extends SealedRows {
  seal(vault: CredentialVault, row: Bound, fields: Readonly<Record<string, string>>): string;
  /** @throws {CredentialUnreadableError} when the key is missing. */
  open(vault: CredentialVault, row: Sealed<Bound>): Record<string, string>;
  /**
   * Returns the changed columns of a subscriber that gets another secret. The present secret also signs for `previousMs`.
   *
   * @throws {CredentialUnreadableError} when the present secret should stay, but its key is missing.
   */
  rotate(
    vault: CredentialVault,
    row: Sealed<Bound>,
    rotation: { readonly current: string; readonly previousMs: number; readonly now: number },
  ): { readonly sealed_credential: string; readonly previous_until: number | null };
}

/** Declares the secrets of a table. @param kindOf returns what a row is, which is part of what its secrets are bound to. */
export function sealedColumnOf<Bound extends BoundRow>(
  table: string,
  kindOf: (row: Bound) => string,
): SealedColumn<Bound> {
  function bindingOf(row: Bound): CredentialBinding {
    const { id: connectionId, partner_id: partnerId, user_id: userId = '' } = row;
    return { connectionId, partnerId, userId, externalUserId: '', service: kindOf(row) };
  }

  return {
    table,
    async list(executor, { after, limit }) {
      const { rows } = await sql<Sealed<Bound>>`
        select * from ${sql.table(table)} where id > ${after} order by id limit ${sql.lit(limit)}`.execute(executor);
      return rows.map((row) => ({ ...bindingOf(row), sealed: row.sealed_credential }));
    },
    seal: (vault, row, fields) => vault.seal(fields, bindingOf(row)),
    open: (vault, row) => vault.open(row.sealed_credential, bindingOf(row)),
    rotate(vault, row, { current, previousMs, now }) {
      if (previousMs === 0) return { sealed_credential: this.seal(vault, row, { current }), previous_until: null };
      const { current: previous = '', ...fields } = this.open(vault, row);
      return {
        sealed_credential: this.seal(vault, row, { ...fields, previous, current }),
        previous_until: now + previousMs,
      };
    },
  };
}

/** Returns the secrets that sign a message now: during a rotation there are two. */
export function signingSecrets(
  { current = '', previous }: Readonly<Record<string, string>>,
  previousUntil: number | null,
  now: number,
): string[] {
  const isPreviousValid = previousUntil !== null && previousUntil > now;
  return previous !== undefined && isPreviousValid ? [current, previous] : [current];
}
