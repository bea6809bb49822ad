/** JSON text to a value, with lines found only when somebody asks. */

import { createScanner, type JSONScanner, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { pointerTokens } from '../json-pointer.ts';
import { createLineFinder } from './lines.ts';
import type { ParsedText, SyntaxFault } from './source.ts';

/** jsonc-parser's `SyntaxKind`, a const enum that only its own compiler can inline. */
const TOKEN = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, comma: 5, end: 17 } as const;

/** Parses strict JSON: no comments, no trailing commas. A syntax fault is a value. */
export function parseJson(text: string): ParsedText {
  const lineAt = createLineFinder(text);
  try {
    const value: unknown = JSON.parse(text);
    return { value, faults: [], locate: createLocator(text, lineAt) };
  } catch (error) {
    return { value: undefined, faults: [firstFault(text, lineAt, error)], locate: () => null };
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

interface Child {
  /** Offset of the key, or of the item in an array. */
  readonly offset: number;
  readonly valueOffset: number;
}

/**
 * Finds places by scanning only the containers on the way, each once: a descriptor of 13 MB with thousands of
 * diagnostics is never held as a second tree.
 */
function createLocator(text: string, lineAt: (offset: number) => number): (pointer: string) => number {
  const scanner = createScanner(text, true);
  const known = new Map<number, Map<string, Child>>();
  const childrenAt = (offset: number): Map<string, Child> => {
    let children = known.get(offset);
    if (children === undefined) {
      children = scanChildren(scanner, offset);
      known.set(offset, children);
    }
    return children;
  };
  return (pointer) => {
    scanner.setPosition(0);
    scanner.scan();
    let valueOffset = scanner.getTokenOffset();
    let offset = valueOffset;
    for (const token of pointerTokens(pointer)) {
      const child = childrenAt(valueOffset).get(token);
      if (child === undefined) break;
      offset = child.offset;
      valueOffset = child.valueOffset;
    }
    return lineAt(offset);
  };
}

function scanChildren(scanner: JSONScanner, offset: number): Map<string, Child> {
  const children = new Map<string, Child>();
  scanner.setPosition(offset);
  const opening = scanner.scan();
  if (opening !== TOKEN.openBrace && opening !== TOKEN.openBracket) return children;
  let index = 0;
  for (let token: number = scanner.scan(); !isEnd(token); token = scanner.scan()) {
    if (token === TOKEN.comma) continue;
    const start = scanner.getTokenOffset();
    if (opening === TOKEN.openBracket) {
      children.set(String(index), { offset: start, valueOffset: start });
      index += 1;
    } else {
      const key = scanner.getTokenValue();
      scanner.scan();
      token = scanner.scan();
      children.set(key, { offset: start, valueOffset: scanner.getTokenOffset() });
    }
    skipValue(scanner, token);
  }
  return children;
}

/** Leaves the scanner on the last token of the value whose first token is `token`. */
function skipValue(scanner: JSONScanner, token: number): void {
  let depth = 0;
  for (let at: number = token; at !== TOKEN.end; at = scanner.scan()) {
    if (at === TOKEN.openBrace || at === TOKEN.openBracket) depth += 1;
    if (at === TOKEN.closeBrace || at === TOKEN.closeBracket) depth -= 1;
    if (depth === 0) return;
  }
}

function isEnd(token: number): boolean {
  return token === TOKEN.closeBrace || token === TOKEN.closeBracket || token === TOKEN.end;
}
