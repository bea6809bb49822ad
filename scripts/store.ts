/** Runs `npm run store`. */

import { runCommand } from '../cli/run.ts';
import { createStoreCommand } from './store/command.ts';

process.exitCode = await runCommand(createStoreCommand());
