/** Runs `npm start`. The only program in `server/`. */

import { runCommand } from '../cli/run.ts';
import { createStartCommand } from './command.ts';
import { loadConnectors } from './tools/catalogue/connectors.ts';

process.exitCode = await runCommand(createStartCommand(await loadConnectors()));
