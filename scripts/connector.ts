/** Runs `npm run connector`. */

import { runCommand } from '../shared/cli/run.ts';
import { createConnectorCommand } from './connector/command.ts';

process.exitCode = await runCommand(createConnectorCommand());
