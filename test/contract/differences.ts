/**
 * Compares a request that arrived with the arguments of the call that caused it: decoded by the descriptor's `style` and
 * `explode`, each value has to be at its wire address, and nothing else may be there.
 */

import { isDeepStrictEqual } from 'node:util';
import { removeCredentials } from '../../scripts/sandbox/check-credential.ts';
import { decodeCookies, decodeHeaders, decodePath } from '../../scripts/sandbox/decode-parameters.ts';
import { decodeQuery, readQuery } from '../../scripts/sandbox/decode-query.ts';
import { isObject, type JsonObject } from '../../scripts/sandbox/json.ts';
import { isJson } from '../../scripts/sandbox/media-types.ts';
import type { SandboxDescriptor, SandboxOperation } from '../../scripts/sandbox/operations.ts';
import type { RecordedRequest } from '../../scripts/sandbox/request-log.ts';
import { asSent } from './as-sent.ts';
import type { SentAs } from './sent-as.ts';

export interface ExpectedCall {
  readonly service: string;
  readonly operation: SandboxOperation;
  readonly descriptor: SandboxDescriptor;
  readonly sentAs: SentAs;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Headers that every HTTP client sends, or that the body and the credential bring. */
const USUAL_HEADERS = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'connection', 'cookie', 'host', 'sec-fetch-mode', 'user-agent'],
  ...['content-length', 'content-type', 'authorization', 'transfer-encoding'],
]);

/** One line for each difference, such as `query.limit: expected "5", sent nothing`. Empty: the request is right. */
export function findDifferences(call: ExpectedCall, request: RecordedRequest): string[] {
  const { operation, descriptor } = call;
  const url = new URL(request.url, 'http://sandbox.invalid');
  const pathname = url.pathname.slice(call.service.length + 1);
  const wanted = expectedValues(call);
  const query = removeCredentials(readQuery(url.search), descriptor);
  const sentTo = `${request.method} ${request.operationId}`;
  const operationTo = `${operation.method} ${operation.id}`;
  if (sentTo !== operationTo || request.service !== call.service) {
    return [`operation: expected ${call.service} ${operationTo}, sent ${request.service} ${sentTo}`];
  }
  return [
    ...compare('path', asSent('path', wanted.path, operation), decodePath(pathname, operation)),
    ...compare('query', asSent('query', wanted.query, operation), decodeQuery(query, operation, descriptor)),
    ...compare('header', lowerCased(asSent('header', wanted.header, operation)), headersOf(request, call)),
    ...compare(
      'cookie',
      asSent('cookie', wanted.cookie, operation),
      decodeCookies(request.headers.cookie, operation, descriptor),
    ),
    ...compareBody(call, wanted, request),
  ];
}

interface Wanted {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly header: JsonObject;
  readonly cookie: JsonObject;
  /** Members of the body, or the whole of it under an empty name. */
  readonly body: JsonObject;
}

const ADDRESS = /^(path|query|header|cookie|body)(?:\.(.+))?$/;
const MEMBER = /^(.+?)\[(.+)\]$/;

function expectedValues({ operation, sentAs, arguments: args }: ExpectedCall): Wanted {
  const wanted: Wanted = { path: {}, query: {}, header: {}, cookie: {}, body: {} };
  const given = [...sentAs.arguments].flatMap(([name, address]) =>
    address === null || args[name] === undefined ? [] : [[address, args[name]] as const],
  );
  for (const [address, value] of [...sentAs.constants, ...given]) {
    const [, place = '', name = ''] = ADDRESS.exec(address) ?? [];
    const values = wanted[place as keyof Wanted];
    if (values === undefined) throw new Error(`TOOLS.md has an address of an unknown form: ${address}`);
    const isParameter = operation.parameters.some((parameter) => parameter.in === place && parameter.name === name);
    const [, object, member = ''] = (isParameter ? null : MEMBER.exec(name)) ?? [];
    if (object === undefined) values[name] = value;
    else {
      const key = member.replaceAll(/^\{(.+)\}$/g, (_, argument: string) => String(args[argument]));
      values[object] = { ...(values[object] as JsonObject | undefined), [key]: value };
    }
  }
  return wanted;
}

/** The headers that the descriptor declares, decoded, and those that nobody asked for. */
function headersOf(request: RecordedRequest, { operation, descriptor }: ExpectedCall): JsonObject {
  const schemes = Object.values(descriptor.securitySchemes);
  const ofCredentials = schemes
    .filter((scheme) => scheme.in === 'header')
    .map(({ name }) => String(name).toLowerCase());
  const decoded = Object.entries(decodeHeaders(request.headers, operation));
  return Object.fromEntries(decoded.filter(([name]) => !USUAL_HEADERS.has(name) && !ofCredentials.includes(name)));
}

function lowerCased(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
}

function compareBody(
  { operation, sentAs }: ExpectedCall,
  { body: wanted }: Wanted,
  request: RecordedRequest,
): string[] {
  const addresses = [...sentAs.arguments.values(), ...sentAs.constants.keys()];
  const isWhole = addresses.includes('body');
  const isEmpty = Object.keys(wanted).length === 0;
  const takesNone = operation.body === null || (isEmpty && (isWhole || !operation.body.required));
  if (takesNone || request.body === '') {
    const expected = takesNone ? 'nothing' : shown(isWhole ? wanted[''] : wanted);
    return takesNone && request.body === '' ? [] : [`body: expected ${expected}, sent ${request.body || 'nothing'}`];
  }
  const mediaType = request.headers['content-type'] ?? '';
  const sent = isJson(mediaType) ? parse(request.body) : request.body;
  if (isWhole) return isDeepStrictEqual(wanted[''], sent) ? [] : [difference('body', wanted[''], sent)];
  if (!isObject(sent)) return [difference('body', wanted, sent)];
  return compare('body', wanted, sent);
}

function compare(place: string, wanted: JsonObject, sent: JsonObject): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(sent)])];
  const own = (values: JsonObject, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);
  return names
    .filter((name) => !isDeepStrictEqual(own(wanted, name), own(sent, name)))
    .map((name) => difference(`${place}.${name}`, own(wanted, name), own(sent, name)));
}

function difference(address: string, wanted: unknown, sent: unknown): string {
  return `${address}: expected ${shown(wanted)}, sent ${shown(sent)}`;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
