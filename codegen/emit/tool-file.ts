/** `tools/<tool>.ts`: one complete tool, in the order in which a reviewer reads it. */

import { CONTRACT_MODULE } from '../contract-module.ts';
import { toRecord, withoutUndefined } from '../json.ts';
import type { Schema } from '../model/types.ts';
import type { ToolModel } from '../tools/types.ts';
import { block, jsonMember, jsonMembers, stringLiteral, unlessEmpty } from './literal.ts';
import { toRequestLiteral } from './request-data.ts';
import { exportedConstant, typeImportOf } from './source-file.ts';

/**
 * Identity, what the model reads, the operation, risk and scopes, input and its checks, output, where each argument is
 * sent, and last the types that the request is checked against.
 *
 * The request is checked against `schema.d.ts`: the tool fails to compile if the two files do not belong together, such as
 * after a merge. Codegen writes both, so a new descriptor never fails here: the tool report shows what it changes. An MCP server has no such file.
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
): string[] {
  const toolStatement = () =>
    exportedConstant(identifier, 'GeneratedTool', block('{', toolMembers(tool, firstServer, bodyNames), '}'));
  if (tool.mcp !== undefined) return [typeImportOf(CONTRACT_MODULE, 'GeneratedTool'), toolStatement()];
  return [
    typeImportOf(CONTRACT_MODULE, 'GeneratedTool', 'RequestOf'),
    typeImportOf('../schema.d.ts', 'paths'),
    toolStatement(),
  ];
}

function toolMembers(tool: ToolModel, firstServer: string | undefined, bodyNames: readonly string[]): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
  const { id, method, path, target, server } = tool.operation;
  const { wrapItems, rows, mayBeEmpty, keep, withhold } = tool.result;
  const result = withoutUndefined({
    mayBeEmpty: mayBeEmpty || undefined,
    wrapItems: wrapItems || undefined,
    rows: rows ?? undefined,
    keep,
    withhold,
  });
  return [
    ...jsonMembers({
      name: tool.name,
      aliases: tool.aliases,
      title: tool.title,
      description: tool.description,
      operation: { id, method, path, target, server: server === firstServer ? undefined : server },
      annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint },
      effectFrom: tool.effectFrom,
      scopes: unlessEmpty(tool.scopes),
      extra: tool.extra,
      credential: tool.credential,
      effect: tool.effect,
      approval: tool.approval,
      preview: tool.preview,
      wait: tool.wait,
    }),
    inputSchemaMember(tool.inputSchema),
    ...(tool.rare === undefined ? [] : [`rare: ${block('[', tool.rare.map(stringLiteral), ']')}`]),
    ...jsonMembers({
      gatewayArguments: tool.gatewayArguments,
      batch: tool.batch,
      agreements: unlessEmpty(tool.agreements),
      reservedSegments: unlessEmpty(tool.reservedSegments),
      outputSchema: tool.outputSchema,
      page: tool.page === null ? undefined : withoutNulls(tool.page),
      filters: tool.filters,
      find: tool.find,
      result: unlessEmpty(result),
      answersJson: tool.answersJson,
      idempotency: tool.idempotency ?? undefined,
    }),
    ...jsonMembers({ call: tool.mcp }),
    `request: ${toRequestLiteral(tool, bodyNames)}`,
  ];
}

/** Each argument is on lines of its own: branches that add different ones merge. */
function inputSchemaMember(schema: Schema): string {
  if (Object.keys(toRecord(schema.properties)).length === 0) return jsonMember('inputSchema', schema);
  const entries = Object.entries(schema).map(([keyword, value]) =>
    keyword === 'properties'
      ? `properties: ${block('{', jsonMembers(toRecord(value), { depth: 3 }), '}')}`
      : jsonMember(keyword, value, { depth: 2 }),
  );
  return `inputSchema: ${block('{', entries, '}')}`;
}

function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
