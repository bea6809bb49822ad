/** Runs `npm run check:static`. */

import { runCommand } from '../../shared/cli/run.ts';
import { createStaticChecksCommand } from './command.ts';

process.exitCode = await runCommand(createStaticChecksCommand());
