/** The gateway's registrations with the authorization servers of upstreams: the operator's, and those of partners. */

import { columnsOf, hasRow, newId, type Row } from '../../rows.ts';
import { CORE_TABLES, type Executor } from '../../schema.ts';

/** The owner and service of a registration. */
export interface UpstreamClientKey {
  /** Null for the operator's registration. */
  readonly partnerId: string | null;
  readonly service: string;
}

const CLIENT = columnsOf(CORE_TABLES.tables.upstream_clients, { except: ['owner'] });

/** A registration, with its secret sealed. */
export type StoredUpstreamClient = Row<'upstream_clients', typeof CLIENT>;

/** Binds a sealed secret to its row, partner and service. The user id is empty, because the secret belongs to no user. */
export function upstreamClientBinding({ id, partnerId, service }: { id: string } & UpstreamClientKey) {
  return { connectionId: id, partnerId: partnerId ?? '', userId: '', externalUserId: '', service };
}

/** The registration of exactly this owner. */
export async function findUpstreamClient(
  executor: Executor,
  { partnerId, service }: UpstreamClientKey,
): Promise<StoredUpstreamClient | undefined> {
  return executor
    .selectFrom('upstream_clients')
    .select(CLIENT)
    .where('owner', '=', partnerId ?? '')
    .where('service', '=', service)
    .executeTakeFirst();
}

export async function findUpstreamClientById(
  executor: Executor,
  id: string,
): Promise<StoredUpstreamClient | undefined> {
  return executor.selectFrom('upstream_clients').select(CLIENT).where('id', '=', id).executeTakeFirst();
}

/** All registrations, the operator's first. */
export async function listUpstreamClients(executor: Executor): Promise<StoredUpstreamClient[]> {
  return executor.selectFrom('upstream_clients').select(CLIENT).orderBy('owner').orderBy('service').execute();
}

/**
 * Registers a client, or replaces the owner's registration for the service. Needs a transaction.
 *
 * The row id stays the same while the client id does: tokens name it, and are useless to another client.
 *
 * @param client.seal seals the secret for the row's id, and returns null for a public client.
 */
export async function putUpstreamClient(
  transaction: Executor,
  client: UpstreamClientKey & {
    clientId: string;
    registrationUrl: string | null;
    secretExpiresAt: number | null;
    now: number;
    seal(id: string): string | null;
  },
): Promise<StoredUpstreamClient> {
  const { partnerId, service, clientId, registrationUrl, secretExpiresAt, now, seal } = client;
  const existing = await findUpstreamClient(transaction, client);
  const id = existing?.clientId === clientId ? existing.id : newId(now);
  const createdAt = existing?.clientId === clientId ? existing.createdAt : now;
  const sealedSecret = seal(id);
  const row = {
    id,
    client_id: clientId,
    sealed_secret: sealedSecret,
    created_at: createdAt,
    updated_at: now,
    registration_url: registrationUrl,
    secret_expires_at: secretExpiresAt,
  };
  await transaction
    .insertInto('upstream_clients')
    .values({ partner_id: partnerId, owner: partnerId ?? '', service, ...row })
    .onConflict((conflict) => conflict.columns(['owner', 'service']).doUpdateSet(row))
    .execute();
  return {
    id,
    partnerId,
    service,
    clientId,
    sealedSecret,
    createdAt,
    updatedAt: now,
    registrationUrl,
    secretExpiresAt,
  };
}

/**
 * Lets one caller register the client again: it counts as changed now.
 *
 * @param claim.changedBefore claims fail for a client that changed since. @returns false if someone else has the claim.
 */
export async function claimRegistration(
  executor: Executor,
  claim: { id: string; changedBefore: number; now: number },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('upstream_clients')
      .set({ updated_at: claim.now })
      .where('id', '=', claim.id)
      .where('registration_url', 'is not', null)
      .where('updated_at', '<=', claim.changedBefore)
      .returning('id'),
  );
}

/** @returns false if the owner has none. */
export async function deleteUpstreamClient(
  executor: Executor,
  { partnerId, service }: UpstreamClientKey,
): Promise<boolean> {
  return hasRow(
    executor
      .deleteFrom('upstream_clients')
      .where('owner', '=', partnerId ?? '')
      .where('service', '=', service)
      .returning('id'),
  );
}

/** Replaces a sealed secret if it is unchanged. @returns false if it was replaced or removed meanwhile. */
export async function replaceSealedSecret(
  executor: Executor,
  change: { id: string; from: string; to: string },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('upstream_clients')
      .set({ sealed_secret: change.to })
      .where('id', '=', change.id)
      .where('sealed_secret', '=', change.from)
      .returning('id'),
  );
}
