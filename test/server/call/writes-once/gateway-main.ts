/** `npm start` with the library in place of the generated connectors. */

import { createStartCommand } from '../../../../server/command.ts';
import { runCommand } from '../../../../shared/cli/run.ts';
import { libraryConnector } from './connector.ts';

process.exitCode = await runCommand(createStartCommand([libraryConnector()]));
