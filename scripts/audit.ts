/** Runs `npm run audit`. */

import { runCommand } from '../shared/cli/run.ts';
import { createAuditCommand } from './audit/command.ts';

process.exitCode = await runCommand(createAuditCommand());
