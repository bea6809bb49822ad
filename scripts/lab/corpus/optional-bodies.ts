/** Bodies that a document leaves optional although they have required members: does the tool require these members? */

import { toRecord } from '../../../codegen/json.ts';
import type { ArgumentModel, ToolModel } from '../../../codegen/tools/types.ts';
import { operationsOf } from './count-operations.ts';
import { readDocument, resolve } from './document.ts';

export interface OptionalBodies {
  readonly found: number;
  /** Bodies with every required member either required by the tool or always sent. */
  readonly kept: number;
}

/** Deeper than any chain of `allOf`. */
const MAX_DEPTH = 8;

/** @param text what codegen reads. @param tools the generated ones; operations without a tool are not counted. */
export function countOptionalBodies(text: string, tools: readonly ToolModel[]): OptionalBodies {
  const document = readDocument(text);
  const byOperation = new Map(tools.map((tool) => [`${tool.operation.method} ${tool.operation.path}`, tool]));
  const required = operationsOf(document).flatMap(({ method, path, operation }) => {
    const tool = byOperation.get(`${method} ${path}`);
    const body = resolve(document, operation.requestBody);
    const schema = firstSchema(body, tool);
    if (tool === undefined || schema === null || body.required === true) return [];
    const members = requiredMembers(document, schema, MAX_DEPTH);
    return members.length === 0 ? [] : [{ tool, members }];
  });
  return { found: required.length, kept: required.filter(({ tool, members }) => asksFor(tool, members)).length };
}

function firstSchema(body: Readonly<Record<string, unknown>>, tool: ToolModel | undefined): unknown {
  const sent = tool?.call.body;
  if (sent === undefined || sent.kind === 'none') return null;
  const [, media] = Object.entries(toRecord(body.content)).find(([type]) => type === sent.mediaType) ?? [];
  return toRecord(media).schema ?? null;
}

/** Members that a request must have: required, declared, and not `readOnly`. */
function requiredMembers(document: unknown, value: unknown, depth: number): string[] {
  const { properties, required, allOf } = withParts(document, value, depth);
  if (allOf) return [];
  return required.filter((name) => name in properties && resolve(document, properties[name]).readOnly !== true);
}

interface Parts {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  /** True if the schema is nested too deeply. */
  readonly allOf: boolean;
}

function withParts(document: unknown, value: unknown, depth: number): Parts {
  if (depth === 0) return { properties: {}, required: [], allOf: true };
  const schema = resolve(document, value);
  const parts = (Array.isArray(schema.allOf) ? schema.allOf : []).map((part) => withParts(document, part, depth - 1));
  const own = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), toRecord(schema.properties)),
    required: [...new Set([...parts.flatMap(({ required }) => required), ...own])],
    allOf: parts.some(({ allOf }) => allOf),
  };
}

function asksFor({ call, arguments: args }: ToolModel, members: readonly string[]): boolean {
  const { body } = call;
  if (body.kind === 'none') return false;
  if (body.kind === 'whole') {
    if (body.value.kind !== 'argument') return true;
    const { name } = body.value;
    const whole = args.find((argument) => argument.name === name);
    return whole?.required === true && hasAll(whole, members);
  }
  return members.every((member) => {
    const value = body.members.find(({ wireName }) => wireName === member)?.value;
    if (value?.kind === 'constant' || value?.kind === 'members') return true;
    if (value?.kind !== 'argument') return false;
    return value.default !== undefined || args.some(({ name, required }) => name === value.name && required);
  });
}

function hasAll({ schema }: ArgumentModel, members: readonly string[]): boolean {
  const { required } = withParts(schema, schema, MAX_DEPTH);
  return members.every((member) => required.includes(member));
}
