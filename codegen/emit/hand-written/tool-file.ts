/** `tools/<tool>.ts` of a hand-written tool: what a model reads, its risk, and the code that it runs. */

import { CONTRACT_MODULE } from '../../contract-module.ts';
import type { HandWrittenModel } from '../../tools/types.ts';
import { block, jsonMember } from '../literal.ts';
import { exportedConstant, importOf, type Statement, typeImportOf } from '../source-file.ts';

/** @param identifier Name of the exported constant. */
export function toHandWrittenStatements(tool: HandWrittenModel, identifier: string): Statement[] {
  return [
    typeImportOf(CONTRACT_MODULE, 'HandWrittenTool'),
    importOf(`../../../${tool.file}`, 'tool'),
    exportedConstant(identifier, 'HandWrittenTool', block('{', toolMembers(tool), '}')),
  ];
}

function toolMembers(tool: HandWrittenModel): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
  return [
    jsonMember('name', tool.name),
    ...(tool.aliases === undefined ? [] : [jsonMember('aliases', tool.aliases)]),
    jsonMember('title', tool.title),
    jsonMember('description', tool.description),
    jsonMember('uses', tool.uses),
    jsonMember('code', tool.code),
    jsonMember('annotations', { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }),
    ...(tool.scopes.length === 0 ? [] : [jsonMember('scopes', tool.scopes)]),
    jsonMember('inputSchema', tool.inputSchema),
    jsonMember('outputSchema', tool.outputSchema),
    'run: tool.run',
  ];
}
