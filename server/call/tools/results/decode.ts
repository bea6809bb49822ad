/** Decodes the body of an answer as JSON, text or bytes. */

import { isAscii } from 'node:buffer';
import type { ObjectSchema } from '../../../contract/index.ts';
import { isStream, type Redactor } from '../../upstream/index.ts';
import { isDeeperThan, isSchema, mayBeDeeperThan, type ParsedJson, parseExactJson } from '../json.ts';
import { redactValue } from './errors.ts';

/** A decoded body, with the answer's headers that say how a list continues. */
export type DecodedBody =
  | { readonly kind: 'empty' }
  | ({ readonly kind: 'json'; readonly header?: (name: string) => string | null } & ParsedJson)
  | { readonly kind: 'text'; readonly text: string; readonly mediaType: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mediaType: string }
  /** `problem` completes "The answer …". */
  | { readonly kind: 'unreadable'; readonly problem: string };

/** The body of a successful answer. */
export type ReadBody = Exclude<DecodedBody, { kind: 'unreadable' }>;

/** The description of a tool's answers. */
interface AnsweringTool {
  readonly outputSchema: ObjectSchema;
  readonly answersJson?: boolean;
}

/** Facts about a body that its bytes do not tell. */
interface DecodeOptions {
  readonly contentType: string | null;
  /** Decides whether the answers are JSON, so that a web page is an error. */
  readonly tool: AnsweringTool;
  /** The call's arguments: a web page whose media type one of them requested is not an error. */
  readonly requested: Readonly<Record<string, unknown>>;
  /** True if it is a partial body (206), which need not be readable alone. */
  readonly partial?: boolean;
  /** True if it is the beginning of a stream that has not ended. */
  readonly isCut?: boolean;
  /** What stands for a record of a stream, or a part, that is not JSON. Default: its text. */
  readonly opaqueRecord?: string;
  /** Redacts the credential. */
  readonly redactor: Redactor;
}

/** Deeper answers would exhaust the stack in validation and serialization. */
const MAX_DEPTH = 500;

const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/** A record as JSON: its text if that is JSON, otherwise a JSON string. */
type ToRecord = (text: string, mayBeJson: boolean) => string;

/** Decodes a whole body. Never throws: a body that cannot be decoded is `unreadable`. */
export function decodeBody(bytes: Uint8Array, options: DecodeOptions): DecodedBody {
  const { mediaType, charset } = parseContentType(options.contentType);
  const { redactor, partial = false, isCut = false, opaqueRecord } = options;
  const toRecord: ToRecord = (text, mayBeJson) => {
    return mayBeJson && isJsonText(text) ? text : JSON.stringify(opaqueRecord ?? text);
  };
  if (bytes.byteLength === 0 && !isCut) return { kind: 'empty' };
  if (mediaType !== null && isStream(mediaType)) {
    const items = recordsOf(readText(bytes, charset), { mediaType, isCut, toRecord });
    return decodeJson(`{"items":${items},"streamEnded":${!isCut}}`, redactor);
  }
  if (mediaType === 'multipart/mixed') {
    const items = readParts(bytes, options.contentType ?? '', toRecord);
    if (items !== null) return decodeJson(`{"items":[${items.join(',')}],"streamEnded":true}`, redactor);
  }
  if (isBlank(bytes, charset) && mayBeJson(mediaType, options)) return { kind: 'empty' };
  if (isJson(mediaType)) {
    const text = readText(bytes, charset);
    const json = decodeJson(text, redactor);
    const isPartialText = json.kind === 'unreadable' && partial && mediaType !== null;
    return isPartialText ? { kind: 'text', text: redactor.text(text), mediaType } : json;
  }
  if (mediaType === null) {
    const json = tryJson(readText(bytes, charset), redactor);
    return json ?? { kind: 'bytes', bytes: redactor.bytes(bytes), mediaType: DEFAULT_MEDIA_TYPE };
  }
  if (!isText(mediaType)) return { kind: 'bytes', bytes: redactor.bytes(bytes), mediaType };
  const expectsJson = answersJson(options.tool) && !Object.values(options.requested).includes(mediaType);
  if (expectsJson && !partial && /[/+](html|xml)$/.test(mediaType)) {
    const kind = /html/.test(mediaType) ? 'a web page' : 'XML';
    return { kind: 'unreadable', problem: `is ${kind} (${mediaType}) instead of JSON` };
  }
  const text = readText(bytes, charset);
  const json = expectsJson ? tryJson(text, redactor) : undefined;
  return json ?? { kind: 'text', text: redactor.text(text), mediaType };
}

/** Longest body, in bytes, that is compared with JSON's null. */
const MAX_NULL_BYTES = 64;

/** True if a body is only white space or JSON's null. */
function isBlank(bytes: Uint8Array, charset: string): boolean {
  if (bytes.byteLength <= MAX_NULL_BYTES) return /^\s*(?:null\s*)?$/.test(readText(bytes, charset));
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** True if a body of this type is read as JSON, so that white space is no text and no file. */
function mayBeJson(mediaType: string | null, { tool, requested }: DecodeOptions): boolean {
  if (mediaType === null || isJson(mediaType)) return true;
  return isText(mediaType) && answersJson(tool) && !Object.values(requested).includes(mediaType);
}

function answersJson({ answersJson, outputSchema: { properties } }: DecodeOptions['tool']): boolean {
  return answersJson ?? (isSchema(properties) && Object.keys(properties).length > 0);
}

/** Decodes the body of an error answer, which may be truncated, as JSON or else as text. */
export function decodeErrorBody(bytes: Uint8Array, contentType: string | null, redactor: Redactor): unknown {
  const text = readText(bytes, parseContentType(contentType).charset);
  try {
    const { value } = parseExactJson(text);
    if (!isDeeperThan(value, MAX_DEPTH)) return redactValue(value, text, redactor);
  } catch {
    // Not JSON, so it is a text.
  }
  return redactor.text(text);
}

/** The parts as JSON texts: JSON parts unchanged, other texts as JSON strings. Null if a part is neither. */
function readParts(bytes: Uint8Array, contentType: string, toRecord: ToRecord): readonly string[] | null {
  const items = partsOf(bytes, contentType)?.map((part) => {
    const { mediaType, charset } = parseContentType(part.contentType);
    if (mediaType === null || !(isJson(mediaType) || isText(mediaType))) return null;
    return toRecord(readText(part.bytes, charset), isJson(mediaType));
  });
  return items?.every((item) => item !== null) ? items : null;
}

function decodeJson(text: string, redactor: Redactor): DecodedBody {
  if (text.trim() === '') return { kind: 'empty' };
  try {
    const parsed = parseExactJson(text);
    if (mayBeDeeperThan(text, MAX_DEPTH) && isDeeperThan(parsed.rounded, MAX_DEPTH)) {
      return { kind: 'unreadable', problem: `is nested deeper than ${MAX_DEPTH} levels` };
    }
    const value = redactValue(parsed.value, text, redactor);
    const rounded = parsed.rounded === parsed.value ? value : redactValue(parsed.rounded, text, redactor);
    return { kind: 'json', value, rounded };
  } catch {
    return { kind: 'unreadable', problem: 'is not valid JSON (it may have been cut off)' };
  }
}

function tryJson(text: string, redactor: Redactor): DecodedBody | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const body = decodeJson(text, redactor);
  return body.kind === 'json' ? body : undefined;
}

const PLAIN_JSON = { mediaType: 'application/json', charset: 'utf-8' };

function parseContentType(header: string | null): { mediaType: string | null; charset: string } {
  if (header === PLAIN_JSON.mediaType) return PLAIN_JSON;
  const [first = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(first) ? first : null;
  return { mediaType, charset: charset?.replaceAll('"', '') ?? 'utf-8' };
}

function isJson(mediaType: string | null): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || (mediaType?.endsWith('+json') ?? false);
}

const TEXTUAL = new Set([
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
]);

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || TEXTUAL.has(mediaType) || /\+(xml|yaml)$/.test(mediaType);
}

function readText(bytes: Uint8Array, charset: string): string {
  // The same text in both encodings, read several times faster.
  if (charset === 'utf-8' && isAscii(bytes))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Returns the records as one JSON array in text form. JSON records are unchanged, others become JSON strings.
 *
 * An event becomes an object with its `event`, `id` and `data` (HTML Living Standard §9.2.6), as OpenAPI 3.2 describes
 * it.
 *
 * @param isCut whether the stream continues: an unterminated last record is then incomplete, and left out.
 */
function recordsOf(
  text: string,
  { mediaType, isCut, toRecord }: { readonly mediaType: string; readonly isCut: boolean; readonly toRecord: ToRecord },
): string {
  if (mediaType === 'text/event-stream') return toArray(readEvents(text, toRecord));
  const separator = mediaType.endsWith('json-seq') ? '\x1e' : '\n';
  const segments = text.split(separator);
  if (isCut && !isJsonText(segments.at(-1) ?? '')) segments.pop();
  const records = segments.map((part) => part.trim()).filter((part) => part !== '');
  return toArray(records.map((record) => toRecord(record, true)));
}

/** Returns the events of a stream. Only a blank line completes an event, so the rest of the stream is not an event. */
function readEvents(text: string, toRecord: ToRecord): string[] {
  const blocks = text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\n+/);
  blocks.pop();
  return blocks.flatMap((block) => {
    const data: string[] = [];
    const members: string[] = [];
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      else if (field === 'event' || field === 'id') members.push(`${JSON.stringify(field)}:${JSON.stringify(value)}`);
    }
    if (data.length > 0) members.push(`"data":${toRecord(data.join('\n'), true)}`);
    return members.length === 0 ? [] : [`{${members.join(',')}}`];
  });
}

function toArray(records: readonly string[]): string {
  return `[${records.join(',')}]`;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Part {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** @returns null if the body is incomplete, or its parts have another encoding (`Content-Transfer-Encoding`). */
function partsOf(body: Uint8Array, contentType: string): Part[] | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return null;
  const text = `\n${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')}`;
  const [, ...sections] = text.split(`\n--${boundary}`);
  const end = sections.findIndex((section) => section.startsWith('--'));
  if (end < 0) return null;
  const parts = sections.slice(0, end).map(toPart);
  return parts.every((part) => part !== null) ? parts : null;
}

/** The line break before a delimiter belongs to the delimiter. */
function toPart(section: string): Part | null {
  const [, head, content = ''] = /^[ \t]*\r?\n((?:[^\r\n]+\r?\n)*)\r?\n(.*)$/s.exec(section) ?? [];
  if (head === undefined || /^content-transfer-encoding:\s*(base64|quoted-printable)/im.test(head)) return null;
  const [, contentType = 'text/plain'] = /^content-type:[ \t]*(.*?)\r?$/im.exec(head) ?? [];
  return { contentType, bytes: Buffer.from(content.replace(/\r$/, ''), 'latin1') };
}
