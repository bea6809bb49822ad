/** Runs `npm run bench`. */

import { runCommand } from '../../shared/cli/run.ts';
import { createBenchCommand } from './command.ts';

process.exitCode = await runCommand(createBenchCommand());
