/** Runs `npm run check:static`. */

import { runCommand } from '../../cli/run.ts';
import { createStaticChecksCommand } from './command.ts';

process.exitCode = await runCommand(createStaticChecksCommand());
