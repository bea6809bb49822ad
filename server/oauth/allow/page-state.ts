/** What the form of the page carries: which grant is to have which tool, sealed for the browser that opened it. */

import { z } from 'zod';
import type { PageStateRules } from '../../pages/sealed-form.ts';
import { CONSENT_PAGE_TTL_SECONDS } from '../consent/page-state.ts';

const SCHEMA = z.object({ id: z.string(), grantId: z.string(), tool: z.string(), facts: z.string() });

/** `id` is random and names the page where wrong codes are counted. */
export type AllowPageState = Readonly<z.output<typeof SCHEMA>>;

export const ALLOW_PAGE: PageStateRules<AllowPageState> = {
  purpose: 'tool to allow',
  schema: SCHEMA,
  ttlSeconds: CONSENT_PAGE_TTL_SECONDS,
};
