/** Runs `npm run drift`. */

import { runCommand } from '../shared/cli/run.ts';
import { createDriftCommand } from './drift/command.ts';

process.exitCode = await runCommand(createDriftCommand());
