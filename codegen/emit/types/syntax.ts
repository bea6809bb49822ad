/** Rejects emitted text that is not valid TypeScript. */

/** An emitted text that is not valid TypeScript: a bug in codegen, never in a descriptor. */
export class EmitError extends Error {
  override name = 'EmitError';
}

interface Message {
  readonly messageText: string;
}

interface ParsedFile {
  /** Set by every version of TypeScript, although its types do not declare it. */
  readonly parseDiagnostics?: readonly { readonly start: number; readonly messageText: string | Message }[];
  getLineAndCharacterOfPosition(position: number): { readonly line: number };
}

/** The parser of TypeScript. */
interface Parser {
  readonly ScriptTarget: { readonly Latest: number };
  readonly JSDocParsingMode: { readonly ParseNone: number };
  createSourceFile(name: string, text: string, options: never): object;
}

/**
 * Reads the parser's diagnostics of this one file; asking a program for them would bind every file again. JSDoc
 * comments hold no code and are not parsed.
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
