/** Runs `npm run large-descriptor`. */

import { runCommand } from '../shared/cli/run.ts';
import { createLargeDescriptorCommand } from './large-descriptor/command.ts';

process.exitCode = await runCommand(createLargeDescriptorCommand());
