/** Writes headers and cookies: places that hold texts. */

import type { ContentStyle, CookieStyle, HeaderStyle, ToolRequest } from '../../contract/index.ts';
import { type Arguments, CannotSendError, refuserOf, type Slot, toCannotSend, toSlots } from './serialize-sources.ts';
import {
  checkElements,
  contentText,
  fieldsOf,
  hasMembers,
  isContent,
  isJsonContent,
  percentEncode,
  STYLES,
  valueText,
} from './serialize-styles.ts';

type HeaderSlot = Slot<HeaderStyle | ContentStyle>;
type CookieSlot = Slot<CookieStyle | ContentStyle>;

/** Not allowed in a field value (RFC 9110 §5.5). */
const LINE_BREAK = /[\r\n]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a header cannot contain these
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;
const BEYOND_LATIN_1 = /[^\0-\xff]/;
/** No part of a field value (RFC 9110 §5.5). */
const OUTER_SPACE = /^[ \t]+|[ \t]+$/g;
/** Beyond ASCII, and DEL: escaped in JSON where only ASCII is allowed. */
const NOT_PLAIN_ASCII = /[\u007f-\uffff]/g;

/** Returns the reason why a header cannot carry a text, as a clause. Returns null if it can. */
function headerProblem(text: string): string | null {
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
export function compileHeaders(bindings: ToolRequest['header'] = {}): (args: Arguments) => readonly string[] {
  const slots = toSlots('header', bindings);
  const write = (args: Arguments) => slots.flatMap((slot) => writeHeader(slot, args));
  const isFixed = Object.values(bindings).every((binding) => typeof binding === 'object' && 'constant' in binding);
  let fixed: readonly string[] | undefined;
  if (!isFixed) return write;
  return (args) => {
    fixed ??= write(args);
    return fixed;
  };
}

function writeHeader(slot: HeaderSlot, args: Arguments): string[] {
  const text = headerText(slot, slot.read(args));
  if (text === null) return [];
  const problem = headerProblem(text);
  if (problem !== null) throw new CannotSendError(slot, problem);
  return [slot.parameter.toLowerCase(), text.replace(OUTER_SPACE, '')];
}

function headerText(slot: HeaderSlot, value: unknown): string | null {
  const { style } = slot;
  if (isContent(style)) {
    const text = contentText(value, style);
    return text === null || !isJsonContent(style) ? text : asciiJson(text);
  }
  const fields = fieldsOf(value, style?.explode === true);
  if (fields.length === 0) return null;
  if (!hasMembers(value)) return valueText(value);
  return fields
    .map(({ name, texts }) => {
      if (name?.includes('=')) throw new CannotSendError(slot, 'the name of a member holds an equals sign');
      const elements = texts.map((text) => headerElement(slot, text)).join(',');
      return name === null ? elements : `${headerElement(slot, name)}=${elements}`;
    })
    .join(',');
}

/** One element of a list: a comma cannot be escaped there, and parsers trim spaces at its ends (RFC 9110 §5.6.1). */
function headerElement(slot: HeaderSlot, text: string): string {
  checkElements([text], STYLES.simple, false, refuserOf(slot));
  if (text !== text.trim()) throw new CannotSendError(slot, 'an element begins or ends with a space');
  return text;
}

/** The same JSON in ASCII only (RFC 8259 §7). */
function asciiJson(json: string): string {
  return json.replace(NOT_PLAIN_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const DEFAULT_STYLE: CookieStyle = { style: 'form', explode: true };
/** Characters that a cookie cannot contain unescaped: they would end it, or be trimmed from its ends. */
const BREAKS_COOKIE = /[^\x20-\x7e]|;|^ | $/;

/**
 * Compiles the `Cookie` header of one tool: its value, or null where no cookie is set.
 *
 * Values are percent-encoded, so that each arrives unchanged; a text document (`content: text/plain`) and the style `cookie` are sent as
 * they are. Exploded arrays and objects become several cookies: `&`, which separates them in a query, separates nothing in a cookie
 * (OpenAPI 3.1.2, Appendix D). `undefined`, `null`, empty arrays and empty objects are left out.
 *
 * @throws {CannotSendError} by the writer, for a text document that would end its cookie, and for a member without a name.
 */
export function compileCookies(bindings: ToolRequest['cookie']): (args: Arguments) => string | null {
  const slots = toSlots('cookie', bindings);
  return (args) => {
    const pairs = slots.flatMap((slot) => {
      try {
        return cookiePairs(slot, slot.read(args));
      } catch (error) {
        throw toCannotSend(error, slot);
      }
    });
    return pairs.length === 0 ? null : pairs.join('; ');
  };
}

function cookiePairs(slot: CookieSlot, value: unknown): string[] {
  const { parameter, style = DEFAULT_STYLE } = slot;
  if (isContent(style)) {
    const text = contentText(value, style);
    if (text === null) return [];
    return [`${parameter}=${isJsonContent(style) ? percentEncode(text) : asIs(text, slot)}`];
  }
  const encode = style.style === 'cookie' ? (text: string) => asIs(text, slot) : percentEncode;
  return fieldsOf(value, style.explode).map(({ name, texts }) => {
    if (name === '') throw new CannotSendError(slot, 'a member without a name would be a cookie without one');
    return `${name === null ? parameter : encode(name)}=${texts.map(encode).join(',')}`;
  });
}

/** @throws {CannotSendError} for a text that would end its cookie. */
function asIs(text: string, slot: CookieSlot): string {
  if (!BREAKS_COOKIE.test(text)) return text;
  const problem = 'it holds a semicolon, a space at its ends, or a character that is not visible ASCII';
  throw new CannotSendError(slot, problem);
}
