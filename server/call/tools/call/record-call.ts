/** Stage `record`: runs after every call, however it ended. */

import type { Call, CallDependencies } from './call.ts';
import type { Ending } from './ending.ts';

/** Queues the call's record, and reports a connection whose credential was refused. @param durationMs of the call. */
export async function recordCall(
  call: Call,
  ending: Ending,
  durationMs: number,
  deps: CallDependencies,
): Promise<void> {
  const { principal, entry, calledAs } = call;
  deps.record({
    createdAt: call.startedAt,
    partnerId: principal.partnerId,
    userId: principal.userId,
    tokenId: principal.tokenId,
    grantId: principal.grantId,
    service: entry.connector.name,
    tool: calledAs,
    outcome: ending.outcome,
    upstreamCode: ending.error?.upstreamCode ?? null,
    upstreamStatus: ending.upstreamStatus,
    durationMs,
    requestBytes: Buffer.byteLength(JSON.stringify(call.given)),
    responseBytes: ending.resultBytes,
    requestId: call.trace.requestId,
    definition: entry.tool.provenance?.definition ?? null,
  });
  for (const { onCallEnded } of deps.modules ?? []) onCallEnded?.(call, ending);
  if (ending.outcome === 'credential_refused') await reportRefusal(call, deps);
}

async function reportRefusal(
  { principal, entry, credentialSince: updatedAt }: Call,
  deps: CallDependencies,
): Promise<void> {
  const service = entry.connector.name;
  const connection = principal.connections.get(service);
  if (connection === undefined) return;
  const { partnerId, userId } = principal;
  const { id: connectionId } = connection;
  try {
    await deps.onCredentialRefused?.({ connectionId, updatedAt, partnerId, userId, service });
  } catch (error) {
    deps.onFault({ kind: 'unexpected', tool: entry.tool.name, error });
  }
}
