/** Writes the parts of a credential that belong in a body, after all arguments of a call. */

import type { CredentialMembers, NestedMembers, Source, ToolRequest } from '../../../contract/index.ts';
import { CannotSendError } from './cannot-send.ts';

/** The values of a connection's credential for paths and bodies, by field. */
export type Secrets = Readonly<Record<string, string>>;

/**
 * The object with the credential's members, replacing all others of the same names in any letter case: some upstreams
 * ignore case, and no argument may replace the credential. They come last. Fields that the connection lacks are left out.
 *
 * @param value of the call; undefined and null: a new object.
 * @param argument that it comes from, for the error.
 * @throws {CannotSendError} when the value is not an object.
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
