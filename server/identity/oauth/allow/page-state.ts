/** State in the page's form: which tool to add to which grant, sealed for the browser that opened the page. */

import { z } from 'zod';
import type { PageStateRules } from '../../../base/pages/sealed-form.ts';
import { CONSENT_PAGE_TTL_SECONDS } from '../consent/page-state.ts';

const SCHEMA = z.object({ id: z.string(), grantId: z.string(), tool: z.string(), facts: z.string() });

/** `id` is random, and identifies the page for counting wrong codes. */
export type AllowPageState = Readonly<z.output<typeof SCHEMA>>;

export const ALLOW_PAGE: PageStateRules<AllowPageState> = {
  purpose: 'tool to allow',
  schema: SCHEMA,
  ttlSeconds: CONSENT_PAGE_TTL_SECONDS,
};
