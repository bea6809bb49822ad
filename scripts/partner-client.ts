/** `npm run partner-client`: writes the types of the partner client from the HTTP API's OpenAPI description. */

import { runCommand } from '../cli/run.ts';
import { createPartnerClientCommand } from './partner-client/command.ts';

process.exitCode = await runCommand(createPartnerClientCommand());
