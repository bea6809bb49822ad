/** `generated/index.ts`: one line per service. */

import { StructureKind } from 'ts-morph';
import { CONTRACT_MODULE } from '../contract-module.ts';
import { block } from './literal.ts';
import { toIdentifiers, toServiceIdentifier } from './names.ts';
import { exportedConstant, type Statement } from './source-file.ts';

/** @param names services, in the order in which the gateway lists them. */
export function toIndexStatements(names: readonly string[]): Statement[] {
  const identifiers = toIdentifiers(names);
  return [
    {
      kind: StructureKind.ImportDeclaration,
      isTypeOnly: true,
      namedImports: ['GeneratedConnector'],
      moduleSpecifier: CONTRACT_MODULE,
    },
    ...names.map((name) => ({
      kind: StructureKind.ImportDeclaration as const,
      namedImports: [toImport(toServiceIdentifier(name), identifiers.get(name) ?? name)],
      moduleSpecifier: `./${name}/index.ts`,
    })),
    exportedConstant('connectors', 'readonly GeneratedConnector[]', block('[', [...identifiers.values()], ']')),
  ];
}

function toImport(name: string, alias: string) {
  return name === alias ? { name } : { name, alias };
}
