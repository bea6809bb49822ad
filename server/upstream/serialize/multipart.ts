/**
 * Writes `multipart/form-data` bodies (RFC 7578).
 *
 * Not with `FormData`: it makes a file, with a filename, of every part that has a Content-Type.
 */

import type { PartEncoding, QueryStyle } from '../../contract/index.ts';
import { Upload } from './file.ts';
import { createFieldWriter, type FieldWriter, toText } from './form-fields.ts';
import { styleOf } from './parameter-text.ts';

/** Nothing is percent-encoded in a part, so that no delimiter can stand in an item. */
const DELIMITERS: Readonly<Record<QueryStyle['style'], string>> = {
  form: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
  deepObject: ',',
};

interface Part {
  readonly name: string;
  /** Null: no file. */
  readonly filename: string | null;
  /** Null: none is written, which means text/plain (RFC 7578 §4.4). */
  readonly contentType: string | null;
  readonly content: string | Uint8Array;
}

/**
 * Creates the `bodySerializer` of one call; the Blob's type is the Content-Type of the request.
 *
 * Arrays become one part for each item, objects JSON parts, files parts with a filename and a Content-Type, everything
 * else text as it is.
 *
 * @param createBoundary lower case, because a Blob's type is.
 * @throws {URIError} by the serializer, where a text cannot be written as UTF-8.
 * @throws {UnsendableError} by the serializer, for values that would arrive as others.
 */
export function createMultipartSerializer(
  encodings: Readonly<Record<string, PartEncoding>>,
  createBoundary: () => string,
): (body: unknown) => Blob {
  return (body) => {
    const boundary = createBoundary();
    const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
    const names = members.map(([name]) => name);
    const write = createFieldWriter(names, DELIMITERS);
    const parts = members.flatMap(([name, value]) => toParts(name, value, styleOf(encodings, name) ?? {}, write));
    const chunks = parts.flatMap((part) => [`--${boundary}\r\n${headersOf(part)}\r\n`, part.content, '\r\n']);
    const type = `multipart/form-data; boundary=${boundary}`;
    return new Blob([...chunks, `--${boundary}--\r\n`] as BlobPart[], { type });
  };
}

function toParts(name: string, value: unknown, encoding: PartEncoding, write: FieldWriter): Part[] {
  if (Array.isArray(value) && !('style' in encoding)) {
    return value.flatMap((item) =>
      Array.isArray(item) ? [jsonPart(name, item)] : toParts(name, item, encoding, write),
    );
  }
  if (value instanceof Upload) {
    return [{ name, filename: value.name ?? name, contentType: value.mediaType, content: value.bytes }];
  }
  if ('style' in encoding) {
    const delimiter = DELIMITERS[encoding.style];
    return write(name, value, encoding).map((field) => textPart(field.name, field.texts.join(delimiter), null));
  }
  if (value === undefined || value === null) return [];
  if (typeof value === 'object') return [jsonPart(name, value, encoding.contentType)];
  return [textPart(name, toText(value), encoding.contentType ?? null)];
}

function jsonPart(name: string, value: object, contentType = 'application/json'): Part {
  return textPart(name, JSON.stringify(value), contentType);
}

function textPart(name: string, text: string, contentType: string | null): Part {
  if (!text.isWellFormed() || !name.isWellFormed()) throw new URIError('half of a surrogate pair');
  return { name, filename: null, contentType, content: text };
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
