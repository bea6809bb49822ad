/** Runs `npm start`. The only program in `server/`. */

import { runCommand } from '../cli/run.ts';
import { createStartCommand } from './command.ts';
import { loadConnectors, NoConnectorsError } from './tools/catalogue/connectors.ts';

try {
  process.exitCode = await runCommand(createStartCommand(await loadConnectors()));
} catch (error) {
  if (!(error instanceof NoConnectorsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
