/** Ends a call whose connection needs its user's attention. */

import { type Ending, refuse } from './ending.ts';

/** @param title of the service. */
export function needsAttention(title: string): Ending {
  return refuse('connection_needs_attention', {
    message: `${title} no longer accepts the credential of this connection.`,
    advice: `Calling again will not help: the user must connect ${title} again in the application that manages the connections.`,
  });
}
