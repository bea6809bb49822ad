/** Runs `npm run screenshots`. */

import { runCommand } from '../shared/cli/run.ts';
import { createScreenshotsCommand } from './screenshots/command.ts';

process.exitCode = await runCommand(createScreenshotsCommand());
