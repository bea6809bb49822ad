/** Runs `npm run package`. */

import { runCommand } from '../shared/cli/run.ts';
import { createPackageCommand } from './package/command.ts';

process.exitCode = await runCommand(createPackageCommand());
