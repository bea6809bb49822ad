/** Runs `npm run grants`. */

import { runCommand } from '../shared/cli/run.ts';
import { createGrantsCommand } from './grants/command.ts';

process.exitCode = await runCommand(createGrantsCommand());
