/** The tools of a user as programs have them: their names, and their declarations in TypeScript, made from the schemas of a tool list. */

import { firstSentence } from '../../../shared/search/compact.ts';
import type { Access } from '../../base/principal/permission.ts';
import type { Catalogue } from '../../call/tools/catalogue/catalogue.ts';
import { asSchemas, isSchema, parsePointer, resolve } from '../../call/tools/json.ts';
import { itemsOf } from '../../call/tools/selection/items.ts';
import type { JsonSchema, ToolFace } from '../../contract/index.ts';
import type { ProgramTool } from './program.ts';

/** Most levels of an answer, and most members of one object, that a declaration names. */
const MAX_DEPTH = 5;
const MAX_MEMBERS = 40;
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
  const { inputSchema, outputSchema, description } = tool;
  const comment = (isWhole ? description : firstSentence(description)).replaceAll('*/', '* /');
  const args = typeOf({ root: inputSchema, isWhole, isInput: true }, inputSchema, 0);
  const optional = isSchema(inputSchema.properties) && !Array.isArray(inputSchema.required) ? '?' : '';
  const answer = typeOf({ root: outputSchema, isWhole, isInput: false }, outputSchema, 0);
  const returnType = items === null ? `Promise<${answer}>` : `List<${answer}, ${JSON.stringify(items.join('.'))}>`;
  return `/** ${comment} */\n${service}.${method}(args${optional}: ${args}): ${returnType};`;
}

interface DeclarationContext {
  readonly root: JsonSchema;
  readonly isWhole: boolean;
  /** True for arguments: optional members are marked, and in a whole declaration each member has its description. */
  readonly isInput: boolean;
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
    case 'array': {
      const element = isSchema(schema.items) ? typeOf(context, schema.items, depth) : 'unknown';
      return / [|&] /.test(element) && !element.startsWith('{') ? `(${element})[]` : `${element}[]`;
    }
    case 'object':
      return objectType(context, schema, depth);
    default:
      return isSchema(schema.properties) ? objectType(context, schema, depth) : 'unknown';
  }
}

function objectType(
  context: DeclarationContext,
  { properties, required, additionalProperties }: JsonSchema,
  depth: number,
) {
  const members = Object.entries(isSchema(properties) ? properties : {});
  if (members.length === 0) {
    const valueType = isSchema(additionalProperties) ? typeOf(context, additionalProperties, depth + 1) : 'unknown';
    return `Record<string, ${valueType}>`;
  }
  if (depth >= MAX_DEPTH) return 'object';
  const requiredNames = Array.isArray(required) ? required : [];
  const maxMembers = context.isWhole ? members.length : MAX_MEMBERS;
  const texts = members.slice(0, maxMembers).map(([name, member]) => {
    const mark = context.isInput && !requiredNames.includes(name) ? '?' : '';
    const comment = context.isInput && context.isWhole ? commentOf(member) : '';
    const propertyName = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${propertyName}${mark}: ${isSchema(member) ? typeOf(context, member, depth + 1) : 'unknown'}${comment}`;
  });
  if (members.length > maxMembers) texts.push('…');
  return `{ ${texts.join('; ')} }`;
}

function commentOf(member: unknown): string {
  const description = isSchema(member) ? member.description : null;
  if (typeof description !== 'string') return '';
  return ` /* ${firstSentence(description).slice(0, MAX_COMMENT).replaceAll('*/', '* /')} */`;
}
