/** `npm start` with the calendar in place of the generated connectors. */

import { runCommand } from '../../../cli/run.ts';
import { createStartCommand } from '../../../server/command.ts';
import { calendarConnector } from './calendar.ts';

process.exitCode = await runCommand(createStartCommand([calendarConnector()]));
