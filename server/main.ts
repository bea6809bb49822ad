/** Runs `npm start`. The only program in `server/`. */

import { runCommand } from '../shared/cli/run.ts';
import { loadConnectors, NoConnectorsError } from './call/tools/catalogue/connectors.ts';
import { createStartCommand } from './command.ts';

try {
  process.exitCode = await runCommand(createStartCommand(await loadConnectors()));
} catch (error) {
  if (!(error instanceof NoConnectorsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
