/** The origin of a request, for audit events. */

import type { Context } from 'koa';
import type { RequestState } from './state.ts';

/** Part of an audit event. */
export interface RequestOrigin {
  /** IP address. */
  readonly address: string;
  readonly requestId: string;
  /** Name of the operator who sent it from the dashboard. */
  readonly operator?: string;
}

/** Longer than any IP address; a proxy's header may hold anything. */
const MAX_ADDRESS_LENGTH = 64;

export function originOf(
  ctx: Pick<Context, 'ip'> & { state: Pick<RequestState, 'requestId' | 'operator'> },
): RequestOrigin {
  const { requestId, operator } = ctx.state;
  return { address: ctx.ip.slice(0, MAX_ADDRESS_LENGTH), requestId, ...(operator === undefined ? {} : { operator }) };
}
