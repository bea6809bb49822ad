/** `tools/<tool>.ts`: one complete tool, in the order in which a reviewer thinks about it. */

import { StructureKind } from 'ts-morph';
import { CONTRACT_MODULE } from '../contract-module.ts';
import type { ToolModel } from '../tools/types.ts';
import { block, jsonLiteral } from './literal.ts';
import { toRequestLiteral } from './request-data.ts';
import { exportedConstant, type Statement } from './source-file.ts';

/**
 * Identity, what the model reads, what it calls, risk and scopes, input, what is sent where and how it is recognised, output.
 *
 * The request is checked against `schema.d.ts`, so a descriptor that no longer has a path, a parameter or a body member
 * that this tool sends fails to compile here.
 *
 * @param identifier Name of the exported constant.
 * @param bodyNames that the tool describes of a body that is one argument
 */
export function toToolStatements(tool: ToolModel, identifier: string, bodyNames: readonly string[]): Statement[] {
  return [
    typeImport(CONTRACT_MODULE, ['RequestOf', 'Tool']),
    typeImport('../schema.d.ts', ['paths']),
    exportedConstant(identifier, 'Tool', block('{', toolMembers(tool, bodyNames), '}')),
  ];
}

function typeImport(moduleSpecifier: string, namedImports: string[]): Statement {
  return { kind: StructureKind.ImportDeclaration, isTypeOnly: true, namedImports, moduleSpecifier };
}

function toolMembers(tool: ToolModel, bodyNames: readonly string[]): string[] {
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
    member('name', tool.name),
    ...(tool.aliases === undefined ? [] : [member('aliases', tool.aliases)]),
    member('title', tool.title),
    member('description', tool.description),
    member('operation', { id, method, path, ...(target === undefined ? {} : { target }), server }),
    member('annotations', { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }),
    ...(tool.scopes.length === 0 ? [] : [member('scopes', tool.scopes)]),
    member('inputSchema', tool.inputSchema),
    `request: ${toRequestLiteral(tool, bodyNames)}`,
    ...(tool.idempotency === null ? [] : [member('idempotency', tool.idempotency)]),
    member('outputSchema', tool.outputSchema),
    ...(tool.agreements.length === 0 ? [] : [member('agreements', tool.agreements)]),
    ...(Object.keys(tool.reservedSegments).length === 0 ? [] : [member('reservedSegments', tool.reservedSegments)]),
    ...(tool.page === null ? [] : [member('page', tool.page)]),
    ...(Object.keys(result).length === 0 ? [] : [member('result', result)]),
    ...(tool.answersJson === undefined ? [] : [member('answersJson', true)]),
    ...(tool.gatewayArguments === undefined ? [] : [member('gatewayArguments', tool.gatewayArguments)]),
  ];
}

function member(name: string, value: unknown): string {
  return `${name}: ${jsonLiteral(value, 2, name.length + 2)}`;
}
