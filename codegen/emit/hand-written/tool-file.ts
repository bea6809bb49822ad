/** `tools/<tool>.ts` of a hand-written tool: what a model reads, its risk, and the code that it runs. */

import { CONTRACT_MODULE } from '../../contract-module.ts';
import type { HandWrittenModel } from '../../tools/types.ts';
import { block, jsonMembers, unlessEmpty } from '../literal.ts';
import { exportedConstant, importOf, typeImportOf } from '../source-file.ts';

/** @param identifier Name of the exported constant. */
export function toHandWrittenStatements(tool: HandWrittenModel, identifier: string): string[] {
  return [
    typeImportOf(CONTRACT_MODULE, 'HandWrittenTool'),
    importOf(`../../../${tool.file}`, 'tool'),
    exportedConstant(identifier, 'HandWrittenTool', block('{', toolMembers(tool), '}')),
  ];
}

function toolMembers(tool: HandWrittenModel): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
  return [
    ...jsonMembers({
      name: tool.name,
      aliases: tool.aliases,
      title: tool.title,
      description: tool.description,
      uses: tool.uses,
      code: tool.code,
      annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
      scopes: unlessEmpty(tool.scopes),
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
    }),
    'run: tool.run',
  ];
}
