/** `tools/<tool>.ts` of a hand-written tool: what a model reads, its risk, and the code that it runs. */

import { StructureKind } from 'ts-morph';
import { CONTRACT_MODULE } from '../../contract-module.ts';
import type { HandWrittenModel } from '../../tools/types.ts';
import { block, jsonLiteral } from '../literal.ts';
import { exportedConstant, type Statement } from '../source-file.ts';

/** @param identifier Name of the exported constant. */
export function toHandWrittenStatements(tool: HandWrittenModel, identifier: string): Statement[] {
  return [
    {
      kind: StructureKind.ImportDeclaration,
      isTypeOnly: true,
      namedImports: ['HandWrittenTool'],
      moduleSpecifier: CONTRACT_MODULE,
    },
    { kind: StructureKind.ImportDeclaration, namedImports: ['tool'], moduleSpecifier: `../../../${tool.file}` },
    exportedConstant(identifier, 'HandWrittenTool', block('{', toolMembers(tool), '}')),
  ];
}

function toolMembers(tool: HandWrittenModel): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
  return [
    member('name', tool.name),
    ...(tool.aliases === undefined ? [] : [member('aliases', tool.aliases)]),
    member('title', tool.title),
    member('description', tool.description),
    member('uses', tool.uses),
    member('code', tool.code),
    member('annotations', { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }),
    ...(tool.scopes.length === 0 ? [] : [member('scopes', tool.scopes)]),
    member('inputSchema', tool.inputSchema),
    member('outputSchema', tool.outputSchema),
    'run: tool.run',
  ];
}

function member(name: string, value: unknown): string {
  return `${name}: ${jsonLiteral(value, 2, name.length + 2)}`;
}
