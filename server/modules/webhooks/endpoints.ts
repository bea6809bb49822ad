/** Webhook endpoints that a partner's events are sent to, and the node that leases each. */

import { sql } from 'kysely';
import type { DueTarget, Lease } from '../../base/deliveries/worker.ts';
import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import { UNBLOCKED } from './deliveries.ts';
import { findEventHead } from './outbox.ts';
import type { WebhookEndpointsTable } from './tables.ts';

/** Why an endpoint is disabled: by the partner, by an operator, after a day of failures, or after an answer of 410. */
export type DisabledReason = 'by-partner' | 'by-operator' | 'failing' | 'gone';

export interface WebhookEndpoint {
  readonly id: string;
  /** Row id. */
  readonly partnerId: string;
  readonly url: string;
  /** Types of events that are sent; null: all. */
  readonly types: readonly string[] | null;
  /** What `CredentialVault.seal` returned for the secrets. */
  readonly sealedSecrets: string;
  /** How long the previous secret signs too, in milliseconds since 1970; null: there is none. */
  readonly previousUntil: number | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Events up to this number have become deliveries. */
  readonly cursor: number;
  /** Milliseconds since 1970; null: it is enabled. */
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  /** Milliseconds since 1970; null: the last attempt succeeded, or there was none. */
  readonly failingSince: number | null;
}

/** Creates the row id that the secrets are sealed for. */
export function newEndpointId(now: number): string {
  return newId(now);
}

/** Adds an endpoint, which receives events from now on. */
export async function insertEndpoint(
  transaction: Executor,
  endpoint: Pick<WebhookEndpoint, 'id' | 'partnerId' | 'url' | 'types' | 'sealedSecrets'> & { readonly now: number },
): Promise<WebhookEndpoint> {
  const row = {
    id: endpoint.id,
    partner_id: endpoint.partnerId,
    url: endpoint.url,
    types: endpoint.types?.join(',') ?? null,
    sealed_credential: endpoint.sealedSecrets,
    previous_until: null,
    created_at: endpoint.now,
    cursor: await findEventHead(transaction, endpoint.partnerId),
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    held_until: 0,
    leased_by: null,
    leased_until: 0,
  };
  await transaction.insertInto('webhook_endpoints').values(row).execute();
  return toEndpoint(row);
}

/** All endpoints of a partner, the oldest first. */
export async function listEndpoints(executor: Executor, partnerId: string): Promise<WebhookEndpoint[]> {
  const query = executor.selectFrom('webhook_endpoints').selectAll().where('partner_id', '=', partnerId);
  return (await query.orderBy('created_at').orderBy('id').execute()).map(toEndpoint);
}

/** One endpoint of a partner, or undefined. */
export async function findEndpoint(
  executor: Executor,
  key: { id: string; partnerId: string },
): Promise<WebhookEndpoint | undefined> {
  const query = executor.selectFrom('webhook_endpoints').selectAll().where('id', '=', key.id);
  const row = await query.where('partner_id', '=', key.partnerId).executeTakeFirst();
  return row && toEndpoint(row);
}

/** Replaces the given members. */
export async function updateEndpoint(
  executor: Executor,
  id: string,
  changes: Partial<
    Pick<
      WebhookEndpointsTable,
      | 'url'
      | 'types'
      | 'sealed_credential'
      | 'previous_until'
      | 'disabled_at'
      | 'disabled_reason'
      | 'failing_since'
      | 'held_until'
    >
  >,
): Promise<void> {
  await executor.updateTable('webhook_endpoints').set(changes).where('id', '=', id).execute();
}

/** Removes an endpoint with its deliveries. @returns false if there is no such endpoint. */
export async function deleteEndpoint(executor: Executor, id: string): Promise<boolean> {
  const query = executor.deleteFrom('webhook_endpoints').where('id', '=', id).returning('id');
  return (await query.executeTakeFirst()) !== undefined;
}

/** Endpoints with due deliveries or new events that no node leases: of each partner its longest waiting, then the next. */
export async function listDueEndpoints(
  executor: Executor,
  { now, limit }: { now: number; limit: number },
): Promise<DueTarget[]> {
  const { rows } = await sql<DueTarget>`
    select e.id, e.partner_id as "partnerId" from webhook_endpoints e
      join partners p on p.id = e.partner_id
      left join partner_event_heads h on h.partner_id = e.partner_id
     where e.disabled_at is null and p.suspended_at is null and e.leased_until <= ${now} and e.held_until <= ${now}
       and (h.seq > e.cursor or exists (
         select 1 from webhook_deliveries d
          where d.endpoint_id = e.id and d.status = 'waiting' and d.next_attempt_at <= ${now} and ${UNBLOCKED}))
     order by row_number() over (partition by e.partner_id order by e.leased_until, e.id), e.leased_until, e.id
     limit ${sql.lit(limit)}`.execute(executor);
  return rows;
}

/** Leases an endpoint to a node. @returns undefined if another node has it, or it was disabled or removed meanwhile. */
export async function leaseEndpoint(executor: Executor, lease: Lease): Promise<WebhookEndpoint | undefined> {
  const row = await executor
    .updateTable('webhook_endpoints')
    .set({ leased_by: lease.node, leased_until: lease.until })
    .where('id', '=', lease.id)
    .where('disabled_at', 'is', null)
    .where((is) => is.or([is('leased_until', '<=', lease.now), is('leased_by', '=', lease.node)]))
    .returningAll()
    .executeTakeFirst();
  return row && toEndpoint(row);
}

/** Ends a lease and moves the endpoint to the end of the queue. */
export async function releaseEndpoint(executor: Executor, lease: Omit<Lease, 'until'>): Promise<void> {
  await executor
    .updateTable('webhook_endpoints')
    .set({ leased_by: null, leased_until: lease.now })
    .where('id', '=', lease.id)
    .where('leased_by', '=', lease.node)
    .execute();
}

function toEndpoint(row: WebhookEndpointsTable): WebhookEndpoint {
  return {
    id: row.id,
    partnerId: row.partner_id,
    url: row.url,
    types: row.types === null ? null : row.types.split(','),
    sealedSecrets: row.sealed_credential,
    previousUntil: row.previous_until,
    createdAt: row.created_at,
    cursor: row.cursor,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason as DisabledReason | null,
    failingSince: row.failing_since,
  };
}
