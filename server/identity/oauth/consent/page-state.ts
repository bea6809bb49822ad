/** State that the consent page's form carries from step to step, sealed for the browser that began. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { PageStateRules } from '../../../base/pages/sealed-form.ts';
import { SCOPES } from '../../../base/principal/scopes.ts';
import type { AuthorizationRequest } from '../authorize.ts';

/** How long a page may stay open: enough to get a code from the partner's application. */
export const CONSENT_PAGE_TTL_SECONDS = 1800;

/** Enough for 2,000 tools with names of the maximum length. */
const MAX_FORM_BYTES = 262_144;

/** Why the last form was not accepted. `wrong` covers codes that are unknown, used, expired or misspelt. */
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

export const CONSENT_PAGE: PageStateRules<ConsentPageState> = {
  purpose: 'authorization request',
  schema: SCHEMA,
  ttlSeconds: CONSENT_PAGE_TTL_SECONDS,
  maxFormBytes: MAX_FORM_BYTES,
};

/** The state of the first page, for a valid request. */
export function toPageState(request: AuthorizationRequest): ConsentPageState {
  return {
    id: randomBytes(16).toString('base64url'),
    clientId: request.client.clientId,
    redirectUri: request.redirectUri,
    state: request.state,
    codeChallenge: request.codeChallenge,
    resource: request.resource,
    scopes: [...request.scopes],
    connectionCode: null,
    problem: null,
    typed: '',
  };
}
