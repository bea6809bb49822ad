/** Writes headers by each parameter's style and explode, and rejects values that no header can carry. */

import type { ContentStyle, HeaderStyle, ToolRequest } from '../../../contract/index.ts';
import { CannotSendError } from './cannot-send.ts';
import {
  asciiJson,
  contentText,
  elementsOf,
  isContent,
  isJsonContent,
  membersOf,
  valueText,
} from './parameter-text.ts';
import { type Arguments, type Slot, toSlots } from './sources.ts';

type HeaderSlot = Slot<HeaderStyle | ContentStyle>;

/** Not allowed in a field value (RFC 9110 §5.5). */
const LINE_BREAK = /[\r\n]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a header cannot contain these
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
const BEYOND_LATIN_1 = /[^\0-\xff]/;
/** No part of a field value (RFC 9110 §5.5). */
const OUTER_SPACE = /^[ \t]+|[ \t]+$/g;

/** Why a header cannot carry a text, as a clause; null: it can. */
export function headerProblem(text: string): string | null {
  if (LINE_BREAK.test(text)) return 'it holds a line break';
  if (CONTROL.test(text)) return 'it holds a control character';
  return BEYOND_LATIN_1.test(text) ? 'it holds a character beyond Latin-1' : null;
}

/**
 * Compiles the headers of one tool: `simple` style without any percent-encoding (OpenAPI 3.1.2 §4.8.12).
 *
 * `undefined`, `null`, empty arrays and empty objects are left out.
 *
 * @returns name, value, name, value; names are lower case
 * @throws {CannotSendError} by the writer, for a text that no header can carry, and for an element that a list would
 *   split.
 */
export function compileHeaders(bindings: ToolRequest['header']): (args: Arguments) => string[] {
  const headers = toSlots('header', bindings).map((slot) => ({ slot, name: slot.parameter.toLowerCase() }));
  return (args) =>
    headers.flatMap(({ slot, name }) => {
      const text = toText(slot, slot.read(args));
      if (text === null) return [];
      const problem = headerProblem(text);
      if (problem !== null) throw new CannotSendError(slot, problem);
      return [name, text.replace(OUTER_SPACE, '')];
    });
}

function toText(slot: HeaderSlot, value: unknown): string | null {
  const { style } = slot;
  if (isContent(style)) {
    const text = contentText(value, style);
    return text === null || !isJsonContent(style) ? text : asciiJson(text);
  }
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return String(value);
  const separator = style?.explode === true ? '=' : ',';
  const parts = Array.isArray(value)
    ? elementsOf(value).map((element) => toPart(slot, element))
    : membersOf(value).map(([key, member]) => {
        if (separator === '=' && key.includes('=')) {
          throw new CannotSendError(slot, 'the name of a member holds an equals sign');
        }
        return `${toPart(slot, key)}${separator}${toPart(slot, member)}`;
      });
  return parts.length === 0 ? null : parts.join(',');
}

/** One element of a list: a comma cannot be escaped there, and parsers trim spaces at its ends (RFC 9110 §5.6.1). */
function toPart(slot: HeaderSlot, element: unknown): string {
  const text = valueText(element);
  if (text.includes(',')) throw new CannotSendError(slot, 'a comma would split an element in two');
  if (text !== text.trim()) throw new CannotSendError(slot, 'an element begins or ends with a space');
  return text;
}
