/** The dependencies of the public pages and files. */

import type { RequestError } from '../../base/http/errors.ts';
import type { Limits } from '../../base/limits/index.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';

export interface LandingContext {
  readonly publicUrl: string;
  /** Address of the MCP endpoint. */
  readonly endpoint: string;
  readonly catalogue: Catalogue;
  /** True if there are pages about tools. */
  readonly hasToolPages: boolean;
  /** True if there is a page that shows the HTTP API. */
  readonly hasExplorer: boolean;
  /** Path of the pages where an operator can try a tool. Null if this site has no such pages. */
  readonly tryPath: string | null;
  readonly limits: Limits;
  /** The endpoint's refusal of a request without credentials, under the requested host. */
  readonly challenge: (host: string) => RequestError;
}
