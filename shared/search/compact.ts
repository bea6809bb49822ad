/** A tool in a compact list: enough to choose and try it. `describe_tools` returns the rest. */

import { allowsType, isSchema, type JsonSchema, resolve } from './schema-types.ts';

/** A schema of arguments. */
type ObjectSchema = JsonSchema & { readonly type: 'object' };

/** The part of a tool that a compact list shortens. */
interface Face {
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

const FIRST_SENTENCE = /^[\s\S]*?(?<!\b(?:e\.g|i\.e))[.!?](?=\s|$)/;
const MAX_SENTENCE_LENGTH = 240;
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];

/** The first sentence of a description; at most 240 characters. */
export function firstSentence(text: string): string {
  const [sentence] = FIRST_SENTENCE.exec(text.trim()) ?? [text.trim()];
  return sentence.length > MAX_SENTENCE_LENGTH ? `${sentence.slice(0, MAX_SENTENCE_LENGTH - 1).trimEnd()}…` : sentence;
}

/**
 * The tool with only the first sentence of its description, and an input schema with only names, types and `required`.
 */
export function asCompact<T extends Face>(tool: T): T {
  return {
    ...tool,
    description: firstSentence(tool.description),
    inputSchema: toShortSchema(tool.inputSchema),
  };
}

/** Accepts everything that the whole schema accepts; the gateway checks calls against the whole schema. */
function toShortSchema(schema: JsonSchema): ObjectSchema {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? required : [];
  const short = Object.entries(isSchema(properties) ? properties : {}).map(([name, argument]) => [
    name,
    isSchema(argument) ? toShortArgument(schema, argument) : {},
  ]);
  return { type: 'object', properties: Object.fromEntries(short), ...(names.length === 0 ? {} : { required: names }) };
}

/** Clients reject an array without a schema for its items. */
function toShortArgument(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const types = typesOf(root, schema);
  const { items } = resolve(root, schema);
  const elements = isSchema(items) ? toType(typesOf(root, items)) : {};
  return types.includes('array') && types.length < TYPES.length ? { ...toType(types), items: elements } : toType(types);
}

function typesOf(root: JsonSchema, schema: JsonSchema): readonly string[] {
  return TYPES.filter((type) => allowsType(root, schema, type));
}

/** A schema that allows every type needs no `type`. */
function toType(types: readonly string[]): JsonSchema {
  if (types.length === 0 || types.length === TYPES.length) return {};
  return { type: types.length === 1 ? types[0] : types };
}
