/** Where a request came from, as its audit event says it. */

import type { Context } from 'koa';
import type { RequestState } from './state.ts';

/** Goes into an audit event as it is. */
export interface RequestOrigin {
  /** IP address. */
  readonly address: string;
  readonly requestId: string;
}

/** Longer than any IP address; a proxy's header may hold anything. */
const MAX_ADDRESS_LENGTH = 64;

export function originOf(ctx: Pick<Context, 'ip'> & { state: Pick<RequestState, 'requestId'> }): RequestOrigin {
  return { address: ctx.ip.slice(0, MAX_ADDRESS_LENGTH), requestId: ctx.state.requestId };
}
