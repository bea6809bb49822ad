/** Runs `npm run drift`. */

import { runCommand } from '../cli/run.ts';
import { createDriftCommand } from './drift/command.ts';

process.exitCode = await runCommand(createDriftCommand());
