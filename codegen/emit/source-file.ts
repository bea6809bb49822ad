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
import { assertParses } from './types/syntax.ts';
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

function accept(path: string, text: string): EmittedFile {
  assertParses(path, text, ts);
  return { path, text };
}
