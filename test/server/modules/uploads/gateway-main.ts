/** A gateway that shares its SQLite file, with a library that takes files. */

import { runSharingGateway } from '../../../support/sharing-gateway.ts';
import { WORLD } from './support.ts';

await runSharingGateway(WORLD.connectors);
