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
const TAKEN = new Set(['console', 'kept', 'escape', 'unescape', 'eval', 'undefined', 'globalThis', 'isNaN', 'NaN']);
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
  return RESERVED.test(name) || TAKEN.has(name) ? `${name}_` : name;
}

const listed = new WeakMap<object, readonly string[] | null>();

/** Returns the tools that a program of this caller can call, sorted by name: those that the caller's tool list would show. */
export function programTools(catalogue: Catalogue, access: Access): readonly ProgramTool[] {
  const taken = new Set<string>();
  return [...catalogue.entries()].flatMap(({ connector, tool }): ProgramTool[] => {
    if (!access.services.includes(connector.name) || catalogue.shown(tool.name, access) === null) return [];
    const service = toServiceName(connector.name);
    const short = toCamel(
      tool.name.startsWith(`${connector.name}_`) ? tool.name.slice(connector.name.length + 1) : tool.name,
    );
    const method = taken.has(`${service}.${short}`) ? tool.name : short;
    taken.add(`${service}.${method}`);
    let items = listed.get(tool);
    if (items === undefined) {
      const found = 'run' in tool ? null : itemsOf(tool);
      items = found === null ? null : parsePointer(found.shown);
      listed.set(tool, items);
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
  const said = (isWhole ? description : firstSentence(description)).replaceAll('*/', '* /');
  const args = typeOf({ root: inputSchema, isWhole, isInput: true }, inputSchema, 0);
  const optional = isSchema(inputSchema.properties) && !Array.isArray(inputSchema.required) ? '?' : '';
  const place = items === null ? null : `${[...items, '0'].map((token) => `/${token}`).join('')}`;
  const answer = { root: outputSchema, isWhole, isInput: false };
  const gives =
    items === null || place === null
      ? `Promise<${typeOf(answer, outputSchema, 0)}>`
      : `List<${typeOf(answer, outputSchema, 0)}, ${JSON.stringify(items.join('.'))}>`;
  return `/** ${said} */\n${service}.${method}(args${optional}: ${args}): ${gives};`;
}

interface Declared {
  readonly root: JsonSchema;
  readonly isWhole: boolean;
  /** True for arguments: optional members are marked, and in a whole declaration each member has its description. */
  readonly isInput: boolean;
}

function typeOf(declared: Declared, given: JsonSchema, depth: number): string {
  const schema = resolve(declared.root, given);
  const { type, enum: values, const: value, anyOf, oneOf, allOf } = schema;
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) {
    const shown = values.slice(0, MAX_VALUES).map((one) => JSON.stringify(one));
    return [...shown, ...(values.length > MAX_VALUES ? ['string'] : [])].join(' | ');
  }
  const alternatives = [...asSchemas(anyOf), ...asSchemas(oneOf)];
  if (alternatives.length > 0) return union(alternatives.map((one) => typeOf(declared, one, depth)));
  const parts = asSchemas(allOf);
  if (parts.length > 0 && !isSchema(schema.properties))
    return union(
      parts.map((one) => typeOf(declared, one, depth)),
      ' & ',
    );
  const types = Array.isArray(type) ? type : [type];
  return union(types.map((one) => oneType(declared, schema, { type: one, depth })));
}

function union(types: readonly string[], by = ' | '): string {
  const different = [...new Set(types)];
  return different.includes('unknown') && by === ' | ' ? 'unknown' : different.join(by);
}

function oneType(declared: Declared, schema: JsonSchema, { type, depth }: { type: unknown; depth: number }): string {
  switch (type) {
    case 'integer':
      return LARGE_FORMAT.test(String(schema.format)) ? 'number | string' : 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case 'array': {
      const element = isSchema(schema.items) ? typeOf(declared, schema.items, depth) : 'unknown';
      return / [|&] /.test(element) && !element.startsWith('{') ? `(${element})[]` : `${element}[]`;
    }
    case 'object':
      return objectType(declared, schema, depth);
    default:
      return isSchema(schema.properties) ? objectType(declared, schema, depth) : 'unknown';
  }
}

function objectType(declared: Declared, { properties, required, additionalProperties }: JsonSchema, depth: number) {
  const members = Object.entries(isSchema(properties) ? properties : {});
  if (members.length === 0) {
    const of = isSchema(additionalProperties) ? typeOf(declared, additionalProperties, depth + 1) : 'unknown';
    return `Record<string, ${of}>`;
  }
  if (depth >= MAX_DEPTH) return 'object';
  const needed = Array.isArray(required) ? required : [];
  const most = declared.isWhole ? members.length : MAX_MEMBERS;
  const texts = members.slice(0, most).map(([name, member]) => {
    const mark = declared.isInput && !needed.includes(name) ? '?' : '';
    const said = declared.isInput && declared.isWhole ? commentOf(member) : '';
    const shown = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${shown}${mark}: ${isSchema(member) ? typeOf(declared, member, depth + 1) : 'unknown'}${said}`;
  });
  return `{ ${[...texts, ...(members.length > most ? ['…'] : [])].join('; ')} }`;
}

function commentOf(member: unknown): string {
  const description = isSchema(member) ? member.description : null;
  if (typeof description !== 'string') return '';
  return ` /* ${firstSentence(description).slice(0, MAX_COMMENT).replaceAll('*/', '* /')} */`;
}
