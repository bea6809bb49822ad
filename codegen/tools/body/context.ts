/** The context that every reader of a body takes. */

import type { Resolve } from '../schema/readers.ts';

/** The parts of the descriptor that reading a body needs. */
export interface BodyContext {
  readonly resolve: Resolve;
  readonly openapi: '3.0' | '3.1';
}
