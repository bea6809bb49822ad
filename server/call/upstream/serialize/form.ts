/** Writes `application/x-www-form-urlencoded` bodies (WHATWG URL, "application/x-www-form-urlencoded serializing"). */

import { toCannotSend } from './cannot-send.ts';
import { createFieldWriter, type FormField, type FormMember, queryStyleOf } from './form-fields.ts';
import { percentEncodeReserved } from './percent-encoding.ts';
import { DELIMITERS } from './query.ts';

/** A comma in an item is escaped; a space and a vertical bar are escaped as the delimiters are. */
const INDISTINCT = { form: null, spaceDelimited: ' ', pipeDelimited: '|', deepObject: null };

/**
 * Writes the members of one body.
 *
 * A space is written `%20`: every form parser accepts it, even one that only decodes percent-encoding.
 *
 * @throws {CannotSendError} for values that would arrive changed, and for half of a surrogate pair.
 */
export function writeForm(members: readonly FormMember[]): string {
  const write = createFieldWriter(
    members.map(({ parameter }) => parameter),
    INDISTINCT,
  );
  const pairs = members.flatMap((member) => {
    try {
      return write(member, queryStyleOf(member)).map(toPair);
    } catch (error) {
      throw toCannotSend(error, member);
    }
  });
  return pairs.join('&');
}

function toPair({ name, texts, style }: FormField): string {
  const delimiter = DELIMITERS[style?.style ?? 'form'];
  const written = texts.map((text) =>
    style?.allowReserved === true ? percentEncodeReserved(text, delimiter) : encodeURIComponent(text),
  );
  return `${encodeURIComponent(name)}=${written.join(delimiter)}`;
}
