/** `npm start` with the library in place of the generated connectors. */

import { runCommand } from '../../../cli/run.ts';
import { createStartCommand } from '../../../server/command.ts';
import { libraryConnector } from './connector.ts';

process.exitCode = await runCommand(createStartCommand([libraryConnector()]));
