/** What the consent page's form carries from step to step, sealed for the browser that began. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { PageStateRules } from '../../pages/sealed-form.ts';
import { SCOPES } from '../../principal/scopes.ts';
import type { AuthorizationRequest } from '../authorize/index.ts';

/** How long a page may stay open: enough to fetch a code from the partner's application. */
export const CONSENT_PAGE_TTL_SECONDS = 1800;

/** Enough for 2,000 tools whose names are as long as names can be. */
const MAX_FORM_BYTES = 262_144;

/** Why the last form was not taken. `wrong` says the same for a code that is unknown, used, expired or misspelt. */
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
 * One authorization request on its way through the page.
 *
 * `id` is random and names the page where wrong codes are counted. `connectionCode` is null until the first step is
 * done; then it is a code that could be used at that time. `typed` is what was typed for a code, to be corrected.
 */
export type ConsentPageState = Readonly<z.output<typeof SCHEMA>>;

/** What the consent page's form carries. */
export const CONSENT_PAGE: PageStateRules<ConsentPageState> = {
  purpose: 'authorization request',
  schema: SCHEMA,
  ttlSeconds: CONSENT_PAGE_TTL_SECONDS,
  maxFormBytes: MAX_FORM_BYTES,
};

/** What the first page carries for a request that passed every check. */
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
