/** `npm start` with the calendar in place of the generated connectors. */

import { createStartCommand } from '../../../../server/command.ts';
import { runCommand } from '../../../../shared/cli/run.ts';
import { calendarConnector } from './calendar.ts';

process.exitCode = await runCommand(createStartCommand([calendarConnector()]));
