/**
 * Names that the code of a hand-written tool may not use. This helps reviewers and is not a sandbox: the gateway runs
 * the file unchanged.
 */

import ts from 'typescript';
import { CONTRACT_MODULE } from '../../contract-module.ts';
import { wordSet } from '../../word-set.ts';

interface ForbiddenCode {
  readonly code: 'hand-written-file' | 'hand-written-import';
  readonly message: string;
  /** Offset in the text. */
  readonly position: number;
}

/** Names that bypass the gateway's own stages. */
const FORBIDDEN_NAMES = wordSet('eval fetch Function global globalThis process require WebSocket XMLHttpRequest');

/** Only the first syntax error, if there is one; else imports of other modules and forbidden names, in source order. */
export function findForbiddenCode(source: ts.SourceFile, service: string): readonly ForbiddenCode[] {
  const { parseDiagnostics } = source as { parseDiagnostics?: readonly ts.DiagnosticWithLocation[] };
  if (parseDiagnostics === undefined) throw new Error('this TypeScript keeps no parse diagnostics on a source file');
  const [syntaxError] = parseDiagnostics;
  if (syntaxError !== undefined) {
    const message = `It does not parse: ${ts.flattenDiagnosticMessageText(syntaxError.messageText, ' ')}`;
    return [{ code: 'hand-written-file', message, position: syntaxError.start }];
  }
  const violations: ForbiddenCode[] = [];
  const visit = (node: ts.Node, parent: ts.Node): void => {
    const message = explainForbidden(node, parent, service);
    if (message !== null) violations.push({ code: 'hand-written-import', message, position: node.getStart(source) });
    ts.forEachChild(node, (child) => visit(child, node));
  };
  visit(source, source);
  return violations;
}

function explainForbidden(node: ts.Node, parent: ts.Node, service: string): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    const specifier = node.moduleSpecifier;
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return null;
    return mayImport(specifier.text, ts.isImportDeclaration(node) && node.importClause?.isTypeOnly === true, service)
      ? null
      : `It imports ${specifier.text}.`;
  }
  if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(parent)) return 'It imports while it runs.';
  if (!ts.isIdentifier(node) || !FORBIDDEN_NAMES.has(node.text)) return null;
  const isMember = (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node;
  return isMember ? null : `It names ${node.text}.`;
}

function mayImport(specifier: string, typeOnly: boolean, service: string): boolean {
  if (['define-tool.ts', 'client.ts'].some((file) => specifier === `../../../generated/${service}/${file}`))
    return true;
  return typeOnly && [`../../../generated/${service}/schema.d.ts`, CONTRACT_MODULE].includes(specifier);
}
