/** The types of the partner client, made from the HTTP API's OpenAPI description. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const DESCRIPTION = 'docs/reference/gateway-openapi.yaml';
export const PARTNER_CLIENT_FILE = 'examples/partner-client/api.d.ts';

export async function emitPartnerClient(): Promise<string> {
  const file = path.join(import.meta.dirname, '../..', DESCRIPTION);
  const types = await openapiTS(pathToFileURL(file), { alphabetize: true, silent: true });
  return `// Written by \`npm run docs\` from ${DESCRIPTION}. Do not edit.\n${astToString(types)}`;
}
