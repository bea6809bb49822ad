/** A gateway that shares its SQLite file, with a library of which one tool waits for the end of work. */

import { runSharingGateway } from '../../../support/sharing-gateway.ts';
import { slowLibrary } from './connector.ts';

await runSharingGateway([slowLibrary()]);
