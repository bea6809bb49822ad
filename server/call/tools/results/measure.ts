/** Measures the parts of an answer as JSON, each once. */

import { rawNumber } from '../json.ts';
import { escapeTags } from './errors.ts';

/** Bytes of a part as JSON in UTF-8, as written in results. */
export type SizeOf = (part: unknown) => number;

/**
 * Creates a function that measures the parts of one answer. The answer must not be nested too deeply for recursion.
 *
 * A part longer than `cap` counts as `Infinity` and is measured no further, so the rest of a long answer costs nothing.
 */
export function measure(cap = Number.POSITIVE_INFINITY): SizeOf {
  const sizes = new Map<object, number>();
  const names = new Map<string, number>();
  const sizeOfName = (name: string): number => {
    const measured = names.get(name);
    if (measured !== undefined) return measured;
    const size = leafSize(name);
    if (names.size < MAX_KEPT_NAMES) names.set(name, size);
    return size;
  };
  const sizeWithin = (part: unknown, maxBytes: number): number => {
    if (!isContainer(part)) return leafSize(part);
    const measured = sizes.get(part);
    if (measured !== undefined) return measured;
    const size = Array.isArray(part)
      ? addElements(part, maxBytes)
      : addMembers(part as Readonly<Record<string, unknown>>, maxBytes);
    if (size <= maxBytes || maxBytes === cap) sizes.set(part, size);
    return size;
  };
  const addElements = (array: readonly unknown[], maxBytes: number): number => {
    let size = array.length === 0 ? 2 : 1;
    for (const element of array) {
      size += sizeWithin(element, maxBytes - size) + 1;
      if (size > maxBytes) return Number.POSITIVE_INFINITY;
    }
    return size;
  };
  const addMembers = (object: Readonly<Record<string, unknown>>, maxBytes: number): number => {
    const members = Object.keys(object);
    let size = members.length === 0 ? 2 : 1;
    for (const name of members) {
      size += sizeOfName(name) + 2;
      size += sizeWithin(object[name], maxBytes - size);
      if (size > maxBytes) return Number.POSITIVE_INFINITY;
    }
    return size;
  };
  return (part) => sizeWithin(part, cap);
}

const MAX_KEPT_NAMES = 1000;

/** True if a value has parts: an array, or an object that is not a raw number. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && rawNumber(value) === undefined;
}

/** Bytes of a leaf as JSON, including quotes. */
function leafSize(leaf: unknown): number {
  if (typeof leaf === 'string' && PLAIN.test(leaf)) return leaf.length + 2;
  const json = JSON.stringify(leaf) ?? 'null';
  return Buffer.byteLength(typeof leaf === 'string' ? escapeTags(json) : json);
}

/** Characters that need no escape and take one byte each. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The longest piece of a text from `from` that takes at most `maxBytes` bytes as JSON, including quotes. */
export function pieceThatFits(
  text: string,
  from: number,
  maxBytes: number,
): { readonly piece: string; readonly to: number } {
  let remainingBytes = maxBytes - 2;
  let to = from;
  while (to < text.length) {
    const code = text.codePointAt(to) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    remainingBytes -= bytesOf(code);
    if (remainingBytes < 0) break;
    to += units;
  }
  const end = to < text.length ? boundaryBefore(text, from, to) : to;
  return { piece: text.slice(from, end), to: end };
}

/** The last end of a line, or else of a word, in the last tenth of a piece; otherwise the end of the piece. */
function boundaryBefore(text: string, from: number, to: number): number {
  const earliestEnd = to - Math.floor((to - from) / 10);
  const line = text.lastIndexOf('\n', to - 1) + 1;
  if (line > earliestEnd) return line;
  const word = text.lastIndexOf(' ', to - 1) + 1;
  return word > earliestEnd ? word : to;
}

const SHORT_ESCAPES = new Set(['"', '\\', '\b', '\f', '\n', '\r', '\t'].map((character) => character.charCodeAt(0)));

/** Bytes of one character inside a JSON text. */
function bytesOf(code: number): number {
  if (SHORT_ESCAPES.has(code)) return 2;
  if (code < 0x20) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code >= 0xd800 && code <= 0xdfff) return 6;
  if (code <= 0xffff) return 3;
  return code >= 0xe0000 && code <= 0xe007f ? 12 : 4;
}
