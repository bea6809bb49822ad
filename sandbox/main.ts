/** Runs `npm run sandbox`. */

import { runCommand } from '../shared/cli/run.ts';
import { createSandboxCommand } from './command.ts';

process.exitCode = await runCommand(createSandboxCommand());
