/** The kinds of credential that a connector takes, and which of them a stored credential is. */

import { compilePattern, type Pattern } from '../../../shared/patterns/index.ts';
import { fillServerUrl, isUserValue } from '../../../shared/server-urls.ts';
import type {
  CredentialKind,
  CredentialPart,
  CredentialRequirement,
  OAuth2Part,
  OAuth2Rules,
  ToolFace,
  TypedPart,
} from '../../contract/index.ts';
import type { CredentialType } from '../store/schema.ts';
import { CredentialUnreadableError } from './index.ts';

/** Every kind, the preferred first. One kind without parts: the service is open. */
export function kindsOf(requirement: CredentialRequirement): readonly [CredentialKind, ...CredentialKind[]] {
  const { parts, help, url, alternatives = [] } = requirement;
  const label = requirement.label ?? [...new Set(parts.map((part) => part.label))].join(' and ');
  return [{ label, parts, help, url }, ...alternatives];
}

/** The kind whose fields are all present; the preferred one when none is complete, so that missing fields can be named. */
function kindOf(requirement: CredentialRequirement, fields: Readonly<Record<string, string>>): CredentialKind {
  const kinds = kindsOf(requirement);
  return kinds.find(({ parts }) => parts.every((part) => isComplete(part, fields))) ?? kinds[0];
}

/** Every form of the connect page: the kinds of which a user chooses one, then what few tools need in addition. */
export function formsOf(requirement: CredentialRequirement): readonly (CredentialKind & { readonly isExtra?: true })[] {
  const { extras = [] } = requirement;
  return [...kindsOf(requirement), ...extras.map((kind) => ({ ...kind, isExtra: true as const }))];
}

/** What a call of a tool is sent with: the connection's kind, or for a tool with an extra that, and of the kind what can go with it. */
export function kindFor(
  requirement: CredentialRequirement,
  fields: Readonly<Record<string, string>>,
  label: string | undefined,
): CredentialKind {
  const kind = kindOf(requirement, fields);
  const extra = label === undefined ? undefined : requirement.extras?.find((one) => one.label === label);
  if (extra === undefined) return kind;
  const taken = new Set(extra.parts.map(placeOf));
  return { ...extra, parts: [...kind.parts.filter((part) => !taken.has(placeOf(part))), ...extra.parts] };
}

/**
 * The parts that the requests of a tool carry: of the connection's kind and the tool's extra those that `ToolFace.credential` names, and what
 * is no secret or is named by the request itself.
 */
export function partsFor(
  requirement: CredentialRequirement,
  fields: Readonly<Record<string, string>>,
  { extra, credential }: Pick<ToolFace, 'extra' | 'credential'>,
): readonly CredentialPart[] {
  const { parts } = kindFor(requirement, fields, extra);
  if (credential === undefined) return parts;
  const ids = new Set(parts.map(({ id }) => id));
  const carried = credential.find((alternative) => alternative.every((id) => ids.has(id))) ?? [];
  return parts.filter((part) => isCarriedAlways(part) || carried.includes(part.id));
}

function isCarriedAlways(part: CredentialPart): boolean {
  if (part.type === 'oauth2') return false;
  return part.isPublic === true || part.type === 'path' || part.type === 'body';
}

function placeOf(part: CredentialPart): string {
  if (!('name' in part)) return 'header authorization';
  return part.type === 'header' ? `header ${part.name.toLowerCase()}` : `${part.type} ${part.name}`;
}

/** The labels of extras with a token of their own. */
export function signInsOf({ extras = [] }: CredentialRequirement): readonly string[] {
  return extras.flatMap((kind) => (oauth2PartOf(kind) === undefined ? [] : [kind.label]));
}

/** Whether a connection has what a tool needs in addition. */
export function hasExtra(
  { extras = [] }: CredentialRequirement,
  fields: Readonly<Record<string, string>>,
  label: string,
): boolean {
  return extras.some((kind) => kind.label === label && kind.parts.every((part) => isComplete(part, fields)));
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
  return formsOf(requirement).some((kind) => oauth2PartOf(kind) !== undefined);
}

const patterns = new Map<string, Pattern>();

/** Whether a value may fill a part: its whole text matches the pattern of the connector, and in a server URL it stays in its place. */
export function isFit({ type, pattern }: TypedPart, value: string): boolean {
  if (type === 'server' && !isUserValue(value)) return false;
  if (pattern === undefined) return true;
  const compiled = patterns.get(pattern) ?? compilePattern(`^(?:${pattern})$`);
  patterns.set(pattern, compiled);
  return compiled.test(value);
}

/** The parts of all kinds that are no secrets, such as the tenant, each once. */
export function publicPartsOf(requirement: CredentialRequirement): readonly TypedPart[] {
  const parts = kindsOf(requirement).flatMap((kind) => kind.parts);
  return parts.filter(
    (part, index): part is TypedPart =>
      part.type !== 'oauth2' && part.isPublic === true && parts.findIndex(({ id }) => id === part.id) === index,
  );
}

/** The rules of a sign-in, with the connection's values in its URLs. @throws {CredentialUnreadableError} for a value that `isFit` refuses. */
export function rulesFor(
  { oauth2: rules }: OAuth2Part,
  { parts }: Pick<CredentialKind, 'parts'>,
  fields: Readonly<Record<string, string>>,
): OAuth2Rules {
  const asked = parts.filter((part) => part.type === 'server');
  if (asked.length === 0) return rules;
  const values = new Map(
    asked.flatMap((part) => (isFit(part, fields[part.id] ?? '') ? [[part.name, fields[part.id]]] : [])),
  );
  const fill = <Url extends string | null>(url: Url): Url => {
    if (url === null || !url.includes('{')) return url;
    const filled = fillServerUrl(url, (name) => values.get(name));
    if (filled === null || filled.includes('{')) throw new CredentialUnreadableError('damaged', null);
    return filled as Url;
  };
  const { authorizationUrl, tokenUrl, refreshUrl, revocationUrl, issuer } = rules;
  return {
    ...rules,
    authorizationUrl: fill(authorizationUrl),
    tokenUrl: fill(tokenUrl),
    refreshUrl: fill(refreshUrl),
    revocationUrl: fill(revocationUrl),
    issuer: fill(issuer),
  };
}
