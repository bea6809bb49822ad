/** References to users in rows that outlive them. */

import type { Executor } from '../schema.ts';

/** Replaces a user's row id in audit events and call records. */
export async function replaceUserReference(executor: Executor, userId: string, reference: string): Promise<void> {
  await executor.updateTable('audit_events').set({ user_id: reference }).where('user_id', '=', userId).execute();
  await executor.updateTable('call_records').set({ user_id: reference }).where('user_id', '=', userId).execute();
}
