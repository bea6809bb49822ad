/** A tool as a compact list shows it: enough to choose it and to try it. `describe_tools` tells the rest. */

import { allowsType, isSchema, type JsonSchema, resolve } from './schema-types.ts';

/** A schema of arguments. */
type ObjectSchema = JsonSchema & { readonly type: 'object' };

/** What a compact list shortens. */
interface Face {
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

const FIRST_SENTENCE = /^[\s\S]*?(?<!\b(?:e\.g|i\.e))[.!?](?=\s|$)/;
const MAX_SENTENCE_LENGTH = 240;
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];

/** What a description says first; at most 240 characters. */
export function firstSentence(text: string): string {
  const [sentence] = FIRST_SENTENCE.exec(text.trim()) ?? [text.trim()];
  return sentence.length > MAX_SENTENCE_LENGTH ? `${sentence.slice(0, MAX_SENTENCE_LENGTH - 1).trimEnd()}…` : sentence;
}

/** The tool with the first sentence of its description, and of its input the names, types and which are required. */
export function asCompact<T extends Face>(tool: T): T {
  return {
    ...tool,
    description: firstSentence(tool.description),
    inputSchema: toShortSchema(tool.inputSchema),
  };
}

/** Refuses nothing that the whole schema accepts. The gateway checks calls against that one. */
function toShortSchema(schema: JsonSchema): ObjectSchema {
  const { properties, required } = schema;
  const names = Array.isArray(required) ? required : [];
  const short = Object.entries(isSchema(properties) ? properties : {}).map(([name, argument]) => [
    name,
    isSchema(argument) ? toShortArgument(schema, argument) : {},
  ]);
  return { type: 'object', properties: Object.fromEntries(short), ...(names.length === 0 ? {} : { required: names }) };
}

/** Clients refuse an array that says nothing of its elements. */
function toShortArgument(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const types = typesOf(root, schema);
  const { items } = resolve(root, schema);
  const elements = isSchema(items) ? toType(typesOf(root, items)) : {};
  return types.includes('array') && types.length < TYPES.length ? { ...toType(types), items: elements } : toType(types);
}

function typesOf(root: JsonSchema, schema: JsonSchema): readonly string[] {
  return TYPES.filter((type) => allowsType(root, schema, type));
}

/** A schema that accepts everything says nothing. */
function toType(types: readonly string[]): JsonSchema {
  if (types.length === 0 || types.length === TYPES.length) return {};
  return { type: types.length === 1 ? types[0] : types };
}
