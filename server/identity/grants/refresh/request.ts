/** A request for the next tokens of a grant, and the use of the refresh token that it makes. */

import type { ServerResponse } from 'node:http';
import type { RequestOrigin } from '../../../base/http/request-origin.ts';
import type { Scope } from '../../../base/principal/permission.ts';
import type { Form } from '../../protocol/form.ts';
import type { TokenPair } from '../issue-tokens.ts';

export interface RefreshRequest {
  readonly form: Form;
  /** For audit events. */
  readonly origin: RequestOrigin;
  /** Aborts when the client disconnects before it has its answer. */
  readonly disconnected: AbortSignal;
}

/** The use of a refresh token that this request may make: it is decided by one compare-and-set of the token's row. */
export interface RefreshUse {
  /** Row id of the token. */
  readonly tokenId: string;
  readonly grantId: string;
  /** `sharedUntil` and `sealedSeed` as the row had them; another request was faster if they differ by now. */
  readonly previous: number | null;
  readonly previousSeed: string | null;
  /** Time until which later requests with the token get the same tokens, in milliseconds since 1970. */
  readonly sharedUntil: number;
  /** What the tokens are derived from, for those requests. Null if there can be none. */
  readonly sealedSeed: string | null;
  /** Scopes of the access token. */
  readonly scopes: readonly Scope[];
  readonly pair: TokenPair;
  /** The addresses that the token came from, this request's last. */
  readonly senders: readonly string[];
}

/** Aborts when the connection closes before the answer is written. */
export function disconnectedOf(response: ServerResponse): AbortSignal {
  const abort = new AbortController();
  if (response.destroyed) abort.abort();
  response.once('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  return abort.signal;
}
