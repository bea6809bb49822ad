/**
 * Writes `multipart/form-data` bodies (RFC 7578).
 *
 * It does not use `FormData`, which turns every part with a Content-Type into a file with a filename.
 */

import type { QueryStyle } from '../../../contract/index.ts';
import { halfPair } from './cannot-send.ts';
import { Upload } from './file.ts';
import { createFieldWriter, type FieldWriter, type FormMember, queryStyleOf, toText } from './form-fields.ts';

/** Parts are not percent-encoded, so no item may contain a delimiter. */
const DELIMITERS: Readonly<Record<QueryStyle['style'], string>> = {
  form: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
  deepObject: ',',
};

interface Part {
  readonly name: string;
  /** Null: not a file. */
  readonly filename: string | null;
  /** Null: none is written, which means text/plain (RFC 7578 §4.4). */
  readonly contentType: string | null;
  readonly content: string | Buffer;
}

/**
 * Writes the members of one body.
 *
 * Arrays become one part for each item, objects JSON parts, files parts with a filename and a Content-Type, everything
 * else text as it is.
 *
 * @throws {CannotSendError} when a text cannot be written as UTF-8, and for values that would arrive changed.
 */
export function writeMultipart(members: readonly FormMember[], boundary: string): Buffer {
  const write = createFieldWriter(
    members.map(({ parameter }) => parameter),
    DELIMITERS,
  );
  const chunks = members.flatMap((member) => {
    const parts = toParts(member, write);
    if (!parts.every(isWellFormed)) throw halfPair(member);
    return parts.flatMap((part) => [`--${boundary}\r\n${headersOf(part)}\r\n`, part.content, '\r\n']);
  });
  const bytes = [...chunks, `--${boundary}--\r\n`].map((chunk) =>
    typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk,
  );
  return Buffer.concat(bytes);
}

function toParts(member: FormMember, write: FieldWriter): Part[] {
  const { parameter: name, value, style: own } = member;
  const style = queryStyleOf(member);
  if (Array.isArray(value) && style === null) {
    return value.flatMap((item) =>
      Array.isArray(item) ? [jsonPart(name, item)] : toParts({ ...member, value: item }, write),
    );
  }
  if (value instanceof Upload) {
    return [{ name, filename: value.name ?? name, contentType: value.mediaType, content: value.bytes }];
  }
  if (style !== null) {
    const delimiter = DELIMITERS[style.style];
    return write(member, style).map((field) => textPart(field.name, field.texts.join(delimiter), null));
  }
  if (value === undefined || value === null) return [];
  const contentType = own !== undefined && 'contentType' in own ? own.contentType : undefined;
  if (typeof value === 'object') return [jsonPart(name, value, contentType)];
  return [textPart(name, toText(value), contentType ?? null)];
}

function jsonPart(name: string, value: object, contentType = 'application/json'): Part {
  return textPart(name, JSON.stringify(value), contentType);
}

function textPart(name: string, text: string, contentType: string | null): Part {
  return { name, filename: null, contentType, content: text };
}

function isWellFormed({ name, content }: Part): boolean {
  return name.isWellFormed() && (typeof content !== 'string' || content.isWellFormed());
}

function headersOf({ name, filename, contentType }: Part): string {
  const file = filename === null ? '' : `; filename="${escapeName(filename)}"`;
  const type = contentType === null ? '' : `Content-Type: ${contentType}\r\n`;
  return `Content-Disposition: form-data; name="${escapeName(name)}"${file}\r\n${type}`;
}

/** As browsers do (WHATWG HTML, "multipart/form-data encoding algorithm"). */
function escapeName(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
