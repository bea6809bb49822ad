/** Secrets of partners, stored by hash: at most two per partner, so that it can rotate them without an outage. */

import { columns, hasRow, newId, type Row } from '../rows.ts';
import type { Executor } from '../schema.ts';

/** Maximum of valid secrets per partner. */
export const MAX_LIVE_PARTNER_SECRETS = 2;

/**
 * Adds a secret and revokes the oldest ones beyond `MAX_LIVE_PARTNER_SECRETS`, or all others.
 *
 * Runs several statements, so it needs a transaction.
 */
export async function insertPartnerSecret(
  transaction: Executor,
  secret: { partnerId: string; secretHash: string; now: number; keep?: number | undefined },
): Promise<void> {
  await lockPartner(transaction, secret.partnerId);
  const live = await transaction
    .selectFrom('partner_secrets')
    .select('id')
    .where('partner_id', '=', secret.partnerId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const ending = live.slice((secret.keep ?? MAX_LIVE_PARTNER_SECRETS) - 1).map(({ id }) => id);
  if (ending.length > 0) {
    await transaction
      .updateTable('partner_secrets')
      .set({ revoked_at: secret.now })
      .where('id', 'in', ending)
      .execute();
  }
  await transaction
    .insertInto('partner_secrets')
    .values({
      id: newId(secret.now),
      partner_id: secret.partnerId,
      secret_hash: secret.secretHash,
      created_at: secret.now,
      revoked_at: null,
    })
    .execute();
}

/** Makes transactions that change the secrets of a partner, or depend on them, take turns. */
export async function lockPartner(transaction: Executor, id: string): Promise<void> {
  await transaction
    .updateTable('partners')
    .set((row) => ({ created_at: row.ref('created_at') }))
    .where('id', '=', id)
    .execute();
}

/** Hashes of the partner's valid secrets. */
export async function listLivePartnerSecrets(executor: Executor, partnerId: string): Promise<string[]> {
  const rows = await executor
    .selectFrom('partner_secrets')
    .select('secret_hash')
    .where('partner_id', '=', partnerId)
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map((row) => row.secret_hash);
}

/** Without the hash: safe to show. */
const SECRET = columns('id', 'created_at');

/** The partner's valid secrets, newest first. */
export async function listPartnerSecrets(
  executor: Executor,
  partnerId: string,
): Promise<Row<'partner_secrets', typeof SECRET>[]> {
  return executor
    .selectFrom('partner_secrets')
    .select(SECRET)
    .where('partner_id', '=', partnerId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Revokes a secret at once. @returns false if the partner has no such secret, or it was revoked before. */
export async function revokePartnerSecret(
  executor: Executor,
  secret: { id: string; partnerId: string; now: number },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('partner_secrets')
      .set({ revoked_at: secret.now })
      .where('id', '=', secret.id)
      .where('partner_id', '=', secret.partnerId)
      .where('revoked_at', 'is', null)
      .returning('id'),
  );
}
