/** All pages for everybody, in matching order. */

import type Router from '@koa/router';
import type { RequestError } from '../../base/http/errors.ts';
import type { RequestState } from '../../base/http/state.ts';
import type { Limits } from '../../base/limits/index.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { createApiDescriptionRouter } from './api-description.ts';
import { createLandingRouter } from './index.ts';
import { createLlmsTxtRouter } from './llms-txt.ts';
import { createSecurityTxtRouter } from './security-txt.ts';
import { createToolPagesRouter } from './tools/index.ts';

/** What the pages show. */
interface LandingRoutesFacts {
  readonly publicUrl: string;
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly securityContacts: readonly string[];
  readonly catalogue: Catalogue;
  /** Whether there are pages about tools. */
  readonly hasToolPages: boolean;
  /** Path of the pages where an operator can try a tool; null: there are none here. */
  readonly tryPath: string | null;
  readonly limits: Limits;
  /** The endpoint's refusal of a request without credentials, under the requested host. */
  readonly challenge: (host: string) => RequestError;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createLandingRoutes(facts: LandingRoutesFacts): Router<RequestState>[] {
  const { publicUrl, hasToolPages, catalogue, limits, tryPath, securityContacts: contacts, now } = facts;
  return [
    createApiDescriptionRouter({ publicUrl }),
    createSecurityTxtRouter({ contacts, publicUrl, now }),
    createLlmsTxtRouter(facts),
    createLandingRouter(facts),
    ...(hasToolPages ? [createToolPagesRouter({ catalogue, limits, tryPath })] : []),
  ];
}
