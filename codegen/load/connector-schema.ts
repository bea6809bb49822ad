/** The published JSON Schema of `connector.yaml`, for editors. */

import { z } from 'zod';
import { connectorConfigSchema } from './connector-config.ts';

/** Its committed file, relative to the project's root. Written by `npm run docs`. */
export const CONNECTOR_SCHEMA_FILE = 'codegen/load/connector.schema.json';

/**
 * The text of that file: draft 7, which every YAML editor understands.
 *
 * An editor finds it through `# yaml-language-server: $schema=../../codegen/load/connector.schema.json` at the top of a
 * `connector.yaml`. It covers the shape; `connector-rules.ts` and the later stages check more.
 */
export function emitConnectorSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(connectorConfigSchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const title = 'connector.yaml: what we decided about one service';
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`;
}
