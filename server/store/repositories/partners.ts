/** Partners: the applications that own users. */

import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';

export interface Partner {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const COLUMNS = ['id', 'client_id as clientId', 'name', 'created_at as createdAt'] as const;

/** Adds a partner. @throws the driver's unique violation when `clientId` is taken (see `isUniqueViolation`). */
export async function insertPartner(
  executor: Executor,
  partner: { clientId: string; name: string; now: number },
): Promise<Partner> {
  const id = newId(partner.now);
  await executor
    .insertInto('partners')
    .values({ id, client_id: partner.clientId, name: partner.name, created_at: partner.now })
    .execute();
  return { id, clientId: partner.clientId, name: partner.name, createdAt: partner.now };
}

export async function findPartner(executor: Executor, id: string): Promise<Partner | undefined> {
  return executor.selectFrom('partners').select(COLUMNS).where('id', '=', id).executeTakeFirst();
}

export async function findPartnerByClientId(executor: Executor, clientId: string): Promise<Partner | undefined> {
  return executor.selectFrom('partners').select(COLUMNS).where('client_id', '=', clientId).executeTakeFirst();
}

/** The first `limit` partners by `clientId`. */
export async function listPartners(executor: Executor, limit: number): Promise<Partner[]> {
  return executor.selectFrom('partners').select(COLUMNS).orderBy('client_id').limit(limit).execute();
}
