/** `tools/<tool>.ts`: one complete tool, in the order in which a reviewer reads it. */

import { CONTRACT_MODULE } from '../contract-module.ts';
import type { ToolModel } from '../tools/types.ts';
import { block, jsonMember } from './literal.ts';
import { toRequestLiteral } from './request-data.ts';
import { exportedConstant, type Statement, typeImportOf } from './source-file.ts';

/**
 * Identity, what the model reads, the operation, risk and scopes, input and its checks, output, where each argument is
 * sent, and last the types that the request is checked against.
 *
 * The request is checked against `schema.d.ts`: if the descriptor drops a path, parameter or body member that the tool
 * sends, the tool fails to compile.
 *
 * @param identifier Name of the exported constant.
 * @param firstServer of the connector: tools that call it do not name it.
 * @param bodyNames that the tool describes of a body that is one argument
 */
export function toToolStatements(
  tool: ToolModel,
  identifier: string,
  firstServer: string | undefined,
  bodyNames: readonly string[],
): Statement[] {
  return [
    typeImportOf(CONTRACT_MODULE, 'GeneratedTool', 'RequestOf'),
    typeImportOf('../schema.d.ts', 'paths'),
    exportedConstant(identifier, 'GeneratedTool', block('{', toolMembers(tool, firstServer, bodyNames), '}')),
  ];
}

function toolMembers(tool: ToolModel, firstServer: string | undefined, bodyNames: readonly string[]): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
  const { id, method, path, target, server } = tool.operation;
  const { wrapItems, rows, mayBeEmpty, keep } = tool.result;
  const result = {
    ...(mayBeEmpty ? { mayBeEmpty } : {}),
    ...(wrapItems ? { wrapItems } : {}),
    ...(rows === null ? {} : { rows }),
    ...(keep === undefined ? {} : { keep }),
  };
  return [
    jsonMember('name', tool.name),
    ...(tool.aliases === undefined ? [] : [jsonMember('aliases', tool.aliases)]),
    jsonMember('title', tool.title),
    jsonMember('description', tool.description),
    jsonMember('operation', { id, method, path, target, server: server === firstServer ? undefined : server }),
    jsonMember('annotations', { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }),
    ...(tool.scopes.length === 0 ? [] : [jsonMember('scopes', tool.scopes)]),
    jsonMember('inputSchema', tool.inputSchema),
    ...(tool.gatewayArguments === undefined ? [] : [jsonMember('gatewayArguments', tool.gatewayArguments)]),
    ...(tool.agreements.length === 0 ? [] : [jsonMember('agreements', tool.agreements)]),
    ...(Object.keys(tool.reservedSegments).length === 0 ? [] : [jsonMember('reservedSegments', tool.reservedSegments)]),
    jsonMember('outputSchema', tool.outputSchema),
    ...(tool.page === null ? [] : [jsonMember('page', withoutNulls(tool.page))]),
    ...(Object.keys(result).length === 0 ? [] : [jsonMember('result', result)]),
    ...(tool.answersJson === undefined ? [] : [jsonMember('answersJson', true)]),
    ...(tool.idempotency === null ? [] : [jsonMember('idempotency', tool.idempotency)]),
    `request: ${toRequestLiteral(tool, bodyNames)}`,
  ];
}

function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
