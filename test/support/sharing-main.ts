/** A gateway with the generated connectors that shares its SQLite file. */

import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { runSharingGateway } from './sharing-gateway.ts';

await runSharingGateway(await loadConnectors());
