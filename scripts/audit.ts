/** Runs `npm run audit`. */

import { runCommand } from '../cli/run.ts';
import { createAuditCommand } from './audit/command.ts';

process.exitCode = await runCommand(createAuditCommand());
