/** Body members that the credential fills: removed from the arguments, and added to the request. */

import type { OperationModel, Schema } from '../../model/types.ts';
import type { BodyPlan } from '../body/context.ts';
import { withoutMember } from '../body/without-member.ts';
import type { Binding, CallModel, CredentialMembers, ValueExpression } from '../call-model.ts';
import type { Resolve } from '../schema/readers.ts';

/** A part of the credential in a body: its id, and its name in connector.yaml, whose dots may lead into objects. */
export interface BodyPart {
  readonly id: string;
  readonly name: string;
}

/** An operation without the members that the credential fills. */
export function withoutCredentials(
  operation: OperationModel,
  parts: readonly BodyPart[],
  resolve: Resolve,
): OperationModel {
  const { body } = operation;
  if (body === null || parts.length === 0) return operation;
  const contents = body.contents.map((content) => {
    if (content.schema === null) return content;
    const clean = parts.reduce((schema, { name }) => {
      const path = findMember(schema, name, resolve);
      return path === null ? schema : withoutMember(schema, path, resolve);
    }, content.schema);
    return clean === content.schema ? content : { ...content, schema: clean };
  });
  return contents.every((content, index) => content === body.contents[index])
    ? operation
    : { ...operation, body: { ...body, contents } };
}

/** Members of a tool's body that the credential fills, by wire name; only those that the descriptor declares. */
export function credentialMembersOf(
  { body }: OperationModel,
  plan: BodyPlan,
  parts: readonly BodyPart[],
  resolve: Resolve,
): CredentialMembers {
  if (plan.kind !== 'members' && plan.kind !== 'whole') return {};
  const schema = body?.contents.find(({ mediaType }) => mediaType === plan.mediaType)?.schema ?? null;
  const credentialMembers: { [name: string]: string | CredentialMembers } = {};
  for (const { id, name } of schema === null ? [] : parts) {
    const path = findMember(schema ?? {}, name, resolve);
    if (path !== null) fill(credentialMembers, path, id);
  }
  return credentialMembers;
}

function fill(
  members: { [name: string]: string | CredentialMembers },
  [name = '', ...rest]: readonly string[],
  id: string,
) {
  if (rest.length === 0) {
    members[name] = id;
    return;
  }
  const existing = members[name];
  const inner = typeof existing === 'object' ? { ...existing } : {};
  fill(inner, rest, id);
  members[name] = inner;
}

/**
 * The names on the way to a member; null if the schema does not have it. A name with dots takes precedence over a path
 * through objects.
 */
export function findMember(schema: Schema, name: string, resolve: Resolve): readonly string[] | null {
  const candidatePaths = [[name], name.split('.')];
  return candidatePaths.find((path) => withoutMember(schema, path, resolve) !== schema) ?? null;
}

/** The body of a call with the members that the credential fills. */
export function withCredentialMembers(
  body: CallModel['body'],
  credentialMembers: CredentialMembers,
): CallModel['body'] {
  if (Object.keys(credentialMembers).length === 0) return body;
  if (body.kind === 'members') return { ...body, members: fillBindings(body.members, credentialMembers) };
  const isArgument = body.kind === 'whole' && body.value.kind === 'argument';
  return isArgument ? { ...body, value: fillValue(body.value, credentialMembers) } : body;
}

function fillBindings(bindings: readonly Binding[], credentialMembers: CredentialMembers): readonly Binding[] {
  const otherBindings = bindings.filter(({ wireName }) => typeof credentialMembers[wireName] !== 'string');
  const addedEntries = Object.entries(credentialMembers).filter(
    ([name]) => !otherBindings.some(({ wireName }) => wireName === name),
  );
  return [
    ...otherBindings.map(({ wireName, value }) => {
      const inner = credentialMembers[wireName];
      return { wireName, value: typeof inner === 'object' ? fillValue(value, inner) : value };
    }),
    ...addedEntries.map(([wireName, field]) => ({ wireName, value: toValue(field) })),
  ];
}

function fillValue(value: ValueExpression, credentialMembers: CredentialMembers): ValueExpression {
  if (value.kind === 'argument') return { ...value, credentials: credentialMembers };
  return { kind: 'members', members: fillBindings(toBindings(value), credentialMembers) };
}

function toValue(field: string | CredentialMembers): ValueExpression {
  return typeof field === 'string'
    ? { kind: 'credential', id: field }
    : { kind: 'members', members: fillBindings([], field) };
}

/** The members of an object that is filled member by member, or that is constant. */
function toBindings(value: ValueExpression): readonly Binding[] {
  if (value.kind === 'members') return value.members;
  const constant = value.kind === 'constant' ? value.value : null;
  if (typeof constant !== 'object' || constant === null || Array.isArray(constant)) return [];
  return Object.entries(constant).map(([wireName, member]) => ({
    wireName,
    value: { kind: 'constant', value: member },
  }));
}
