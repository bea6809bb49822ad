/** An incoming request, and what can be wrong with it. */

import type { QueryPair } from '../decode/query.ts';

/** One thing that the descriptor does not allow. */
export interface Violation {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'method';
  /** The parameter's name, or a JSON pointer into the body; empty: the whole body. */
  readonly name: string;
  readonly message: string;
}

export interface IncomingRequest {
  readonly method: string;
  /** Percent-encoded, without the service's prefix and the query. */
  readonly pathname: string;
  /** Without parameters that carry a credential. */
  readonly query: readonly QueryPair[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
