/** The line of a place in an emitted file, for annotations. */

import type * as ts from 'typescript';
import { exportedObject, memberName, parseSource, typescript } from '../../typescript-literal.ts';

/**
 * One-based line of the member that these names lead to, or of its nearest existing parent.
 *
 * @throws {ReadError} if the file exports no object literal.
 */
export function locateMember(file: string, text: string, pointer: readonly (string | number)[]): number {
  const source = parseSource(file, text);
  let node: ts.Node = exportedObject(source);
  let found: ts.Node = node;
  for (const token of pointer) {
    const next = step(node, token);
    if (next === null) break;
    found = next.at;
    node = next.value;
  }
  return source.getLineAndCharacterOfPosition(found.getStart(source)).line + 1;
}

function step(node: ts.Node, token: string | number): { at: ts.Node; value: ts.Node } | null {
  const ts = typescript();
  if (ts.isArrayLiteralExpression(node)) {
    const element = node.elements[Number(token)];
    return element === undefined ? null : { at: element, value: element };
  }
  if (!ts.isObjectLiteralExpression(node)) return null;
  for (const property of node.properties) {
    if (!ts.isPropertyAssignment(property) || memberName(property.name) !== String(token)) continue;
    return { at: property, value: property.initializer };
  }
  return null;
}
