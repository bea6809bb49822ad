/** `client.ts`: the openapi-fetch client of one service, with the types of its `schema.d.ts`; for developers, not used by tools. */

import { typeImportOf } from './source-file.ts';

export function toClientStatements(): string[] {
  return [
    "import createOpenapiClient, { type Client as OpenapiClient, type ClientOptions } from 'openapi-fetch';",
    typeImportOf('./schema.d.ts', 'paths'),
    CLIENT,
  ];
}

const CLIENT = `
export type Client = OpenapiClient<paths>;

export function createClient(options?: ClientOptions): Client {
  return createOpenapiClient<paths>(options);
}`;
