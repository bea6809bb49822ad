/** Turns the file arguments of a call into bytes with a name and a media type, and says what is wrong with them. */

import { ArgumentError } from './argument-error.ts';
import { decodeBase64 } from './base64.ts';
import { isAccepted, isMediaRange, isMediaType } from './media-type.ts';

/** A file on its way upstream. */
export class Upload {
  readonly bytes: Uint8Array;
  /** Null: the part's own name. */
  readonly name: string | null;
  readonly mediaType: string;

  constructor(bytes: Uint8Array, name: string | null, mediaType: string) {
    this.bytes = bytes;
    this.name = name;
    this.mediaType = mediaType;
  }
}

const ANY_BYTES = 'application/octet-stream';
const MAX_NAME_LENGTH = 255;
const UNSAFE_NAME = /[/\\\p{Cc}]/u;

/**
 * Reads a file argument, or a list of them; undefined stays undefined.
 *
 * @param argument its name, for problems
 * @param accepted media types and ranges; none: any. The first that is no range is the default of `mimeType`.
 * @param place where in the arguments the file stands
 * @throws {ArgumentError} for data that is no base64, a name that is none, and a media type that is none or not accepted.
 */
export function toUploads(value: unknown, argument: string, accepted: readonly string[], place = argument): unknown {
  if (!Array.isArray(value)) return toUpload(value, argument, place, accepted);
  return value.map((one, index) => toUpload(one, argument, `${place}[${index}]`, accepted));
}

/**
 * Reads an argument that is base64 alone.
 *
 * @throws {ArgumentError} for what is no base64.
 */
export function toBytes(value: unknown, argument: string): Uint8Array | undefined {
  return value === undefined ? undefined : decode(value, argument, argument);
}

function toUpload(value: unknown, argument: string, place: string, accepted: readonly string[]): Upload | undefined {
  if (value === undefined || value === null) return undefined;
  const { data, name, mimeType } = value as Readonly<Record<string, unknown>>;
  if (data === undefined && name === undefined && mimeType === undefined) return undefined;
  const mediaType = checkMediaType(mimeType, argument, place, accepted);
  return new Upload(decode(data, argument, `${place}.data`), checkName(name, argument, place), mediaType);
}

function decode(data: unknown, argument: string, place: string): Uint8Array {
  if (typeof data !== 'string') throw new ArgumentError(argument, `"${place}" is missing: the content in base64.`);
  const decoded = decodeBase64(data);
  if (decoded.ok) return decoded.bytes;
  throw new ArgumentError(argument, `"${place}" ${decoded.problem}`);
}

function checkName(name: unknown, argument: string, place: string): string | null {
  if (name === undefined || name === null) return null;
  const isName = typeof name === 'string' && name !== '' && name !== '.' && name !== '..' && name.isWellFormed();
  if (isName && name.length <= MAX_NAME_LENGTH && !UNSAFE_NAME.test(name)) return name;
  throw new ArgumentError(
    argument,
    `"${place}.name" must be the name of a file alone, such as report.pdf: no path, no control characters, at most ${MAX_NAME_LENGTH} characters.`,
  );
}

function checkMediaType(mimeType: unknown, argument: string, place: string, accepted: readonly string[]): string {
  const types = accepted.join(', ');
  if (mimeType === undefined || mimeType === null) {
    const fallback = accepted.length === 0 ? ANY_BYTES : accepted.find((one) => !isMediaRange(one));
    if (fallback !== undefined) return fallback;
    throw new ArgumentError(argument, `"${place}.mimeType" is missing: the media type of the content, of ${types}.`);
  }
  if (typeof mimeType !== 'string' || !isMediaType(mimeType)) {
    throw new ArgumentError(argument, `"${place}.mimeType" must be one media type, such as image/png.`);
  }
  if (accepted.length === 0 || isAccepted(mimeType, accepted)) return mimeType;
  throw new ArgumentError(argument, `"${place}.mimeType" must be of ${types}.`);
}
