/** The tools of a user as programs have them: their names, and their declarations in TypeScript, made from the schemas of a tool list. */

import { firstSentence } from '../../../shared/search/compact.ts';
import type { Access } from '../../base/principal/permission.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { asSchemas, isSchema, parsePointer, resolve } from '../../call/tools/json.ts';
import { itemsOf } from '../../call/tools/selection/items.ts';
import type { JsonSchema, ToolFace } from '../../contract/index.ts';
import type { ProgramTool } from './program.ts';

/** Most levels of an answer and most members of one object that a declaration names. */
interface DeclarationBounds {
  readonly depth: number;
  readonly members: number;
}

const WHOLE: DeclarationBounds = { depth: 5, members: Number.POSITIVE_INFINITY };
const USUAL: DeclarationBounds = { depth: 5, members: 40 };
/** Tried in this order: the first whose declaration of an answer is short enough, or the last. */
const ANSWER_BOUNDS: readonly DeclarationBounds[] = [
  USUAL,
  { depth: 4, members: 40 },
  { depth: 3, members: 40 },
  { depth: 2, members: 40 },
  { depth: 2, members: 16 },
  { depth: 1, members: 16 },
];
/** Longest declaration of an answer, in characters: about 250 tokens. */
const MAX_ANSWER_CHARS = 900;
const MAX_VALUES = 12;
const MAX_COMMENT = 100;

/** Names of globals. A service with such a name would hide the global from programs. */
const GLOBAL_NAMES = new Set([
  'console',
  'kept',
  'escape',
  'unescape',
  'eval',
  'undefined',
  'globalThis',
  'isNaN',
  'NaN',
]);
/** Reserved words of ECMAScript. */
const RESERVED =
  /^(?:await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield)$/;

/** Formats of integers that programs get as text with all digits if they are beyond 2^53. */
const LARGE_FORMAT = /^u?int64$/;

function toCamel(name: string): string {
  const camel = name.replace(/[-_.]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  return /^\d/.test(camel) ? `_${camel}` : camel;
}

function toServiceName(service: string): string {
  const name = toCamel(service);
  return RESERVED.test(name) || GLOBAL_NAMES.has(name) ? `${name}_` : name;
}

const itemPaths = new WeakMap<object, readonly string[] | null>();

/** Returns the tools that a program of this caller can call, sorted by name: those that the caller's tool list would show. */
export function programTools(catalogue: Catalogue, access: Access): readonly ProgramTool[] {
  const usedNames = new Set<string>();
  return [...catalogue.entries()].flatMap(({ connector, tool }): ProgramTool[] => {
    if (!access.services.includes(connector.name) || catalogue.findVisible(tool.name, access) === null) return [];
    const service = toServiceName(connector.name);
    const shortName = toCamel(
      tool.name.startsWith(`${connector.name}_`) ? tool.name.slice(connector.name.length + 1) : tool.name,
    );
    const method = usedNames.has(`${service}.${shortName}`) ? tool.name : shortName;
    usedNames.add(`${service}.${method}`);
    let items = itemPaths.get(tool);
    if (items === undefined) {
      const itemLocation = 'run' in tool ? null : itemsOf(tool);
      items = itemLocation === null ? null : parsePointer(itemLocation.structuredPointer);
      itemPaths.set(tool, items);
    }
    return [[service, method, tool.name, items]];
  });
}

/**
 * Returns the description of a tool, or its first sentence, followed by its declaration, such as `crm.getPerson(args: { personId: number }):
 * Promise<{ id: number; … }>`.
 */
export function declare([service, method, , items]: ProgramTool, tool: ToolFace, isWhole: boolean): string {
  const { inputSchema, description } = tool;
  const comment = (isWhole ? description : firstSentence(description)).replaceAll('*/', '* /');
  const bounds = isWhole ? WHOLE : USUAL;
  const args = typeOf({ root: inputSchema, bounds, isInput: true, hasComments: isWhole }, inputSchema, 0);
  const optional = isSchema(inputSchema.properties) && !Array.isArray(inputSchema.required) ? '?' : '';
  const answer = answerOf(tool, isWhole);
  const returnType = items === null ? `Promise<${answer}>` : `List<${answer}, ${JSON.stringify(items.join('.'))}>`;
  return `/** ${comment} */\n${service}.${method}(args${optional}: ${args}): ${returnType};`;
}

/** Returns the tool with the members of what it finds: the answer of a finder is described only as that of its list. */
export function withFoundItems(tool: ToolFace, catalogue: Catalogue): ToolFace {
  const finder = catalogue.find(tool.name)?.tool;
  const listName = finder !== undefined && 'find' in finder ? finder.find?.list : undefined;
  const list = listName === undefined ? undefined : catalogue.find(listName)?.tool;
  const listed = list?.outputSchema.properties;
  const found = tool.outputSchema.properties;
  if (list === undefined || !isSchema(listed) || !isSchema(found)) return tool;
  const properties = Object.fromEntries(Object.keys(found).map((name) => [name, listed[name] ?? found[name]]));
  return { ...tool, outputSchema: { ...list.outputSchema, properties } };
}

/** Returns the type of a tool's answers. Unless it is wanted whole, the deepest objects lose their members until it is short enough. */
function answerOf({ outputSchema: root }: ToolFace, isWhole: boolean): string {
  let answer = '';
  for (const bounds of isWhole ? [WHOLE] : ANSWER_BOUNDS) {
    answer = typeOf({ root, bounds, isInput: false, hasComments: false }, root, 0);
    if (answer.length <= MAX_ANSWER_CHARS) break;
  }
  return answer;
}

interface DeclarationContext {
  readonly root: JsonSchema;
  readonly bounds: DeclarationBounds;
  /** True for arguments, whose optional members are marked. */
  readonly isInput: boolean;
  /** True if each member has its description. */
  readonly hasComments: boolean;
}

function typeOf(context: DeclarationContext, schemaOrRef: JsonSchema, depth: number): string {
  const schema = resolve(context.root, schemaOrRef);
  const { type, enum: values, const: value, anyOf, oneOf, allOf } = schema;
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) {
    const literals = values.slice(0, MAX_VALUES).map((enumValue) => JSON.stringify(enumValue));
    if (values.length > MAX_VALUES) literals.push('string');
    return literals.join(' | ');
  }
  const alternatives = [...asSchemas(anyOf), ...asSchemas(oneOf)];
  if (alternatives.length > 0) return union(alternatives.map((alternative) => typeOf(context, alternative, depth)));
  const allOfSchemas = asSchemas(allOf);
  if (allOfSchemas.length > 0 && !isSchema(schema.properties))
    return union(
      allOfSchemas.map((subschema) => typeOf(context, subschema, depth)),
      ' & ',
    );
  const types = Array.isArray(type) ? type : [type];
  return union(types.map((typeName) => singleTypeOf(context, schema, { type: typeName, depth })));
}

function union(types: readonly string[], separator = ' | '): string {
  const uniqueTypes = [...new Set(types)];
  return uniqueTypes.includes('unknown') && separator === ' | ' ? 'unknown' : uniqueTypes.join(separator);
}

function singleTypeOf(
  context: DeclarationContext,
  schema: JsonSchema,
  { type, depth }: { type: unknown; depth: number },
): string {
  switch (type) {
    case 'integer':
      return LARGE_FORMAT.test(String(schema.format)) ? 'number | string' : 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return arrayType(context, schema, depth);
    case 'object':
      return objectType(context, schema, depth);
    default:
      return impliedTypeOf(context, schema, depth);
  }
}

/** Returns the type that the keywords of a schema without a type imply. Schemas of answers state no types of lists, objects and texts. */
function impliedTypeOf(context: DeclarationContext, schema: JsonSchema, depth: number): string {
  if (isSchema(schema.properties) || isSchema(schema.additionalProperties)) return objectType(context, schema, depth);
  return isSchema(schema.items) ? arrayType(context, schema, depth) : 'unknown';
}

function arrayType(context: DeclarationContext, { items }: JsonSchema, depth: number): string {
  const element = isSchema(items) ? typeOf(context, items, depth) : 'unknown';
  return / [|&] /.test(element) && !element.startsWith('{') ? `(${element})[]` : `${element}[]`;
}

function objectType(
  context: DeclarationContext,
  { properties, required, additionalProperties }: JsonSchema,
  depth: number,
) {
  const members = Object.entries(isSchema(properties) ? properties : {});
  if (members.length === 0) {
    const valueType = isSchema(additionalProperties) ? typeOf(context, additionalProperties, depth + 1) : 'unknown';
    return valueType === 'unknown' && !context.isInput ? 'object' : `Record<string, ${valueType}>`;
  }
  if (depth >= context.bounds.depth) return 'object';
  const requiredNames = Array.isArray(required) ? required : [];
  const maxMembers = context.bounds.members;
  const texts = members.slice(0, maxMembers).map(([name, member]) => {
    const mark = context.isInput && !requiredNames.includes(name) ? '?' : '';
    const comment = context.hasComments ? commentOf(member) : '';
    const propertyName = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = isSchema(member) ? typeOf(context, member, depth + 1) : 'unknown';
    return `${propertyName}${mark}${type === 'unknown' ? '' : `: ${type}`}${comment}`;
  });
  if (members.length > maxMembers) texts.push('…');
  return `{ ${texts.join('; ')} }`;
}

function commentOf(member: unknown): string {
  const description = isSchema(member) ? member.description : null;
  if (typeof description !== 'string') return '';
  return ` /* ${firstSentence(description).slice(0, MAX_COMMENT).replaceAll('*/', '* /')} */`;
}
