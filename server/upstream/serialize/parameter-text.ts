/** Text of a parameter's value, before its place on the wire escapes it. */

import type { ContentStyle } from '../../contract/index.ts';

/** Beyond ASCII, and DEL: escaped in JSON that travels where only ASCII may. */
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

/** The document of a `content` parameter: JSON, or the value's own text; `null` is a document of JSON alone. */
export function contentText(value: unknown, style: ContentStyle): string | null {
  if (value === undefined) return null;
  if (isJsonContent(style)) return JSON.stringify(value) ?? null;
  return value === null ? null : valueText(value);
}

/** A value as text. A value that no style can take apart, inside an array or object, is JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** JSON in ASCII alone, the same JSON to every reader (RFC 8259 §7). */
export function asciiJson(json: string): string {
  return json.replace(NOT_PLAIN_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Elements that are there: `undefined` and `null` are none (RFC 6570 §2.3). */
export function elementsOf(values: readonly unknown[]): unknown[] {
  return values.filter(isDefined);
}

/** Members that are there, as `elementsOf`. */
export function membersOf(value: object): [name: string, value: unknown][] {
  return Object.entries(value).filter(([, member]) => isDefined(member));
}

export function isDefined<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}
