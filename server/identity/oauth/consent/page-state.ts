/** The state of the consent page, which its form carries, sealed for the browser that began, and the input of its steps. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createSealedForm, type SealedForm } from '../../../base/pages/sealed-form.ts';
import { SCOPES } from '../../../base/principal/permission.ts';
import type { AuthorizationRequest } from '../authorize.ts';
import type { OAuthContext } from '../context.ts';
import { CODE_PAGE_TTL_SECONDS } from '../try-connection-code.ts';

/** Enough for 2,000 tools with names of the maximum length. */
const MAX_FORM_BYTES = 262_144;

/** Reasons why the last form was not accepted. `wrong` covers codes that are unknown, used, expired or misspelt. */
const PAGE_PROBLEMS = [
  'missing',
  'wrong',
  'spent',
  'too-many-of-request',
  'too-many-of-address',
  'nothing-left',
] as const;

const SCHEMA = z.object({
  id: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  state: z.string().nullable(),
  codeChallenge: z.string(),
  resource: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  connectionCode: z.string().nullable(),
  problem: z.enum(PAGE_PROBLEMS).nullable(),
  typed: z.string(),
});

/**
 * One authorization request while the page handles it.
 *
 * `id` is random, and identifies the page for counting wrong codes. `connectionCode` is null until the first step is
 * done; then it is a code that was usable at that time. `typed` is what the user typed as a code, to correct it.
 */
export type ConsentPageState = Readonly<z.output<typeof SCHEMA>>;

/** Dependencies of every step. */
export interface ConsentContext extends OAuthContext {
  readonly sealedForm: SealedForm<ConsentPageState>;
}

export function createConsentContext(context: OAuthContext): ConsentContext {
  const { keys, issuer: publicUrl, now } = context;
  const rules = { purpose: 'authorization request', schema: SCHEMA, ttlSeconds: CODE_PAGE_TTL_SECONDS };
  return {
    ...context,
    sealedForm: createSealedForm({ ...rules, maxFormBytes: MAX_FORM_BYTES, keys, publicUrl, now }),
  };
}

/** One form submitted from the page, and its sealed state. */
export interface Submission {
  readonly form: URLSearchParams;
  readonly pageState: ConsentPageState;
}

/** The state of the first page, for a valid request. */
export function toPageState({ client, scopes, ...request }: AuthorizationRequest): ConsentPageState {
  return {
    ...request,
    id: randomBytes(16).toString('base64url'),
    clientId: client.clientId,
    scopes: [...scopes],
    connectionCode: null,
    problem: null,
    typed: '',
  };
}
