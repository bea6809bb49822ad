/** Writes the members of a form: `application/x-www-form-urlencoded` (WHATWG URL), and `multipart/form-data` (RFC 7578). */

import type { PartStyle, QueryStyle } from '../../contract/index.ts';
import { Upload } from './serialize-files.ts';
import { DELIMITERS } from './serialize-query.ts';
import { CannotSendError, halfPair, toCannotSend, type WirePlace } from './serialize-sources.ts';
import { elementsOf, isDefined, membersOf, percentEncodeReserved } from './serialize-text.ts';

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

/** One member of a form, with its value. */
export interface FormMember extends WirePlace {
  readonly parameter: string;
  readonly style: PartStyle | undefined;
  readonly value: unknown;
}

/** The style of a member, as query parameters have it; null: it is written by content. */
function queryStyleOf({ style }: FormMember): QueryStyle | null {
  return style !== undefined && 'style' in style ? style : null;
}

/** One pair. Several texts are joined by the delimiter of the style. */
interface FormField {
  readonly name: string;
  readonly texts: readonly string[];
  /** Null: by content. */
  readonly style: QueryStyle | null;
}

/** Writes the fields of one member; none for `undefined`, `null` and values that contain nothing else. */
type FieldWriter = (member: FormMember, style: QueryStyle | null) => FormField[];

/**
 * Creates the writer for the members of one body.
 *
 * @param names of all its members.
 * @param separators by style, those that cannot be told apart from the same character in an item; null: all can.
 * @throws {CannotSendError} by the writer, for values that would arrive changed.
 */
function createFieldWriter(
  names: readonly string[],
  separators: Readonly<Record<QueryStyle['style'], string | null>>,
): FieldWriter {
  const owners = new Map(names.map((name) => [name, name]));
  return (member, style) => {
    const { parameter: name, value } = member;
    if (!isDefined(value)) return [];
    const refuse = (problem: string): never => {
      throw new CannotSendError(member, problem);
    };
    const joined = (texts: readonly string[]): FormField[] => {
      const separator = style === null ? null : separators[style.style];
      if (separator !== null && texts.some((text) => text.includes(separator))) {
        refuse(`a "${separator}" would split an item in two`);
      }
      return texts.length === 0 ? [] : [{ name, texts, style }];
    };
    const single = (key: string, item: unknown): FormField => ({ name: key, texts: [toText(item)], style });
    if (style?.style === 'deepObject') return deepFields(name, value, refuse).map(([key, item]) => single(key, item));
    if (Array.isArray(value)) {
      const items = elementsOf(value);
      return style === null || style.explode ? items.map((item) => single(name, item)) : joined(items.map(toText));
    }
    if (typeof value !== 'object' || style === null) return [single(name, value)];
    const members = membersOf(value as object);
    if (!style.explode) return joined(members.flatMap(([key, item]) => [key, toText(item)]));
    return members.flatMap(([key, item]) => {
      const owner = owners.get(key) ?? name;
      if (owner !== name) refuse(`its member ${JSON.stringify(key)} would be sent as a part of ${owner}`);
      owners.set(key, name);
      return Array.isArray(item) ? elementsOf(item).map((one) => single(key, one)) : [single(key, item)];
    });
  };
}

/**
 * `name[key]`, and `name[0]` for the items of an array, at any depth.
 *
 * OpenAPI leaves arrays under deepObject open. Numbered keys are what the libraries of the services that declare it
 * write, and the only form that keeps the items of an array of objects apart.
 */
function deepFields(path: string, value: unknown, refuse: (problem: string) => never): [name: string, item: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  const members = Array.isArray(value) ? Object.entries(elementsOf(value)) : membersOf(value);
  return members.flatMap(([key, member]) => {
    if (/[[\]]/.test(key)) refuse('the name of a member holds a bracket');
    return deepFields(`${path}[${key}]`, member, refuse);
  });
}

/** A string as it is, everything else as JSON. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parts are not percent-encoded, so no item may contain a delimiter. */
const SEPARATORS: Readonly<Record<QueryStyle['style'], string>> = {
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
    SEPARATORS,
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
    const delimiter = SEPARATORS[style.style];
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
