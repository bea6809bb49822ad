/** Puts a connection's credential on a request, where the upstream's security scheme expects it. */

import { isFit } from '../../base/credentials/kinds.ts';
import type { CredentialPart, OAuth2Field } from '../../contract/index.ts';
import { createRedactor, type Redactor } from './redaction.ts';

/** One connection's credential, ready to be written on any number of requests. */
export interface CredentialWriter {
  /** Names are lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  /** The values that go into paths and bodies, by field, as the requests of tools declare. */
  readonly placed: Readonly<Record<string, string>>;
  /** The connection's own values of variables in server URLs, by variable. */
  readonly servers: Readonly<Record<string, string>>;
  /** Removes the credential from answers, because no model may read it. */
  readonly redactor: Redactor;
}

/** A field of the credential is missing, or cannot be sent in its place on the wire. */
export class UnusableCredentialError extends Error {
  override readonly name = 'UnusableCredentialError';
  readonly field: string;

  constructor(field: string, problem: 'missing' | 'not sendable') {
    super(`the credential field "${field}" is ${problem}`);
    this.field = field;
  }
}

/** A header value (RFC 9110 §5.5): visible ASCII, spaces and tabs inside. */
const SENDABLE = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;

/** A cookie as a browser sends it: no semicolon, and no space at its ends (RFC 6265 §5.4). */
const SENDABLE_IN_COOKIE = /^[\x21-\x3a\x3c-\x7e]([\x20-\x3a\x3c-\x7e]*[\x21-\x3a\x3c-\x7e])?$/;

/** One segment of a path: nothing that a server could read as another path after unescaping. */
const SENDABLE_IN_PATH = /^(?!\.{1,2}$)(?:[^\p{Surrogate}\p{Control}/\\%]|%(?![0-9a-f]{2}))+$/iu;

/** Text in a body. */
const SENDABLE_IN_BODY = /^\P{Surrogate}+$/u;

/**
 * Prepares the parts of a credential.
 *
 * @param fields one value per field, named as `CredentialPart` says.
 * @param hidden parts that are not sent, but are removed from answers if the connection has them. Default: none.
 * @throws {UnusableCredentialError} when a field is missing or cannot be sent.
 */
export function createCredentialWriter(
  parts: readonly CredentialPart[],
  fields: Readonly<Record<string, string>>,
  { hidden = [] }: { readonly hidden?: readonly CredentialPart[] } = {},
): CredentialWriter {
  const headers: [string, string][] = [];
  const query: [string, string][] = [];
  const cookies: [string, string][] = [];
  const placed: Record<string, string> = {};
  const servers: Record<string, string> = {};
  const secrets: string[] = [];
  const read = (field: string): string => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (value === undefined) throw new UnusableCredentialError(field, 'missing');
    return value;
  };
  const readSendable = (field: string, pattern: RegExp): string => {
    const value = read(field);
    if (!pattern.test(value)) throw new UnusableCredentialError(field, 'not sendable');
    return value;
  };

  for (const part of parts) {
    const isPublic = part.type !== 'oauth2' && part.isPublic === true;
    if (part.type !== 'oauth2' && part.type !== 'basic' && !isFit(part, read(part.id))) {
      throw new UnusableCredentialError(part.id, 'not sendable');
    }
    if (part.type !== 'server') secrets.push(...secretsOf(part, fields));
    switch (part.type) {
      case 'server':
        servers[part.name] = read(part.id);
        break;
      case 'bearer':
        headers.push(['authorization', `Bearer ${readSendable(part.id, SENDABLE)}`]);
        break;
      case 'header':
        if (part.name.toLowerCase() === 'cookie') {
          const sent = cookiesIn(readSendable(part.id, SENDABLE));
          cookies.push(...sent);
          if (!isPublic) secrets.push(...sent.map(([, value]) => value));
        } else {
          const prefix = part.prefix ?? '';
          const unprefixed = withoutPrefix(readSendable(part.id, SENDABLE), prefix);
          headers.push([part.name.toLowerCase(), prefix + unprefixed]);
          if (!isPublic) secrets.push(unprefixed);
        }
        break;
      case 'query':
        query.push([part.name, read(part.id)]);
        break;
      case 'cookie':
        cookies.push([part.name, readSendable(part.id, SENDABLE_IN_COOKIE)]);
        break;
      case 'path':
        placed[part.id] = readSendable(part.id, SENDABLE_IN_PATH);
        break;
      case 'body':
        placed[part.id] = readSendable(part.id, SENDABLE_IN_BODY);
        break;
      case 'basic':
        headers.push(['authorization', `Basic ${basicPair(read(`${part.id}.username`), read(`${part.id}.password`))}`]);
        break;
      case 'oauth2': {
        const field: `${string}.${OAuth2Field}` = `${part.id}.access_token`;
        headers.push(['authorization', `${part.oauth2.prefix}${readSendable(field, SENDABLE)}`]);
        break;
      }
    }
  }
  for (const part of hidden) {
    if (!parts.includes(part)) secrets.push(...secretsOf(part, fields));
  }
  return { headers, query, cookies, placed, servers, redactor: createRedactor(secrets) };
}

/** Returns the secrets of a part as they are stored; a password alone and with its user name. */
function secretsOf(part: CredentialPart, fields: Readonly<Record<string, string>>): readonly string[] {
  if (part.type !== 'oauth2' && part.isPublic === true) return [];
  if (part.type === 'basic') {
    const { [`${part.id}.username`]: username = '', [`${part.id}.password`]: password = '' } = fields;
    if (username === '' && password === '') return [];
    // An API key sent as the user's name comes with an empty password; a real user's name is no secret.
    return [basicPair(username, password), password === '' ? username : password];
  }
  const value = fields[part.type === 'oauth2' ? `${part.id}.access_token` : part.id];
  return value === undefined ? [] : [value];
}

function basicPair(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
}

const HIDDEN = '(credential)';

/** Creates a writer that writes `(credential)` in place of each secret. It keeps public values, and the redactor. */
export function createShownWriter(...[parts, fields]: Parameters<typeof createCredentialWriter>): CredentialWriter {
  const partWriters = parts.map((part) => {
    const writer = createCredentialWriter([part], fields);
    if (part.type !== 'oauth2' && part.isPublic === true) return writer;
    const hide = (pairs: CredentialWriter['headers']) => pairs.map(([name]) => [name, HIDDEN] as const);
    // A text without a value in a complete `Cookie` header may be the secret itself.
    const cookies = writer.cookies.map(([name, value]) => [value === '' ? HIDDEN : name, HIDDEN] as const);
    const placed = Object.fromEntries(hide(Object.entries(writer.placed)));
    return { headers: hide(writer.headers), query: hide(writer.query), cookies, placed };
  });
  return {
    ...createCredentialWriter(parts, fields),
    headers: partWriters.flatMap(({ headers }) => headers),
    query: partWriters.flatMap(({ query }) => query),
    cookies: partWriters.flatMap(({ cookies }) => cookies),
    placed: Object.assign({}, ...partWriters.map(({ placed }) => placed)),
  };
}

/**
 * Appends the credential's query parameters to a path and query, replacing any others of the same names.
 *
 * A redirect may already carry them, and an argument may name such a parameter: neither may replace the credential. The
 * other parameters stay as they are written.
 */
export function withCredentialQuery(target: string, credentialQuery: CredentialWriter['query']): string {
  let result = target;
  for (const [name, value] of credentialQuery) {
    const start = result.indexOf('?');
    const path = start < 0 ? result : result.slice(0, start);
    const otherPairs = (start < 0 ? '' : result.slice(start + 1))
      .split('&')
      .filter((pair) => pair !== '' && !new URLSearchParams(pair).has(name));
    result = `${path}?${[...otherPairs, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join('&')}`;
  }
  return result;
}

/**
 * Returns the `Cookie` header with the credential's cookies, unescaped, replacing any others of the same names: no argument may
 * replace the credential. Null if there are no cookies.
 */
export function withCredentialCookies(header: string | null, credential: CredentialWriter): string | null {
  if (header === null && credential.cookies.length === 0) return null;
  const names = new Set(credential.cookies.map(([name]) => name));
  const otherCookies = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !names.has(pair.split('=', 1)[0] ?? ''));
  const pairs = [...otherCookies, ...credential.cookies.map(([name, value]) => `${name}=${value}`)];
  return pairs.length === 0 ? null : pairs.join('; ');
}

/** Returns the value without the prefix, which is sent only once: people paste keys together with it. */
function withoutPrefix(value: string, prefix: string): string {
  const isPasted = prefix !== '' && value.toLowerCase().startsWith(prefix.toLowerCase());
  const unprefixed = isPasted ? value.slice(prefix.length).trimStart() : value;
  return unprefixed === '' ? value : unprefixed;
}

/** Returns the cookies of a credential that is a complete `Cookie` header: they go next to those of the arguments. */
function cookiesIn(header: string): [name: string, value: string][] {
  return header.split(';').map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return [name, value.join('=')];
  });
}
