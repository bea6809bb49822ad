/** Prints one TypeScript file from ts-morph structures and rejects text that does not parse. */

import {
  IndentationText,
  NewLineKind,
  Project,
  QuoteKind,
  type StatementStructures,
  StructureKind,
  ts,
} from 'ts-morph';
import type { EmittedFile } from './types.ts';

/** A line of code or one ts-morph structure. */
export type Statement = string | StatementStructures;

/** `import { names } from 'module';` */
export function importOf(moduleSpecifier: string, ...namedImports: (string | { name: string; alias: string })[]) {
  return { kind: StructureKind.ImportDeclaration, namedImports, moduleSpecifier } satisfies Statement;
}

/** `import type { names } from 'module';` */
export function typeImportOf(moduleSpecifier: string, ...names: string[]): Statement {
  return { ...importOf(moduleSpecifier, ...names), isTypeOnly: true };
}

/** `export const name: type = value;` as its own paragraph; `value` keeps its indentation. */
export function exportedConstant(name: string, type: string, value: string): Statement {
  return `\nexport const ${name}: ${type} = ${value};`;
}

interface SourcePrinter {
  /**
   * @param header First line, without `//`.
   * @throws {EmitError} if the printed text does not parse.
   */
  print(path: string, header: string, statements: readonly Statement[]): EmittedFile;
  /**
   * Accepts a text that something else printed.
   *
   * @throws {EmitError} if it does not parse.
   */
  accept(path: string, text: string): EmittedFile;
}

/**
 * Prints everything up to the last structure with ts-morph, once for equal text: the imports of a thousand tools are
 * only a few different texts. The lines of code that follow are appended unchanged: ts-morph would look at each
 * character, and parse them into a tree that nothing uses.
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
    const before = printed.get(key);
    if (before !== undefined) return before;
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
 */
function accept(path: string, text: string): EmittedFile {
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
