/** The kinds of credential that a connector takes, and which of them a stored credential is. */

import type { CredentialKind, CredentialPart, CredentialRequirement, OAuth2Part } from '../../contract/index.ts';
import type { CredentialType } from '../store/schema.ts';

/** Every kind, the preferred first. One kind without parts: the service is open. */
export function kindsOf(requirement: CredentialRequirement): readonly [CredentialKind, ...CredentialKind[]] {
  const { parts, help, url, alternatives = [] } = requirement;
  const label = requirement.label ?? [...new Set(parts.map((part) => part.label))].join(' and ');
  return [{ label, parts, help, url }, ...alternatives];
}

/** The kind whose fields are all present; the preferred one when none is complete, so that missing fields can be named. */
export function kindOf(requirement: CredentialRequirement, fields: Readonly<Record<string, string>>): CredentialKind {
  const kinds = kindsOf(requirement);
  return kinds.find(({ parts }) => parts.every((part) => isComplete(part, fields))) ?? kinds[0];
}

/** The part of a kind that comes from the upstream's authorization server; undefined when the user types all of it. */
export function oauth2PartOf({ parts }: Pick<CredentialKind, 'parts'>): OAuth2Part | undefined {
  return parts.find((part) => part.type === 'oauth2');
}

/** The type of a kind of credential. */
export function typeOf({ parts }: Pick<CredentialKind, 'parts'>): CredentialType {
  return typeOfFields(
    parts.length === 0 ? null : Object.fromEntries(parts.flatMap(requiredFieldsOf).map((name) => [name, ''])),
  );
}

/** The type of a stored credential. @param fields one value per field; null for an open service. */
export function typeOfFields(fields: Readonly<Record<string, string>> | null): CredentialType {
  if (fields === null) return 'none';
  const names = Object.keys(fields);
  if (names.some((name) => name.endsWith('.access_token'))) return 'oauth2';
  return names.some((name) => name.endsWith('.username')) ? 'basic' : 'key';
}

function isComplete(part: CredentialPart, fields: Readonly<Record<string, string>>): boolean {
  return requiredFieldsOf(part).every((field) => Object.hasOwn(fields, field));
}

function requiredFieldsOf({ id, type }: CredentialPart): readonly string[] {
  if (type === 'basic') return [`${id}.username`, `${id}.password`];
  return [type === 'oauth2' ? `${id}.access_token` : id];
}

/** Whether every kind of the credential needs a client registered at the upstream, so that none can be pasted. */
export function needsUpstreamClient(requirement: CredentialRequirement): boolean {
  return kindsOf(requirement).every((kind) => oauth2PartOf(kind) !== undefined);
}

/** Whether any kind of the credential needs a client that is registered at the upstream. */
export function takesUpstreamClient(requirement: CredentialRequirement): boolean {
  return kindsOf(requirement).some((kind) => oauth2PartOf(kind) !== undefined);
}
