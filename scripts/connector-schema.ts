/** Rewrites the JSON Schema of connector.yaml that editors complete from. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { CONNECTOR_SCHEMA_FILE, emitConnectorSchema } from '../codegen/load/connector-schema.ts';

writeFileSync(path.join(import.meta.dirname, '..', CONNECTOR_SCHEMA_FILE), emitConnectorSchema());
console.log(`${CONNECTOR_SCHEMA_FILE} is up to date.`);
