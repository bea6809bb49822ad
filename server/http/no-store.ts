/** For routes whose answers no one keeps. */

import type { GatewayMiddleware } from './state.ts';

/** Lets no cache keep answers and refusals (RFC 6749 §5.1). */
export const noStore: GatewayMiddleware = async (ctx, next) => {
  ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  await next();
};
