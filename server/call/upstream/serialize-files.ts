import { CannotSendError, type WirePlace } from './serialize-sources.ts';

/** A file to send upstream. */
export class Upload {
  readonly bytes: Buffer;
  /** Name of the file. Null if it has the name of its part. */
  readonly name: string | null;
  readonly mediaType: string;

  constructor(bytes: Buffer, name: string | null, mediaType: string) {
    this.bytes = bytes;
    this.name = name;
    this.mediaType = mediaType;
  }
}

const ANY_BYTES = 'application/octet-stream';
const MAX_NAME_LENGTH = 255;
const UNSAFE_NAME = /[/\\\p{Cc}]/u;

/** The arguments that form a file together, by member. */
export interface FileEntries {
  readonly entries?: Readonly<Record<string, string>> | undefined;
}

/** The position of a file in the arguments, such as `attachments[1]`, and its place in the request. */
interface FilePlace extends WirePlace, FileEntries {
  readonly subject: string;
}

/**
 * Reads a file argument, or a list of them. For undefined it returns undefined.
 *
 * @param accepted media types and ranges; any type is accepted if it is empty. The first one that is not a range is the default of `mimeType`.
 * @throws {CannotSendError} for data that is not base64, an invalid name, and a media type that is invalid or not accepted.
 */
export function toUploads(value: unknown, place: FilePlace, accepted: readonly string[]): unknown {
  if (!Array.isArray(value)) return toUpload(value, place, accepted);
  return value.map((file, index) => toUpload(file, { ...place, subject: `${place.subject}[${index}]` }, accepted));
}

/**
 * Reads an argument that is only base64.
 *
 * @throws {CannotSendError} when it is not base64.
 */
export function toBytes(value: unknown, place: FilePlace): Buffer {
  const decoded: Decoded =
    typeof value === 'string' ? decodeBase64(value) : { ok: false, problem: 'is missing: the content in base64' };
  if (decoded.ok) return decoded.bytes;
  throw new CannotSendError(place, decoded.problem, place.subject);
}

function toUpload(value: unknown, place: FilePlace, accepted: readonly string[]): Upload | undefined {
  if (value === undefined || value === null) return undefined;
  const { data, name, mimeType } = value as Readonly<Record<string, unknown>>;
  if (data === undefined && name === undefined && mimeType === undefined) return undefined;
  const mediaType = checkMediaType(mimeType, memberOf(place, 'mimeType'), accepted);
  return new Upload(toBytes(data, memberOf(place, 'data')), checkName(name, memberOf(place, 'name')), mediaType);
}

function memberOf(place: FilePlace, member: string): FilePlace {
  const argument = place.entries?.[member];
  if (argument !== undefined) return { ...place, argument, subject: argument };
  return { ...place, subject: `${place.subject}.${member}` };
}

function checkName(name: unknown, place: FilePlace): string | null {
  if (name === undefined || name === null) return null;
  const isName = typeof name === 'string' && name !== '' && name !== '.' && name !== '..' && name.isWellFormed();
  if (isName && name.length <= MAX_NAME_LENGTH && !UNSAFE_NAME.test(name)) return name;
  const problem = `must be the name of a file alone, such as report.pdf: no path, no control characters, at most ${MAX_NAME_LENGTH} characters`;
  throw new CannotSendError(place, problem, place.subject);
}

function checkMediaType(mimeType: unknown, place: FilePlace, accepted: readonly string[]): string {
  const types = accepted.join(', ');
  const refuse = (problem: string): never => {
    throw new CannotSendError(place, problem, place.subject);
  };
  if (mimeType === undefined || mimeType === null) {
    const fallback = accepted.length === 0 ? ANY_BYTES : accepted.find((type) => !isMediaRange(type));
    return fallback ?? refuse(`is missing: the media type of the content, of ${types}`);
  }
  if (typeof mimeType !== 'string' || !isMediaType(mimeType)) {
    return refuse('must be one media type, such as image/png');
  }
  if (accepted.length === 0 || isAccepted(mimeType, accepted)) return mimeType;
  return refuse(`must be of ${types}`);
}

/** Standard or URL-safe letters (RFC 4648 §4, §5), then at most two `=`. */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const ASCII_WHITESPACE = /[\t\n\f\r ]+/g;
const DATA_URL = /^\s{0,20}data:/i;

/** Bytes, or the problem as words that follow the name of the text, such as `is not base64`. */
type Decoded = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly problem: string };

/** Decodes either alphabet, with or without padding; ASCII whitespace anywhere is skipped. */
function decodeBase64(encoded: string): Decoded {
  if (DATA_URL.test(encoded)) return { ok: false, problem: 'is a data URL: give only what follows its comma' };
  const text = BASE64.test(encoded) ? encoded : encoded.replace(ASCII_WHITESPACE, '');
  if (!BASE64.test(text)) {
    return {
      ok: false,
      problem: 'is not base64: it holds characters other than A-Z a-z 0-9 + / - _ and = at its end',
    };
  }
  const isWhole = text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1;
  if (!isWhole) return { ok: false, problem: 'is not base64: its length says that characters are missing' };
  // Node reads both alphabets and stops at the padding.
  return { ok: true, bytes: Buffer.from(text, 'base64') };
}

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

/** Returns true if one of the types or ranges covers the media type. Parameters do not count. */
export function isAccepted(mediaType: string, accepted: readonly string[]): boolean {
  const essence = essenceOf(mediaType);
  return accepted.map(essenceOf).some((range) => {
    if (range === '*/*' || range === essence) return true;
    return range.endsWith('/*') && essence.startsWith(range.slice(0, -1));
  });
}

/** Returns a media type without parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}
