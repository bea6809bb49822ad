/** Takes the connection code of the user who allows a tool, and adds the tool to the grant. */

import type { Kysely } from 'kysely';
import { recordAnonymousEvent } from '../../../base/http/limits/anonymous-event.ts';
import { originOf } from '../../../base/http/request-origin.ts';
import type { GatewayContext } from '../../../base/http/state.ts';
import { recordAuditEvent } from '../../../base/store/repositories/audit-events.ts';
import type { Grant } from '../../../base/store/repositories/oauth-grants.ts';
import type { Database, Executor } from '../../../base/store/schema.ts';
import { acceptTool } from '../../../call/tools/approval.ts';
import type { CatalogueEntry } from '../../../call/tools/catalogue/catalogue.ts';
import { isPermitted } from '../../../call/tools/catalogue/permitted.ts';
import { consumeConnectionCode, type FoundConnectionCode, findConnectionCode } from '../connection-codes.ts';
import { beginGuess, settleGuess } from '../consent/guesses.ts';
import type { AllowProblem } from './allow-page.ts';
import type { AllowPageState } from './page-state.ts';

/** What to allow, and the code that was typed. */
interface Approval {
  readonly pageState: AllowPageState;
  readonly grant: Grant;
  readonly entry: CatalogueEntry;
  readonly typed: string;
}

/**
 * Allows the tool, and consumes the code. A code of another user gets the same answer as a wrong one.
 *
 * @returns null when it is allowed.
 */
export async function takeApproval(
  ctx: GatewayContext,
  approval: Approval,
  deps: { db: Kysely<Database>; now(): number },
): Promise<AllowProblem | null> {
  const { pageState, grant, entry, typed } = approval;
  const now = deps.now();
  const source = { pageId: pageState.id, address: ctx.ip };
  const verdict = await beginGuess(deps.db, source, now);
  if (verdict !== 'allowed') return `too-many-of-${verdict}`;

  const found = await findConnectionCode(deps.db, typed, now);
  const isRight = found?.userId === grant.userId;
  await settleGuess(deps.db, source, { isRight, now });
  if (found === undefined || !isRight) {
    await recordAnonymousEvent(deps.db, { type: 'connection_code_refused', now, address: ctx.ip });
    return 'wrong';
  }
  if (!includes(found, entry)) return 'too-narrow';
  const { tool, facts } = pageState;
  const done = await deps.db.transaction().execute(async (transaction: Executor) => {
    const consumed = await consumeConnectionCode(transaction, typed, now);
    if (consumed === undefined || !(await acceptTool(transaction, grant.id, { tool, facts }))) return false;
    const event = {
      type: 'tool_allowed',
      now,
      grantId: grant.id,
      clientId: grant.clientId,
      partnerId: grant.partnerId,
      ...originOf(ctx),
    } as const;
    await recordAuditEvent(transaction, { ...event, userId: grant.userId, details: { tool, facts, by: 'user' } });
    return true;
  });
  return done ? null : 'wrong';
}

/** A narrowed code allows no more than it would grant. */
function includes({ narrowedTo, readOnly, permission }: FoundConnectionCode, entry: CatalogueEntry): boolean {
  const isOfService = narrowedTo?.includes(entry.connector.name) ?? true;
  return isOfService && (entry.tool.annotations.readOnlyHint || !readOnly) && isPermitted(entry, permission);
}
