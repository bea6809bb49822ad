/** A gateway that shares its SQLite file, with the calendar in place of the generated connectors. */

import { runSharingGateway } from '../../../support/sharing-gateway.ts';
import { calendarConnector } from './calendar.ts';

await runSharingGateway([calendarConnector()]);
