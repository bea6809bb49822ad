/** What the command tree knows about a command before its module is loaded. */

import type { Command } from 'commander';

export interface Listed {
  /** As in the command's own help. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
  /** It needs packages that a production installation of the gateway omits. */
  readonly needsPeers?: true;
}
