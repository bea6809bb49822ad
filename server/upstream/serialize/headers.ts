/** Writes headers by each parameter's style and explode, and finds values that no header can carry. */

import type { HeaderStyle, Styles } from '../../contract/index.ts';
import {
  asciiJson,
  contentText,
  elementsOf,
  isContent,
  isJsonContent,
  membersOf,
  styleOf,
  valueText,
} from './parameter-text.ts';
import { type ParameterPlace, UnsendableError } from './unsendable.ts';

/** What a field value cannot hold (RFC 9110 §5.5). */
const LINE_BREAK = /[\r\n]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header cannot hold
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
const BEYOND_LATIN_1 = /[^\0-\xff]/;

/** Why a header cannot carry a text, as a clause; null: it can. */
export function headerProblem(text: string): string | null {
  if (LINE_BREAK.test(text)) return 'it holds a line break';
  if (CONTROL.test(text)) return 'it holds a control character';
  return BEYOND_LATIN_1.test(text) ? 'it holds a character beyond Latin-1' : null;
}

/**
 * The values of a call's headers as text: `simple` style without any percent-encoding (OpenAPI 3.1.2 §4.8.12).
 *
 * `undefined`, `null`, empty arrays and empty objects are left out.
 *
 * @throws {UnsendableError} for a text that no header can carry, and for an element that its list would split.
 */
export function writeHeaders<Values extends object>(values: Values, styles: Styles<HeaderStyle>): Values {
  const written = Object.entries(values).flatMap(([name, value]) => {
    const text = writeHeader(name, value, styleOf(styles, name));
    return text === null ? [] : [[name, text]];
  });
  return Object.fromEntries(written) as Values;
}

function writeHeader(name: string, value: unknown, style: Styles<HeaderStyle>[string] | undefined): string | null {
  const text = toText(name, value, style);
  if (text !== null) checkHeader('header', name, text, value);
  return text;
}

/** @throws {UnsendableError} as `headerProblem` says. */
export function checkHeader(place: ParameterPlace, name: string, text: string, value: unknown): void {
  const problem = headerProblem(text);
  if (problem !== null) throw new UnsendableError(place, name, problem, value);
}

function toText(name: string, value: unknown, style: Styles<HeaderStyle>[string] | undefined): string | null {
  if (isContent(style)) {
    const text = contentText(value, style);
    return text === null || !isJsonContent(style) ? text : asciiJson(text);
  }
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return String(value);
  const separator = style?.explode === true ? '=' : ',';
  const parts = Array.isArray(value)
    ? elementsOf(value).map((element) => toPart(name, element, value))
    : membersOf(value).map(([key, member]) => {
        if (separator === '=' && key.includes('=')) {
          throw new UnsendableError('header', name, 'the name of a member holds an equals sign', value);
        }
        return `${toPart(name, key, value)}${separator}${toPart(name, member, value)}`;
      });
  return parts.length === 0 ? null : parts.join(',');
}

/** One element of a list: nothing escapes a comma there, and readers drop spaces at its ends (RFC 9110 §5.6.1). */
function toPart(name: string, element: unknown, value: unknown): string {
  const text = valueText(element);
  if (text.includes(',')) throw new UnsendableError('header', name, 'a comma would split an element in two', value);
  if (text !== text.trim()) throw new UnsendableError('header', name, 'an element begins or ends with a space', value);
  return text;
}
