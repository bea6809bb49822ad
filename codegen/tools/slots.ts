/** The places of an operation's request that a tool can fill, and those that it cannot. */

import type { OperationModel, ParameterModel, Schema } from '../model/types.ts';
import type { BodyPlan } from './body.ts';
import { mergeAllOf } from './merge.ts';
import { type Resolve, schemaList, schemaMap, toSchema, typesOf } from './schema.ts';
import type { QueryStyle } from './types.ts';
import type { WireSlot } from './wire.ts';

/** One value that a request carries. */
export interface Slot extends WireSlot {
  readonly required: boolean;
  readonly schema: Schema;
  /** The descriptor's own words about the place; the schema may have more. */
  readonly description: string;
  readonly deprecated: boolean;
  /** Pointer into the descriptor. */
  readonly pointer: string;
  /** Null for parts of the body. */
  readonly parameter: ParameterModel | null;
}

export interface SlotPlan {
  /** In the descriptor's order: parameters, then the body. */
  readonly slots: readonly Slot[];
  /** Optional parameters that cannot be written, with the reason. */
  readonly leftOut: readonly { readonly parameter: ParameterModel; readonly reason: string }[];
  /** Why the operation cannot be called at all; empty: it can. */
  readonly refusals: readonly string[];
}

/** Header parameters that OpenAPI tells readers to ignore (OpenAPI 3.1 §4.8.12.1). */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** Headers that belong to the connection, never to a caller. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const QUERY_STYLES = new Set(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']);

/**
 * Plans the request of an operation.
 *
 * @param isCredential tells parameters that the connection's credential fills
 */
export function planSlots(
  operation: OperationModel,
  body: BodyPlan,
  resolve: Resolve,
  isCredential: (parameter: ParameterModel) => boolean,
): SlotPlan {
  const slots: Slot[] = [];
  const leftOut: { readonly parameter: ParameterModel; readonly reason: string }[] = [];
  const refusals: string[] = [];
  if (operation.method === 'TRACE') refusals.push('needs the method TRACE, which no client can send');
  for (const parameter of operation.parameters) {
    if (isIgnored(parameter, operation) || isCredential(parameter)) continue;
    const never = alwaysRefused(parameter);
    const reason = never ?? unwritable(parameter, resolve);
    if (reason === null) slots.push(toSlot(parameter));
    else if (never !== null || parameter.required || parameter.in === 'path') refusals.push(`needs ${reason}`);
    else leftOut.push({ parameter, reason });
  }
  for (const name of undeclaredVariables(operation)) refusals.push(`has no parameter for {${name}} of its path`);
  if (body.kind === 'refused') refusals.push(body.reason);
  return { slots: [...slots, ...bodySlots(body)], leftOut, refusals };
}

function toSlot(parameter: ParameterModel): Slot {
  return {
    in: parameter.in === 'cookie' ? 'header' : parameter.in,
    name: parameter.name,
    required: parameter.required || parameter.in === 'path',
    schema: parameter.schema,
    description: parameter.description,
    deprecated: parameter.deprecated,
    pointer: parameter.pointer,
    parameter,
  };
}

function bodySlots(body: BodyPlan): readonly Slot[] {
  if (body.kind === 'members') {
    return body.members.map(({ name, schema, required }) => ({
      in: 'body',
      name,
      required,
      schema,
      description: '',
      deprecated: false,
      pointer: body.pointer,
      parameter: null,
    }));
  }
  if (body.kind !== 'whole') return [];
  const { required, schema, description, pointer } = body;
  return [{ in: 'body', name: null, required, schema, description, deprecated: false, pointer, parameter: null }];
}

function isIgnored(parameter: ParameterModel, operation: OperationModel): boolean {
  if (parameter.in === 'header') return IGNORED_HEADERS.has(parameter.name.toLowerCase());
  return parameter.in === 'path' && !operation.path.includes(`{${parameter.name}}`);
}

/** What is refused even where it is optional, because leaving it out silently would be a guess. */
function alwaysRefused(parameter: ParameterModel): string | null {
  if (parameter.in === 'cookie') return `the cookie parameter ${parameter.name}`;
  if (parameter.mediaType !== null) return `the parameter ${parameter.name} as ${parameter.mediaType}`;
  if (parameter.style === 'label' || parameter.style === 'matrix') {
    return `the ${parameter.style} style of the parameter ${parameter.name}`;
  }
  return null;
}

/** Why a parameter cannot be written on the wire, or null. */
function unwritable(parameter: ParameterModel, resolve: Resolve): string | null {
  const { name, style } = parameter;
  if (parameter.in === 'header' && CONNECTION_HEADERS.has(name.toLowerCase())) return `the header ${name}`;
  const kinds = kindsOf(parameter.schema, resolve);
  if (parameter.in !== 'query') {
    if (style !== 'simple') return `the style ${style} of the parameter ${name}`;
    return kinds.has('object') && !kinds.has('string') ? `an object in the ${parameter.in} parameter ${name}` : null;
  }
  if (!QUERY_STYLES.has(style)) return `the style ${style} of the parameter ${name}`;
  return holdsStructures(parameter.schema, resolve) ? `nested values in the query parameter ${name}` : null;
}

/** Alternatives within alternatives are followed this far; the alternatives of a schema may lead back to it. */
const MAX_ALTERNATIVE_DEPTH = 4;

/** Types that a value may have, through references and alternatives; empty: any. */
export function kindsOf(schema: Schema, resolve: Resolve, depth = 0): ReadonlySet<string> {
  const { schema: merged } = mergeAllOf(schema, resolve);
  const variants =
    depth < MAX_ALTERNATIVE_DEPTH ? [...schemaList(merged, 'anyOf'), ...schemaList(merged, 'oneOf')] : [];
  return new Set([...typesOf(merged), ...variants.flatMap((variant) => [...kindsOf(variant, resolve, depth + 1)])]);
}

/** True for an array of arrays or objects, and for an object of them. */
function holdsStructures(schema: Schema, resolve: Resolve, depth = 0): boolean {
  const { schema: merged } = mergeAllOf(schema, resolve);
  const variants =
    depth < MAX_ALTERNATIVE_DEPTH ? [...schemaList(merged, 'anyOf'), ...schemaList(merged, 'oneOf')] : [];
  const inner = [
    ...(merged.items === undefined ? [] : [toSchema(merged.items)]),
    ...(merged.additionalProperties === undefined ? [] : [toSchema(merged.additionalProperties)]),
    ...schemaMap(merged, 'properties').map(([, member]) => member),
  ];
  return (
    inner.some((member) => {
      const kinds = [...kindsOf(member, resolve)].filter((kind) => kind !== 'null');
      return kinds.length > 0 && kinds.every((kind) => kind === 'object' || kind === 'array');
    }) || variants.some((variant) => holdsStructures(variant, resolve, depth + 1))
  );
}

function undeclaredVariables(operation: OperationModel): readonly string[] {
  const declared = new Set(operation.parameters.filter((p) => p.in === 'path').map(({ name }) => name));
  return [...operation.path.matchAll(/\{([^{}]*)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !declared.has(name));
}

/** How a query parameter is written, where `name=value` is not enough; else null. */
export function queryStyleOf(parameter: ParameterModel, resolve: Resolve): QueryStyle | null {
  const kinds = kindsOf(parameter.schema, resolve);
  const isPlain = kinds.size > 0 && !kinds.has('array') && !kinds.has('object');
  if (isPlain && !parameter.allowReserved) return null;
  return {
    style: parameter.style as QueryStyle['style'],
    explode: parameter.explode,
    allowReserved: parameter.allowReserved,
  };
}
