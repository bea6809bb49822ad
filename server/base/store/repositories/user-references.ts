/** References to users in rows that outlive them. */

import { hash } from 'node:crypto';
import type { Executor } from '../schema.ts';

/** The beginning of the pseudonym of a removed user. */
export const GONE = 'gone-';

const REFERENCE_LENGTH = 24;

/**
 * Returns the pseudonym of a removed user.
 *
 * It is a hash of the row id, which is random and is deleted with the user. MACs of audit events cover the pseudonym instead of the row id, so
 * they stay valid when it replaces the row id.
 */
export function goneReference(userId: string): string {
  return GONE + hash('sha256', `utg audit user ${userId}`, 'base64url').slice(0, REFERENCE_LENGTH);
}

/** Replaces a user's row id in call records. */
export async function replaceUserReference(executor: Executor, userId: string, reference: string): Promise<void> {
  await executor.updateTable('call_records').set({ user_id: reference }).where('user_id', '=', userId).execute();
}
