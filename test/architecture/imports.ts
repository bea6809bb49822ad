/** The source files of the project and the imports between them, read once for the tests of this folder. */

import { relative, resolve } from 'node:path';
import { Node, Project, type SourceFile, SyntaxKind } from 'ts-morph';
import type { ImportArrow } from './rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
project.addSourceFilesAtPaths([
  ...['codegen', 'examples', 'packages', 'shared', 'server', 'sandbox', 'scripts', 'generated'].map(
    (folder) => `${ROOT}/${folder}/**/*.ts`,
  ),
  `!${ROOT}/generated/**/schema.d.ts`,
  `!${ROOT}/packages/**/*.d.ts`,
]);
/** Every hand-written and generated source file, except the declarations of schemas. */
export const files: readonly SourceFile[] = project.getSourceFiles();
/** Relative to the project's root, with `/`. */
export const pathOf = (file: SourceFile): string => relative(ROOT, file.getFilePath()).replaceAll('\\', '/');

function targetOf(from: SourceFile, specifier: string): string {
  if (!specifier.startsWith('.')) {
    return specifier;
  }
  return relative(ROOT, resolve(from.getDirectoryPath(), specifier)).replaceAll('\\', '/');
}

function arrowsOf(file: SourceFile): ImportArrow[] {
  const from = pathOf(file);
  const declared = [...file.getImportDeclarations(), ...file.getExportDeclarations()].flatMap((declaration) => {
    const specifier = declaration.getModuleSpecifierValue();
    if (specifier === undefined) return [];
    const named = Node.isImportDeclaration(declaration) ? declaration.getNamedImports() : declaration.getNamedExports();
    const bare =
      Node.isImportDeclaration(declaration) && (declaration.getDefaultImport() ?? declaration.getNamespaceImport());
    const typeOnly =
      declaration.isTypeOnly() || (!bare && named.length > 0 && named.every((name) => name.isTypeOnly()));
    return [{ from, to: targetOf(file, specifier), line: declaration.getStartLineNumber(), typeOnly }];
  });
  const calls = /\bimport\(/.test(file.getFullText()) ? file.getDescendantsOfKind(SyntaxKind.CallExpression) : [];
  const dynamic = calls
    .filter((call) => call.getExpression().getKind() === SyntaxKind.ImportKeyword)
    .flatMap((call) => {
      const argument = call.getArguments()[0];
      if (!Node.isStringLiteral(argument)) return [];
      return [
        { from, to: targetOf(file, argument.getLiteralValue()), line: call.getStartLineNumber(), typeOnly: false },
      ];
    });
  return [...declared, ...dynamic];
}

/** Every import, re-export and dynamic import of a literal. */
export const arrows: readonly ImportArrow[] = files.flatMap(arrowsOf);
