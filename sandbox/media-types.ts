/** Parses and compares media types, to choose the schema of a body. */

/** The type without parameters, lower-case: `application/json` of `Application/JSON; charset=utf-8`. */
export function toEssence(header: string): string {
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  const essence = toEssence(mediaType);
  return essence === 'application/json' || essence.endsWith('+json') || essence === 'text/json';
}

/** Returns true if a body of this type is UTF-8 text. */
export function isText(mediaType: string): boolean {
  const essence = toEssence(mediaType);
  return essence.startsWith('text/') || /[/+](xml|yaml|x-yaml|csv|graphql|x-ndjson|ndjson|jsonl)$/.test(essence);
}

/** The most specific declared media type that covers the given one; `image/*` covers `image/png`. */
export function matchMediaType<T extends { readonly name: string }>(
  mediaType: string,
  declared: readonly T[],
): T | null {
  const range = `${mediaType.split('/')[0]}/*`;
  for (const pattern of [mediaType, range, '*/*']) {
    const match = declared.find(({ name }) => toEssence(name) === pattern);
    if (match !== undefined) return match;
  }
  return null;
}
