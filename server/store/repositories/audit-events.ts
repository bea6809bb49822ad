/** Security events: who did what, from where. They hold no secret. */

import { insertAuditEvent } from '../audit-chain/continue.ts';
import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';

/** What happened. */
export type AuditEventType =
  | 'partner_added'
  | 'partner_changed'
  | 'partner_suspended'
  | 'partner_resumed'
  | 'partner_removal_begun'
  | 'partner_removed'
  | 'partner_secret_added'
  | 'partner_secret_revoked'
  | 'client_registered'
  | 'client_document_changed'
  | 'connection_code_minted'
  | 'connection_code_refused'
  | 'consent_given'
  | 'consent_denied'
  | 'tool_allowed'
  | 'tokens_issued'
  | 'tokens_refreshed'
  | 'authorization_code_replayed'
  | 'identity_assertion_refused'
  | 'identity_issuer_added'
  | 'identity_issuer_changed'
  | 'identity_issuer_removed'
  | 'refresh_token_replayed'
  | 'refresh_answer_repeated'
  | 'access_token_revoked'
  | 'grant_revoked'
  | 'grants_revoked'
  | 'grant_narrowed'
  | 'user_link_minted'
  | 'user_page_entered'
  | 'connect_declined'
  | 'connect_credential_refused'
  | 'connect_code_issued'
  | 'connect_code_replayed'
  | 'connection_activated'
  | 'connection_needs_attention'
  | 'connection_removed'
  | 'upstream_client_set'
  | 'upstream_client_removed'
  | 'user_removed'
  | 'webhook_endpoint_added'
  | 'webhook_endpoint_changed'
  | 'webhook_endpoint_removed'
  | 'webhook_endpoint_disabled'
  | 'webhook_secret_rotated'
  | 'operator_signed_in'
  | 'operator_sign_in_refused'
  | 'operator_signed_out'
  | 'operator_added'
  | 'operator_changed'
  | 'operator_removed'
  | 'operator_session_ended'
  | 'access_token_minted'
  | 'client_removed'
  | 'store_restored'
  | 'tool_tried';

/** One event. References are row ids, except `clientId`; they may name rows that are gone by now. */
interface AuditEvent {
  readonly type: AuditEventType;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly partnerId?: string | null;
  readonly userId?: string | null;
  /** `client_id` of the OAuth client. */
  readonly clientId?: string | null;
  readonly grantId?: string | null;
  /** IP address of the request. */
  readonly address?: string | null;
  readonly requestId?: string | null;
  /** Name of the operator who did it at the dashboard; kept as the member `operator` of the details. */
  readonly operator?: string;
  /** Anything else that JSON can hold, without secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Writes an event at the end of a chain; see `insertAuditEvent`.
 *
 * Give it the transaction that makes the change, so that there is never one without the other.
 */
export async function recordAuditEvent(executor: Executor, event: AuditEvent): Promise<void> {
  await insertAuditEvent(executor, {
    id: newId(event.now),
    created_at: event.now,
    type: event.type,
    partner_id: event.partnerId ?? null,
    user_id: event.userId ?? null,
    client_id: event.clientId ?? null,
    grant_id: event.grantId ?? null,
    address: event.address ?? null,
    request_id: event.requestId ?? null,
    details: JSON.stringify({ ...event.details, operator: event.operator }),
  });
}
