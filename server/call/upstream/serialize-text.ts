/** The text of a value before it is escaped for its place, and the places that hold texts: headers and cookies. */

import type { ContentStyle, CookieStyle, HeaderStyle, ToolRequest } from '../../contract/index.ts';
import { type Arguments, CannotSendError, type Slot, toCannotSend, toSlots } from './serialize-sources.ts';

/** Beyond ASCII, and DEL: escaped in JSON where only ASCII is allowed. */
const NOT_PLAIN_ASCII = /[\u007f-\uffff]/g;

/** True for a parameter that is a document (`content`), not a value of a style. */
export function isContent(style: object | undefined): style is ContentStyle {
  return style !== undefined && 'content' in style;
}

/** `application/json`, `text/json` and every `+json` (RFC 6839 §3.1). */
export function isJsonContent({ content }: ContentStyle): boolean {
  const essence = (content.split(';')[0] ?? '').trim().toLowerCase();
  return essence === 'application/json' || essence === 'text/json' || /^[^/]+\/[^/]+\+json$/.test(essence);
}

/** The document of a `content` parameter: JSON, or the value's own text; `null` is a document only in JSON. */
export function contentText(value: unknown, style: ContentStyle): string | null {
  if (value === undefined) return null;
  if (isJsonContent(style)) return JSON.stringify(value) ?? null;
  return value === null ? null : valueText(value);
}

/** A value as text. Inside an array or object, a value that no style can express is JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The same JSON in ASCII only (RFC 8259 §7). */
function asciiJson(json: string): string {
  return json.replace(NOT_PLAIN_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Defined elements: `undefined` and `null` are left out (RFC 6570 §2.3). */
export function elementsOf(values: readonly unknown[]): unknown[] {
  return values.filter(isDefined);
}

/** Defined members, as in `elementsOf`. */
export function membersOf(value: object): [name: string, value: unknown][] {
  return Object.entries(value).filter(([, member]) => isDefined(member));
}

export function isDefined<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

/** Left alone by `encodeURIComponent`, and reserved by RFC 3986 §2.2. */
const ALSO_RESERVED = /[!'()*]/g;

/** Reserved characters that do not end any part of a query, in their encoded form. */
const HARMLESS_IN_QUERY = /%(21|24|27|28|29|2A|2C|2F|3A|3B|3D|3F|40)/g;

/** @throws {URIError} for half of a surrogate pair. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    ALSO_RESERVED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Leaves reserved characters as they are (`allowReserved`), except those that would end or change the value:
 * `#`, `&`, `+`, `[`, `]`, and the delimiter that the value is next to.
 *
 * A `%` is always encoded, so that the value arrives unchanged.
 *
 * @throws {URIError} for half of a surrogate pair.
 */
export function percentEncodeReserved(text: string, delimiter = ''): string {
  return percentEncode(text).replace(HARMLESS_IN_QUERY, (escaped) => {
    const character = decodeURIComponent(escaped);
    return character === delimiter ? escaped : character;
  });
}

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
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return String(value);
  const separator = style?.explode === true ? '=' : ',';
  const parts = Array.isArray(value)
    ? elementsOf(value).map((element) => headerPart(slot, element))
    : membersOf(value).map(([key, member]) => {
        if (separator === '=' && key.includes('=')) {
          throw new CannotSendError(slot, 'the name of a member holds an equals sign');
        }
        return `${headerPart(slot, key)}${separator}${headerPart(slot, member)}`;
      });
  return parts.length === 0 ? null : parts.join(',');
}

/** One element of a list: a comma cannot be escaped there, and parsers trim spaces at its ends (RFC 9110 §5.6.1). */
function headerPart(slot: HeaderSlot, element: unknown): string {
  const text = valueText(element);
  if (text.includes(',')) throw new CannotSendError(slot, 'a comma would split an element in two');
  if (text !== text.trim()) throw new CannotSendError(slot, 'an element begins or ends with a space');
  return text;
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

function cookiePairs(slot: Slot<CookieStyle | ContentStyle>, value: unknown): string[] {
  const { parameter: name, style = DEFAULT_STYLE } = slot;
  if (isContent(style)) {
    const text = contentText(value, style);
    if (text === null) return [];
    if (isJsonContent(style)) return [`${name}=${percentEncode(text)}`];
    return [`${name}=${asIs(text, slot)}`];
  }
  if (!isDefined(value)) return [];
  const encode = style.style === 'cookie' ? (one: unknown) => asIs(valueText(one), slot) : percentEncoded;
  if (typeof value !== 'object') return [`${name}=${encode(value)}`];
  if (Array.isArray(value)) {
    const items = elementsOf(value).map(encode);
    if (style.explode) return items.map((item) => `${name}=${item}`);
    return items.length === 0 ? [] : [`${name}=${items.join(',')}`];
  }
  const members = membersOf(value);
  if (!style.explode) {
    const flat = members.flatMap(([key, member]) => [encode(key), encode(member)]);
    return flat.length === 0 ? [] : [`${name}=${flat.join(',')}`];
  }
  if (members.some(([key]) => key === '')) {
    throw new CannotSendError(slot, 'a member without a name would be a cookie without one');
  }
  return members.map(([key, member]) => `${encode(key)}=${encode(member)}`);
}

/** @throws {CannotSendError} for a text that would end its cookie. */
function asIs(text: string, slot: Slot<CookieStyle | ContentStyle>): string {
  if (!BREAKS_COOKIE.test(text)) return text;
  const problem = 'it holds a semicolon, a space at its ends, or a character that is not visible ASCII';
  throw new CannotSendError(slot, problem);
}

function percentEncoded(value: unknown): string {
  return percentEncode(valueText(value));
}
