/**
 * What the signatures of the audit trail cover: each event with the one before it, and each chain with its two ends.
 */

import { GONE, goneReference } from '../../base/store/repositories/user-references.ts';
import type { AuditChainsTable, AuditEventsTable } from './tables.ts';

/** Signs with the gateway's current key, and verifies with the older ones too. */
export interface AuditKeys {
  /** @returns `<key id>.<base64url of HMAC-SHA256>`. */
  sign(text: string): string;
  /** `unknown-key`: the key that the signature names does not exist. */
  check(signature: string, text: string): 'valid' | 'invalid' | 'unknown-key';
}

/** An event with its place in a chain. */
export type ChainedEvent = Omit<AuditEventsTable, 'chain_mac'>;

/** @param previousMac of the preceding event; for the first event, that of the checkpoint, or empty. */
export function signEvent(keys: AuditKeys, event: ChainedEvent, previousMac: string): string {
  return keys.sign(textOfEvent(event, previousMac));
}

export function checkEvent(keys: AuditKeys, event: ChainedEvent, mac: string, previousMac: string) {
  return keys.check(mac, textOfEvent(event, previousMac));
}

/** What a chain's seal covers. */
export type ChainEnds = Pick<
  AuditChainsTable,
  'number' | 'created_at' | 'base_seq' | 'base_mac' | 'head_seq' | 'head_mac'
>;

export function sealChain(keys: AuditKeys, chain: ChainEnds): string {
  return keys.sign(textOfChain(chain));
}

export function checkChain(keys: AuditKeys, chain: ChainEnds & { readonly seal: string }) {
  return keys.check(chain.seal, textOfChain(chain));
}

function textOfEvent(event: ChainedEvent, previousMac: string): string {
  return textOf([
    'utg audit event v1',
    event.chain,
    event.chain_seq,
    previousMac,
    event.id,
    event.created_at,
    event.type,
    event.partner_id,
    event.user_id === null || event.user_id.startsWith(GONE) ? event.user_id : goneReference(event.user_id),
    event.client_id,
    event.grant_id,
    event.address,
    event.request_id,
    event.details,
  ]);
}

function textOfChain({ number, created_at, base_seq, base_mac, head_seq, head_mac }: ChainEnds): string {
  return textOf(['utg audit chain v1', number, created_at, base_seq, base_mac, head_seq, head_mac]);
}

/** Databases return a lone surrogate as U+FFFD. */
function textOf(values: readonly (string | number | null)[]): string {
  return JSON.stringify(values.map((value) => (typeof value === 'string' ? value.toWellFormed() : value)));
}
