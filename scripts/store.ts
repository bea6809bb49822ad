/** Runs `npm run store`. */

import { runCommand } from '../shared/cli/run.ts';
import { createStoreCommand } from './store/command.ts';

process.exitCode = await runCommand(createStoreCommand());
