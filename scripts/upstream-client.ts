/** Runs `npm run upstream-client`. */

import { runCommand } from '../shared/cli/run.ts';
import { createUpstreamClientCommand } from './upstream-client/command.ts';

process.exitCode = await runCommand(createUpstreamClientCommand());
