/** Checks the documents that clients read first, in every form in which clients request them. */

import { type CheckResult, error, ok, warning } from '../../base/checks.ts';
import { type Answer, ask } from '../../base/guarded-fetch/reach.ts';
import { MCP_PATH } from '../../gateway-paths.ts';
import type { Target } from './gateway-checks.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';
const REGISTER_PATH = '/api/mcp/oauth/register';
const TOKEN_PATH = '/api/mcp/oauth/token';
/**
 * Other places where clients look. The response must be a 404 that a page of another origin can read, because clients take any other for a failure.
 */
const ABSENT = [SERVER + MCP_PATH, '/.well-known/openid-configuration', `/.well-known/openid-configuration${MCP_PATH}`];
const PAGE = 'https://page-of-another-origin.example';

const TO_GATEWAY = 'let the proxy pass this path on to the gateway unchanged, and answer nothing itself';

/** Checks the documents, and the challenge that leads to them. */
export async function checkDocuments(target: Target, signal: AbortSignal): Promise<CheckResult[]> {
  const get = (path: string) => ask(target.reach.anywhere, target.origin + path, { signal, headers: { Origin: PAGE } });
  const challenge = await ask(target.reach.anywhere, target.origin + MCP_PATH, {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: '{}',
  });
  const paths = [RESOURCE + MCP_PATH, RESOURCE, SERVER, ...ABSENT];
  const answers = new Map(await Promise.all(paths.map(async (path) => [path, await get(path)] as const)));
  const findings = [judgeChallenge(challenge, target.origin)];
  for (const [path, answer] of answers) {
    const problem = problemOf(path, answer, target.origin);
    if (problem !== null) findings.push(error(`${path} ${problem.text}`, problem.fix));
  }
  if (findings.every(({ state }) => state === 'ok'))
    findings.push(ok(`${paths.length} addresses of discovery answer as clients expect`));
  return findings;
}

interface Problem {
  /** The finding. It continues a sentence that starts with the path. */
  readonly text: string;
  readonly fix: string;
}

/** Checks what clients read in a 401 (RFC 9728 §5.1). */
function judgeChallenge({ status, headers }: Answer, origin: string): CheckResult {
  if (status !== 401) {
    return error(`${MCP_PATH} answers a request without a token with ${status} and not with 401`, TO_GATEWAY);
  }
  const header = headers.get('www-authenticate') ?? '';
  const [, metadata] = /\bresource_metadata="([^"]*)"/.exec(header) ?? [];
  if (metadata === undefined) {
    return error(
      'the 401 has no WWW-Authenticate with resource_metadata, so clients do not find where to sign in',
      'let the proxy pass WWW-Authenticate on',
    );
  }
  if (metadata !== origin + RESOURCE + MCP_PATH) {
    return error(`the 401 leads clients to ${originOf(metadata)}, and not to ${origin}`, `set PUBLIC_URL=${origin}`);
  }
  return ok('a request without a token is answered with 401 and the way to sign in');
}

/** Returns the problem of the answer at one of the addresses of discovery; null if there is none. */
function problemOf(path: string, answer: Answer, origin: string): Problem | null {
  if (ABSENT.includes(path)) return problemOfAbsent(answer);
  const problem = problemOfDocument(answer);
  if (problem !== null) return problem;
  return path === SERVER ? problemOfServer(answer.json, origin) : problemOfResource(answer.json, origin);
}

function problemOfDocument({ status, headers, json }: Answer): Problem | null {
  if (status !== 200) return { text: `answers ${status}`, fix: TO_GATEWAY };
  if (typeof json !== 'object' || json === null) return { text: 'is not JSON', fix: TO_GATEWAY };
  return problemOfCors(headers);
}

function problemOfAbsent({ status, headers, json }: Answer): Problem | null {
  if (status !== 404)
    return { text: `answers ${status} and not 404, and clients take the answer for a document`, fix: TO_GATEWAY };
  if (json === undefined) return { text: 'is answered by something other than the gateway', fix: TO_GATEWAY };
  return problemOfCors(headers);
}

function problemOfCors(headers: Headers): Problem | null {
  const allowedOrigin = headers.get('access-control-allow-origin');
  if (allowedOrigin === '*') return null;
  const text =
    allowedOrigin === null
      ? 'cannot be read by clients in browsers'
      : `has Access-Control-Allow-Origin: ${allowedOrigin}`;
  return { text, fix: 'let the proxy neither remove nor add Access-Control-Allow-Origin: the gateway sends it' };
}

/** RFC 9728 §3.3. */
function problemOfResource(json: unknown, origin: string): Problem | null {
  const { resource, authorization_servers: servers } = json as { resource?: unknown; authorization_servers?: unknown };
  if (resource !== origin + MCP_PATH) return otherOrigin(`names the resource ${textOf(resource)}`, origin);
  if (!Array.isArray(servers) || servers[0] !== origin)
    return otherOrigin('names another authorization server', origin);
  return null;
}

/** RFC 8414 §3.3, and the metadata that clients need. */
function problemOfServer(json: unknown, origin: string): Problem | null {
  const metadata = json as Record<string, unknown>;
  if (metadata.issuer !== origin) return otherOrigin(`names the issuer ${textOf(metadata.issuer)}`, origin);
  const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'];
  const foreignEndpoint = endpoints.find(
    (name) => metadata[name] !== undefined && !String(metadata[name]).startsWith(`${origin}/`),
  );
  if (foreignEndpoint !== undefined) return otherOrigin(`has its ${foreignEndpoint} elsewhere`, origin);
  const methods = metadata.code_challenge_methods_supported;
  if (Array.isArray(methods) && methods.includes('S256')) return null;
  return { text: 'does not name S256, without which clients refuse to sign in', fix: TO_GATEWAY };
}

function otherOrigin(text: string, origin: string): Problem {
  return { text: `${text}, which is not at ${origin}: clients refuse it`, fix: `set PUBLIC_URL=${origin}` };
}

/** Checks preflights of clients that run in browsers. */
export async function checkCors(target: Target, signal: AbortSignal): Promise<CheckResult[]> {
  const preflights = [
    [RESOURCE + MCP_PATH, 'GET', PAGE],
    [SERVER, 'GET', PAGE],
    [REGISTER_PATH, 'POST', PAGE],
    [TOKEN_PATH, 'POST', PAGE],
    [MCP_PATH, 'POST', target.origin],
  ] as const;
  const findings = await Promise.all(
    preflights.map(async ([path, method, origin]) => {
      const headers = {
        Origin: origin,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
      };
      const answer = await ask(target.reach.anywhere, target.origin + path, { method: 'OPTIONS', headers, signal });
      const allowedHeaders = answer.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
      const isAllowed = ['*', origin].includes(answer.headers.get('access-control-allow-origin') ?? '');
      if (answer.status < 300 && isAllowed && allowedHeaders.includes('mcp-protocol-version')) return null;
      return warning(
        `${path} does not answer the preflight of a browser as the gateway does (${answer.status})`,
        'let the proxy pass OPTIONS on and add no Access-Control headers of its own; clients outside of browsers are not concerned',
      );
    }),
  );
  const problems = findings.filter((each) => each !== null);
  return problems.length > 0 ? problems : [ok('clients in browsers may ask: every preflight is answered')];
}

/** Sends a registration that must be refused, so that nothing of it is stored. */
export async function checkRegistration(target: Target, signal: AbortSignal): Promise<CheckResult[]> {
  const { status, json } = await ask(target.reach.anywhere, target.origin + REGISTER_PATH, {
    method: 'POST',
    signal,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'utg doctor', redirect_uris: ['javascript:0'] }),
  });
  const { error: code } = (json ?? {}) as { error?: unknown };
  if (status === 400 && code === 'invalid_redirect_uri') return [ok('clients can register')];
  if (status === 403 && code === 'access_denied') return [ok('registration is off (CLIENT_REGISTRATION)')];
  if (status === 429)
    return [warning('too many registrations come from here', 'try again in a minute; see REGISTRATIONS_PER_MINUTE')];
  return [error(`a registration is answered with ${status} by something other than the gateway`, TO_GATEWAY)];
}

function textOf(value: unknown): string {
  return (typeof value === 'string' && URL.parse(value)?.origin) || 'of no URL';
}

function originOf(text: string): string {
  return URL.parse(text)?.origin ?? 'no URL';
}
