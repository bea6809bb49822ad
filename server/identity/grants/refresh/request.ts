/** A request for the next tokens of a grant, and the exchange that it belongs to. */

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

/**
 * An exchange of a refresh token for its successor. It lasts from the first request with the token until the successor is issued, and every request
 * that arrives meanwhile and passes every check joins it.
 */
export interface RefreshExchange {
  /** Row id of the token. */
  readonly tokenId: string;
  readonly tokenHash: string;
  readonly grantId: string;
  /** Time at which the successor is due, in milliseconds since 1970; identifies the exchange. */
  readonly issuesAt: number;
  /** Scopes of the access token. */
  readonly scopes: readonly Scope[];
  /** The tokens for every request of the exchange with these scopes. */
  readonly pair: TokenPair;
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
