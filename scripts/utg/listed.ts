/** What the command tree knows of a command before its module is loaded. */

import type { Command } from 'commander';

export interface Listed {
  /** As the command's own help has it. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
  /** It needs the packages that a gateway in production is installed without. */
  readonly needsPeers?: true;
}
