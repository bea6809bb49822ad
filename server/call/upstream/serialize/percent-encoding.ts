/** Percent-encoding as URI templates do it (RFC 6570 §3.2.1): everything but RFC 3986's unreserved characters. */

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
