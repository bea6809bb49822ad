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

/** Comments hold no code, so what a JSDoc comment says is not parsed. */
const PARSE_OPTIONS: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

interface SourcePrinter {
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

/**
 * ts-morph prints everything up to the last structure, once for equal ones: the imports of a thousand tools are few
 * different texts. What follows are lines of code, which take their place as they are: ts-morph would look at each
 * character of them, and parse them into a tree that nobody asks for.
 */
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
  const printed = new Map<string, string>();
  function printStructures(statements: readonly Statement[]): string {
    const key = JSON.stringify(statements);
    const known = printed.get(key);
    if (known !== undefined) return known;
    const file = project.createSourceFile('/structures.ts', { statements: [...statements] });
    const text = file.getFullText();
    file.forget();
    printed.set(key, text);
    return text;
  }
  return {
    print(path, header, statements) {
      const structures = statements.findLastIndex((statement) => typeof statement !== 'string') + 1;
      const head = printStructures([`// ${header}`, ...statements.slice(0, structures)]);
      const lines = statements.slice(structures).map((line) => `${line}\n`);
      return accept(path, head + lines.join(''));
    },
    accept,
  };
}

function accept(path: string, text: string): EmittedFile {
  assertParses(path, ts.createSourceFile(`/${path}`, text, PARSE_OPTIONS));
  return { path, text };
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
