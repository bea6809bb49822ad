/** The `state` of an upstream's sign-in: sealed for the browser that began it. */

import { z } from 'zod';
import type { PageStateRules } from '../../base/pages/sealed-form.ts';
import { PAGE_STATE } from '../visit/page-state.ts';

const SCHEMA = z.object({
  page: PAGE_STATE,
  /** Position among the connector's kinds of credential. */
  kindIndex: z.number(),
  /** Row id of the upstream client that sends the request. */
  client: z.string(),
  /** RFC 7636 §4.1; null if the upstream does not support PKCE. */
  codeVerifier: z.string().nullable(),
  scopes: z.array(z.string()).readonly(),
  /** Values that were typed in addition. */
  fields: z.record(z.string(), z.string()),
});

/** An authorization request that waits for its answer. */
export type PendingAuthorization = Readonly<z.output<typeof SCHEMA>>;

/** The `state` is opaque to the upstream, and only opens with the browser's cookie (RFC 9700 §4.7.1). */
export const PENDING_AUTHORIZATION: PageStateRules<PendingAuthorization> = {
  purpose: 'upstream authorization',
  schema: SCHEMA,
  ttlSeconds: 1800,
};
