/** `client.ts`: the openapi-fetch client of one service, with the types of its `schema.d.ts`; for developers, not used by tools. */

import { StructureKind } from 'ts-morph';
import { type Statement, typeImportOf } from './source-file.ts';

export function toClientStatements(): Statement[] {
  return [
    {
      kind: StructureKind.ImportDeclaration,
      defaultImport: 'createOpenapiClient',
      namedImports: [
        { name: 'Client', alias: 'OpenapiClient', isTypeOnly: true },
        { name: 'ClientOptions', isTypeOnly: true },
      ],
      moduleSpecifier: 'openapi-fetch',
    },
    typeImportOf('./schema.d.ts', 'paths'),
    CLIENT,
  ];
}

const CLIENT = `
export type Client = OpenapiClient<paths>;

export function createClient(options?: ClientOptions): Client {
  return createOpenapiClient<paths>(options);
}`;
