/** Writes the cookies of a call as one `Cookie` header (OpenAPI 3.1 §4.8.12, RFC 6265 §4.2.1). */

import type { ContentStyle, CookieStyle, ToolRequest } from '../../../contract/index.ts';
import { CannotSendError, toCannotSend } from './cannot-send.ts';
import {
  contentText,
  elementsOf,
  isContent,
  isDefined,
  isJsonContent,
  membersOf,
  valueText,
} from './parameter-text.ts';
import { percentEncode } from './percent-encoding.ts';
import { type Arguments, type Slot, toSlots } from './sources.ts';

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
