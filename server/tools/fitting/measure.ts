/** How long the parts of an answer are as JSON, each measured once, from the leaves up. */

import { rawNumber } from '../json/exact-json.ts';
import { escapeTags } from '../results/tag-characters.ts';

/** Bytes of a part as JSON in UTF-8, as results write it. */
export type SizeOf = (part: unknown) => number;

/** Measures a value that is nested no deeper than a stack can follow. Takes time in proportion to it. */
export function measure(value: unknown): SizeOf {
  const sizes = new Map<object, number>();
  const add = (part: unknown): number => {
    if (!isContainer(part)) return leafSize(part);
    const size = Array.isArray(part)
      ? part.reduce<number>((sum, element) => sum + add(element) + 1, 1)
      : Object.entries(part).reduce((sum, [name, member]) => sum + leafSize(name) + add(member) + 2, 1);
    const whole = Math.max(size, 2);
    sizes.set(part, whole);
    return whole;
  };
  add(value);
  return (part) => (isContainer(part) ? (sizes.get(part) ?? add(part)) : leafSize(part));
}

/** Whether a value has parts: an array, or an object that is no raw number. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && rawNumber(value) === undefined;
}

/** Bytes of a text as JSON, its quotes included. */
function leafSize(leaf: unknown): number {
  const json = JSON.stringify(leaf) ?? 'null';
  return Buffer.byteLength(typeof leaf === 'string' ? escapeTags(json) : json);
}

/** The longest piece of a text from `from` that has no more than `room` bytes as JSON, its quotes included. */
export function pieceThatFits(
  text: string,
  from: number,
  room: number,
): { readonly piece: string; readonly to: number } {
  let left = room - 2;
  let to = from;
  while (to < text.length) {
    const code = text.codePointAt(to) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    left -= bytesOf(code);
    if (left < 0) break;
    to += units;
  }
  const end = to < text.length ? boundaryBefore(text, from, to) : to;
  return { piece: text.slice(from, end), to: end };
}

/** The end of a line, or else of a word, in the last tenth of a piece; without one, the end of the piece. */
function boundaryBefore(text: string, from: number, to: number): number {
  const least = to - Math.floor((to - from) / 10);
  const line = text.lastIndexOf('\n', to - 1) + 1;
  if (line > least) return line;
  const word = text.lastIndexOf(' ', to - 1) + 1;
  return word > least ? word : to;
}

const SHORT_ESCAPES = new Set(['"', '\\', '\b', '\f', '\n', '\r', '\t'].map((one) => one.charCodeAt(0)));

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
