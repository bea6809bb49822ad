/** A partner's request for a connection code, as JSON or as a form. */

import { z } from 'zod';
import { parseRawNumbers } from '../../../shared/exact-json.ts';
import { CATALOGUE_MODES, type Permission } from '../../base/principal/permission.ts';
import { isUserId, MAX_USER_ID_LENGTH } from '../partners/user-id.ts';
import { OAuthError } from '../protocol/error.ts';
import { type Form, type FormOrJson, findUnknownMember, hasControlCharacter } from '../protocol/form.ts';

const MAX_SERVICES = 100;
const MAX_TOOLS = 1000;
const MAX_ARGUMENTS = 20;
const MIN_GRANT_SECONDS = 60;
const MAX_GRANT_SECONDS = 366 * 86_400;
const MIN_RESULT_TOKENS = 1000;
const MAX_RESULT_TOKENS = 1_000_000;

/** A request whose shape is valid; nothing else was checked. */
export interface ConnectionCodeRequest {
  /** The partner's own name for the user. */
  readonly userId: string;
  /** Services to narrow the code to, each once. Null if the request names none. */
  readonly services: readonly string[] | null;
  readonly readOnly: boolean;
  /** Names of tools to narrow the code to, each once. Null if the request names none. */
  readonly tools: readonly string[] | null;
  /** By service, values of arguments that the gateway sets. */
  readonly arguments: Permission['pins'];
  /** By service, the name of the only account to use. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Mode in which lists show their tools. Null for the operator's setting. */
  readonly catalogue: Permission['catalogue'];
  /** Tokens of text that a result may have. Null for the operator's setting. */
  readonly resultTokens: number | null;
  /** Longest lifetime of the grant, in seconds. Null if each refresh extends it. */
  readonly grantSeconds: number | null;
}

const text = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => value.isWellFormed() && !hasControlCharacter(value));

/** Null counts as absent. */
const REQUEST = z.object({
  user_id: text(MAX_USER_ID_LENGTH).refine(isUserId),
  services: z.array(text(100)).max(MAX_SERVICES).nullish(),
  read_only: z.boolean().nullish(),
  tools: z.array(text(100)).min(1).max(MAX_TOOLS).nullish(),
  arguments: z
    .record(
      text(100),
      z
        .record(text(200), z.union([text(1000), z.number(), z.boolean()]))
        .refine((pins) => Object.keys(pins).length <= MAX_ARGUMENTS),
    )
    .refine((services) => Object.keys(services).length <= MAX_SERVICES)
    .nullish(),
  accounts: z
    .record(text(100), text(100))
    .refine((services) => Object.keys(services).length <= MAX_SERVICES)
    .nullish(),
  catalogue: z.enum(CATALOGUE_MODES).nullish(),
  result_tokens: z.int().min(MIN_RESULT_TOKENS).max(MAX_RESULT_TOKENS).nullish(),
  grant_expires_in: z.int().min(MIN_GRANT_SECONDS).max(MAX_GRANT_SECONDS).nullish(),
});

/** Expected value of each member, for the partner's developer. */
const EXPECTED: Readonly<Record<string, string>> = {
  user_id: `a text of 1 to ${MAX_USER_ID_LENGTH} characters: the one that the connect flow was given`,
  services: 'a list of service names',
  read_only: 'true or false',
  tools: 'a list of tool names',
  arguments: `an object such as {"mailer": {"brandId": "b1"}}: by service, at most ${MAX_ARGUMENTS} arguments that are a text, a number, true or false`,
  accounts: 'an object such as {"mailer": "work"}: by service, the name of the only account to use',
  catalogue: `one of ${CATALOGUE_MODES.join(', ')}`,
  result_tokens: `a whole number of tokens from ${MIN_RESULT_TOKENS} to ${MAX_RESULT_TOKENS}`,
  grant_expires_in: `a whole number of seconds from ${MIN_GRANT_SECONDS} to ${MAX_GRANT_SECONDS}`,
};

/**
 * Reads the request.
 *
 * @throws {OAuthError} `invalid_request`, status 400, with the invalid or unknown member.
 */
export function parseConnectionCodeRequest(body: FormOrJson): ConnectionCodeRequest {
  const unknown = findUnknownMember(body, Object.keys(EXPECTED));
  if (unknown !== null) throw new OAuthError(400, 'invalid_request', unknown);
  const parsed = REQUEST.safeParse('form' in body ? toMembers(body.form) : body.json);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0] ?? '');
    const description = name in EXPECTED ? `${name} must be ${EXPECTED[name]}.` : 'The body must be a JSON object.';
    throw new OAuthError(400, 'invalid_request', description);
  }
  const { user_id, services, read_only, tools, grant_expires_in } = parsed.data;
  return {
    userId: user_id,
    services: services == null ? null : [...new Set(services)],
    readOnly: read_only ?? false,
    tools: tools == null ? null : [...new Set(tools)].sort(),
    arguments: parsed.data.arguments ?? {},
    accounts: parsed.data.accounts ?? {},
    catalogue: parsed.data.catalogue ?? null,
    resultTokens: parsed.data.result_tokens ?? null,
    grantSeconds: grant_expires_in ?? null,
  };
}

/** In a form, services and tools are repeated, or separated by commas or spaces; arguments and accounts are JSON. */
function toMembers(form: Form): Record<string, unknown> {
  const listOf = (name: string) => {
    const values = form.getAll(name).flatMap((value) => value.split(/[\s,]+/));
    return values.length === 0 ? undefined : values.filter((value) => value !== '');
  };
  const numberOf = (name: string) => {
    const text = form.get(name);
    return text === undefined ? undefined : Number(text);
  };
  const readOnly = form.get('read_only');
  return {
    user_id: form.get('user_id'),
    services: listOf('services'),
    tools: listOf('tools'),
    arguments: toJson(form.get('arguments')),
    accounts: toJson(form.get('accounts')),
    catalogue: form.get('catalogue'),
    result_tokens: numberOf('result_tokens'),
    grant_expires_in: numberOf('grant_expires_in'),
    read_only: readOnly === 'true' || readOnly === 'false' ? readOnly === 'true' : readOnly,
  };
}

function toJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseRawNumbers(text);
  } catch {
    return text;
  }
}
