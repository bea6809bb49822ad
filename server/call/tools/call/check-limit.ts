/** Stage `limit`: calls per user. Servers MUST limit invocations (MCP, Tools, Security considerations). */

import type { Call } from './call.ts';
import { type Ending, refuse } from './ending.ts';

/** Ends the call of a user who made too many requests. They were counted when the request arrived. */
export function checkLimit({ context: { waitSeconds } }: Pick<Call, 'context'>): Ending | null {
  if (waitSeconds === null) return null;
  return refuse('too_many_calls', {
    message: 'This user has made too many tool calls.',
    advice: `Wait ${waitSeconds} seconds, then call again.`,
    retryAfterSeconds: waitSeconds,
  });
}
