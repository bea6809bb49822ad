/** Writes the members of a form: `application/x-www-form-urlencoded` (WHATWG URL), and `multipart/form-data` (RFC 7578). */

import type { PartStyle, QueryStyle } from '../../contract/index.ts';
import { Upload } from './serialize-files.ts';
import { halfPair, toCannotSend, type WirePlace } from './serialize-sources.ts';
import {
  createFieldWriter,
  type FieldWriter,
  hasMembers,
  percentEncodeReserved,
  STYLES,
  valueText,
} from './serialize-styles.ts';

/** The place of a value in a form. */
export interface FormSlot extends WirePlace {
  readonly parameter: string;
  readonly style: PartStyle | undefined;
}

/** One member of a form, with its value. */
export interface FormMember extends FormSlot {
  readonly value: unknown;
}

/** Returns the style of a member, as query parameters have it. Returns null if the member is written by content. */
function queryStyleOf({ style }: FormMember): QueryStyle | null {
  return style !== undefined && 'style' in style ? style : null;
}

const BY_CONTENT: QueryStyle = { style: 'form', explode: true };

/**
 * Writes the members of one body.
 *
 * A space is written `%20`, because every form parser accepts it, even a parser that only decodes percent-encoding.
 *
 * @throws {CannotSendError} for values that would arrive changed, and for half of a surrogate pair.
 */
export function writeForm(members: readonly FormMember[]): string {
  const writeFields = createFieldWriter(members, 'numbered', true);
  const pairs = members.flatMap((member) => {
    const { parameter, value } = member;
    const style = queryStyleOf(member);
    const { delimiter, inUrl } = STYLES[style?.style ?? 'form'];
    const encode = (text: string): string =>
      style?.allowReserved === true ? percentEncodeReserved(text, delimiter) : encodeURIComponent(text);
    const isDocument = style === null && hasMembers(value) && !Array.isArray(value);
    try {
      const fields = isDocument
        ? [{ name: parameter, texts: [valueText(value)] }]
        : writeFields(member, value, style ?? BY_CONTENT);
      return fields.map(({ name, texts }) => `${encodeURIComponent(name)}=${texts.map(encode).join(inUrl)}`);
    } catch (error) {
      throw toCannotSend(error, member);
    }
  });
  return pairs.join('&');
}

interface Part {
  readonly name: string;
  /** Null if the part is not a file. */
  readonly filename: string | null;
  /** Null if the part has no Content-Type, which means text/plain (RFC 7578 §4.4). */
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
  const writeFields = createFieldWriter(members, 'numbered', false);
  const chunks = members.flatMap((member) => {
    const parts = toParts(member, writeFields);
    if (!parts.every(isWellFormed)) throw halfPair(member);
    return parts.flatMap((part) => [`--${boundary}\r\n${headersOf(part)}\r\n`, part.content, '\r\n']);
  });
  const bytes = [...chunks, `--${boundary}--\r\n`].map((chunk) =>
    typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk,
  );
  return Buffer.concat(bytes);
}

function toParts(member: FormMember, writeFields: FieldWriter): Part[] {
  const { parameter: name, value, style: partStyle } = member;
  const style = queryStyleOf(member);
  if (Array.isArray(value) && style === null) {
    return value.flatMap((item) =>
      Array.isArray(item) ? [jsonPart(name, item)] : toParts({ ...member, value: item }, writeFields),
    );
  }
  if (value instanceof Upload) {
    return [{ name, filename: value.name ?? name, contentType: value.mediaType, content: value.bytes }];
  }
  if (style !== null) {
    const { delimiter } = STYLES[style.style];
    return writeFields(member, value, style).map((field) => textPart(field.name, field.texts.join(delimiter), null));
  }
  if (value === undefined || value === null) return [];
  const contentType = partStyle !== undefined && 'contentType' in partStyle ? partStyle.contentType : undefined;
  if (hasMembers(value)) return [jsonPart(name, value, contentType)];
  return [textPart(name, valueText(value), contentType ?? null)];
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
