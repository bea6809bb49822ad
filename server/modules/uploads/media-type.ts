/**
 * Compares the first bytes of a file with its media type. A short table, not a library: the question is only whether a file contradicts the type that
 * it claims, and a library that recognises every format parses untrusted containers for that.
 */

/** The first bytes of files by media type, in hexadecimal. A text can begin with `BM`, `MZ` or `ID3`, so these types are known by the next bytes, too. */
const SIGNATURES: readonly (readonly [mediaType: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/bmp', /^424d.{8}00000000/],
  ['image/tiff', /^(?:49492a00|4d4d002a)/],
  ['application/pdf', /^(?:efbbbf)?255044462d/],
  ['application/zip', /^504b(?:0304|0506)/],
  ['application/gzip', /^1f8b/],
  ['audio/wav', /^52494646.{8}57415645/],
  ['audio/ogg', /^4f676753/],
  ['audio/mpeg', /^(?:4944330[234]|ff(?:e[2-5]|f[2-5a-d]))/],
  ['video/mp4', /^.{8}66747970/],
  ['application/vnd.microsoft.portable-executable', /^4d5a..0[01]/],
  ['application/x-elf', /^7f454c46/],
];
const SIGNATURE_BYTES = 16;

/** Other names of the same types. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/x-ms-bmp': 'image/bmp',
  'application/x-zip-compressed': 'application/zip',
  'application/x-gzip': 'application/gzip',
  'audio/x-wav': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

const TEXT = /^text\/|^application\/(?:json|xml|yaml)$|\+(?:json|xml|yaml)$/;
/** Bytes of a text in which there must be no NUL, unless it begins with the byte order mark of UTF-16. */
const TEXT_BYTES = 4_096;
const UTF16 = /^(?:fffe|feff)/;

/** Returns the type that the first bytes of a file tell, or undefined if they tell none. */
export function typeByContent(bytes: Buffer): string | undefined {
  const beginning = toHex(bytes);
  return SIGNATURES.find(([, pattern]) => pattern.test(beginning))?.[0];
}

/** True if a file cannot be of the type: it lacks the beginning of that type, or claims to be text and is not. */
export function contradictsType(bytes: Buffer, mediaType: string): boolean {
  const claimed = ALIASES[mediaType] ?? mediaType;
  const signature = SIGNATURES.find(([type]) => type === claimed)?.[1];
  if (signature !== undefined) return !signature.test(toHex(bytes));
  return TEXT.test(claimed) && !UTF16.test(toHex(bytes)) && bytes.subarray(0, TEXT_BYTES).includes(0);
}

function toHex(bytes: Buffer): string {
  return bytes.subarray(0, SIGNATURE_BYTES).toString('hex');
}
