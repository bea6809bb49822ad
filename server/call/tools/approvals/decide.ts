/** Decides about calls that wait: by the user, the user's partner, or the client that asked. */

import type { EncryptionKey } from '../../../base/credentials/index.ts';
import { createValueSealer, type ValueSealer } from '../../../base/credentials/sealed-value.ts';
import { hashSecret, isSameHash } from '../../../base/principal/secrets.ts';
import { emit } from '../../../base/store/events.ts';
import { type Approval, decideApproval, insertApproval } from '../../../base/store/repositories/calls/approvals.ts';
import { newId } from '../../../base/store/rows.ts';
import type { ApprovalChannel, Executor } from '../../../base/store/schema.ts';
import type { AcceptedChannel, ApprovalPolicy } from './policy.ts';

/** Time for which a call waits for a decision, and for which the decision holds. */
export const APPROVAL_TTL_MS = 600_000;

/** Time for which the approval of all calls of a tool holds. It ends at the same time of the next day, which needs no time zone. */
export const STANDING_TTL_MS = 86_400_000;

/** Dependencies of showing calls that wait and of deciding about them. */
export interface ApprovalAccess extends ApprovalPolicy {
  /** Opens what is shown. */
  readonly sealer: ValueSealer;
  readonly channels: readonly AcceptedChannel[];
}

/** Seals what is shown of calls. @param keys the gateway's key ring. */
export function createApprovalSealer(keys: readonly EncryptionKey[]): ValueSealer {
  return createValueSealer({ keys, purpose: 'approval' });
}

/** A decision, and from where it came. */
export interface Decision {
  readonly approve: boolean;
  readonly channel: ApprovalChannel;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly address?: string | null;
  readonly requestId?: string | null;
}

/** A call to decide about, as it was shown. */
interface Decided {
  readonly id: string;
  readonly digest: string;
  readonly userId: string;
  readonly partnerId: string;
  readonly clientId: string | null;
  /** `CallDescription.standing`, if the user approves all calls of the tool until the next day. Default: only this call. */
  readonly standing?: string | null;
}

/**
 * Decides about one call, once. Needs a transaction.
 *
 * @returns false if it does not wait any more, is another call than was shown, or must not be approved because its grant, its partner or
 * its connection has ended.
 */
export async function decide(
  transaction: Executor,
  { id, digest, userId, partnerId, clientId, standing = null }: Decided,
  { approve, channel, now, ...origin }: Decision,
): Promise<boolean> {
  const expiresAt = now + APPROVAL_TTL_MS;
  const proof = approve ? proofOf(transaction, { id, digest, channel, expiresAt }) : null;
  const row = await decideApproval(transaction, { id, userId, digest, channel, proof, now, expiresAt });
  if (row === undefined) return false;
  const { service, connectionId, grantId, tool } = row;
  const until = approve && standing !== null ? await keepApproving(transaction, row, { standing, channel, now }) : null;
  const decision = approve ? 'approved' : 'denied';
  const details: Record<string, string> = { approval: id, service, tool, decision, by: channel };
  if (until !== null) details.until = until;
  await emit(transaction, {
    type: 'approval_decided',
    approvalId: id,
    userId,
    service,
    connectionId,
    tool,
    decision,
    channel,
    partnerId,
    clientId,
    grantId,
    now,
    ...origin,
    details,
  });
  return true;
}

/**
 * Approves all calls of the tool from now on.
 *
 * @returns the end of this approval, in RFC 3339, or null if the calls are approved already, until an earlier time.
 */
async function keepApproving(
  transaction: Executor,
  { userId, grantId, tokenId, connectionId, service, tool }: Approval,
  { standing, channel, now }: { readonly standing: string; readonly channel: ApprovalChannel; readonly now: number },
): Promise<string | null> {
  const row = { id: newId(now), digest: standing, expiresAt: now + STANDING_TTL_MS };
  const proof = proofOf(transaction, { ...row, channel });
  const of = { userId, grantId, tokenId: tokenId ?? '', connectionId, service, tool, sealed: null, now };
  const isAdded = await insertApproval(transaction, { ...row, ...of, standing: { channel, proof } });
  return isAdded ? new Date(row.expiresAt).toISOString() : null;
}

/**
 * Decides about several calls in the same way, each as it was shown. Needs a transaction.
 *
 * @returns ids of the calls that were decided; see `decide` for the others.
 */
export async function decideAll(
  transaction: Executor,
  calls: readonly Decided[],
  decision: Decision,
): Promise<ReadonlySet<string>> {
  const decided = new Set<string>();
  for (const call of calls) if (await decide(transaction, call, decision)) decided.add(call.id);
  return decided;
}

interface Proven {
  readonly id: string;
  readonly digest: string | null;
  readonly channel: ApprovalChannel | null;
  readonly expiresAt: number;
}

/** Only a holder of the store's key can make it, so a row that someone else changes approves nothing. */
function proofOf(executor: Executor, { id, digest, channel, expiresAt }: Proven): string {
  return hashSecret(executor, JSON.stringify(['approved', id, digest, channel, expiresAt]));
}

/** True if the gateway itself approved the call. */
export function isProven(executor: Executor, row: Approval): boolean {
  return row.proof !== null && isSameHash(row.proof, proofOf(executor, row));
}
