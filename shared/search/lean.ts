/** A tool in a lean list: whole for a caller, with one line of the members of its answers instead of their schema. */

import { asSchemas, isSchema, type JsonSchema, resolve } from './schema-types.ts';

/** The part of a tool that a lean list shortens. */
interface Face {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: object;
  readonly listAnswers?: 'schema' | undefined;
}

/** MCP 2025-11-25, `ToolAnnotations`: what a client assumes of a hint that is left out. */
const DEFAULT_HINTS: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  idempotentHint: false,
  openWorldHint: true,
};
/** Longer lines give up the members of their deepest objects. */
const MAX_LINE_CHARS = 600;
const MAX_DEPTH = 5;
/** Texts that the instructions of the server say for every tool. */
const OF_PAGES = /^From page\.nextArguments\b/;
const SIZES = new Set(['int32', 'int64', 'float', 'double']);

/**
 * The tool without what every client assumes, or the gateway says once: hints that equal their defaults (`destructiveHint` always
 * stays), `additionalProperties` and an empty `required` of its arguments, sizes of numbers, and how to ask for the next page.
 *
 * Accepts everything that the whole schema accepts; the gateway checks calls against the whole schema. A list leaves out the output
 * schema unless `listsSchema`.
 */
export function asLean<T extends Face>(tool: T): T {
  const line = listsSchema(tool) ? '' : toAnswerLine(tool.outputSchema);
  return {
    ...tool,
    description: line === '' ? tool.description : `${tool.description}\nAnswers: ${line}`,
    inputSchema: toLeanArguments(tool),
    annotations: toLeanHints(tool.annotations),
  };
}

/** Whether a lean list has the tool's output schema, as connector.yaml may ask. */
export function listsSchema({ listAnswers }: Pick<Face, 'listAnswers'>): boolean {
  return listAnswers === 'schema';
}

/** A hint that says nothing of a tool that only reads is left out there too (MCP: "meaningful only when readOnlyHint is false"). */
function toLeanHints(annotations: object): object {
  const hints = Object.entries(annotations);
  const reads = hints.some(([name, value]) => name === 'readOnlyHint' && value === true);
  return Object.fromEntries(
    hints.filter(([name, value]) => DEFAULT_HINTS[name] !== value && !(reads && name === 'idempotentHint')),
  );
}

function toLeanArguments({ inputSchema }: Face): JsonSchema {
  const { additionalProperties: _, required, properties, ...rest } = inputSchema;
  const given = Object.entries(isSchema(properties) ? properties : {});
  return {
    ...rest,
    properties: Object.fromEntries(given.map(([name, schema]) => [name, toLeanArgument(schema)])),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}

function toLeanArgument(schema: unknown): unknown {
  if (!isSchema(schema)) return schema;
  const said = Object.entries(schema).filter(
    ([keyword, value]) =>
      !(keyword === 'format' && SIZES.has(String(value))) &&
      !(keyword === 'minLength' && value === 1) &&
      !(keyword === 'description' && OF_PAGES.test(String(value))),
  );
  return Object.fromEntries(
    said.map(([keyword, value]) => [keyword, keyword === 'items' ? toLeanArgument(value) : value]),
  );
}

/** `data[id, name, owner{id, name}], total`: as deep as fits. Empty if the schema names no member. */
function toAnswerLine(schema: JsonSchema): string {
  let line = '';
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const deeper = membersLine(schema, schema, depth);
    if (deeper === line || (depth > 1 && deeper.length > MAX_LINE_CHARS)) break;
    line = deeper;
  }
  return line;
}

function membersLine(root: JsonSchema, schema: JsonSchema, depth: number): string {
  const names = [...membersOf(root, schema)].filter(([name]) => name !== 'page' || schema !== root);
  return names.map(([name, member]) => `${name}${inside(root, member, depth)}`).join(', ');
}

function inside(root: JsonSchema, member: JsonSchema, depth: number): string {
  const target = resolve(root, member);
  const [open, close, content] = isSchema(target.items) ? ['[', ']', target.items] : ['{', '}', target];
  const line = depth === 1 ? '' : membersLine(root, content, depth - 1);
  return line === '' && open === '{' ? '' : `${open}${line}${close}`;
}

function membersOf(root: JsonSchema, schema: JsonSchema): Map<string, JsonSchema> {
  const { properties, anyOf, oneOf, allOf } = resolve(root, schema);
  const own = Object.entries(isSchema(properties) ? properties : {}).filter((entry): entry is [string, JsonSchema] =>
    isSchema(entry[1]),
  );
  const parts = [anyOf, oneOf, allOf].flatMap(asSchemas).map((part) => resolve(root, part).properties);
  const others = parts.flatMap((part) => Object.entries(isSchema(part) ? part : {}));
  return new Map([...others.filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])), ...own]);
}
