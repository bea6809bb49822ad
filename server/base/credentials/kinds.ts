/** Matches stored credentials with the kinds of credential that a connector takes. */

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

/** Returns every kind, the preferred first. An open service has one kind without parts. */
export function kindsOf(requirement: CredentialRequirement): readonly [CredentialKind, ...CredentialKind[]] {
  const { parts, help, url, alternatives = [] } = requirement;
  const label = requirement.label ?? [...new Set(parts.map((part) => part.label))].join(' and ');
  return [{ label, parts, help, url }, ...alternatives];
}

/** Returns the kind whose fields are all present; the preferred one if none is complete, so that missing fields can be named. */
function kindOf(requirement: CredentialRequirement, fields: Readonly<Record<string, string>>): CredentialKind {
  const kinds = kindsOf(requirement);
  return kinds.find(({ parts }) => parts.every((part) => isComplete(part, fields))) ?? kinds[0];
}

/** Returns every form of the connect page: the kinds of which a user chooses one, then the extras that few tools need. */
export function formsOf(requirement: CredentialRequirement): readonly (CredentialKind & { readonly isExtra?: true })[] {
  const { extras = [] } = requirement;
  return [...kindsOf(requirement), ...extras.map((kind) => ({ ...kind, isExtra: true as const }))];
}

/**
 * Returns the kind of credential that a call is sent with: the connection's, or the tool's extra with those parts of the connection's that fit next
 * to it.
 */
export function kindFor(
  requirement: CredentialRequirement,
  fields: Readonly<Record<string, string>>,
  label: string | undefined,
): CredentialKind {
  const kind = kindOf(requirement, fields);
  const extra = label === undefined ? undefined : requirement.extras?.find((kind) => kind.label === label);
  if (extra === undefined) return kind;
  const replacedPlaces = new Set(extra.parts.map(wirePlaceOf));
  return { ...extra, parts: [...kind.parts.filter((part) => !replacedPlaces.has(wirePlaceOf(part))), ...extra.parts] };
}

/**
 * Returns the parts that the requests of a tool carry: those that `ToolFace.credential` names, and those that are public or that the request
 * itself names.
 */
export function partsFor(
  requirement: CredentialRequirement,
  fields: Readonly<Record<string, string>>,
  { extra, credential }: ToolFace,
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

function wirePlaceOf(part: CredentialPart): string {
  if (!('name' in part)) return 'header authorization';
  return part.type === 'header' ? `header ${part.name.toLowerCase()}` : `${part.type} ${part.name}`;
}

/** Returns the labels of extras with an OAuth sign-in. */
export function signInsOf({ extras = [] }: CredentialRequirement): readonly string[] {
  return extras.flatMap((kind) => (oauth2PartOf(kind) === undefined ? [] : [kind.label]));
}

/** Tests whether a connection has an extra. */
export function hasExtra(
  { extras = [] }: CredentialRequirement,
  fields: Readonly<Record<string, string>>,
  label: string,
): boolean {
  return extras.some((kind) => kind.label === label && kind.parts.every((part) => isComplete(part, fields)));
}

/** The parts of a kind of credential. */
interface CredentialParts {
  readonly parts: readonly CredentialPart[];
}

/** Returns the part of a kind that comes from the upstream's authorization server; undefined if the user types all of it. */
export function oauth2PartOf({ parts }: CredentialParts): OAuth2Part | undefined {
  return parts.find((part) => part.type === 'oauth2');
}

/** Returns the part of any kind of the credential that comes from the upstream's authorization server; undefined if there is none. */
export function findOAuth2Part(requirement: CredentialRequirement): OAuth2Part | undefined {
  return formsOf(requirement)
    .map(oauth2PartOf)
    .find((part) => part !== undefined);
}

/** Returns the type of a kind of credential. */
export function typeOf({ parts }: CredentialParts): CredentialType {
  return parts.length === 0 ? 'none' : typeOfNames(parts.flatMap(requiredFieldsOf));
}

/** Returns the type of a stored credential. @param fields one value per field; null for an open service. */
export function typeOfFields(fields: Readonly<Record<string, string>> | null): CredentialType {
  return fields === null ? 'none' : typeOfNames(Object.keys(fields));
}

function typeOfNames(names: readonly string[]): CredentialType {
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

/** Tests whether every kind of the credential needs a client registered at the upstream, so that none can be pasted. */
export function needsUpstreamClient(requirement: CredentialRequirement): boolean {
  return kindsOf(requirement).every((kind) => oauth2PartOf(kind) !== undefined);
}

/** Tests whether any kind of the credential needs a client that is registered at the upstream. */
export function takesUpstreamClient(requirement: CredentialRequirement): boolean {
  return findOAuth2Part(requirement) !== undefined;
}

const patterns = new Map<string, Pattern>();

/** Tests whether a value may fill a part: it matches the pattern of the connector, and cannot change the rest of a server URL. */
export function isFit({ type, pattern }: TypedPart, value: string): boolean {
  if (type === 'server' && !isUserValue(value)) return false;
  if (pattern === undefined) return true;
  const compiled = patterns.get(pattern) ?? compilePattern(`^(?:${pattern})$`);
  patterns.set(pattern, compiled);
  return compiled.test(value);
}

/** Returns the public parts of all kinds, such as the tenant, each once. */
export function publicPartsOf(requirement: CredentialRequirement): readonly TypedPart[] {
  const parts = kindsOf(requirement).flatMap((kind) => kind.parts);
  return parts.filter(
    (part, index): part is TypedPart =>
      part.type !== 'oauth2' && part.isPublic === true && parts.findIndex(({ id }) => id === part.id) === index,
  );
}

/** Returns the rules of a sign-in, with the connection's values in its URLs. @throws {CredentialUnreadableError} for a value that `isFit` refuses. */
export function rulesFor(
  { oauth2: rules }: OAuth2Part,
  { parts }: CredentialParts,
  fields: Readonly<Record<string, string>>,
): OAuth2Rules {
  const serverParts = parts.filter((part) => part.type === 'server');
  if (serverParts.length === 0) return rules;
  const fitting = serverParts.filter((part) => isFit(part, fields[part.id] ?? ''));
  const values = new Map(fitting.map((part) => [part.name, fields[part.id]]));
  return mapOAuthUrls(rules, (url) => {
    if (!url.includes('{')) return url;
    const filled = fillServerUrl(url, (name) => values.get(name));
    if (filled === null || filled.includes('{')) throw new CredentialUnreadableError('damaged', null);
    return filled;
  });
}

/** Returns the rules with every URL of the authorization server converted. */
export function mapOAuthUrls(rules: OAuth2Rules, convert: (url: string) => string): OAuth2Rules {
  const convertOptional = (url: string | null): string | null => (url === null ? null : convert(url));
  return {
    ...rules,
    authorizationUrl: convertOptional(rules.authorizationUrl),
    tokenUrl: convert(rules.tokenUrl),
    refreshUrl: convertOptional(rules.refreshUrl),
    revocationUrl: convertOptional(rules.revocationUrl),
    issuer: convertOptional(rules.issuer),
  };
}
