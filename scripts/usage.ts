/** Runs `npm run usage`. */

import { runCommand } from '../shared/cli/run.ts';
import { createUsageCommand } from './usage/command.ts';

process.exitCode = await runCommand(createUsageCommand());
