/**
 * Compares a request with the arguments of the call that sent it: decoded by the descriptor's `style` and
 * `explode`, each value has to be at its wire address, and nothing else may be there.
 */

import { removeCredentials } from '../../../sandbox/check/credential.ts';
import { decodeCookies, decodeHeaders, decodePath } from '../../../sandbox/decode/parameters.ts';
import { decodeQuery, readQuery } from '../../../sandbox/decode/query.ts';
import type { SandboxDescriptor, SandboxOperation } from '../../../sandbox/descriptor/operations.ts';
import type { JsonObject } from '../../../sandbox/json.ts';
import type { RecordedRequest } from '../../../sandbox/request-log.ts';
import { asSent } from './as-sent.ts';
import { compareBody } from './body-differences.ts';
import { compareMembers } from './compare.ts';
import type { SentAs } from './sent-as.ts';

export interface ExpectedCall {
  readonly service: string;
  readonly operation: SandboxOperation;
  readonly descriptor: SandboxDescriptor;
  readonly sentAs: SentAs;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Headers that every HTTP client sends, or that come with the body and the credential. */
const USUAL_HEADERS = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'connection', 'cookie', 'host', 'sec-fetch-mode', 'user-agent'],
  ...['content-length', 'content-type', 'authorization', 'transfer-encoding'],
]);

/** One line for each difference, such as `query.limit: expected "5", sent nothing`. Empty if the request is right. */
export async function findDifferences(call: ExpectedCall, request: RecordedRequest): Promise<string[]> {
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
  const addresses = [...call.sentAs.arguments.values(), ...call.sentAs.constants.keys()];
  const isWhole = addresses.includes('body');
  return [
    ...compareMembers('path', asSent('path', wanted.path, operation), decodePath(pathname, operation)),
    ...compareMembers('query', asSent('query', wanted.query, operation), decodeQuery(query, operation, descriptor)),
    ...compareMembers('header', lowerCased(asSent('header', wanted.header, operation)), headersOf(request, call)),
    ...compareMembers('cookie', asSent('cookie', wanted.cookie, operation), cookiesOf(request, call)),
    ...(await compareBody({ operation, descriptor, isWhole, wanted: wanted.body }, request)),
  ];
}

interface Wanted {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly header: JsonObject;
  readonly cookie: JsonObject;
  /** Members of the body, or the whole body under an empty name. */
  readonly body: JsonObject;
}

const ADDRESS = /^(path|query|header|cookie|body)(?:\.(.+))?$/;
const MEMBER = /^(.+?)\[(.+)\]$/;

function expectedValues({ operation, sentAs, arguments: args }: ExpectedCall): Wanted {
  const wanted: Wanted = { path: {}, query: {}, header: {}, cookie: {}, body: {} };
  const given = [...sentAs.arguments].flatMap(([name, address]) =>
    address === null || args[name] === undefined ? [] : [[address, args[name]] as const],
  );
  const cleared = ((sentAs.clear === null ? undefined : args[sentAs.clear]) ?? []) as string[];
  const removed = cleared.map((name) => [sentAs.arguments.get(name) ?? name, null] as const);
  for (const [address, value] of [...sentAs.constants, ...given, ...removed]) {
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

/** The headers that the descriptor declares, decoded, and those that are not expected. */
function headersOf(request: RecordedRequest, { operation, descriptor }: ExpectedCall): JsonObject {
  const schemes = Object.values(descriptor.securitySchemes);
  const ofCredentials = schemes
    .filter((scheme) => scheme.in === 'header')
    .map(({ name }) => String(name).toLowerCase());
  const decoded = Object.entries(decodeHeaders(request.headers, operation));
  return Object.fromEntries(decoded.filter(([name]) => !USUAL_HEADERS.has(name) && !ofCredentials.includes(name)));
}

/** The cookies that the descriptor declares, decoded, without those of a credential. */
function cookiesOf(request: RecordedRequest, { operation, descriptor }: ExpectedCall): JsonObject {
  const schemes = Object.values(descriptor.securitySchemes).filter((scheme) => scheme.in === 'cookie');
  const decoded = Object.entries(decodeCookies(request.headers.cookie, operation, descriptor));
  return Object.fromEntries(decoded.filter(([name]) => !schemes.some((scheme) => scheme.name === name)));
}

function lowerCased(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
}
