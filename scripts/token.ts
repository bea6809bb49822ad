/** Runs `npm run token`. */

import { runCommand } from '../cli/run.ts';
import { createTokenCommand } from './token/command.ts';

process.exitCode = await runCommand(createTokenCommand());
