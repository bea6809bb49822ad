/** What a partner sends to get a connection code, as JSON or as a form. */

import { z } from 'zod';
import { OAuthError } from '../../oauth-protocol/error.ts';
import { type Form, type FormOrJson, hasControlCharacter } from '../../oauth-protocol/form.ts';
import { MAX_USER_ID_LENGTH } from '../../partners/user-id.ts';

const MAX_SERVICES = 100;

/** A request whose shape is right; nothing else about it is known. */
interface SessionRequest {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The partner's own name for the user. */
  readonly userId: string;
  /** Services to narrow the code to, each once; null: none are named. */
  readonly services: readonly string[] | null;
  readonly readOnly: boolean;
}

const text = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => value.isWellFormed() && !hasControlCharacter(value));

/** Null counts as absent. */
const REQUEST = z.object({
  client_id: text(512).nullish(),
  client_secret: text(512).nullish(),
  user_id: text(MAX_USER_ID_LENGTH),
  services: z.array(text(100)).max(MAX_SERVICES).nullish(),
  read_only: z.boolean().nullish(),
});

/** What each member must be, for the partner's developer. */
const EXPECTED: Readonly<Record<string, string>> = {
  client_id: 'a text',
  client_secret: 'a text',
  user_id: `a text of 1 to ${MAX_USER_ID_LENGTH} characters: the one that the connect flow was given`,
  services: 'a list of service names',
  read_only: 'true or false',
};

/**
 * Reads the request. Members that are not known are ignored.
 *
 * @throws {OAuthError} `invalid_request`, status 400, with the member that is wrong.
 */
export function parseSessionRequest(body: FormOrJson): SessionRequest {
  const parsed = REQUEST.safeParse('form' in body ? toMembers(body.form) : body.json);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0] ?? '');
    const description = name in EXPECTED ? `${name} must be ${EXPECTED[name]}.` : 'The body must be a JSON object.';
    throw new OAuthError(400, 'invalid_request', description);
  }
  const { client_id, client_secret, user_id, services, read_only } = parsed.data;
  return {
    clientId: client_id ?? undefined,
    clientSecret: client_secret ?? undefined,
    userId: user_id,
    services: services == null ? null : [...new Set(services)],
    readOnly: read_only ?? false,
  };
}

/** In a form, services are repeated, or separated by commas or spaces. */
function toMembers(form: Form): Record<string, unknown> {
  const services = form.getAll('services').flatMap((value) => value.split(/[\s,]+/));
  const readOnly = form.get('read_only');
  return {
    client_id: form.get('client_id'),
    client_secret: form.get('client_secret'),
    user_id: form.get('user_id'),
    services: services.length === 0 ? undefined : services.filter((name) => name !== ''),
    read_only: readOnly === 'true' ? true : readOnly === 'false' ? false : readOnly,
  };
}
