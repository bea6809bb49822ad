/** What an emitted TypeScript file may consist of: looked up in its syntax tree, so that no text can pass for code. */

import ts from 'typescript';

const { SyntaxKind } = ts;

/** Data: what an object literal of JSON values is made of. */
const DATA = [
  SyntaxKind.ObjectLiteralExpression,
  SyntaxKind.ArrayLiteralExpression,
  SyntaxKind.PropertyAssignment,
  SyntaxKind.ComputedPropertyName,
  SyntaxKind.StringLiteral,
  SyntaxKind.BinaryExpression,
  SyntaxKind.PlusToken,
  SyntaxKind.NumericLiteral,
  SyntaxKind.PrefixUnaryExpression,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
  SyntaxKind.NullKeyword,
];
const TYPES = [
  SyntaxKind.TypeReference,
  SyntaxKind.IndexedAccessType,
  SyntaxKind.LiteralType,
  SyntaxKind.UnionType,
  SyntaxKind.SatisfiesExpression,
  SyntaxKind.StringKeyword,
];
const MODULE = [
  SyntaxKind.SourceFile,
  SyntaxKind.EndOfFileToken,
  SyntaxKind.Identifier,
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ImportClause,
  SyntaxKind.NamedImports,
  SyntaxKind.ImportSpecifier,
  SyntaxKind.VariableStatement,
  SyntaxKind.VariableDeclarationList,
  SyntaxKind.VariableDeclaration,
  SyntaxKind.ExportKeyword,
];
/** What `schema.d.ts` has besides: openapi-typescript's declarations, none of which is an expression. */
const DECLARATIONS = [
  ...[SyntaxKind.TypeAliasDeclaration, SyntaxKind.TypeLiteral, SyntaxKind.QuestionToken, SyntaxKind.ArrayType],
  ...[SyntaxKind.ParenthesizedType, SyntaxKind.StringKeyword, SyntaxKind.NumberKeyword, SyntaxKind.BooleanKeyword],
  ...[SyntaxKind.UnknownKeyword, SyntaxKind.NeverKeyword, SyntaxKind.UndefinedKeyword, SyntaxKind.ObjectKeyword],
  ...[SyntaxKind.SourceFile, SyntaxKind.EndOfFileToken, SyntaxKind.Identifier, SyntaxKind.ExportKeyword],
  ...[SyntaxKind.InterfaceDeclaration, SyntaxKind.TypeParameter, SyntaxKind.StringLiteral, SyntaxKind.NumericLiteral],
  ...[SyntaxKind.IntersectionType, SyntaxKind.ConditionalType, SyntaxKind.InferType, SyntaxKind.MappedType],
  ...[SyntaxKind.TypeOperator, SyntaxKind.IndexSignature, SyntaxKind.Parameter, SyntaxKind.ReadonlyKeyword],
  ...[
    SyntaxKind.AnyKeyword,
    SyntaxKind.NullKeyword,
    SyntaxKind.TrueKeyword,
    SyntaxKind.FalseKeyword,
    SyntaxKind.TupleType,
  ],
  ...[SyntaxKind.MinusToken, SyntaxKind.PrefixUnaryExpression, SyntaxKind.PropertySignature],
];

/** Names that code refers to; names of members are data and may be anything. */
const KNOWN_NAMES = new Set([
  'Tool',
  'RequestOf',
  'paths',
  'Connector',
  'connectors',
  'Readonly',
  'Record',
  'NonNullable',
  'rules',
]);
const SCHEMA_NAMES = new Set(
  'paths webhooks components operations NonNullable name $defs $Read $Write Readable Writable Record Omit T U E K key'.split(
    ' ',
  ),
);
const IMPORTED = /^(unified-tool-gateway\/contract|\.\.\/schema\.d\.ts|\.\/rules\.ts|\.\/tools\/[a-z0-9-]+\.ts)$/;

/** One sentence for each thing in the file that the emitter does not write; none where all is well. */
export function findForeignCode(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const isSchema = path.endsWith('.d.ts');
  const kinds = new Set<ts.SyntaxKind>(isSchema ? [...TYPES, ...DECLARATIONS] : [...MODULE, ...DATA, ...TYPES]);
  const known = isSchema ? SCHEMA_NAMES : new Set([...KNOWN_NAMES, ...declaredNames(file)]);
  const found = parseErrors(file);
  const visit = (node: ts.Node): void => {
    if (!kinds.has(node.kind)) found.push(`a ${SyntaxKind[node.kind]}: ${node.getText().slice(0, 80)}`);
    if (ts.isIdentifier(node) && !isMemberName(node) && !known.has(node.text)) found.push(`the name ${node.text}`);
    if (ts.isImportDeclaration(node) && !IMPORTED.test((node.moduleSpecifier as ts.StringLiteral).text)) {
      found.push(`an import of ${node.moduleSpecifier.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  if (!isSchema) found.push(...commentsAfterHeader(text));
  return found;
}

/** The value of the data members of the object that a file exports. */
export function readExportedData(path: string, text: string): Record<string, unknown> {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const [declaration] = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  const object = declaration?.initializer;
  if (object === undefined || !ts.isObjectLiteralExpression(object)) throw new Error(`${path} exports no object`);
  return toValue(object) as Record<string, unknown>;
}

const NO_DATA = Symbol('no data');

function toValue(node: ts.Expression): unknown {
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isBinaryExpression(node)) return `${toValue(node.left)}${toValue(node.right)}`;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isPrefixUnaryExpression(node)) return -Number(node.operand.getText());
  if (node.kind === SyntaxKind.TrueKeyword) return true;
  if (node.kind === SyntaxKind.FalseKeyword) return false;
  if (node.kind === SyntaxKind.NullKeyword) return null;
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(toValue);
  if (!ts.isObjectLiteralExpression(node)) return NO_DATA;
  const entries = node.properties
    .filter(ts.isPropertyAssignment)
    .map(({ name, initializer }) => [memberNameOf(name), toValue(initializer)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== NO_DATA));
}

function memberNameOf(name: ts.PropertyName): string {
  if (ts.isComputedPropertyName(name)) return (name.expression as ts.StringLiteral).text;
  return (name as ts.Identifier | ts.StringLiteral).text;
}

function parseErrors(file: ts.SourceFile): string[] {
  const { parseDiagnostics } = file as unknown as { parseDiagnostics: readonly ts.DiagnosticWithLocation[] };
  return parseDiagnostics.map(
    ({ messageText }) => `does not parse: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

/** Names that imports bring in and the exported constants: checked against nothing but their form. */
function declaredNames(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText());
    }
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    return bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
  });
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) return parent.name === node;
  return ts.isPropertyAccessExpression(parent) && parent.name === node;
}

function commentsAfterHeader(text: string): string[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const comments: string[] = [];
  for (let token = scanner.scan(); token !== SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === SyntaxKind.SingleLineCommentTrivia || token === SyntaxKind.MultiLineCommentTrivia) {
      comments.push(scanner.getTokenText());
    }
  }
  const [header = '', ...others] = comments;
  const isHeader = text.startsWith(header) && header.startsWith('// Generated by codegen/emit/');
  return [...(isHeader ? [] : ['no header']), ...others.map((comment) => `the comment ${comment.slice(0, 80)}`)];
}
