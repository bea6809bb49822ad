/** `tools/<tool>.ts`: one complete tool, in the order in which a reviewer thinks about it. */

import { StructureKind } from 'ts-morph';
import type { ToolModel } from '../tools/types.ts';
import type { BodyShape } from './body-shape.ts';
import { toCallFunction } from './call-expression.ts';
import { block, jsonLiteral } from './literal.ts';
import { type OperationTypes, toOperationTypes } from './operation-types.ts';
import { exportedConstant, type Statement } from './source-file.ts';

/**
 * Identity, what the model reads, what it calls, risk, input, output, call.
 *
 * Argument types are looked up in `schema.d.ts`, so a descriptor that no longer has a path, a parameter or a body member
 * that this tool sends fails to compile here.
 *
 * @param identifier Name of the exported constant.
 */
export function toToolStatements(tool: ToolModel, identifier: string, shape: BodyShape | null): Statement[] {
  const types = toOperationTypes(tool, shape);
  const value = block('{', toolMembers(tool, types), '}');
  return [
    typeImport('../../../server/contract/index.ts', ['Tool', ...types.contractImports].sort()),
    typeImport('../client.ts', ['Client']),
    ...(types.schemaImports.length > 0 ? [typeImport('../schema.d.ts', [...types.schemaImports])] : []),
    ...types.aliases.map(({ name, type }, index) => `${index === 0 ? '\n' : ''}type ${name} = ${type};`),
    argumentsType(types),
    exportedConstant(identifier, 'Tool<Client, Arguments>', value),
  ];
}

function typeImport(moduleSpecifier: string, namedImports: string[]): Statement {
  return { kind: StructureKind.ImportDeclaration, isTypeOnly: true, namedImports, moduleSpecifier };
}

/** A type alias, not an interface: only an alias is assignable to `Record<string, unknown>`. */
function argumentsType({ members }: OperationTypes): Statement {
  if (members.length === 0) return '\ntype Arguments = Record<string, never>;';
  const lines = members.map(({ name, optional, type }) => `  ${name}${optional ? '?' : ''}: ${type};\n`);
  return `\ntype Arguments = {\n${lines.join('')}};`;
}

function toolMembers(tool: ToolModel, types: OperationTypes): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
  const { id, method, path, server } = tool.operation;
  const data: readonly (readonly [string, unknown])[] = [
    ['name', tool.name],
    ...(tool.aliases === undefined ? [] : [['aliases', tool.aliases] as const]),
    ['title', tool.title],
    ['description', tool.description],
    ['operation', { id, method, path, server }],
    ['annotations', { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }],
    ['inputSchema', tool.inputSchema],
    ['outputSchema', tool.outputSchema],
    ['pathArguments', tool.pathArguments],
    ['agreements', tool.agreements.map(({ argument, template }) => ({ argument, template }))],
    ['page', tool.page],
    ['result', tool.result],
  ];
  return [
    ...data.map(([name, value]) => `${name}: ${jsonLiteral(value, 2, name.length + 2)}`),
    `call: ${toCallFunction(tool, types)}`,
  ];
}
