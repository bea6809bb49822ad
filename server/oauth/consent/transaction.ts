/** What the consent page's form carries from step to step, sealed for the browser that began. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { SCOPES } from '../../auth/scopes.ts';
import type { ValueSealer } from '../../pages/sealed-value.ts';
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

/** Seals a transaction for one browser, for `TRANSACTION_TTL_SECONDS`. */
export function sealTransaction(
  sealer: ValueSealer,
  transaction: Transaction,
  options: { browserId: string; now: number },
): string {
  const expiresAt = options.now + TRANSACTION_TTL_SECONDS * 1000;
  return sealer.seal(transaction, { holder: options.browserId, expiresAt });
}

/** @returns null when the text was changed, is too old, or is another browser's. */
export function openTransaction(
  sealer: ValueSealer,
  sealed: string,
  options: { browserId: string; now: number },
): Transaction | null {
  const opened = TRANSACTION.safeParse(sealer.open(sealed, { holder: options.browserId, now: options.now }));
  return opened.success ? opened.data : null;
}
