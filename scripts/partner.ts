/** Runs `npm run partner`. */

import { runCommand } from '../shared/cli/run.ts';
import { createPartnerCommand } from './partner/command.ts';

process.exitCode = await runCommand(createPartnerCommand());
