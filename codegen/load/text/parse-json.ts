/** Parses JSON text, and finds positions only on demand. */

import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { LineCounter } from 'yaml';
import type { Position } from '../../diagnostics.ts';
import { pointerTokens } from '../../json-pointer.ts';
import { remember } from '../../remember.ts';
import type { ParsedText, SyntaxFault } from './parsed-text.ts';
import { NUMBERS_AS_TEXT, restoreJsonTexts } from './text-values.ts';

/**
 * Parses strict JSON: no comments, no trailing commas. Returns a syntax fault as a value.
 *
 * @param isTolerant gives numbers their digits where only text can stand, and lists these in `repairs`.
 */
export function parseJson(text: string, isTolerant = false): ParsedText {
  const positionAt = createPositionFinder(text);
  try {
    const value: unknown = JSON.parse(text);
    const find = createJsonFinder(text);
    const locate = (pointer: string) => positionAt(find(pointer).offset);
    const sourceAt = (pointer: string) => {
      const { valueOffset } = find(pointer);
      return text.slice(valueOffset, endOf(SCALAR, text, valueOffset));
    };
    const schemas = isTolerant ? restoreJsonTexts(value, sourceAt) : [];
    const repairs = schemas.map((pointer) => ({ position: locate(pointer), pointer, message: NUMBERS_AS_TEXT }));
    return { value, faults: [], repairs, locate };
  } catch (error) {
    return { value: undefined, faults: [firstFault(text, positionAt, error)], repairs: [], locate: () => null };
  }
}

function firstFault(text: string, positionAt: (offset: number) => Position, error: unknown): SyntaxFault {
  let fault: SyntaxFault | undefined;
  const onError = (code: ParseErrorCode, offset: number): void => {
    fault ??= { position: positionAt(offset), message: `${describe(printParseErrorCode(code))}.` };
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    fault ??= { position: { line: 1, column: 1 }, message: 'Nested too deeply.' };
  }
  return (
    fault ?? { position: { line: 1, column: 1 }, message: `${error instanceof Error ? error.message : String(error)}.` }
  );
}

/** `Property name expected` from `PropertyNameExpected`. */
function describe(code: string): string {
  const words = code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const SPACE = /[ \t\n\r]*/y;
/** Characters that matter to a scan between two values. */
const MARK = /["{}[\]]/g;
const SCALAR = /[^\s,\]}]*/y;

interface Child {
  /** Offset of the key, or of the item in an array. */
  readonly offset: number;
  readonly valueOffset: number;
}

/**
 * Finds places by scanning only the containers on the way, each once, so that a descriptor of 13 MB with thousands of
 * diagnostics needs no second tree in memory.
 *
 * @param text Valid JSON.
 */
function createJsonFinder(text: string): (pointer: string) => Child {
  const childrenByOffset = new Map<number, Map<string, Child>>();
  const childrenAt = (offset: number) => remember(childrenByOffset, offset, () => scanChildren(text, offset));
  return (pointer) => {
    const start = skipSpace(text, 0);
    let place: Child = { offset: start, valueOffset: start };
    for (const token of pointerTokens(pointer)) {
      const child = childrenAt(place.valueOffset).get(token);
      if (child === undefined) break;
      place = child;
    }
    return place;
  };
}

function scanChildren(text: string, start: number): Map<string, Child> {
  const children = new Map<string, Child>();
  const opening = text[start];
  if (opening !== '{' && opening !== '[') return children;
  let offset = skipSpace(text, start + 1);
  for (let index = 0; text[offset] !== '}' && text[offset] !== ']'; index += 1) {
    let key = String(index);
    let valueOffset = offset;
    if (opening === '{') {
      const end = endOfString(text, offset);
      key = JSON.parse(text.slice(offset, end)) as string;
      valueOffset = skipSpace(text, skipSpace(text, end) + 1);
    }
    children.set(key, { offset, valueOffset });
    offset = skipSpace(text, endOfValue(text, valueOffset));
    if (text[offset] === ',') offset = skipSpace(text, offset + 1);
  }
  return children;
}

function skipSpace(text: string, offset: number): number {
  return endOf(SPACE, text, offset);
}

/** The offset after the value that begins here. */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') return endOf(SCALAR, text, start);
  let depth = 0;
  for (let offset = start; ; ) {
    MARK.lastIndex = offset;
    const mark = MARK.exec(text);
    if (mark === null) return text.length;
    offset = mark.index + 1;
    if (mark[0] === '"') offset = endOfString(text, mark.index);
    else depth += mark[0] === '{' || mark[0] === '[' ? 1 : -1;
    if (depth === 0) return offset;
  }
}

/** The offset after the closing quote of the string whose opening quote is here. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function endOf(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  pattern.test(text);
  return pattern.lastIndex;
}

/** Returns a function that converts an offset to its position. The text is scanned on the first call. */
function createPositionFinder(text: string): (offset: number) => Position {
  let lines: LineCounter | undefined;
  return (offset) => {
    lines ??= countLines(text);
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return lines;
}
