/** Signs audit events: each has a MAC over its whole content. */

import { GONE, goneReference } from '../../base/store/repositories/users.ts';
import type { AuditEvent } from './tables.ts';

/** Signs with the gateway's current key, and verifies with the older ones too. */
export interface AuditKeys {
  /** @returns `<key id>.<base64url of HMAC-SHA256>`. */
  sign(text: string): string;
  /** Checks a MAC. `unknown-key` means that the key that the MAC names does not exist. */
  check(mac: string, text: string): 'valid' | 'invalid' | 'unknown-key';
}

const VERSION = 'utg audit event v2';

/** Returns the MAC of an event. */
export function signEvent(keys: AuditKeys, event: AuditEvent): string {
  return keys.sign(toSignedText([VERSION], event));
}

export function checkEvent(keys: AuditKeys, event: AuditEvent, mac: string) {
  return keys.check(mac, toSignedText([VERSION], event));
}

/**
 * Returns the text that a MAC covers: one JSON array of the prefix and every member of the event.
 *
 * Databases return a lone surrogate as U+FFFD. A user's pseudonym stands for the user, because it replaces the row id when the user is
 * removed.
 */
export function toSignedText(prefix: readonly (string | number | null)[], event: AuditEvent): string {
  const { user_id: userId } = event;
  const values = [
    ...prefix,
    event.id,
    event.created_at,
    event.type,
    event.partner_id,
    userId === null || userId.startsWith(GONE) ? userId : goneReference(userId),
    event.client_id,
    event.grant_id,
    event.address,
    event.request_id,
    event.details,
  ];
  return JSON.stringify(values.map((value) => (typeof value === 'string' ? value.toWellFormed() : value)));
}
