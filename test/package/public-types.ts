/** The public types of the package: the declarations that its entries export, and those that they refer to. */

import path from 'node:path';
import { Node, Project, type Symbol as TypeSymbol, ts } from 'ts-morph';

/**
 * Reads the built declarations, from the exports of each entry to every declaration of the package that they name.
 *
 * @param folder of the built package.
 * @param entries such as `server/index.d.ts`.
 * @returns one text without comments, sorted by file and name, that changes when a type does.
 */
export function readPublicTypes(folder: string, entries: readonly string[]): string {
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    compilerOptions: { module: 199, moduleResolution: 99, skipLibCheck: true },
  });
  const printer = ts.createPrinter({ removeComments: true });
  const found = new Map<string, string>();
  const waiting: Node[] = [];
  const exported: string[] = [];
  for (const entry of entries) {
    const source = project.addSourceFileAtPath(path.join(folder, entry));
    for (const [name, declarations] of source.getExportedDeclarations()) {
      exported.push(`${entry.replace(/(\/index)?\.d\.ts$/, '')}: ${name}`);
      waiting.push(...declarations);
    }
  }
  const visit = (node: Node): void => {
    const file = path.relative(folder, node.getSourceFile().getFilePath());
    const statement = node.getFirstAncestor((each) => Node.isVariableStatement(each)) ?? node;
    const key = `${file}:${String(statement.getPos()).padStart(8, '0')}`;
    if (file.startsWith('..') || file.includes('node_modules') || found.has(key)) return;
    const { compilerNode } = statement.getSourceFile();
    found.set(key, printer.printNode(ts.EmitHint.Unspecified, statement.compilerNode, compilerNode));
    for (const identifier of statement.getDescendants().filter((each) => Node.isIdentifier(each))) {
      waiting.push(...declarationsOf(identifier.getSymbol()));
    }
  };
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) visit(node);
  const files = new Map<string, string[]>();
  for (const key of [...found.keys()].sort()) {
    const file = key.slice(0, key.lastIndexOf(':'));
    files.set(file, [...(files.get(file) ?? []), found.get(key) ?? '']);
  }
  const declared = [...files].map(([file, texts]) => `// ${file}\n${texts.join('\n')}\n`);
  return `${exported
    .sort()
    .map((line) => `// ${line}\n`)
    .join('')}\n${declared.join('\n')}`;
}

/** Of top-level types, functions and constants; members come with their owner. */
function declarationsOf(symbol: TypeSymbol | undefined): Node[] {
  const target = symbol?.getAliasedSymbol() ?? symbol;
  return (target?.getDeclarations() ?? []).filter(
    (each) =>
      Node.isInterfaceDeclaration(each) ||
      Node.isTypeAliasDeclaration(each) ||
      Node.isClassDeclaration(each) ||
      Node.isFunctionDeclaration(each) ||
      (Node.isVariableDeclaration(each) && each.getVariableStatement() !== undefined),
  );
}
