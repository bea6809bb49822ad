/** `define-tool.ts` of a service: what its generated tools take and return, as types for the hand-written ones. */

import { CONTRACT_MODULE } from '../../contract-module.ts';
import { methodKey } from '../../model/methods.ts';
import type { ToolModel } from '../../tools/types.ts';
import { toTypeScriptType } from '../json-schema-type.ts';
import { memberName, stringLiteral } from '../literal.ts';
import { typeImportOf } from '../source-file.ts';

/** `Calls` by tool name, and `defineTool`, which returns its argument unchanged and exists only for its types. */
export function toDefineToolStatements(tools: readonly ToolModel[]): string[] {
  const calls = tools.map(toCall);
  const contractTypes = ['AnswerOf', 'ItemsOf', 'ObjectSchema', 'PageOf', 'ToolDefinition'];
  const imports = calls.some((call) => call.includes('paths[')) ? [typeImportOf('./schema.d.ts', 'paths')] : [];
  return [
    typeImportOf(
      CONTRACT_MODULE,
      ...contractTypes.filter((name) => /^(Obj|Tool)/.test(name) || calls.some((call) => call.includes(`${name}<`))),
    ),
    ...imports,
    `\nexport type Calls = {\n${calls.join('')}};`,
    DEFINE_TOOL,
  ];
}

const DEFINE_TOOL = `
export function defineTool<
  const Uses extends keyof Calls,
  const Input extends ObjectSchema,
  const Output extends ObjectSchema,
>(tool: ToolDefinition<Calls, Uses, Input, Output>): ToolDefinition<Calls, Uses, Input, Output> {
  return tool;
}`;

function toCall(tool: ToolModel): string {
  const members = tool.arguments.map(
    ({ name, required, schema }) => `      ${memberName(name)}${required ? '' : '?'}: ${toTypeScriptType(schema)};\n`,
  );
  const args = members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}    }`;
  return `  ${tool.name}: {\n    arguments: ${args};\n    answer: ${toAnswer(tool)};\n  };\n`;
}

/** Rows are keyed by names that do not come from the descriptor. */
function toAnswer({ name, operation, result, page, mcp }: ToolModel): string {
  const type = `paths[${stringLiteral(operation.path)}][${stringLiteral(methodKey(operation.method))}]`;
  const ofOperation = mcp === undefined ? `AnswerOf<${type}>` : 'Record<string, unknown>';
  const published = result.wrapItems ? `ItemsOf<${ofOperation}>` : ofOperation;
  const answer = result.rows === null ? published : 'Record<string, unknown>';
  return page === null ? answer : `${answer} & PageOf<Calls[${stringLiteral(name)}]['arguments']>`;
}
