/** Reads the answer of a token endpoint: tokens, or an error in one of the forms that providers use. */

import type { OAuth2Rules } from '../../../contract/index.ts';
import type { UpstreamAnswer } from '../answer.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { type TokenAnswer, type TokenFailureKind, TokenRequestError } from './types.ts';

/** RFC 6749 §5.1 with appendix A.12: printable ASCII. */
const TOKEN = /^[\x20-\x7e]{1,16384}$/;

/** Longer lifetimes are cut to this. */
const MAX_LIFE_SECONDS = 10 * 365 * 86_400;

/** Shape of an accepted error code: one word, so that no sentence of the upstream gets into a log. */
const ERROR_CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/**
 * Providers' own names for errors of RFC 6749 §5.2. GitHub: `bad_*`, `incorrect_*`; Slack: `invalid_refresh_token`, `token_*`,
 * `invalid_code`, `code_*`, `bad_client_secret`, `ratelimited`, `fatal_error`, `internal_error`.
 */
const KINDS: Readonly<Record<string, TokenFailureKind>> = {
  invalid_grant: 'invalid_grant',
  bad_refresh_token: 'invalid_grant',
  invalid_refresh_token: 'invalid_grant',
  token_revoked: 'invalid_grant',
  token_expired: 'invalid_grant',
  bad_verification_code: 'invalid_grant',
  invalid_code: 'invalid_grant',
  code_already_used: 'invalid_grant',
  code_expired: 'invalid_grant',
  invalid_client: 'invalid_client',
  invalid_client_id: 'invalid_client',
  bad_client_secret: 'invalid_client',
  incorrect_client_credentials: 'invalid_client',
  unauthorized_client: 'invalid_client',
  temporarily_unavailable: 'unavailable',
  server_error: 'unavailable',
  internal_error: 'unavailable',
  fatal_error: 'unavailable',
  ratelimited: 'unavailable',
  rate_limited: 'unavailable',
  slow_down: 'unavailable',
};

/**
 * Reads the tokens.
 *
 * The body is JSON, or a form (GitHub). A 2xx status with `error`, or with `ok: false`, is an error too.
 *
 * @param request.sentAt milliseconds since 1970; the token's lifetime starts then.
 * @param request.secrets secrets in the request; an error code that quotes one is left out.
 * @throws {TokenRequestError}
 */
export function readTokenAnswer(
  rules: OAuth2Rules,
  answer: UpstreamAnswer,
  { sentAt, secrets }: { sentAt: number; secrets: readonly string[] },
): TokenAnswer {
  const body = parseBody(answer.body);
  const { answer: pointers } = rules;
  const accessToken = readToken(body, pointers.accessToken);
  const isRefused = answer.status < 200 || answer.status > 299 || readPointer(body, '/ok') === false;
  if (isRefused || accessToken === null) throw toRefusal(answer, { secrets, now: sentAt });
  const expiresAt = readLife(body, rules);
  return {
    accessToken,
    refreshToken: readToken(body, pointers.refreshToken),
    expiresAt: expiresAt === null ? null : sentAt + expiresAt * 1000,
    scopes: readScopes(readPointer(body, pointers.scope), rules.scopeSeparator),
  };
}

/** Converts an answer without tokens into an error. @param request.now milliseconds since 1970. */
export function toRefusal(
  answer: UpstreamAnswer,
  { secrets, now }: { secrets: readonly string[]; now: number },
): TokenRequestError {
  const code = readCode(parseBody(answer.body));
  const isQuote = secrets.some((secret) => code !== null && (secret.includes(code) || code.includes(secret)));
  const retryAfterSeconds = parseRetryAfter(answer.header('retry-after'), now);
  const safeCode = code !== null && isQuote && !Object.hasOwn(KINDS, code) ? null : code;
  return new TokenRequestError(kindOf(answer.status, code), safeCode, { retryAfterSeconds });
}

function kindOf(status: number, code: string | null): TokenFailureKind {
  if (status === 429 || status >= 500) return 'unavailable';
  if (code === null) return status === 401 ? 'invalid_client' : 'unavailable';
  return KINDS[code] ?? 'refused';
}

function readCode(body: unknown): string | null {
  const codes = ['/error', '/error/code', '/error/type'].map((pointer) => readPointer(body, pointer));
  const code = codes.find((value) => typeof value === 'string' && ERROR_CODE.test(value));
  return typeof code === 'string' ? code : null;
}

function readToken(body: unknown, pointer: string): string | null {
  const value = readPointer(body, pointer);
  return typeof value === 'string' && TOKEN.test(value) ? value : null;
}

/** Seconds, or null. Some providers write the number as text; zero and negative values count as absent. */
function readLife(body: unknown, { answer, expiresInSeconds }: OAuth2Rules): number | null {
  const value = Number(readPointer(body, answer.expiresIn) ?? Number.NaN);
  if (!(value > 0)) return expiresInSeconds;
  return Math.min(Math.floor(value), MAX_LIFE_SECONDS);
}

/** Separated as the connector says, or by spaces or commas: some providers ask for one and answer with the other. */
function readScopes(value: unknown, separator: string): readonly string[] | null {
  const texts = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [value];
  const scopes = texts.flatMap((text) =>
    typeof text === 'string' ? text.split(separator).flatMap((part) => part.split(/[ ,]+/)) : [],
  );
  const scopeNames = scopes.filter((scope) => scope !== '');
  return scopeNames.length === 0 ? null : scopeNames;
}

function parseBody(body: Buffer): unknown {
  const text = body.toString('utf8').trim();
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }
  return /^[\w.%+-]+=/.test(text) ? Object.fromEntries(new URLSearchParams(text)) : null;
}

/** RFC 6901; own members only. */
function readPointer(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
