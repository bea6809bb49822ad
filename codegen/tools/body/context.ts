/** The context that every reader of a body takes. */

import type { Resolve } from '../schema/readers.ts';

/** What reading a body needs to know of its descriptor. */
export interface BodyContext {
  readonly resolve: Resolve;
  readonly openapi: '3.0' | '3.1';
}
