/** Media types that arguments name (RFC 9110 §8.3.1). */

const TOKEN = "[!#$%&'+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);
const MAX_LENGTH = 255;

/** True for one media type, with or without parameters; false for a range. */
export function isMediaType(text: string): boolean {
  return text.length <= MAX_LENGTH && MEDIA_TYPE.test(text);
}

/** True for a range such as `image/*`. */
export function isMediaRange(text: string): boolean {
  return text.split(';', 1)[0]?.includes('*') === true;
}

/** Whether one of the types or ranges covers the media type; parameters do not count. */
export function isAccepted(mediaType: string, accepted: readonly string[]): boolean {
  const given = essenceOf(mediaType);
  return accepted.map(essenceOf).some((one) => {
    if (one === '*/*' || one === given) return true;
    return one.endsWith('/*') && given.startsWith(one.slice(0, -1));
  });
}

function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}
