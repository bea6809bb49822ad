/** `npm run partner-client`: writes the types of the partner client from the HTTP API's OpenAPI description. */

import { runCommand } from '../shared/cli/run.ts';
import { createPartnerClientCommand } from './partner-client/command.ts';

process.exitCode = await runCommand(createPartnerClientCommand());
