/** Runs `npm run keys`. */

import { runCommand } from '../shared/cli/run.ts';
import { createKeysCommand } from './keys/command.ts';

process.exitCode = await runCommand(createKeysCommand());
