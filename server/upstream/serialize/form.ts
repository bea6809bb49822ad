/** Writes `application/x-www-form-urlencoded` bodies (WHATWG URL, "application/x-www-form-urlencoded serializing"). */

import type { QueryStyle } from '../../contract/index.ts';
import { createFieldWriter, type FormField } from './form-fields.ts';
import { styleOf } from './parameter-text.ts';
import { percentEncodeReserved } from './percent-encoding.ts';
import { DELIMITERS } from './query.ts';

/** A comma in an item is escaped; a space and a vertical bar are escaped as the delimiters are. */
const INDISTINCT = { form: null, spaceDelimited: ' ', pipeDelimited: '|', deepObject: null };

/**
 * Creates the `bodySerializer` of one call.
 *
 * A space is written `%20`: every reader of forms takes it, and so does one that only undoes percent-encoding.
 *
 * @param styles of the members whose Encoding Object has one.
 * @throws {URIError} by the serializer, for half of a surrogate pair.
 * @throws {UnsendableError} by the serializer, for values that would arrive as others.
 */
export function createFormSerializer(styles: Readonly<Record<string, QueryStyle>>): (body: unknown) => string {
  return (body) => {
    if (typeof body !== 'object' || body === null) return String(body);
    const write = createFieldWriter(Object.keys(body), INDISTINCT);
    const fields = Object.entries(body).flatMap(([name, value]) => write(name, value, styleOf(styles, name) ?? null));
    return fields.map(toPair).join('&');
  };
}

function toPair({ name, texts, style }: FormField): string {
  const delimiter = DELIMITERS[style?.style ?? 'form'];
  const written = texts.map((text) =>
    style?.allowReserved === true ? percentEncodeReserved(text, delimiter) : encodeURIComponent(text),
  );
  return `${encodeURIComponent(name)}=${written.join(delimiter)}`;
}
