/** What the consent page's form carries from step to step, sealed for the browser that began. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { EncryptionKey } from '../../credentials/index.ts';
import { createFormSealer, type FormSealer } from '../../pages/form-sealer.ts';
import { SCOPES } from '../../principal/scopes.ts';
import type { AuthorizationRequest } from '../authorize/index.ts';

/** How long a page may stay open: enough to fetch a code from the partner's application. */
export const TRANSACTION_TTL_SECONDS = 1800;

const TRANSACTION = z.object({
  id: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  state: z.string().nullable(),
  codeChallenge: z.string(),
  resource: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  connectionCode: z.string().nullable(),
});

/**
 * One authorization request on its way through the page.
 *
 * `id` is random and names the request where wrong codes are counted. `connectionCode` is null until the first step is
 * done; then it is a code that could be used at that time.
 */
export type Transaction = Readonly<z.output<typeof TRANSACTION>>;

/** Begins a transaction for a request that passed every check. */
export function toTransaction(request: AuthorizationRequest): Transaction {
  return {
    id: randomBytes(16).toString('base64url'),
    clientId: request.client.clientId,
    redirectUri: request.redirectUri,
    state: request.state,
    codeChallenge: request.codeChallenge,
    resource: request.resource,
    scopes: [...request.scopes],
    connectionCode: null,
  };
}

/** The sealer of the page's forms. */
export function createTransactionSealer(keys: readonly EncryptionKey[]): FormSealer<Transaction> {
  return createFormSealer({
    keys,
    purpose: 'authorization request',
    schema: TRANSACTION,
    ttlSeconds: TRANSACTION_TTL_SECONDS,
  });
}
