/** Arguments of a tool, drawn from its input schema, that the tool can send. */

import fc, { type Arbitrary } from 'fast-check';
import type { SandboxDescriptor, SandboxOperation, SandboxParameter } from '../../../sandbox/descriptor/operations.ts';
import { isObject, type JsonObject, readPointer } from '../../../sandbox/json.ts';
import type { Tool } from '../../../server/contract/index.ts';
import { isForGateway } from '../../support/example-arguments.ts';
import { schemaArbitrary, textArbitrary } from '../../support/schema-arbitrary.ts';
import { drawBytes } from './file-arguments.ts';
import { textsOf } from './sendable-texts.ts';
import type { SentAs } from './sent-as.ts';

export type Arguments = Record<string, unknown>;

/** Constraints on a text that the descriptor has and the tool omits: the service checks them, a model need not. */
const FORM_KEYWORDS = ['pattern', 'format', 'minLength', 'maxLength', 'enum'];

/** Without the separator of the items of an array in a part; the gateway refuses it there. */
const partText = textArbitrary.filter((text) => !/[,| ]/.test(text));
/** Nothing escapes a bracket in the name of a deep object's member, and numbers would make it an array. */
const plainName = fc.stringMatching(/^[A-Za-z_ é&=]{1,8}$/);

export interface ArgumentsOf {
  readonly tool: Tool;
  readonly sentAs: SentAs;
  readonly operation: SandboxOperation;
  readonly descriptor: SandboxDescriptor;
}

export function argumentsArbitrary({ tool, sentAs, operation, descriptor }: ArgumentsOf): Arbitrary<Arguments> {
  const { properties, required } = tool.inputSchema;
  const sent = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => !isForGateway(tool, name));
  const members = sent.map(([name, property]) => {
    const address = sentAs.arguments.get(name) ?? '';
    const parameter = parameterAt(address, operation);
    const schema = withForm(property as JsonObject, formAt(address, operation, descriptor));
    const texts = {
      ...textsOf(parameter, operation),
      ...(isJoinedPart(address, operation) ? { text: partText } : {}),
      ...(isDeep(address, operation) ? { names: plainName } : {}),
    };
    return [
      name,
      schemaArbitrary(schema, { root: tool.inputSchema as JsonObject, ...texts, special: drawBytes }),
    ] as const;
  });
  return fc
    .record(Object.fromEntries(members), {
      requiredKeys: Array.isArray(required) ? (required as string[]) : [],
      noNullPrototype: true,
    })
    .map((args) => agreeing(tool, withoutRemoved(args as Arguments, sentAs)));
}

/** An argument is given or removed, not both. */
export function withoutRemoved(args: Arguments, { clear }: SentAs): Arguments {
  const removed = clear === null ? [] : ((args[clear] ?? []) as string[]);
  return Object.fromEntries(Object.entries(args).filter(([name]) => !removed.includes(name)));
}

/** Sets the arguments that must repeat others. */
function agreeing(tool: Tool, args: Arguments): Arguments {
  const repeated = (tool.agreements ?? [])
    .filter(({ argument }) => args[argument] !== undefined)
    .map(({ argument, template }) => [
      argument,
      template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(args[name])),
    ]);
  return { ...args, ...Object.fromEntries(repeated) };
}

function parameterAt(address: string, operation: SandboxOperation): SandboxParameter | undefined {
  return operation.parameters.find((one) => address === `${one.in}.${one.name}`);
}

/** The descriptor's schema of a parameter or of a member of the body. */
function formAt(address: string, operation: SandboxOperation, descriptor: SandboxDescriptor): JsonObject {
  const parameter = parameterAt(address, operation);
  if (parameter !== undefined) return resolve(parameter.schema, descriptor);
  const at = address.indexOf('.');
  const [place, name] = [address.slice(0, at), address.slice(at + 1)];
  const [media] = operation.body?.mediaTypes ?? [];
  const { properties } = place === 'body' ? resolve(media?.schema ?? {}, descriptor) : {};
  return resolve(isObject(properties) ? properties[name] : {}, descriptor);
}

function resolve(schema: unknown, descriptor: SandboxDescriptor): JsonObject {
  if (!isObject(schema)) return {};
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return resolve(readPointer(descriptor.schemas.request, $ref.slice($ref.indexOf('#'))), descriptor);
}

function isJoinedPart(address: string, { body }: SandboxOperation): boolean {
  const name = address.replace(/^body\./, '');
  return (
    body?.mediaTypes.some(
      ({ name: type, encoding }) => type.startsWith('multipart/') && encoding[name]?.explode === false,
    ) === true
  );
}

function isDeep(address: string, { body }: SandboxOperation): boolean {
  const name = address.replace(/^body\./, '');
  return body?.mediaTypes.some(({ encoding }) => encoding[name]?.style === 'deepObject') === true;
}

function withForm(schema: JsonObject, form: JsonObject): JsonObject {
  const added = FORM_KEYWORDS.filter((keyword) => schema[keyword] === undefined && form[keyword] !== undefined);
  return { ...schema, ...Object.fromEntries(added.map((keyword) => [keyword, form[keyword]])) };
}
