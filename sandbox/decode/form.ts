/**
 * Reads the members of a form or multipart body by their Encoding Objects (OpenAPI 3.1 §4.8.15), as text: the validator
 * converts text to numbers and booleans. Shares no code with the gateway's own serializer.
 */

import { Response } from 'undici';
import type {
  SandboxDescriptor,
  SandboxEncoding,
  SandboxMediaType,
  SandboxOperation,
} from '../descriptor/operations.ts';
import { itemShapesOf, memberSchemas, shapesOf } from '../descriptor/schemas.ts';
import { isObject, type JsonObject } from '../json.ts';
import { toEssence } from '../media-types.ts';
import { decodeText, type QueryPair, readQuery } from './query.ts';
import { decodeDocument, inPairs, parseJson } from './values.ts';

/** A part with a filename. */
export interface SentFile {
  readonly bytes: Buffer;
  readonly name: string;
  readonly mediaType: string;
}

type SentValue = string | SentFile;

/** `raw` is percent-encoded if the body was. */
interface Field {
  readonly name: string;
  readonly value: SentValue;
  readonly raw: string | null;
}

interface SentForm {
  readonly body: Buffer;
  readonly contentType: string;
}

/**
 * Values by member: strings, arrays, objects, files. An undeclared field keeps its own name.
 *
 * @throws {Error} if the body does not match its Content-Type.
 */
export async function decodeForm(
  form: SentForm,
  mediaType: SandboxMediaType,
  descriptor: SandboxDescriptor,
): Promise<Record<string, unknown>> {
  let rest = toEssence(form.contentType).startsWith('multipart/') ? await readParts(form) : readPairs(form);
  const take = (matches: (field: Field) => boolean): Field[] => {
    const matchingFields = rest.filter(matches);
    rest = rest.filter((field) => !matches(field));
    return matchingFields;
  };
  const members = memberSchemas(mediaType.schema, descriptor);
  const values = new Map<string, unknown>();
  const spread: [string, JsonObject][] = [];
  for (const [name, schema] of members) {
    const encoding = mediaType.encoding[name] ?? {};
    const shapes = shapesOf(schema, descriptor);
    if (encoding.style === 'form' && encoding.explode === true && shapes.has('object')) {
      spread.push([name, schema]);
    } else if (encoding.style === 'deepObject') {
      const memberFields = take((field) => field.name === name || field.name.startsWith(`${name}[`));
      if (memberFields.length > 0) values.set(name, decodeDeep(name, memberFields));
    } else {
      const memberFields = take((field) => field.name === name);
      if (memberFields.length > 0)
        values.set(name, decodeMember(memberFields, shapes, encoding, isJsonText(schema, descriptor)));
    }
  }
  for (const [name, schema] of spread) {
    const memberByName = new Map(memberSchemas(schema, descriptor));
    const memberFields = take((field) => memberByName.size === 0 || memberByName.has(field.name));
    if (memberFields.length > 0) values.set(name, groupByName(memberFields));
  }
  return { ...Object.fromEntries(values), ...groupByName(rest) };
}

function readPairs({ body }: SentForm): Field[] {
  return readQuery(body.toString('latin1')).map(({ name, raw }) => ({ name, value: decodeText(raw), raw }));
}

/** Uses the parser of the undici package: the one in Node 22 strips a byte order mark from text. */
async function readParts({ body, contentType }: SentForm): Promise<Field[]> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const fields = [...form].map(async ([name, value]): Promise<Field> => {
    if (typeof value === 'string') return { name, value, raw: null };
    const bytes = Buffer.from(await value.arrayBuffer());
    return { name, value: { bytes, name: value.name, mediaType: value.type }, raw: null };
  });
  return Promise.all(fields);
}

/** Objects, and arrays in arrays, are JSON text unless a style says otherwise. */
function isJsonText(schema: JsonObject, descriptor: SandboxDescriptor): boolean {
  const shapes = shapesOf(schema, descriptor);
  const inner = shapes.has('array') ? itemShapesOf(schema, descriptor) : shapes;
  return !inner.has('string') && (inner.has('object') || inner.has('array'));
}

function decodeMember(
  fields: readonly Field[],
  shapes: ReadonlySet<string>,
  encoding: SandboxEncoding,
  isJson: boolean,
): unknown {
  const [first] = fields;
  const isJoined = encoding.style !== undefined && encoding.explode === false && fields.length === 1;
  if (isJoined && first !== undefined && (shapes.has('array') || shapes.has('object'))) {
    const items = splitField(first, encoding.style ?? 'form');
    return shapes.has('array') ? items : Object.fromEntries(inPairs(items));
  }
  const isStructure = encoding.style === undefined && isJson;
  const values = fields.map(({ value }) => (isStructure && typeof value === 'string' ? parseJson([value]) : value));
  if (shapes.has('array')) return values;
  return values.length === 1 ? values[0] : values;
}

/** A form escapes delimiters within values; a multipart part escapes nothing. */
function splitField({ raw, value }: Field, style: string): string[] {
  const [escaped, plain] =
    style === 'spaceDelimited' ? [/%20|\+| /, ' '] : style === 'pipeDelimited' ? [/\||%7C/i, '|'] : [/,/, ','];
  return raw === null ? String(value).split(plain) : raw.split(escaped).map(decodeText);
}

/** Keys such as `name[a][0]`; an object with the keys 0, 1, 2 and so on becomes an array. */
function decodeDeep(name: string, fields: readonly Field[]): unknown {
  const root: Record<string, unknown> = {};
  for (const field of fields) {
    const keys = [...field.name.slice(name.length).matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '');
    if (keys.length === 0) return field.value;
    let node = root;
    for (const key of keys.slice(0, -1)) {
      if (!isObject(Object.hasOwn(node, key) ? node[key] : null)) define(node, key, {});
      node = node[key] as Record<string, unknown>;
    }
    define(node, keys.at(-1) ?? '', field.value);
  }
  return toArrays(root);
}

function toArrays(value: unknown): unknown {
  if (!isObject(value) || 'bytes' in value) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, toArrays(member)] as const);
  const isArray = entries.length > 0 && entries.every(([key], index) => key === String(index));
  return isArray ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}

function groupByName(fields: readonly Field[]): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { name, value } of fields) {
    values.set(name, values.has(name) ? [values.get(name), value].flat() : value);
  }
  return Object.fromEntries(values);
}

function define(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

interface WholeQuery {
  /** By the name of the parameter; empty if the request has no query. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Members of a form; empty for any other document. */
  readonly members: Readonly<Record<string, unknown>>;
}

/**
 * Returns null if the operation declares no such parameter.
 *
 * @throws {URIError} if percent-encoding is broken.
 */
export async function decodeWholeQuery(
  pairs: readonly QueryPair[],
  { parameters }: SandboxOperation,
  descriptor: SandboxDescriptor,
): Promise<WholeQuery | null> {
  const parameter = parameters.find((candidate) => candidate.in === 'querystring');
  if (parameter === undefined) return null;
  if (pairs.length === 0) return { values: {}, members: {} };
  const { name, document } = parameter;
  if (document !== null && toEssence(document.name) === 'application/x-www-form-urlencoded') {
    const text = pairs.map((pair) => `${encodeURIComponent(pair.name)}=${pair.raw}`).join('&');
    const members = await decodeForm({ body: Buffer.from(text), contentType: document.name }, document, descriptor);
    return { values: { [name]: members }, members };
  }
  const text = pairs
    .map((pair) => (pair.raw === '' ? pair.name : `${pair.name}=${decodeURIComponent(pair.raw)}`))
    .join('&');
  return { values: { [name]: decodeDocument(parameter, [text]) }, members: {} };
}
