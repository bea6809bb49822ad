/** Runs `npm run tools:diff`. */

import { runCommand } from '../shared/cli/run.ts';
import { createToolsDiffCommand } from './tools-diff/command.ts';

process.exitCode = await runCommand(createToolsDiffCommand());
