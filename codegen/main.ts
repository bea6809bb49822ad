/** `npm run codegen`. */

import { runCommand } from '../shared/cli/run.ts';
import { createCodegenCommand } from './command.ts';

process.exitCode = await runCommand(createCodegenCommand());
