/** The origin of a request, for audit events. */

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

/** A request and who sent it; part of Koa's context. */
interface RequestContext {
  /** IP address. */
  readonly ip: string;
  readonly state: { readonly requestId: string; readonly operator?: string | undefined };
}

/** Returns the origin of a request. */
export function originOf({ ip, state }: RequestContext): RequestOrigin {
  const { requestId, operator } = state;
  const address = ip.slice(0, MAX_ADDRESS_LENGTH);
  return operator === undefined ? { address, requestId } : { address, requestId, operator };
}
