/** The body of an emitted call: its value, its serializer and its Content-Type. */

import type { BodyForm, CallModel, FileRule, PartEncoding, ValueExpression } from '../tools/types.ts';
import { block, propertyKey, stringLiteral } from './literal.ts';
import type { OperationTypes } from './operation-types.ts';
import { styleLiteral } from './parameter-expressions.ts';
import { bindings, plainValue, valueExpression } from './value-expression.ts';

type Body = Exclude<CallModel['body'], { readonly kind: 'none' }>;

/** Members of the call's options. */
export function bodyMembers(body: CallModel['body'], types: OperationTypes, optional: ReadonlySet<string>): string[] {
  if (body.kind === 'none') return [];
  const value = body.kind === 'whole' ? wholeBody(body, optional) : memberBody(body, types, optional);
  return [...contentType(body), ...serializer(body.form), `body: ${value}`];
}

/** None where openapi-fetch writes it, null where the serializer's Blob brings its own. */
function contentType({ mediaType, form }: Body): string[] {
  const literal = (text: string) => [`headers: { 'Content-Type': ${stringLiteral(text)} }`];
  if (form?.kind === 'multipart' || form?.kind === 'file') return [`headers: { 'Content-Type': null }`];
  const isRange = mediaType.includes('*');
  if (form === undefined) return mediaType === 'application/json' || isRange ? [] : literal(mediaType);
  return literal(isRange ? 'text/plain' : mediaType);
}

function serializer(form: BodyForm | undefined): string[] {
  switch (form?.kind) {
    case undefined:
      return [];
    case 'form':
      return [`bodySerializer: request.formBody(${membersOf(form.styles, styleLiteral)})`];
    case 'multipart':
      return [`bodySerializer: request.multipartBody(${membersOf(form.encodings, encodingLiteral)})`];
    case 'text':
      return ['bodySerializer: request.textBody'];
    default:
      return ['bodySerializer: request.binaryBody'];
  }
}

function encodingLiteral(encoding: PartEncoding): string {
  return 'style' in encoding ? styleLiteral(encoding) : `{ contentType: ${stringLiteral(encoding.contentType)} }`;
}

function membersOf<Value>(values: Readonly<Record<string, Value>>, toLiteral: (value: Value) => string): string {
  return block(
    '{',
    Object.entries(values).map(([name, value]) => `${propertyKey(name)}: ${toLiteral(value)}`),
    '}',
  );
}

function memberBody(
  { members, required, form }: Extract<Body, { kind: 'members' }>,
  types: OperationTypes,
  optional: ReadonlySet<string>,
): string {
  const files = form?.kind === 'multipart' ? form.files : {};
  const object = bindings(
    members,
    (name) => types.bodyMember(name),
    optional,
    (name, value, type) => {
      const rule = Object.hasOwn(files, name) ? files[name] : undefined;
      return rule === undefined ? null : `${fileCall(name, value, rule, optional)} as ${type}`;
    },
  );
  const value = required ? object : `request.optionalBody(${object})`;
  return types.bodyIsAssignable ? value : `${value} as Body${required ? '' : ' | undefined'}`;
}

function fileCall(name: string, value: ValueExpression, rule: FileRule, optional: ReadonlySet<string>): string {
  const accepted = rule.accepted.length === 0 ? '' : `, ${listLiteral(rule.accepted)}`;
  return `request.file(${plainValue(value, optional)}, ${nameOf(value, name)}${accepted})`;
}

function wholeBody({ value, form }: Extract<Body, { kind: 'whole' }>, optional: ReadonlySet<string>): string {
  const written = valueExpression(value, () => 'Body', optional);
  const name = nameOf(value, 'body');
  switch (form?.kind) {
    case 'text':
      return `${written} as unknown as Body`;
    case 'bytes':
      return `request.bytes(${written}, ${name}) as Body`;
    case 'file':
      return `request.file(${written}, ${name}, ${listLiteral(form.accepted)}) as Body`;
    case 'multipart':
      if (Object.keys(form.files).length === 0) return written;
      return `request.files(${written}, ${name}, ${membersOf(form.files, ({ accepted }) => listLiteral(accepted))}) as Body`;
    default:
      return written;
  }
}

/** Whom problems of a value name: its argument, or its wire name where several arguments make it. */
function nameOf(value: ValueExpression, wireName: string): string {
  return stringLiteral(value.kind === 'argument' ? value.name : wireName);
}

function listLiteral(texts: readonly string[]): string {
  return `[${texts.map(stringLiteral).join(', ')}]`;
}
