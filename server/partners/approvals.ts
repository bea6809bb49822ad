/** The partner allows a tool that became riskier, for its own tokens, which no user consented to. */

import { z } from 'zod';
import { RequestError } from '../base/http/errors.ts';
import { recordAuditEvent } from '../base/store/repositories/audit-events.ts';
import { listPartnerGrants } from '../base/store/repositories/oauth-grants.ts';
import { findUser } from '../base/store/repositories/users.ts';
import type { Executor } from '../base/store/schema.ts';
import { type AcceptedTool, acceptTool } from '../call/tools/approval/accept-tool.ts';
import type { ToolFacts } from '../call/tools/catalogue/facts.ts';
import type { ManagementEvent } from '../identity/partners/manage.ts';
import type { FormOrJson } from '../identity/protocol/form.ts';

const REQUEST = z.object({ tool: z.string(), facts: z.string() });

/**
 * Reads which tool is allowed, with the facts that the refused call named as `now`.
 *
 * @throws {RequestError} `invalid_request` (400); `facts_changed` (409) when the tool has changed since.
 */
export function parseApproval(body: FormOrJson, current: ToolFacts): AcceptedTool {
  const sent = 'form' in body ? { tool: body.form.get('tool'), facts: body.form.get('facts') } : body.json;
  const parsed = REQUEST.safeParse(sent);
  if (!parsed.success) {
    const description = 'tool and facts must be strings: those in the details of the refused call, its "now" as facts.';
    throw new RequestError(400, 'invalid_request', description);
  }
  const { tool, facts } = parsed.data;
  const now = Object.hasOwn(current, tool) ? current[tool] : undefined;
  if (now === undefined) throw new RequestError(400, 'invalid_request', 'There is no tool of this name.');
  if (now !== facts) throw new RequestError(409, 'facts_changed', `The facts of this tool are "${now}" now.`);
  return { tool, facts };
}

/** Allows the tool for the partner's own grants of one user. Needs a transaction. @returns false when there is no such user. */
export async function approveTool(
  transaction: Executor,
  { user, approved }: { user: { partnerId: string; externalUserId: string }; approved: AcceptedTool },
  event: ManagementEvent,
): Promise<boolean> {
  const found = await findUser(transaction, user);
  if (found === undefined) return false;
  for (const grantId of await listPartnerGrants(transaction, found.id))
    await acceptTool(transaction, grantId, approved);
  const { partnerId } = user;
  const details = { ...approved, by: 'partner' };
  await recordAuditEvent(transaction, { type: 'tool_allowed', partnerId, userId: found.id, details, ...event });
  return true;
}
