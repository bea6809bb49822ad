/** Requires the parts of a credential that belong in paths and bodies, where no security scheme can declare them. */

import { isObject, type JsonObject } from '../json.ts';
import { type CredentialProblem, equals } from './credential.ts';

/** A path parameter, or a body member by the names that lead to it. */
export type PlacedCredential =
  | { readonly in: 'path'; readonly name: string }
  | { readonly in: 'body'; readonly path: readonly string[] };

/** Where the connector puts its credential. */
export interface ConnectorCredential {
  /** The text before the secret, by lower-case header name. */
  readonly prefixes: Readonly<Record<string, string>>;
  /** By `METHOD /path` in the descriptor. */
  readonly places: Readonly<Record<string, readonly PlacedCredential[]>>;
}

/** The decoded path parameters and body of a request. */
interface Said {
  readonly path: JsonObject;
  readonly body: unknown;
}

/** Null: every part is present. @param credential the only accepted secret; null: any that is not empty. */
export function checkPlaced(
  places: readonly PlacedCredential[],
  said: Said,
  credential: string | null,
): CredentialProblem | null {
  for (const place of places) {
    const where =
      place.in === 'path' ? `the path parameter ${place.name}` : `the member ${place.path.join('.')} of the body`;
    const value = place.in === 'path' ? said.path[place.name] : memberAt(said.body, place.path);
    const refuse = (reason: string): CredentialProblem => ({ status: 401, reason, challenge: null });
    if (typeof value !== 'string' || value === '')
      return refuse(`the credential belongs into ${where}, and the request has none`);
    if (credential !== null && !equals(value, credential))
      return refuse(`this sandbox does not accept the secret in ${where}`);
  }
  return null;
}

/** The request without the credential, so that no answer repeats it. */
export function withoutPlaced<Request extends Said>(places: readonly PlacedCredential[], said: Request): Request {
  const path = { ...said.path };
  let { body } = said;
  for (const place of places) {
    if (place.in === 'path') delete path[place.name];
    else body = withoutMember(body, place.path);
  }
  return { ...said, path, body };
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value);
}

function withoutMember(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: inner, ...others } = value;
  return rest.length === 0 ? others : { ...others, [name]: withoutMember(inner, rest) };
}
