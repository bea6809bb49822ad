/** Reads a request to an authorization server: its parameters and its client; and refuses it. */

import { type PlainAnswer, type SandboxRequest, toJsonAnswer } from '../http.ts';
import { isObject } from '../json.ts';
import { toEssence } from '../media-types.ts';
import type { SandboxOAuthRules } from './rules.ts';

export type Parameters = ReadonlyMap<string, string>;

/** @throws {OAuthProblem} `invalid_request` if a parameter is repeated (RFC 6749 §3.1). */
export function readPairs(pairs: URLSearchParams): Parameters {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (values.has(name)) throw new OAuthProblem('invalid_request', `${name} appears twice.`);
    values.set(name, value);
  }
  return values;
}

/** The parameters in the body, a form or JSON by its Content-Type; empty if it is neither. */
export function readBody({ headers, body }: SandboxRequest): Parameters {
  const mediaType = toEssence(headers['content-type'] ?? '');
  const text = body.toString('utf8');
  if (mediaType === 'application/x-www-form-urlencoded') return readPairs(new URLSearchParams(text));
  if (mediaType !== 'application/json') return new Map();
  try {
    const value: unknown = JSON.parse(text);
    const members = isObject(value) ? Object.entries(value) : [];
    return new Map(members.flatMap(([name, member]) => (typeof member === 'string' ? [[name, member]] : [])));
  } catch {
    throw new OAuthProblem('invalid_request', 'The body is not JSON.');
  }
}

/** A client that authenticated as the rules require. */
interface AuthenticatedClient {
  readonly id: string;
  readonly isPublic: boolean;
}

/**
 * Authenticates the client (RFC 6749 §2.3.1): any id passes, with a valid secret or as a public client.
 *
 * @param accepted the only valid secret, or null for any that is not empty
 * @throws {OAuthProblem} `invalid_client` (401), `invalid_request`.
 */
export function authenticateClient(
  { headers }: SandboxRequest,
  parameters: Parameters,
  rules: SandboxOAuthRules,
  accepted: string | null,
): AuthenticatedClient {
  const fromHeader = readBasic(headers.authorization);
  const inBody = parameters.get('client_secret');
  if (fromHeader !== null && inBody !== undefined) {
    throw new OAuthProblem('invalid_request', 'The client authenticates in the header and in the body.');
  }
  const usedMethod = fromHeader !== null ? 'basic' : inBody === undefined ? 'none' : 'body';
  const requiredMethod = rules.clientAuthentication ?? usedMethod;
  if (usedMethod !== requiredMethod)
    throw new OAuthProblem('invalid_client', `Clients authenticate by ${requiredMethod} here.`, 401);
  const id = fromHeader?.id ?? parameters.get('client_id') ?? '';
  const secret = fromHeader?.secret ?? inBody ?? '';
  if (id === '') throw new OAuthProblem('invalid_client', 'client_id is missing.', 401);
  if (usedMethod === 'none') return { id, isPublic: true };
  if (secret === '' || (accepted !== null && secret !== accepted)) {
    throw new OAuthProblem('invalid_client', 'The client secret is wrong.', 401);
  }
  return { id, isPublic: false };
}

function readBasic(authorization: string | undefined): { id: string; secret: string } | null {
  const [, encoded] = /^basic\s+(.*)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return null;
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
  try {
    return { id: decode(id), secret: decode(secret) };
  } catch {
    throw new OAuthProblem('invalid_client', 'Id and secret are not form-encoded (RFC 6749 §2.3.1).', 401);
  }
}

/** RFC 6749 §4.1.2.1 and §5.2. */
export class OAuthProblem extends Error {
  override readonly name = 'OAuthProblem';
  readonly code: string;
  readonly status: number;

  constructor(code: string, description: string, status = 400) {
    super(description);
    this.code = code;
    this.status = status;
  }
}

/** RFC 6749 §5.2. */
export function toProblemAnswer({ code, message, status }: OAuthProblem): PlainAnswer {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="sandbox"' } : {};
  return toJsonAnswer(
    status,
    { error: code, error_description: message },
    { 'cache-control': 'no-store', ...challenge },
  );
}
