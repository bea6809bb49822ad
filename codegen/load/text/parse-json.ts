/** Parses JSON text, and finds positions only on demand. */

import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import type { Position } from '../../diagnostics.ts';
import { createJsonLocator } from './locate-json.ts';
import type { ParsedText, SyntaxFault } from './parsed-text.ts';
import { createPositionFinder } from './positions.ts';

/** Parses strict JSON: no comments, no trailing commas. Returns a syntax fault as a value. */
export function parseJson(text: string): ParsedText {
  const positionAt = createPositionFinder(text);
  try {
    const value: unknown = JSON.parse(text);
    return { value, faults: [], repairs: [], locate: createJsonLocator(text, positionAt) };
  } catch (error) {
    return { value: undefined, faults: [firstFault(text, positionAt, error)], repairs: [], locate: () => null };
  }
}

function firstFault(text: string, positionAt: (offset: number) => Position, error: unknown): SyntaxFault {
  let found: SyntaxFault | undefined;
  const onError = (code: ParseErrorCode, offset: number): void => {
    found ??= { position: positionAt(offset), message: `${describe(printParseErrorCode(code))}.` };
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    found ??= { position: { line: 1, column: 1 }, message: 'Nested too deeply.' };
  }
  return (
    found ?? { position: { line: 1, column: 1 }, message: `${error instanceof Error ? error.message : String(error)}.` }
  );
}

/** `Property name expected` from `PropertyNameExpected`. */
function describe(code: string): string {
  const words = code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
