/** Writes query strings by each parameter's style and explode (OpenAPI 3.1 §4.8.12.2). */

import type { QueryStyle } from '../tools/contract.ts';

const DEFAULT_STYLE: QueryStyle = { style: 'form', explode: true, allowReserved: false };
/** Written as `%20` and `%7C`: delimiters that are no URL characters are escaped (OpenAPI 3.1.1, Appendix E). */
export const DELIMITERS = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C', deepObject: ',' } as const;

/**
 * Creates the `querySerializer` of one call.
 *
 * Parameters without a style are written as `name=value`. `undefined`, `null` and empty arrays are left out.
 * A value deeper than the style can express is written as JSON.
 */
export function createQuerySerializer(styles: Readonly<Record<string, QueryStyle>>): (query: unknown) => string {
  return (query) => {
    if (typeof query !== 'object' || query === null) return '';
    const pairs: string[] = [];
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue;
      const style = Object.hasOwn(styles, name) ? (styles[name] ?? DEFAULT_STYLE) : DEFAULT_STYLE;
      if (Array.isArray(value)) pairs.push(...arrayPairs(name, value, style));
      else if (typeof value === 'object') pairs.push(...objectPairs(name, value, style));
      else pairs.push(`${encode(name)}=${escapeValue(value, style)}`);
    }
    return pairs.join('&');
  };
}

function arrayPairs(name: string, values: readonly unknown[], style: QueryStyle): string[] {
  const written = values
    .filter((value) => value !== undefined && value !== null)
    .map((value) => escapeValue(value, style));
  if (written.length === 0) return [];
  if (style.explode || style.style === 'deepObject') return written.map((value) => `${encode(name)}=${value}`);
  return [`${encode(name)}=${written.join(DELIMITERS[style.style])}`];
}

function objectPairs(name: string, value: object, style: QueryStyle): string[] {
  if (style.style === 'deepObject') return deepPairs(name, value, style);
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  if (members.length === 0) return [];
  if (style.explode) return members.flatMap(([key, member]) => explodedMember(key, member, style));
  const delimiter = DELIMITERS[style.style];
  const flat = members.flatMap(([key, member]) => [encode(key), escapeValue(member, style)]);
  return [`${encode(name)}=${flat.join(delimiter)}`];
}

function explodedMember(key: string, member: unknown, style: QueryStyle): string[] {
  if (Array.isArray(member)) return arrayPairs(key, member, style);
  return [`${encode(key)}=${escapeValue(member, style)}`];
}

/** `name[key]=value`; deeper objects and arrays follow the custom of the libraries that read this style. */
function deepPairs(name: string, value: object, style: QueryStyle): string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const path = `${name}[${key}]`;
    if (member === undefined || member === null) return [];
    if (Array.isArray(member)) return arrayPairs(path, member, style);
    if (typeof member === 'object') return deepPairs(path, member, style);
    return [`${encode(path)}=${escapeValue(member, style)}`];
  });
}

function escapeValue(value: unknown, style: QueryStyle): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return style.allowReserved ? encodeReserved(text) : encode(text);
}

/** @throws {URIError} for half of a surrogate pair. */
export function encode(text: string): string {
  return encodeURIComponent(text);
}

/** Leaves reserved characters as they are, except those that would end the value: `#`, `&`, `+`, `[` and `]`. */
export function encodeReserved(text: string): string {
  return encode(text).replace(/%(3A|2F|3F|40|24|2C|3B|3D)/g, (escaped) => decodeURIComponent(escaped));
}
