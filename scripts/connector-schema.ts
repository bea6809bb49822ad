/** Rewrites what is made of the schema of connector.yaml: the JSON Schema for editors, and the page of its keys. `--check` only compares. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CONNECTOR_SCHEMA_FILE, emitConnectorSchema } from '../codegen/load/connector-schema.ts';
import { CONNECTOR_REFERENCE_FILE, emitConnectorReference } from '../codegen/load/reference/page.ts';

const isCheck = process.argv.includes('--check');

for (const [name, text] of [
  [CONNECTOR_SCHEMA_FILE, emitConnectorSchema()],
  [CONNECTOR_REFERENCE_FILE, emitConnectorReference()],
] as const) {
  const file = path.join(import.meta.dirname, '..', name);
  if (!isCheck) writeFileSync(file, text);
  const isUpToDate = readFileSync(file, 'utf8') === text;
  if (!isUpToDate) process.exitCode = 1;
  console.log(
    `${name} ${isUpToDate ? 'is up to date' : 'is not: run node scripts/node.mjs scripts/connector-schema.ts'}.`,
  );
}
