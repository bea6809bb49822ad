/** What the connect page's form carries, sealed for the browser that began. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { EncryptionKey } from '../credentials/index.ts';
import { createFormSealer, type FormSealer } from '../pages/form-sealer.ts';
import type { ConnectRequest } from './request/index.ts';

/** How long the page may stay open: enough to make an API key at the upstream. */
export const TRANSACTION_TTL_SECONDS = 3600;

const TRANSACTION = z.object({
  id: z.string(),
  clientId: z.string(),
  service: z.string(),
  externalUserId: z.string(),
  redirectUri: z.string(),
  state: z.string(),
});

/** One connect request on its way through the page. `id` is random and names it where refused credentials are counted. */
export type Transaction = Readonly<z.output<typeof TRANSACTION>>;

/** Begins a transaction for a request that passed every check. */
export function toTransaction(request: ConnectRequest): Transaction {
  return {
    id: randomBytes(16).toString('base64url'),
    clientId: request.partner.clientId,
    service: request.connector.name,
    externalUserId: request.externalUserId,
    redirectUri: request.redirectUri,
    state: request.state,
  };
}

/** The request again, as it was sent, so that it passes the same rules once more. */
export function toParameters(transaction: Transaction): URLSearchParams {
  return new URLSearchParams({
    client_id: transaction.clientId,
    user_id: transaction.externalUserId,
    redirect_uri: transaction.redirectUri,
    state: transaction.state,
  });
}

/** The sealer of the page's forms. */
export function createTransactionSealer(keys: readonly EncryptionKey[]): FormSealer<Transaction> {
  return createFormSealer({
    keys,
    purpose: 'connect request',
    schema: TRANSACTION,
    ttlSeconds: TRANSACTION_TTL_SECONDS,
  });
}
