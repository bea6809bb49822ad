/** Checks the form of a response: what the documentation promises about errors, and what must never be in one. */

import type { IncomingHttpHeaders } from 'node:http';

/** The MCP endpoint, an endpoint for machines, or a page for people. */
export type Surface = 'mcp' | 'machine' | 'page';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Stacks, paths, SQL, driver messages, and addresses behind the gateway. Each pattern is too long to occur by chance in an encrypted value
 * of a page: in base64url, `pg_` alone, in any case, occurs about once in four million characters.
 */
const LEAKS: readonly (readonly [string, RegExp])[] = [
  ['a stack', /\n\s+at .+:\d+:\d+/],
  ['a path', /node_modules|file:\/\/|\/(root|home|tmp|usr|var|work)\/\w|\bserver\/[\w-]+\/[\w-]+\.ts/],
  ['SQL', /\b(select|insert into|update|delete from)\b.{1,80}\b(from|values|set|where)\b\s+["(\w]/i],
  ['what the database says', /SQLITE_|\brelation "|[Pp]ostgres|\bpg_[a-z]{4}|No space left|[Dd]eadlock|duplicate key/],
  ['what the network says', /\bE(CONN|HOST|NET|PIPE|TIMEDOUT|AI_)[A-Z_]*\b|\b10\.99\.\d+\.\d+/],
];

/** A page's status if the service that the user connects does not answer. */
const BAD_GATEWAY = 502;
const UNAVAILABLE = 503;
const TOO_MANY = 429;

/** Returns the problem as one phrase; null if there is none. */
export function findFormProblem(surface: Surface, { status, headers, text }: Answer): string | null {
  const leak = LEAKS.find(([, pattern]) => pattern.test(text));
  if (leak !== undefined) return `${status} with ${leak[0]} in it: ${excerpt(text)}`;
  const isExpected = status < 500 || status === UNAVAILABLE || (status === BAD_GATEWAY && surface === 'page');
  if (!isExpected) return `${status}, which no fault should come to: ${excerpt(text)}`;
  if ((status === UNAVAILABLE || status === TOO_MANY) && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
    return `${status} without Retry-After`;
  const isWrong = IS_WRONG_FORM[surface];
  return isWrong(status, headers, text) ? `${status} in a form that is not documented: ${excerpt(text)}` : null;
}

function isWrongPage(status: number, headers: IncomingHttpHeaders, text: string): boolean {
  if (status >= 300 && status < 400) return headers.location === undefined;
  return !(headers['content-type'] ?? '').startsWith('text/html') || !text.includes('</html>');
}

/** RFC 6749 §5.2. */
function isWrongJson(status: number, _: IncomingHttpHeaders, text: string): boolean {
  const body = parse(text);
  if (body === null) return status !== 204 && !(status === 200 && text === '');
  if (status < 400) return false;
  if (status === UNAVAILABLE && body.error !== 'temporarily_unavailable') return true;
  return typeof body.error !== 'string' || typeof body.error_description !== 'string';
}

/** JSON-RPC 2.0; refused tokens as in RFC 6750. */
function isWrongMessage(status: number, headers: IncomingHttpHeaders, text: string): boolean {
  if (status === 401) return headers['www-authenticate'] === undefined;
  const body = parse(text);
  if (body?.jsonrpc !== '2.0') return true;
  return status === 200 ? !('result' in body) && !('error' in body) : !('error' in body);
}

const IS_WRONG_FORM = { page: isWrongPage, mcp: isWrongMessage, machine: isWrongJson } as const;

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 300));
}
