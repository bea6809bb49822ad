/** Reads values of TypeScript literals without running any code. */

import { createRequire } from 'node:module';
import type * as ts from 'typescript';
import { setMember } from './json.ts';

let loaded: typeof ts | undefined;

/** The compiler's library, loaded at the first parse because that takes a third of a second. */
function typescript(): typeof ts {
  loaded ??= createRequire(import.meta.url)('typescript') as typeof ts;
  return loaded;
}

/** An emitted file that is not in the form that codegen writes. */
export class ReadError extends Error {
  override name = 'ReadError';
}

/** Parses with `typescript` alone: no program, no types, no imports. */
export function parseSource(file: string, text: string): ts.SourceFile {
  const ts = typescript();
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS);
}

/**
 * The object literal of the first exported constant.
 *
 * @throws {ReadError} if the file has none.
 */
export function exportedObject(source: ts.SourceFile): ts.ObjectLiteralExpression {
  const ts = typescript();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    if (!statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)) continue;
    const value = statement.declarationList.declarations[0]?.initializer;
    if (value !== undefined && ts.isObjectLiteralExpression(value)) return value;
  }
  throw new ReadError(`${source.fileName} exports no object literal.`);
}

/** Members by name. Methods, spreads and shorthand members have no value here and are left out. */
export function objectMembers(object: ts.ObjectLiteralExpression): [name: string, value: ts.Expression][] {
  const ts = typescript();
  return object.properties.flatMap((property): [string, ts.Expression][] => {
    if (!ts.isPropertyAssignment(property)) return [];
    const name = memberName(property.name);
    return name === null ? [] : [[name, property.initializer]];
  });
}

/** The deepest member that these names lead to, with its value: the object itself if they lead nowhere. */
export function findMember(
  object: ts.ObjectLiteralExpression,
  pointer: readonly (string | number)[],
): { readonly member: ts.Node; readonly value: ts.Node } {
  const ts = typescript();
  let [member, value]: [ts.Node, ts.Node] = [object, object];
  for (const token of pointer) {
    const next = memberOf(value, String(token));
    if (next === undefined) break;
    [member, value] = [next, ts.isPropertyAssignment(next) ? next.initializer : next];
  }
  return { member, value };
}

function memberOf(node: ts.Node, token: string): ts.Node | undefined {
  const ts = typescript();
  if (ts.isArrayLiteralExpression(node)) return node.elements[Number(token)];
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  return node.properties.find((property) => ts.isPropertyAssignment(property) && memberName(property.name) === token);
}

/** `name`, `'name'`, `1` or `['name']`. */
export function memberName(name: ts.PropertyName): string | null {
  const ts = typescript();
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  if (ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)) return name.expression.text;
  return null;
}

/**
 * The JSON value of a literal, ignoring `satisfies`.
 *
 * @returns `{ value }`, or null if any part of it is code.
 */
export function readLiteral(node: ts.Expression): { readonly value: unknown } | null {
  const ts = typescript();
  if (ts.isStringLiteralLike(node)) return { value: node.text };
  if (ts.isBinaryExpression(node)) return readSentences(node);
  if (ts.isNumericLiteral(node)) return { value: Number(node.text) };
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const operand = readLiteral(node.operand);
    return typeof operand?.value === 'number' ? { value: -operand.value } : null;
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { value: true };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { value: false };
  if (node.kind === ts.SyntaxKind.NullKeyword) return { value: null };
  if (ts.isSatisfiesExpression(node)) return readLiteral(node.expression);
  if (ts.isArrayLiteralExpression(node)) return readArray(node);
  if (ts.isObjectLiteralExpression(node)) return readObject(node);
  return null;
}

/** `'One. ' + 'Two.'`: a loop, because a long text nests as deeply as it has sentences. */
function readSentences(node: ts.BinaryExpression): { readonly value: string } | null {
  const ts = typescript();
  const sentences: string[] = [];
  let current: ts.Expression = node;
  while (ts.isBinaryExpression(current)) {
    if (current.operatorToken.kind !== ts.SyntaxKind.PlusToken || !ts.isStringLiteralLike(current.right)) return null;
    sentences.push(current.right.text);
    current = current.left;
  }
  if (!ts.isStringLiteralLike(current)) return null;
  return { value: [current.text, ...sentences.reverse()].join('') };
}

function readArray(node: ts.ArrayLiteralExpression): { readonly value: unknown[] } | null {
  const items = node.elements.map(readLiteral);
  return items.includes(null) ? null : { value: items.map((item) => item?.value) };
}

function readObject(node: ts.ObjectLiteralExpression): { readonly value: Record<string, unknown> } | null {
  const members = objectMembers(node);
  if (members.length < node.properties.length) return null;
  const value: Record<string, unknown> = {};
  for (const [name, initializer] of members) {
    const literal = readLiteral(initializer);
    if (literal === null) return null;
    setMember(value, name, literal.value);
  }
  return { value };
}
