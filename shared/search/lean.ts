/** A tool in a lean list: whole for a caller, with one line of the members of its answers instead of their schema. */

import { statedStemsOf, toLeanArgumentText, toLeanDescription } from './lean-texts.ts';
import { asSchemas, isSchema, type JsonSchema, resolve } from './schema-types.ts';

/** The part of a tool that a lean list shortens. */
interface Face {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: object;
  readonly rare?: readonly string[] | undefined;
}

/** Longer lines give up the members of their deepest objects; not those of the items of a list, up to the second limit. */
const MAX_LINE_CHARS = 300;
const MAX_ITEMS_LINE_CHARS = 600;
const MAX_DEPTH = 5;
/** Names of one object; of what a writing tool answers, because its caller knows most of that. */
const MAX_NAMES = 30;
const MAX_WRITTEN_NAMES = 4;
/** Names of arguments that a list does not describe. */
const MAX_RARE_NAMES = 10;
/** Texts that the instructions of the server say for every tool. */
const OF_PAGES = /^From page\.nextArguments\b/;
const SIZES = new Set(['int32', 'int64', 'float', 'double']);

/**
 * The tool without what every client assumes, or the gateway says once: an `idempotentHint` that says nothing, `additionalProperties` and an empty `required` of its arguments, sizes of numbers, how to ask for the next page, and sentences that say nothing new.
 *
 * Accepts everything that the whole schema accepts; the gateway checks calls against the whole schema. A list leaves out the output
 * schema.
 */
export function asLean<T extends Face>(tool: T): T {
  const reads = isReading(tool.annotations);
  const line = toAnswerLine(tool.outputSchema, reads ? MAX_NAMES : MAX_WRITTEN_NAMES);
  const description = toLeanDescription(tool.description, tool.title);
  return {
    ...tool,
    description: line === '' ? description : `${description}\nAnswers: ${line}`,
    inputSchema: toLeanArguments(tool),
    annotations: toLeanHints(tool.annotations),
  };
}

function isReading(annotations: object): boolean {
  return 'readOnlyHint' in annotations && annotations.readOnlyHint === true;
}

/**
 * Returns the three hints that directories of servers require of every tool, whatever their values; and `idempotentHint` if it is not its
 * default, false, and the tool writes (MCP 2025-11-25, `ToolAnnotations`: "meaningful only when readOnlyHint is false").
 */
function toLeanHints(annotations: object): object {
  const reads = isReading(annotations);
  return Object.fromEntries(
    Object.entries(annotations).filter(([name, value]) => name !== 'idempotentHint' || (value === true && !reads)),
  );
}

/** The argument whose members are the rare ones: `more`, unless the tool has an argument of that name. */
export function rareArgumentOf({ inputSchema: { properties } }: { readonly inputSchema: Face['inputSchema'] }): string {
  return isSchema(properties) && Object.hasOwn(properties, 'more') ? 'moreArguments' : 'more';
}

function toLeanArguments({ name: tool, title, inputSchema, rare = [] }: Face): JsonSchema {
  const { additionalProperties: _, required, properties, ...rest } = inputSchema;
  const propertyEntries = Object.entries(isSchema(properties) ? properties : {});
  const rareNames = propertyEntries.flatMap(([name]) => (rare.includes(name) ? name : []));
  const overflowText = rareNames.length > MAX_RARE_NAMES ? ` and ${rareNames.length - MAX_RARE_NAMES} more` : '';
  const statedStems = statedStemsOf([tool, title, ...propertyEntries.map(([name]) => name)]);
  const more = {
    type: 'object',
    description: `${rareNames.slice(0, MAX_RARE_NAMES).join(', ')}${overflowText}: see describe_tools.`,
  };
  return {
    ...rest,
    properties: Object.fromEntries([
      ...propertyEntries
        .filter(([name]) => !rare.includes(name))
        .map(([name, schema]) => [name, toLeanArgument(schema, name, statedStems)]),
      ...(rareNames.length === 0 ? [] : [[rareArgumentOf({ inputSchema }), more]]),
    ]),
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
  };
}

function toLeanArgument(schema: unknown, name: string, statedStems: ReadonlySet<string>): unknown {
  if (!isSchema(schema)) return schema;
  const { description } = schema;
  const text = typeof description === 'string' ? toLeanArgumentText(name, schema, statedStems) : description;
  const keywords = Object.entries({ ...schema, description: text }).filter(
    ([keyword, value]) =>
      !(keyword === 'format' && SIZES.has(String(value))) &&
      !(keyword === 'minLength' && value === 1) &&
      !(keyword === 'description' && (value === undefined || value === '' || OF_PAGES.test(String(value)))),
  );
  return Object.fromEntries(
    keywords.map(([keyword, value]) => [
      keyword,
      keyword === 'items' ? toLeanArgument(value, name, statedStems) : value,
    ]),
  );
}

/** `data[id, name, owner{id, name}], total`: as deep as fits. Empty if the schema names no member. */
function toAnswerLine(schema: JsonSchema, most: number): string {
  let line = '';
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const deeper = membersLine(schema, schema, { depth, most });
    if (deeper === line || (depth > 1 && deeper.length > (depth === 2 ? MAX_ITEMS_LINE_CHARS : MAX_LINE_CHARS))) break;
    line = deeper;
  }
  return line;
}

/** The depth of a line, and the number of names of one object in it. */
interface Bounds {
  readonly depth: number;
  readonly most: number;
}

function membersLine(root: JsonSchema, schema: JsonSchema, bounds: Bounds): string {
  const { most } = bounds;
  const names = [...membersOf(root, schema)].filter(([name]) => name !== 'page' || schema !== root);
  const memberTexts = names.slice(0, most).map(([name, member]) => `${name}${inside(root, member, bounds)}`);
  return [...memberTexts, ...(names.length > most ? [`${names.length - most} more`] : [])].join(', ');
}

function inside(root: JsonSchema, member: JsonSchema, { depth, most }: Bounds): string {
  const target = resolve(root, member);
  const [open, close, content] = isSchema(target.items) ? ['[', ']', target.items] : ['{', '}', target];
  const line = depth === 1 ? '' : membersLine(root, content, { depth: depth - 1, most });
  return line === '' && open === '{' ? '' : `${open}${line}${close}`;
}

function membersOf(root: JsonSchema, schema: JsonSchema): Map<string, JsonSchema> {
  const { properties, anyOf, oneOf, allOf } = resolve(root, schema);
  const ownEntries = Object.entries(isSchema(properties) ? properties : {}).filter(
    (entry): entry is [string, JsonSchema] => isSchema(entry[1]),
  );
  const nestedProperties = [anyOf, oneOf, allOf].flatMap(asSchemas).map((part) => resolve(root, part).properties);
  const nestedEntries = nestedProperties.flatMap((part) => Object.entries(isSchema(part) ? part : {}));
  return new Map([
    ...nestedEntries.filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])),
    ...ownEntries,
  ]);
}
