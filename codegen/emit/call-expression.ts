/** The typed call of a tool: one openapi-fetch call in which every parameter that is sent is named. */

import type { ToolModel } from '../tools/types.ts';
import { bodyMembers } from './body-expression.ts';
import { block, stringLiteral } from './literal.ts';
import type { OperationTypes } from './operation-types.ts';
import { parameterMembers } from './parameter-expressions.ts';
import { bindings } from './value-expression.ts';

/** The arrow function of `call`, with lines after the first indented relative to the first. */
export function toCallFunction(tool: ToolModel, types: OperationTypes): string {
  const { call, operation } = tool;
  const usesArguments = tool.arguments.length > 0 && JSON.stringify(call).includes('"kind":"argument"');
  const init = block('{', initMembers(tool, types), '}');
  const lines = `client.${operation.method}(${stringLiteral(operation.path)}, ${init}),`.split('\n');
  const body = lines.map((line) => `  ${line}`).join('\n');
  return `(client, ${usesArguments ? 'args' : '_args'}, request) =>\n${body.replace(/,$/, '')}`;
}

function initMembers({ call, arguments: args }: ToolModel, types: OperationTypes): string[] {
  const optional = new Set(args.filter(({ required }) => !required).map(({ name }) => name));
  return [
    'baseUrl: request.baseUrl',
    'fetch: request.fetch',
    'signal: request.signal',
    "parseAs: 'stream'",
    ...parameterMembers(call, (place) => bindings(call[place], (name) => types.parameter(place, name), optional)),
    ...bodyMembers(call.body, types, optional),
  ];
}
