/** A gateway that shares its SQLite file, with the library in place of the generated connectors. */

import { runSharingGateway } from '../../../support/sharing-gateway.ts';
import { libraryConnector } from './connector.ts';

await runSharingGateway([libraryConnector()]);
