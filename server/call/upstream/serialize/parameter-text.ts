/** The text of a parameter's value, before it is escaped for its place on the wire. */

import type { ContentStyle } from '../../../contract/index.ts';

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
export function asciiJson(json: string): string {
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
