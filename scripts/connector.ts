/** Runs `npm run connector`. */

import { runCommand } from '../cli/run.ts';
import { createConnectorCommand } from './connector/command.ts';

process.exitCode = await runCommand(createConnectorCommand());
