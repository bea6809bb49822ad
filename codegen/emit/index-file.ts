/** `generated/index.ts`: one line per service. */

import { CONTRACT_MODULE } from '../contract-module.ts';
import { block } from './literal.ts';
import { toIdentifiers, toServiceIdentifier } from './names.ts';
import { exportedConstant, importOf, typeImportOf } from './source-file.ts';

/** @param names services, in the order in which the gateway lists them. */
export function toIndexStatements(names: readonly string[]): string[] {
  const identifiers = toIdentifiers(names);
  return [
    typeImportOf(CONTRACT_MODULE, 'GeneratedConnector'),
    ...names.map((name) => {
      const exported = toServiceIdentifier(name);
      const alias = identifiers.get(name) ?? name;
      return importOf(`./${name}/index.ts`, exported === alias ? exported : `${exported} as ${alias}`);
    }),
    exportedConstant('connectors', 'readonly GeneratedConnector[]', block('[', [...identifiers.values()], ']')),
  ];
}
