/** Reads from a tool's request table what it sends, where, and how it is written there. */

import { canonicalJson } from '../../json.ts';
import type { SentValue } from '../types.ts';

interface RequestSurface {
  readonly sends: Readonly<Record<string, SentValue>>;
  /** By address, in words; a parameter that is one plain value has no entry. */
  readonly styles: Readonly<Record<string, string>>;
  /** Arguments that become path segments, which are checked before the call. */
  readonly pathArguments: readonly string[];
  /** Null for a call without a body. */
  readonly bodyType: string | null;
  /** Keys that this report does not know, as text, so that their changes are not missed. */
  readonly callOptions: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;
type Mutable<Value> = Record<string, Value>;

const PLACES = ['path', 'query', 'header', 'cookie'];

/** @param request `{ path: { note_id: 'noteId' }, query: { ... }, body: { ... } }` */
export function readRequest(request: unknown): RequestSurface {
  const sends: Mutable<SentValue> = {};
  const styles: Mutable<string> = {};
  const callOptions: Mutable<string> = {};
  const keep = (address: string, values: Json) => {
    for (const [name, value] of Object.entries(values)) callOptions[`${address}${name}`] = canonicalJson(value);
  };
  const addStyle = (address: string, style: Json) => {
    const words = toWords(style);
    if (words !== null) styles[address] = words;
    else keep(`${address}.`, style);
  };
  const addBindings = (place: string, bindings: unknown) => {
    for (const [name, binding] of Object.entries(toJson(bindings))) {
      const {
        argument,
        constant,
        entries,
        members,
        default: otherwise,
        credential,
        credentials,
        ...style
      } = toBinding(binding);
      addCredentials(sends, `${place}.${name}`, credential ?? credentials);
      addBindings(`${place}.${name}`, members);
      addSent(sends, `${place}.${name}`, { argument, constant, entries });
      addSent(sends, `${place}.${name} by default`, { constant: otherwise });
      if (Object.keys(style).length > 0) addStyle(`${place}.${name}`, style);
    }
  };

  const { path, query, header, cookie, body, ...others } = toJson(request);
  for (const [at, bindings] of [path, query, header, cookie].entries()) addBindings(PLACES[at] ?? '', bindings);
  if (typeof request === 'object') keep('', others);
  else callOptions.request = String(request);
  if (body !== undefined) {
    const {
      mediaType: _,
      optional: __,
      as: ___,
      members,
      parts,
      clear,
      argument,
      constant,
      credentials,
      ...unknown
    } = toJson(body);
    addCredentials(sends, 'body', credentials);
    addBindings('body', members);
    addSent(sends, 'body, null for each', { argument: clear });
    addSent(sends, 'body', { argument, constant });
    for (const [name, style] of Object.entries(toJson(parts))) addStyle(`body.${name}`, toJson(style));
    keep('body.', unknown);
  }
  const pathArguments = Object.entries(toJson(path)).flatMap(([name, binding]) => {
    const { argument } = toBinding(binding);
    return typeof argument === 'string' && !bringsMore(styles[`path.${name}`] ?? '') ? [argument] : [];
  });
  return { sends, styles, pathArguments, bodyType: body === undefined ? null : toBodyType(toJson(body)), callOptions };
}

function toBinding(binding: unknown): Json {
  return typeof binding === 'string' ? { argument: binding } : toJson(binding);
}

function toJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** Entries of an object are `place.name[key]`, or `place.name[{argument}]` if an argument names them. */
function addSent(sends: Mutable<SentValue>, address: string, { argument, constant, entries }: Json): void {
  if (typeof argument === 'string') sends[address] = { kind: 'argument', name: argument };
  else if (constant !== undefined) sends[address] = { kind: 'constant', value: constant };
  for (const [key, name] of Object.entries(toJson(entries))) {
    sends[`${address}[${key}]`] = { kind: 'argument', name: String(name) };
  }
}

/** Adds the places that each part of the credential goes to; an object holds several. */
function addCredentials(sends: Mutable<SentValue>, address: string, credential: unknown): void {
  if (typeof credential === 'string') sends[address] = { kind: 'credential', id: credential };
  for (const [name, inner] of Object.entries(toJson(credential))) addCredentials(sends, `${address}.${name}`, inner);
}

/** A matrix adds its name, a JSON document its quotes: the segment is never empty or dots. */
function bringsMore(style: string): boolean {
  return style.startsWith('matrix') || /^([^;]*\+|(application|text)\/)json\s*(;|$)/i.test(style);
}

function toBodyType({ mediaType, as }: Json): string {
  const isRange = String(mediaType).includes('*');
  switch (as) {
    case 'multipart':
      return 'multipart/form-data';
    case 'text':
      return `${isRange ? 'text/plain' : mediaType}, text as it is`;
    case 'bytes':
    case 'file':
      return `${mediaType}, bytes`;
    case 'form':
      return String(mediaType);
    default:
      return isRange ? 'application/json' : String(mediaType);
  }
}

/** `matrix, exploded`, `application/json`, `a file (image/png)`; null for an unknown style. */
function toWords(style: Json): string | null {
  const {
    content,
    contentType = content,
    file,
    style: name,
    explode,
    allowReserved = false,
    whole,
    ...unknown
  } = style;
  if (Object.keys(unknown).length > 0) return null;
  if (Array.isArray(file)) return file.length === 0 ? 'a file' : `a file (${file.join(', ')})`;
  if (typeof contentType === 'string') {
    const words = whole === true ? `${contentType}, all of the query` : contentType;
    return name === undefined && explode === undefined ? words : null;
  }
  if (whole !== undefined) return null;
  if (typeof name !== 'string' || typeof explode !== 'boolean' || typeof allowReserved !== 'boolean') return null;
  const words = [name, explode ? 'exploded' : 'joined', ...(allowReserved ? ['reserved characters as they are'] : [])];
  return words.join(', ');
}
