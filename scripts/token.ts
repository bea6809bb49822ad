/** Runs `npm run token`. */

import { runCommand } from '../shared/cli/run.ts';
import { createTokenCommand } from './token/command.ts';

process.exitCode = await runCommand(createTokenCommand());
