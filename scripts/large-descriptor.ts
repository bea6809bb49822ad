/** Runs `npm run large-descriptor`. */

import { runCommand } from '../cli/run.ts';
import { createLargeDescriptorCommand } from './large-descriptor/command.ts';

process.exitCode = await runCommand(createLargeDescriptorCommand());
