/** Runs `npm run operator`. */

import { runCommand } from '../shared/cli/run.ts';
import { createOperatorCommand } from './operator/command.ts';

process.exitCode = await runCommand(createOperatorCommand());
