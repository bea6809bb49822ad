/** For routes whose answers must not be cached. */

import type { GatewayMiddleware } from './state.ts';

/** Stops caches from storing answers and refusals (RFC 6749 §5.1). */
export const noStore: GatewayMiddleware = async (ctx, next) => {
  ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  await next();
};
