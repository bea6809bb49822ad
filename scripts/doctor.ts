/** Runs `npm run doctor`. */

import { runCommand } from '../shared/cli/run.ts';
import { createDoctorCommand } from './doctor/command.ts';

process.exitCode = await runCommand(createDoctorCommand());
