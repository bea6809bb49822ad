/** Writes the parts of a credential that are in a body, after everything that a call said. */

import type { CredentialMembers, NestedMembers, Source, ToolRequest } from '../../contract/index.ts';
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

/** The members of a tool's body that the credential fills, by wire name; null: none. */
export function credentialMembersOf(body: NonNullable<ToolRequest['body']>): CredentialMembers | null {
  if ('members' in body) return membersOf(body.members);
  return ('argument' in body && body.credentials) || null;
}

function membersOf(members: NestedMembers): CredentialMembers | null {
  const own = Object.entries(members).flatMap(([name, source]): [string, string | CredentialMembers][] => {
    const found = typeof source === 'string' ? null : credentialsOf(source);
    return found === null ? [] : [[name, found]];
  });
  return own.length === 0 ? null : Object.fromEntries(own);
}

function credentialsOf(source: Source): string | CredentialMembers | null {
  if ('credential' in source) return source.credential;
  if ('members' in source) return membersOf(source.members);
  return ('credentials' in source && source.credentials) || null;
}
