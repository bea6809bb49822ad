/** Writes one TypeScript file and rejects text that does not parse. */

import ts from 'typescript';
import type { EmittedFile } from './types.ts';

/** `import { names } from 'module';` A name may be `name as alias`. */
export function importOf(module: string, ...names: readonly string[]): string {
  return `import { ${names.join(', ')} } from '${module}';`;
}

/** `import type { names } from 'module';` */
export function typeImportOf(module: string, ...names: readonly string[]): string {
  return `import type { ${names.join(', ')} } from '${module}';`;
}

/** `export const name: type = value;` as its own paragraph; `value` keeps its indentation. */
export function exportedConstant(name: string, type: string, value: string): string {
  return `\nexport const ${name}: ${type} = ${value};`;
}

/**
 * @param header First line, without `//`.
 * @throws {EmitError} if the text does not parse.
 */
export function toSourceFile(path: string, header: string, statements: readonly string[]): EmittedFile {
  return acceptFile(path, `// ${[header, ...statements].join('\n')}\n`);
}

/** An emitted text that is not valid TypeScript: a bug in codegen, never in a descriptor. */
class EmitError extends Error {
  override name = 'EmitError';
}

interface ParsedFile extends ts.SourceFile {
  /** Set by every version of TypeScript, although its types do not declare it. */
  readonly parseDiagnostics?: readonly ts.DiagnosticWithLocation[];
}

/**
 * Reads the parser's diagnostics of this one file; asking a program for them would bind every file again. JSDoc
 * comments hold no code and are not parsed.
 *
 * @throws {EmitError} if the text does not parse.
 */
export function acceptFile(path: string, text: string): EmittedFile {
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const file: ParsedFile = ts.createSourceFile(`/${path}`, text, options);
  const { parseDiagnostics } = file;
  if (parseDiagnostics === undefined) {
    throw new EmitError('this TypeScript keeps no parse diagnostics on a source file');
  }
  const [first] = parseDiagnostics;
  if (first === undefined) return { path, text };
  const { line } = file.getLineAndCharacterOfPosition(first.start);
  throw new EmitError(
    `${path}:${line + 1} does not parse: ${ts.flattenDiagnosticMessageText(first.messageText, '; ')}`,
  );
}
