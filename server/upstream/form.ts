/** Writes `application/x-www-form-urlencoded` bodies (WHATWG URL, "application/x-www-form-urlencoded serializing"). */

import type { QueryStyle } from '../tools/contract.ts';
import { type FormField, toFormFields } from './form-fields.ts';
import { percentEncodeReserved } from './percent-encoding.ts';
import { DELIMITERS } from './query.ts';

/**
 * Creates the `bodySerializer` of one call.
 *
 * A space is written `%20`: every reader of forms takes it, and so does one that only undoes percent-encoding.
 *
 * @param styles of the members whose Encoding Object has one.
 */
export function createFormSerializer(styles: Readonly<Record<string, QueryStyle>>): (body: unknown) => string {
  return (body) => {
    if (typeof body !== 'object' || body === null) return String(body);
    return Object.entries(body)
      .flatMap(([name, value]) =>
        toFormFields(name, value, Object.hasOwn(styles, name) ? (styles[name] ?? null) : null),
      )
      .map(toPair)
      .join('&');
  };
}

function toPair({ name, texts, style }: FormField): string {
  const delimiter = DELIMITERS[style?.style ?? 'form'];
  const written = texts.map((text) =>
    style?.allowReserved === true ? percentEncodeReserved(text, delimiter) : encodeURIComponent(text),
  );
  return `${encodeURIComponent(name)}=${written.join(delimiter)}`;
}
