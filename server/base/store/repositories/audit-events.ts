/** Security events: who did what, from where. They hold no secret. */

import { insertAuditEvent } from '../audit-chain/continue.ts';
import { newId } from '../ids.ts';
import type { Executor } from '../schema.ts';

/** The event types. */
export const AUDIT_EVENTS = {
  partner_added: 'A partner was added.',
  partner_changed: 'Settings of a partner were changed.',
  partner_suspended: 'A partner was suspended.',
  partner_resumed: 'A suspended partner was resumed.',
  partner_removal_begun: 'The removal of a partner with its users began.',
  partner_removed: 'A partner was removed.',
  partner_secret_added: 'A partner got another secret.',
  partner_secret_revoked: 'A secret of a partner was revoked.',
  client_registered: 'An OAuth client registered itself.',
  client_document_changed: 'The metadata document of a client changed.',
  connection_code_minted: 'A partner got a connection code for a user.',
  connection_code_refused: 'A wrong connection code was typed.',
  consent_given: 'A user allowed a client.',
  consent_denied: 'A user denied a client.',
  tool_allowed: 'A user or partner allowed a tool that came to risk more.',
  tokens_issued: 'A grant got its first tokens.',
  tokens_refreshed: 'Tokens were refreshed.',
  authorization_code_replayed: 'An authorization code was used twice.',
  identity_assertion_refused: 'An identity assertion was refused.',
  identity_issuer_added: 'An identity issuer of a partner was registered.',
  identity_issuer_changed: 'An identity issuer of a partner was changed.',
  identity_issuer_removed: 'An identity issuer of a partner was removed.',
  refresh_token_replayed: 'A refresh token was used twice.',
  refresh_answer_repeated: 'A lost answer to a refresh was given again.',
  access_token_revoked: 'An access token was revoked.',
  grant_revoked: 'A grant was revoked.',
  grants_revoked: 'Several grants were revoked at once.',
  grant_narrowed: 'Something was taken away from a grant.',
  user_link_minted: "A partner got a link to a user's own page.",
  user_page_entered: 'A user opened the own page.',
  connect_declined: 'A user did not connect a service.',
  connect_credential_refused: 'A service refused the credential that a user gave.',
  connect_code_issued: 'A connect flow ended with a code.',
  connect_code_replayed: 'The code of a connect flow was used twice.',
  connection_activated: 'A connection was made, or got another credential.',
  connection_needs_attention: 'A service refused the credential of a connection.',
  connection_removed: 'A connection was removed.',
  upstream_client_set: 'An OAuth client at an upstream was registered or replaced.',
  upstream_client_removed: 'An OAuth client at an upstream was removed.',
  user_removed: 'A user was removed, with connections and grants.',
  webhook_endpoint_added: 'A webhook endpoint was added.',
  webhook_endpoint_changed: 'A webhook endpoint was changed.',
  webhook_endpoint_removed: 'A webhook endpoint was removed.',
  webhook_endpoint_disabled: 'A webhook endpoint was disabled.',
  webhook_secret_rotated: 'A webhook endpoint got another secret.',
  operator_signed_in: 'An operator signed in to the dashboard.',
  operator_sign_in_refused: 'A sign-in to the dashboard was refused.',
  operator_signed_out: 'An operator signed out.',
  operator_added: 'An operator was added.',
  operator_changed: 'An operator was changed.',
  operator_removed: 'An operator was removed.',
  operator_session_ended: 'Somebody ended a session of an operator.',
  access_token_minted: 'An operator minted an access token for testing.',
  client_removed: 'An operator removed an OAuth client.',
  store_restored: 'The store was restored from a backup, and access was ended.',
  tool_tried: 'An operator called a tool from the dashboard.',
} as const;

export type AuditEventType = keyof typeof AUDIT_EVENTS;

/** One event. References are row ids, except `clientId`; the rows may no longer exist. */
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
  /** Name of the operator who did it in the dashboard; stored as the member `operator` of the details. */
  readonly operator?: string;
  /** Anything else that JSON can represent, without secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Appends an event to a chain; see `insertAuditEvent`.
 *
 * Pass the transaction that makes the change, so that the change and its event are written together.
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
