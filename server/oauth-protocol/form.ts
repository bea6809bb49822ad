/** Reads what clients and partners send: forms and JSON, with OAuth's refusals. */

import type { IncomingMessage } from 'node:http';
import { readText } from '../http/body.ts';
import { RequestError } from '../http/errors.ts';
import { OAuthError } from './error.ts';

/** Largest body that the endpoints for machines read. */
const MAX_OAUTH_BODY_BYTES = 65_536;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** Every value of these may matter: the ASCII control characters and DEL appear in none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** A form whose parameters appear once. A parameter without a value counts as absent (RFC 6749 §3.2). */
export interface Form {
  get(name: string): string | undefined;
  /** Every value of a parameter that may appear repeatedly. */
  getAll(name: string): string[];
}

/**
 * Reads a form.
 *
 * @param repeatable parameters that may appear more than once; by default `resource` (RFC 8707 §2).
 * @throws {OAuthError} `invalid_request`: repeated parameters (RFC 6749 §3.2) and control characters (400), another media
 * type (415), a body that is too large (413).
 */
export async function readOAuthForm(request: IncomingMessage, repeatable?: readonly string[]): Promise<Form> {
  return toForm(await readBody(request, [FORM]), repeatable);
}

/** A body that may be either. */
export type FormOrJson = { readonly form: Form } | { readonly json: unknown };

/** Reads a form or JSON, as `Content-Type` says. @throws {OAuthError} `invalid_request`, as `readOAuthForm`. */
export async function readFormOrJson(request: IncomingMessage, repeatable?: readonly string[]): Promise<FormOrJson> {
  const text = await readBody(request, [JSON_TYPE, FORM]);
  const isForm = request.headers['content-type']?.toLowerCase().startsWith(FORM) === true;
  return isForm ? { form: toForm(text, repeatable) } : { json: parseJson(text) };
}

/** Reads JSON. @throws {OAuthError} `invalid_request`, as `readOAuthForm`. */
export async function readOAuthJson(request: IncomingMessage): Promise<unknown> {
  return parseJson(await readBody(request, [JSON_TYPE]));
}

/** True for a text with an ASCII control character, which no parameter may have. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

async function readBody(request: IncomingMessage, mediaTypes: readonly string[]): Promise<string> {
  try {
    return await readText(request, { maxBytes: MAX_OAUTH_BODY_BYTES, mediaTypes });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new OAuthError(error.status, 'invalid_request', error.description, { headers: error.headers, cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OAuthError(400, 'invalid_request', 'The request body is not valid JSON.', { cause });
  }
}

function toForm(text: string, repeatable: readonly string[] = ['resource']): Form {
  const parameters = new URLSearchParams(text);
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    if (hasControlCharacter(name) || hasControlCharacter(value)) {
      throw new OAuthError(400, 'invalid_request', 'A parameter holds a control character.');
    }
    if (seen.has(name) && !repeatable.includes(name)) {
      throw new OAuthError(400, 'invalid_request', 'A parameter appears more than once.');
    }
    seen.add(name);
  }
  return {
    get: (name) => parameters.get(name) || undefined,
    getAll: (name) => parameters.getAll(name).filter((value) => value !== ''),
  };
}
