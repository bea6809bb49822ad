/**
 * Requires the credential: where the descriptor's security schemes ask for it, and where the connector puts its other parts, in paths and
 * bodies or in parameters that the descriptor declares.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeText, type QueryPair } from '../decode/query.ts';
import type { SandboxDescriptor, SandboxOperation } from '../descriptor/operations.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type AuthorizationServer, hasSandboxToken } from '../oauth/index.ts';

interface SentCredentials {
  readonly query: readonly QueryPair[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The accepted credentials. */
interface Accepted {
  /** The text before the secret, by lower-case header name. Default: none. */
  readonly prefixes?: Readonly<Record<string, string>>;
  /** The only accepted secret (for HTTP basic: `username:password` or the password alone), or null for any that is not empty. */
  readonly credential: string | null;
  /** Issues the tokens of `oauth2` schemes. Null if they are checked like other bearer keys. */
  readonly oauth: AuthorizationServer | null;
}

/** Why a request is rejected. */
export interface CredentialProblem {
  readonly status: 401 | 403;
  /** Never contains the value that was sent. */
  readonly reason: string;
  /** Value of `WWW-Authenticate`, or null without such a header. */
  readonly challenge: string | null;
}

/** Returns null if the request is accepted. A missing scope (403) takes precedence; otherwise 401 lists every problem. */
export function checkCredential(
  request: SentCredentials,
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
  accepted: Accepted,
): CredentialProblem | null {
  if (operation.security.length === 0) return null;
  const problems: CredentialProblem[] = [];
  for (const requirement of operation.security) {
    const problem = Object.entries(requirement)
      .map(([name, scopes]) => checkScheme(request, { name, scopes }, descriptor.securitySchemes[name] ?? {}, accepted))
      .find((candidate) => candidate !== null);
    if (problem === undefined) return null;
    problems.push(problem);
  }
  const scopeProblem = problems.find(({ status }) => status === 403);
  if (scopeProblem !== undefined) return scopeProblem;
  const challenge = problems.find((problem) => problem.challenge !== null)?.challenge ?? null;
  return { status: 401, reason: problems.map(({ reason }) => reason).join('; or '), challenge };
}

/** The query without the parameters that carry a credential: they are declared as security, not as parameters. */
export function removeCredentials(query: readonly QueryPair[], descriptor: SandboxDescriptor): QueryPair[] {
  const names = new Set(
    Object.values(descriptor.securitySchemes)
      .filter((scheme) => scheme.type === 'apiKey' && scheme.in === 'query')
      .map((scheme) => scheme.name),
  );
  return query.filter(({ name }) => !names.has(name));
}

function checkScheme(
  request: SentCredentials,
  { name, scopes }: { readonly name: string; readonly scopes: readonly string[] },
  scheme: JsonObject,
  { credential, oauth, prefixes = {} }: Accepted,
): CredentialProblem | null {
  const { authorization } = request.headers;
  if (scheme.type === 'oauth2' && oauth !== null) {
    const problem = oauth.checkToken(authorization, scopes);
    return problem === null ? null : { ...problem, reason: `${name}: ${problem.reason}` };
  }
  const { secrets, where } = readSecrets(request, scheme, prefixes);
  const refuse = (reason: string): CredentialProblem => ({ status: 401, reason, challenge: null });
  if (!secrets.some((secret) => secret !== '')) return refuse(`${name} requires ${where}, and the request has none`);
  if (secrets.some(hasSandboxToken)) return refuse(`${name}: an access token is not a key`);
  const passes = credential === null || secrets.some((secret) => equals(secret, credential));
  return passes ? null : refuse(`${name}: this sandbox does not accept the secret in ${where}`);
}

function readSecrets(
  request: SentCredentials,
  scheme: JsonObject,
  prefixes: Readonly<Record<string, string>>,
): { secrets: string[]; where: string } {
  const name = String(scheme.name ?? '');
  if (scheme.type === 'apiKey' && scheme.in === 'query') {
    const values = request.query.filter((pair) => pair.name === name).map(({ raw }) => decodeText(raw));
    return { secrets: values, where: `the query parameter ${name}` };
  }
  if (scheme.type === 'apiKey' && scheme.in === 'header') {
    const [value, prefix] = [request.headers[name.toLowerCase()] ?? '', prefixes[name.toLowerCase()] ?? ''];
    const where = `the header ${name}${prefix === '' ? '' : ` (after ${prefix.trimEnd()})`}`;
    return { secrets: value.startsWith(prefix) ? [value.slice(prefix.length)] : [], where };
  }
  if (scheme.type === 'apiKey') {
    const cookies = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
    const values = cookies.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
    return { secrets: values.length === 1 ? values : [], where: `the cookie ${name}` };
  }
  const basic = String(scheme.scheme).toLowerCase() === 'basic';
  const [, kind = '', secret = ''] = /^(\S+)\s+(.*)$/.exec(request.headers.authorization ?? '') ?? [];
  const where = `the header Authorization (${basic ? 'Basic' : 'Bearer'})`;
  if (kind.toLowerCase() !== (basic ? 'basic' : 'bearer')) return { secrets: [], where };
  if (!basic) return { secrets: [secret], where };
  const pair = Buffer.from(secret, 'base64').toString('utf8');
  return { secrets: pair.includes(':') ? [pair, pair.slice(pair.indexOf(':') + 1)] : [], where };
}

/** Compares two secrets in constant time. */
function equals(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** A parameter, or a body member by the names that lead to it. */
type CredentialTarget = {
  /** True: any value that is not empty is right, such as the id of an account. Default: false. */
  readonly isPublic?: boolean;
} & (
  | { readonly in: 'path' | 'query' | 'header'; readonly name: string }
  | { readonly in: 'body'; readonly path: readonly string[] }
);

/** The places in which the connector puts its credential. */
export interface ConnectorCredential {
  /** The text before the secret, by lower-case header name. */
  readonly prefixes: Readonly<Record<string, string>>;
  /** By `METHOD /path` in the descriptor. */
  readonly targets: Readonly<Record<string, readonly CredentialTarget[]>>;
}

/** The decoded parameters and body of a request; headers by lower-case name. */
export interface DecodedRequest {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Those that this operation takes: a connector's keys in queries and headers go with every request. */
export function credentialTargets(
  { targets }: ConnectorCredential,
  operation: SandboxOperation,
): readonly CredentialTarget[] {
  const all = targets[`${operation.method} ${operation.path}`] ?? [];
  return all.filter(
    (target) =>
      target.in === 'path' ||
      target.in === 'body' ||
      operation.parameters.some(
        (parameter) => parameter.in === target.in && parameter.name.toLowerCase() === target.name.toLowerCase(),
      ),
  );
}

/**
 * Returns null if every part is present.
 *
 * @param accepted the only accepted secret, or null for any that is not empty.
 */
export function checkTargets(
  targets: readonly CredentialTarget[],
  request: DecodedRequest,
  { credential, prefixes = {} }: Accepted,
): CredentialProblem | null {
  for (const target of targets) {
    const where =
      target.in === 'body'
        ? `the member ${target.path.join('.')} of the body`
        : `the ${target.in} parameter ${target.name}`;
    const prefix = target.in === 'header' ? (prefixes[target.name.toLowerCase()] ?? '') : '';
    const rawValue = memberAt(request, pathOf(target));
    const value =
      typeof rawValue === 'string' && rawValue.startsWith(prefix) ? rawValue.slice(prefix.length) : rawValue;
    const refuse = (reason: string): CredentialProblem => ({ status: 401, reason, challenge: null });
    if (typeof value !== 'string' || value === '')
      return refuse(`the credential belongs into ${where}, and the request has none`);
    if (target.isPublic !== true && credential !== null && !equals(value, credential))
      return refuse(`this sandbox does not accept the secret in ${where}`);
  }
  return null;
}

/** The request without the credential, so that no answer repeats it. */
export function withoutCredential<Request extends DecodedRequest>(
  targets: readonly CredentialTarget[],
  request: Request,
): Request {
  return targets.reduce((rest, target) => withoutMember(rest, pathOf(target)) as Request, request);
}

/** The names that lead to a place in a request. */
function pathOf(target: CredentialTarget): readonly string[] {
  if (target.in === 'body') return ['body', ...target.path];
  return target.in === 'header' ? ['headers', target.name.toLowerCase()] : [target.in, target.name];
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}

function withoutMember(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: inner, ...otherMembers } = value;
  return rest.length === 0 ? otherMembers : { ...otherMembers, [name]: withoutMember(inner, rest) };
}
