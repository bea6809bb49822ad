/** `client.ts`: the openapi-fetch client of one service, with the types of its `schema.d.ts`; for developers, not used by tools. */

import { StructureKind } from 'ts-morph';
import type { Statement } from './source-file.ts';

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
    {
      kind: StructureKind.ImportDeclaration,
      isTypeOnly: true,
      namedImports: ['paths'],
      moduleSpecifier: './schema.d.ts',
    },
    {
      kind: StructureKind.TypeAlias,
      isExported: true,
      name: 'Client',
      type: 'OpenapiClient<paths>',
      leadingTrivia: '\n',
    },
    {
      kind: StructureKind.Function,
      isExported: true,
      name: 'createClient',
      parameters: [{ name: 'options', type: 'ClientOptions', hasQuestionToken: true }],
      returnType: 'Client',
      statements: ['return createOpenapiClient<paths>(options);'],
    },
  ];
}
