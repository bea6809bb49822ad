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
export function membersFilled(
  { body }: OperationModel,
  plan: BodyPlan,
  parts: readonly BodyPart[],
  resolve: Resolve,
): CredentialMembers {
  if (plan.kind !== 'members' && plan.kind !== 'whole') return {};
  const schema = body?.contents.find(({ mediaType }) => mediaType === plan.mediaType)?.schema ?? null;
  const filled: { [name: string]: string | CredentialMembers } = {};
  for (const { id, name } of schema === null ? [] : parts) {
    const path = findMember(schema ?? {}, name, resolve);
    if (path !== null) fill(filled, path, id);
  }
  return filled;
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
  const before = members[name];
  const inner = typeof before === 'object' ? { ...before } : {};
  fill(inner, rest, id);
  members[name] = inner;
}

/**
 * The names on the way to a member; null if the schema does not have it. A name with dots takes precedence over a path
 * through objects.
 */
export function findMember(schema: Schema, name: string, resolve: Resolve): readonly string[] | null {
  const ways = [[name], name.split('.')];
  return ways.find((path) => withoutMember(schema, path, resolve) !== schema) ?? null;
}

/** The body of a call with the members that the credential fills. */
export function withCredentialMembers(body: CallModel['body'], filled: CredentialMembers): CallModel['body'] {
  if (Object.keys(filled).length === 0) return body;
  if (body.kind === 'members') return { ...body, members: fillBindings(body.members, filled) };
  const isArgument = body.kind === 'whole' && body.value.kind === 'argument';
  return isArgument ? { ...body, value: fillValue(body.value, filled) } : body;
}

function fillBindings(bindings: readonly Binding[], filled: CredentialMembers): readonly Binding[] {
  const others = bindings.filter(({ wireName }) => typeof filled[wireName] !== 'string');
  const added = Object.entries(filled).filter(([name]) => !others.some(({ wireName }) => wireName === name));
  return [
    ...others.map(({ wireName, value }) => {
      const inner = filled[wireName];
      return { wireName, value: typeof inner === 'object' ? fillValue(value, inner) : value };
    }),
    ...added.map(([wireName, field]) => ({ wireName, value: toValue(field) })),
  ];
}

function fillValue(value: ValueExpression, filled: CredentialMembers): ValueExpression {
  if (value.kind === 'argument') return { ...value, credentials: filled };
  return { kind: 'members', members: fillBindings(toBindings(value), filled) };
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
