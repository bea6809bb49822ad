/** Runs `npm run demo`. */

import { runCommand } from '../../shared/cli/run.ts';
import { createDemoCommand } from './command.ts';

process.exitCode = await runCommand(createDemoCommand());
