/** Runs `npm run operator`. */

import { runCommand } from '../cli/run.ts';
import { createOperatorCommand } from './operator/command.ts';

process.exitCode = await runCommand(createOperatorCommand());
