/** JSON text to a value, with lines found only when somebody asks. */

import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { createLineFinder } from './lines.ts';
import { createJsonLocator } from './locate-json.ts';
import type { ParsedText, SyntaxFault } from './parsed-text.ts';

/** Parses strict JSON: no comments, no trailing commas. A syntax fault is a value. */
export function parseJson(text: string): ParsedText {
  const lineAt = createLineFinder(text);
  try {
    const value: unknown = JSON.parse(text);
    return { value, faults: [], repairs: [], locate: createJsonLocator(text, lineAt) };
  } catch (error) {
    return { value: undefined, faults: [firstFault(text, lineAt, error)], repairs: [], locate: () => null };
  }
}

function firstFault(text: string, lineAt: (offset: number) => number, error: unknown): SyntaxFault {
  let found: SyntaxFault | undefined;
  const onError = (code: ParseErrorCode, offset: number): void => {
    found ??= { line: lineAt(offset), message: `${describe(printParseErrorCode(code))}.` };
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    found ??= { line: 1, message: 'Nested too deeply.' };
  }
  return found ?? { line: 1, message: `${error instanceof Error ? error.message : String(error)}.` };
}

/** `Property name expected` from `PropertyNameExpected`. */
function describe(code: string): string {
  const words = code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
