/** Reads the forms and JSON that clients and partners send, with OAuth's errors, and finds members that their operation does not know. */

import type { IncomingMessage } from 'node:http';
import { parseRawNumbers } from '../../../shared/exact-json.ts';
import { RequestError } from '../../base/http/errors.ts';
import { readText } from '../../base/http/exchange.ts';
import { findInfiniteNumber } from '../../call/tools/argument-numbers.ts';
import { findNearest } from '../../call/tools/nearest.ts';
import { OAuthError } from './error.ts';

/** Default size limit of a body: enough for a few parameters, one of them a JWT. */
const MAX_OAUTH_BODY_BYTES = 16_384;

/** More than any request without lists has. Each parameter costs time before the sender is authenticated. */
const MAX_PARAMETERS = 100;

const MAX_SHOWN_PATH = 200;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** ASCII control characters and DEL, which no parameter may contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** A form whose parameters appear once. A parameter without a value counts as absent (RFC 6749 §3.2). */
export interface Form {
  get(name: string): string | undefined;
  /** Every value of a parameter that may appear repeatedly. */
  getAll(name: string): string[];
  /** Names of the parameters that have a value. */
  names(): string[];
}

/** Limits of an endpoint's bodies. */
interface OAuthBodyRules {
  /** Default: `MAX_OAUTH_BODY_BYTES`. */
  readonly maxBytes?: number;
  /** Default: `MAX_PARAMETERS`. */
  readonly maxParameters?: number;
  /** Parameters that may appear more than once. Default: `resource` (RFC 8707 §2). */
  readonly repeatable?: readonly string[];
}

/**
 * Reads a form.
 *
 * @throws {OAuthError} `invalid_request`: repeated parameters (RFC 6749 §3.2) and control characters (400), another media
 * type (415), a body that is too large (413).
 */
export async function readOAuthForm(request: IncomingMessage, rules: OAuthBodyRules = {}): Promise<Form> {
  return toForm(await readBody(request, [FORM], rules), rules);
}

export type FormOrJson = { readonly form: Form } | { readonly json: unknown };

/** Reads a form or JSON, as `Content-Type` says. @throws {OAuthError} `invalid_request`, as `readOAuthForm`. */
export async function readFormOrJson(request: IncomingMessage, rules: OAuthBodyRules = {}): Promise<FormOrJson> {
  const text = await readBody(request, [JSON_TYPE, FORM], rules);
  const isForm = request.headers['content-type']?.toLowerCase().startsWith(FORM) === true;
  return isForm ? { form: toForm(text, rules) } : { json: parseJson(text) };
}

/** Reads JSON. @throws {OAuthError} `invalid_request`, as `readOAuthForm`. */
export async function readOAuthJson(request: IncomingMessage, rules: OAuthBodyRules = {}): Promise<unknown> {
  return parseJson(await readBody(request, [JSON_TYPE], rules));
}

/** True for a text with an ASCII control character, which no parameter may have. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

async function readBody(
  request: IncomingMessage,
  mediaTypes: readonly string[],
  { maxBytes = MAX_OAUTH_BODY_BYTES }: OAuthBodyRules,
): Promise<string> {
  try {
    return await readText(request, { maxBytes, mediaTypes });
  } catch (error) {
    if (!(error instanceof RequestError) || error.status === 503) throw error;
    throw new OAuthError(error.status, 'invalid_request', error.description, { headers: error.headers, cause: error });
  }
}

/** Parses JSON. Numbers that JavaScript would round are raw, which no member but free arguments accepts. */
function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseRawNumbers(text);
  } catch (cause) {
    throw new OAuthError(400, 'invalid_request', 'The request body is not valid JSON.', { cause });
  }
  const infinite = findInfiniteNumber(value);
  if (infinite === null) return value;
  throw new OAuthError(400, 'invalid_request', `The number at "${infinite.slice(0, MAX_SHOWN_PATH)}" is not finite.`);
}

function toForm(text: string, rules: OAuthBodyRules): Form {
  const { repeatable = ['resource'], maxParameters = MAX_PARAMETERS } = rules;
  if (text.split('&', maxParameters + 1).length > maxParameters) {
    throw new OAuthError(400, 'invalid_request', `There are more than ${maxParameters} parameters.`);
  }
  const parameters = new URLSearchParams(text);
  const parameterNames = new Set<string>();
  for (const [name, value] of parameters) {
    if (hasControlCharacter(name) || hasControlCharacter(value)) {
      throw new OAuthError(400, 'invalid_request', 'A parameter contains a control character.');
    }
    if (parameterNames.has(name) && !repeatable.includes(name)) {
      throw new OAuthError(400, 'invalid_request', 'A parameter appears more than once.');
    }
    parameterNames.add(name);
  }
  return {
    get: (name) => parameters.get(name) || undefined,
    getAll: (name) => parameters.getAll(name).filter((value) => value !== ''),
    names: () => [...parameters].flatMap(([name, value]) => (value === '' ? [] : [name])),
  };
}

/** Members of a body that hold credentials (RFC 6749 §2.3.1). */
const CREDENTIALS = ['client_id', 'client_secret'];

/** Longer names are not repeated to the sender. */
const MAX_SHOWN_LENGTH = 60;

/**
 * Returns the problem with the first unknown member, as a sentence. Returns null if every member is known. A request with an unknown member is
 * refused: ignoring a misspelt restriction would grant more access than the sender meant.
 *
 * @param known names of members, without those of credentials.
 */
export function findUnknownMember(body: FormOrJson, known: readonly string[]): string | null {
  return findUnknownName(
    namesOf(body).filter((name) => !CREDENTIALS.includes(name)),
    known,
    'member',
  );
}

/** Returns the problem with the first unknown name, as a sentence. Returns null if every name is known. */
export function findUnknownName(
  names: readonly string[],
  known: readonly string[],
  kind: 'member' | 'parameter',
): string | null {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return null;
  const [nearest] = findNearest(unknown, known);
  const heading = kind === 'member' ? 'Members' : 'Parameters';
  const list = known.length === 0 ? '' : ` ${heading}: ${known.join(', ')}.`;
  const advice = nearest === undefined ? list : ` Did you mean ${nearest}?`;
  return `There is no ${kind} ${JSON.stringify(unknown.slice(0, MAX_SHOWN_LENGTH))}.${advice}`;
}

function namesOf(body: FormOrJson): readonly string[] {
  if ('form' in body) return body.form.names();
  const { json } = body;
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
}
