/** Prints one TypeScript file from ts-morph structures and refuses text that does not parse. */

import { IndentationText, NewLineKind, Project, QuoteKind, type StatementStructures, ts } from 'ts-morph';
import type { EmittedFile } from './types.ts';

/** A line of code or one ts-morph structure. */
export type Statement = string | StatementStructures;

/** An emitted text that is not TypeScript: a defect of codegen, never of a descriptor. */
export class EmitError extends Error {
  override name = 'EmitError';
}

/** `export const name: type = value;` as a paragraph of its own; `value` keeps its indentation. */
export function exportedConstant(name: string, type: string, value: string): Statement {
  return `\nexport const ${name}: ${type} = ${value};`;
}

export interface SourcePrinter {
  /**
   * @param header First line, without `//`.
   * @throws {EmitError} when the printed text does not parse.
   */
  print(path: string, header: string, statements: readonly Statement[]): EmittedFile;
  /**
   * Takes a text that something else printed.
   *
   * @throws {EmitError} when it does not parse.
   */
  accept(path: string, text: string): EmittedFile;
}

/** One in-memory project; each file is forgotten once it is printed, so memory does not grow with the descriptor. */
export function createSourcePrinter(): SourcePrinter {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    skipFileDependencyResolution: true,
    manipulationSettings: {
      indentationText: IndentationText.TwoSpaces,
      newLineKind: NewLineKind.LineFeed,
      quoteKind: QuoteKind.Single,
      useTrailingCommas: true,
    },
  });
  return {
    print(path, header, statements) {
      const file = project.createSourceFile(`/${path}`, { statements: [`// ${header}`, ...statements] });
      assertParses(path, file.compilerNode);
      const emitted = { path, text: file.getFullText() };
      file.forget();
      return emitted;
    },
    accept(path, text) {
      assertParses(path, ts.createSourceFile(`/${path}`, text, ts.ScriptTarget.Latest));
      return { path, text };
    },
  };
}

/** Reads what the parser of this one file found; asking a program for it would bind every file again. */
function assertParses(path: string, file: ts.SourceFile): void {
  const { parseDiagnostics } = file as { parseDiagnostics?: readonly ts.DiagnosticWithLocation[] };
  if (parseDiagnostics === undefined) {
    throw new EmitError('this TypeScript keeps no parse diagnostics on a source file');
  }
  const [first] = parseDiagnostics;
  if (first === undefined) return;
  const { line } = file.getLineAndCharacterOfPosition(first.start);
  throw new EmitError(`${path}:${line + 1} does not parse: ${ts.flattenDiagnosticMessageText(first.messageText, ' ')}`);
}
