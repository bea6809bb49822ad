/** The places of an operation's request that a tool can fill, and those that it cannot. */

import type { OperationModel, ParameterModel, Schema } from '../../model/types.ts';
import type { BodyPlan } from '../body/context.ts';
import type { Resolve } from '../schema/readers.ts';
import { ownHeader } from './own-headers.ts';
import { hasUndefinedForm, schemaOf, unwritable } from './parameter-styles.ts';
import type { WireSlot } from './wire.ts';

/** One value that a request carries. */
export interface Slot extends WireSlot {
  /**
   * Names on the way to a member inside an object of the body, which `name` joins by dots. Missing: it is not inside
   * one.
   */
  readonly path?: readonly string[];
  readonly required: boolean;
  readonly schema: Schema;
  /** The descriptor's description of the place; the schema may have another. */
  readonly description: string;
  readonly deprecated: boolean;
  /** True if null can be sent there: in JSON only. */
  readonly nullable: boolean;
  /** True for a file, whose form connector.yaml cannot change. */
  readonly isFile: boolean;
  /** Pointer into the descriptor. */
  readonly pointer: string;
  /** Null for parts of the body. */
  readonly parameter: ParameterModel | null;
}

/** TRACE echoes a request with its credentials; CONNECT opens a tunnel. */
const UNSENDABLE: ReadonlySet<string> = new Set(['TRACE', 'CONNECT']);

export interface SlotPlan {
  /** In the descriptor's order: parameters, then the body. */
  readonly slots: readonly Slot[];
  /** Optional parameters that cannot be written, with the reason. */
  readonly leftOut: readonly { readonly parameter: ParameterModel; readonly reason: string }[];
  /** Required headers that the gateway or HTTP fills, with words for what is sent. */
  readonly filled: readonly { readonly parameter: ParameterModel; readonly sentAs: string }[];
  /** Parameters with values whose form OpenAPI leaves undefined. */
  readonly withoutForm: readonly ParameterModel[];
  /** The reasons why the operation cannot be called at all. Empty if it can. */
  readonly refusals: readonly string[];
}

/**
 * Plans the request of an operation.
 *
 * @param isCredential true for parameters that the connection's credential fills
 */
export function planSlots(
  operation: OperationModel,
  body: BodyPlan,
  resolve: Resolve,
  isCredential: (parameter: ParameterModel) => boolean,
): SlotPlan {
  const slots: Slot[] = [];
  const leftOut: { readonly parameter: ParameterModel; readonly reason: string }[] = [];
  const filled: { readonly parameter: ParameterModel; readonly sentAs: string }[] = [];
  const withoutForm: ParameterModel[] = [];
  const refusals: string[] = [];
  if (UNSENDABLE.has(operation.method)) refusals.push(`needs the method ${operation.method}, which no client can send`);
  for (const parameter of operation.parameters) {
    if (isUnused(parameter, operation) || isCredential(parameter)) continue;
    const sentAs = parameter.in === 'header' ? ownHeader(parameter.name) : undefined;
    if (typeof sentAs === 'string') {
      if (parameter.required) filled.push({ parameter, sentAs });
      continue;
    }
    const reason = unwritable(parameter, resolve);
    if (reason === null) {
      slots.push(toSlot(parameter, resolve));
      if (hasUndefinedForm(parameter, resolve)) withoutForm.push(parameter);
    } else if (parameter.required || parameter.in === 'path') refusals.push(`needs ${reason}`);
    else leftOut.push({ parameter, reason });
  }
  for (const name of undeclaredVariables(operation)) refusals.push(`has no parameter for {${name}} of its path`);
  if (body.kind === 'refused') refusals.push(body.reason);
  return { slots: [...slots, ...bodySlots(body)], leftOut, filled, withoutForm, refusals };
}

function toSlot(parameter: ParameterModel, resolve: Resolve): Slot {
  return {
    in: parameter.in,
    name: parameter.name,
    required: parameter.required || parameter.in === 'path',
    schema: schemaOf(parameter, resolve),
    description: parameter.description,
    deprecated: parameter.deprecated,
    nullable: false,
    isFile: false,
    pointer: parameter.pointer,
    parameter,
  };
}

function bodySlots(body: BodyPlan): readonly Slot[] {
  if (body.kind !== 'members' && body.kind !== 'whole') return [];
  const { form } = body;
  const nullable = form === undefined;
  if (body.kind === 'members') {
    const files = form?.kind === 'multipart' ? form.files : {};
    return body.members.map(({ name, schema, required }) => ({
      in: 'body',
      name,
      required,
      schema,
      description: '',
      deprecated: false,
      nullable,
      isFile: Object.hasOwn(files, name),
      pointer: body.pointer,
      parameter: null,
    }));
  }
  const { required, schema, description, pointer } = body;
  const isFile = form?.kind === 'file' || form?.kind === 'bytes';
  const bodySlot = { in: 'body', name: null, required, schema, description, deprecated: false } as const;
  return [{ ...bodySlot, nullable, isFile, pointer, parameter: null }];
}

/** True for a path parameter that is not in the path. */
function isUnused(parameter: ParameterModel, operation: OperationModel): boolean {
  return parameter.in === 'path' && !templateOf(operation).includes(`{${parameter.name}}`);
}

function templateOf({ path, target }: OperationModel): string {
  return target === undefined ? path : `${target.path}?${target.query}`;
}

function undeclaredVariables(operation: OperationModel): readonly string[] {
  const declared = new Set(operation.parameters.filter((p) => p.in === 'path').map(({ name }) => name));
  return [...templateOf(operation).matchAll(/\{([^{}]*)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !declared.has(name));
}
