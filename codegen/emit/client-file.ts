/** `client.ts`: the openapi-fetch client of one service, with the types of its `schema.d.ts`; for developers, not used by tools. */

export const CLIENT_STATEMENTS = [
  "import createOpenapiClient, { type Client as OpenapiClient, type ClientOptions } from 'openapi-fetch';",
  "import type { paths } from './schema.d.ts';",
  `
export type Client = OpenapiClient<paths>;

export function createClient(options?: ClientOptions): Client {
  return createOpenapiClient<paths>(options);
}`,
];
