/** What travels through an upstream's sign-in as `state`: sealed, and for the browser that began. */

import { z } from 'zod';
import type { PageStateRules } from '../../pages/sealed-form.ts';
import { PAGE_STATE } from '../visit/page-state.ts';

const SCHEMA = z.object({
  page: PAGE_STATE,
  /** Position among the connector's kinds of credential. */
  kindIndex: z.number(),
  /** Row id of the upstream client that asks. */
  client: z.string(),
  /** RFC 7636 §4.1; null where the upstream does not know PKCE. */
  codeVerifier: z.string().nullable(),
  scopes: z.array(z.string()).readonly(),
  /** What was typed besides. */
  fields: z.record(z.string(), z.string()),
});

/** An authorization request on its way. */
export type PendingAuthorization = Readonly<z.output<typeof SCHEMA>>;

/** The `state` is opaque to the upstream, and opens for the browser's cookie only (RFC 9700 §4.7.1). */
export const PENDING_AUTHORIZATION: PageStateRules<PendingAuthorization> = {
  purpose: 'upstream authorization',
  schema: SCHEMA,
  ttlSeconds: 1800,
};
