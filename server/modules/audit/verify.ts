/** Verifies the audit trail: finds events that were changed, and events that no gateway recorded. */

import { GONE, goneReference } from '../../base/store/repositories/users.ts';
import type { Executor } from '../../base/store/schema.ts';
import { signChainedEvents } from './chained-events.ts';
import { readAuditEvents, type StoredAuditEvent, timeOf } from './read.ts';
import { type AuditKeys, checkEvent } from './signing.ts';

/** The result of verifying the audit trail. */
export interface AuditVerdict {
  /** Number of events that are unchanged since a gateway recorded them. */
  readonly verified: number;
  /** One sentence for each other event, without a full stop. */
  readonly problems: readonly string[];
}

/** Verifies every event. A removed event does not show: see docs/explanations/security.md. */
export async function verifyAuditTrail(executor: Executor, keys: AuditKeys): Promise<AuditVerdict> {
  await signChainedEvents(executor, keys);
  let verified = 0;
  const problems: string[] = [];
  for await (const event of readAuditEvents(executor)) {
    const problem = findProblem(keys, event);
    if (problem === null) verified += 1;
    else problems.push(problem);
  }
  problems.push(...(await findRenamedUsers(executor)));
  return { verified, problems };
}

/** Returns the problem of an event in one sentence without a full stop. Null if it is unchanged since a gateway recorded it. */
export function findProblem(keys: AuditKeys, { mac, ...event }: StoredAuditEvent): string | null {
  const verdict = mac === null ? 'invalid' : checkEvent(keys, event, mac);
  if (verdict === 'valid') return null;
  const name = `event ${event.id} (${event.type}, ${timeOf(event)})`;
  return verdict === 'invalid'
    ? `${name} was changed, or no gateway recorded it`
    : `${name} has a MAC of the key "${mac?.split('.')[0]}", which is not here`;
}

/**
 * Finds users whose events were changed to those of a removed user. The MAC of an event stays valid when the pseudonym of its user replaces
 * the row id, but only the removal of the user may replace it. So a user that still exists has no pseudonym in any event.
 */
async function findRenamedUsers(executor: Executor): Promise<string[]> {
  const renamed = await executor
    .selectFrom('audit_events')
    .select('user_id')
    .distinct()
    .where('user_id', 'like', `${GONE}%`)
    .execute();
  if (renamed.length === 0) return [];
  const pseudonyms = new Set(renamed.map((event) => event.user_id));
  const users = await executor.selectFrom('users').select('id').execute();
  return users
    .filter(({ id }) => pseudonyms.has(goneReference(id)))
    .map(({ id }) => `events name user ${id} as a removed one, though it was not removed`);
}
