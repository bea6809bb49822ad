/** Runs `npm run faults`. */

import { runCommand } from '../shared/cli/run.ts';
import { createFaultsCommand } from './faults/command.ts';

process.exitCode = await runCommand(createFaultsCommand());
