/** Runs `npm run demo`. */

import { runCommand } from '../cli/run.ts';
import { createDemoCommand } from './demo/command.ts';

process.exitCode = await runCommand(createDemoCommand());
