/** Writes the parts of a credential that stand in a body, after everything that a call said. */

import type { CredentialMembers } from '../../contract/index.ts';
import { CannotSendError } from './cannot-send.ts';

/** What a connection's credential puts into paths and bodies, by field. */
export type Secrets = Readonly<Record<string, string>>;

/**
 * An object with the credential's members in place of all others of their names, in any case: upstreams that compare names
 * without case exist, and no argument speaks for the connection. They come last. What a connection lacks is left out.
 *
 * @param value of the call; undefined and null: the object is made
 * @param argument that it comes from, for the error
 * @throws {CannotSendError} where the value is no object.
 */
export function withCredentials(
  value: unknown,
  members: CredentialMembers,
  secrets: Secrets,
  argument: string | null,
): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' ? Array.isArray(value) : value !== undefined) {
    throw new CannotSendError({ place: 'body', parameter: null, argument }, 'the credential belongs into an object');
  }
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  const taken = new Set(Object.keys(members).map((name) => name.toLowerCase()));
  const others = Object.entries(given).filter(([name]) => !taken.has(name.toLowerCase()));
  const own = Object.entries(members).map(([name, field]) => {
    if (typeof field === 'string') return [name, secrets[field]] as const;
    return [
      name,
      withCredentials(Object.hasOwn(given, name) ? given[name] : undefined, field, secrets, argument),
    ] as const;
  });
  return Object.fromEntries([...others, ...own.filter(([, member]) => member !== undefined)]);
}
