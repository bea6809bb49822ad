/** Finds a place in valid JSON text without building a tree of it. */

import type { Position } from '../../diagnostics.ts';
import { pointerTokens } from '../../json-pointer.ts';

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
export function createJsonLocator(
  text: string,
  positionAt: (offset: number) => Position,
): (pointer: string) => Position {
  const known = new Map<number, Map<string, Child>>();
  const childrenAt = (offset: number): Map<string, Child> => {
    let children = known.get(offset);
    if (children === undefined) {
      children = scanChildren(text, offset);
      known.set(offset, children);
    }
    return children;
  };
  return (pointer) => {
    let valueOffset = skipSpace(text, 0);
    let offset = valueOffset;
    for (const token of pointerTokens(pointer)) {
      const child = childrenAt(valueOffset).get(token);
      if (child === undefined) break;
      offset = child.offset;
      valueOffset = child.valueOffset;
    }
    return positionAt(offset);
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
