/** Refuses emitted text that is no TypeScript. */

/** An emitted text that is not TypeScript: a defect of codegen, never of a descriptor. */
export class EmitError extends Error {
  override name = 'EmitError';
}

interface Message {
  readonly messageText: string;
}

interface ParsedFile {
  /** Kept by every TypeScript, although its types do not say so. */
  readonly parseDiagnostics?: readonly { readonly start: number; readonly messageText: string | Message }[];
  getLineAndCharacterOfPosition(position: number): { readonly line: number };
}

/** The part of TypeScript that parses. */
interface Parser {
  readonly ScriptTarget: { readonly Latest: number };
  readonly JSDocParsingMode: { readonly ParseNone: number };
  createSourceFile(name: string, text: string, options: never): object;
}

/**
 * Reads what the parser of this one file found; asking a program for it would bind every file again. Comments hold no code, so what a
 * JSDoc comment says is not parsed.
 *
 * @throws {EmitError} with the path and the line.
 */
export function assertParses(path: string, text: string, parser: Parser): void {
  const options = { languageVersion: parser.ScriptTarget.Latest, jsDocParsingMode: parser.JSDocParsingMode.ParseNone };
  const file = parser.createSourceFile(`/${path}`, text, options as never) as ParsedFile;
  const { parseDiagnostics } = file;
  if (parseDiagnostics === undefined) {
    throw new EmitError('this TypeScript keeps no parse diagnostics on a source file');
  }
  const [first] = parseDiagnostics;
  if (first === undefined) return;
  const { line } = file.getLineAndCharacterOfPosition(first.start);
  const { messageText: message } = first;
  throw new EmitError(
    `${path}:${line + 1} does not parse: ${typeof message === 'string' ? message : message.messageText}`,
  );
}
