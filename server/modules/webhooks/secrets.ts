/** Secrets of webhook endpoints, and their signatures (Standard Webhooks 1.0). */

import { createHmac, randomBytes } from 'node:crypto';
import type { CredentialBinding, CredentialVault } from '../../base/credentials/index.ts';
import type { SealedRows } from '../../base/store/repositories/sealed-credentials.ts';

const PREFIX = 'whsec_';

/** Standard Webhooks, "Signature scheme": between 24 and 64 bytes. */
const SECRET_BYTES = 32;

/** The secrets of an endpoint. `previous` also signs during a rotation. */
export interface EndpointSecrets {
  readonly current: string;
  readonly previous?: string;
}

/** The signed content of a request. */
interface SignedMessage {
  /** Of the event, the same for every attempt. */
  readonly id: string;
  /** Of the attempt, in milliseconds since 1970. */
  readonly now: number;
  readonly body: string;
}

/** Creates a secret, such as `whsec_...`. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** What the sealed secrets of an endpoint are bound to. */
export function endpointBinding(endpoint: { id: string; partnerId: string }): CredentialBinding {
  return { connectionId: endpoint.id, partnerId: endpoint.partnerId, userId: '', service: 'webhook' };
}

/** The sealed secrets of endpoints. */
export const SEALED_SECRETS: SealedRows = {
  table: 'webhook_endpoints',
  async list(executor, { after, limit }) {
    const rows = await executor
      .selectFrom('webhook_endpoints')
      .select(['id', 'partner_id as partnerId', 'sealed_credential as sealed'])
      .where('sealed_credential', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ sealed, ...endpoint }) => ({ ...endpointBinding(endpoint), sealed }));
  },
};

/** @throws {CredentialUnreadableError} when the key is missing. */
export function openSecrets(
  vault: CredentialVault,
  endpoint: { id: string; partnerId: string; sealedSecrets: string },
): EndpointSecrets {
  const { current = '', previous } = vault.open(endpoint.sealedSecrets, endpointBinding(endpoint));
  return previous === undefined ? { current } : { current, previous };
}

/** The headers that authenticate a message: one signature per secret, separated by spaces. */
export function signatureHeaders(secrets: readonly string[], { id, now, body }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(sign).join(' ') };
}
