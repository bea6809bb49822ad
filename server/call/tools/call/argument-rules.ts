/**
 * Rules about arguments that no JSON Schema expresses: path segments, texts that are JSON, arguments that must agree. And examples of
 * arguments that keep them.
 */

import type { JsonSchema, Tool, ToolFace } from '../../../contract/index.ts';
import { type Arguments, pathArguments } from '../../upstream/index.ts';
import { type AnyTool, argumentsIn, isHandWritten } from '../catalogue/permitted.ts';
import { asSchemas, isSchema, parseJson, resolve } from '../json.ts';

/** An argument that breaks a rule. */
export interface BrokenRule {
  readonly argument: string;
  /** One sentence for the model. */
  readonly text: string;
  /** A valid value, if the other arguments determine it. */
  readonly example?: unknown;
}

/** Checks the arguments of one tool. @returns the broken rule, or null. */
type Rule = (args: Arguments) => BrokenRule | null;

/** Most tools have none. */
const rulesByTool = new WeakMap<AnyTool, readonly Rule[]>();

/** Finds the first rule that schema-valid arguments break, or null. */
export function findBrokenRule(tool: AnyTool, args: Arguments): BrokenRule | null {
  const rules = rulesByTool.get(tool) ?? rulesOf(tool);
  rulesByTool.set(tool, rules);
  for (const rule of rules) {
    const broken = rule(args);
    if (broken !== null) return broken;
  }
  return null;
}

const UPDATES: ReadonlySet<string> = new Set(['PUT', 'PATCH']);

/**
 * Refuses an update that would send nothing because every member of its body was null: the service would report success, and change nothing.
 *
 * @param given arguments as the client sent them. @param args arguments that are sent to the service.
 */
export function findEmptyUpdate(tool: AnyTool, given: Arguments, args: Arguments): BrokenRule | null {
  if (isHandWritten(tool) || !isUpdate(tool)) return null;
  const { body } = tool.request;
  if (body === undefined || !('members' in body)) return null;
  const names = argumentsIn(body.members);
  const nulls = names.filter((name) => given[name] === null);
  if (nulls.length === 0 || names.some((name) => Object.hasOwn(args, name))) return null;
  if (body.clear !== undefined && Object.hasOwn(args, body.clear)) return null;
  const quoted = nulls.map((name) => `"${name}"`).join(', ');
  const way =
    body.clear === undefined ? 'Give a value.' : `Give a value, or name it under "${body.clear}" to remove its value.`;
  return {
    argument: nulls[0] ?? '',
    text: `nothing would be changed, because ${quoted} ${nulls.length === 1 ? 'is' : 'are'} null. ${way}`,
  };
}

/** True for PUT and PATCH, and for a POST that may be repeated: it sets what is there. */
function isUpdate({ operation: { method }, annotations }: Tool): boolean {
  return UPDATES.has(method) || (method === 'POST' && annotations.idempotentHint && !annotations.readOnlyHint);
}

/** The rules that a tool has arguments for, in their order. */
function rulesOf(tool: AnyTool): readonly Rule[] {
  const rules: Rule[] = [];
  if (holdsJsonTexts(tool)) rules.push((args) => findUnreadableJson(tool, args));
  if (isHandWritten(tool)) return rules;
  const { body } = tool.request;
  if (tool.reservedSegments !== undefined) rules.unshift((args) => findReservedSegment(tool, args));
  if (pathArguments(tool).length > 0) rules.unshift((args) => findUnsafePathArgument(tool, args));
  if (body !== undefined && 'members' in body && body.clear !== undefined) {
    rules.push((args) => findClearedAndSet(tool, args));
  }
  if (tool.agreements !== undefined) rules.push((args) => findDisagreement(tool, args));
  return rules;
}

/**
 * Checks the arguments that become path segments.
 *
 * An empty segment, `.` or `..` would send the request to another path of the upstream, in any encoding (WHATWG URL,
 * "double-dot URL path segment"). How arrays and objects are written depends on the parameter's style, so the path
 * serializer checks their segment; here they must only hold something other than dots.
 *
 * @returns the broken rule, or null.
 */
function findUnsafePathArgument(tool: Tool, args: Arguments): BrokenRule | null {
  for (const name of pathArguments(tool)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    const unsafe = findUnsafeText(value);
    if (unsafe === null) continue;
    return { argument: name, text: `"${name}" becomes part of a path and must not be ${JSON.stringify(unsafe)}.` };
  }
  return null;
}

function findUnsafeText(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return isUnsafe(String(value ?? '')) ? String(value ?? '') : null;
  const members = Object.values(value).filter((member) => member !== undefined && member !== null);
  if (members.length === 0) return '';
  return Array.isArray(value) ? (members.map(String).find((text) => text !== '' && isUnsafe(text)) ?? null) : null;
}

/** Finds a segment that the service uses as a literal, in any letter case, because many servers ignore case. */
function findReservedSegment({ reservedSegments = {} }: Tool, args: Arguments): BrokenRule | null {
  for (const [name, reservedWords] of Object.entries(reservedSegments)) {
    const segment = String(Object.hasOwn(args, name) ? args[name] : '').toLowerCase();
    const word = reservedWords.find((reservedWord) => reservedWord.toLowerCase() === segment);
    if (word === undefined) continue;
    const text = `"${name}" must not be ${JSON.stringify(word)}: there it would call another operation of the service.`;
    return { argument: name, text };
  }
  return null;
}

function holdsJsonTexts({ inputSchema: { properties } }: ToolFace): boolean {
  return Object.values(properties ?? {}).some(
    (schema) => isSchema(schema) && schema.contentMediaType === 'application/json',
  );
}

/** Finds a text that is not JSON although its schema says so (JSON Schema 2020-12 §8.4, `contentMediaType`). */
function findUnreadableJson({ inputSchema: { properties } }: ToolFace, args: Arguments): BrokenRule | null {
  for (const [name, value] of Object.entries(args)) {
    const schema = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (typeof value !== 'string' || !isSchema(schema) || schema.contentMediaType !== 'application/json') continue;
    if (!isJson(value)) return { argument: name, text: `"${name}" must be JSON text (got ${quoted(value)}).` };
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Finds an argument that the call both sets and clears. */
function findClearedAndSet({ request: { body } }: Tool, args: Arguments): BrokenRule | null {
  const clear = body !== undefined && 'members' in body ? body.clear : undefined;
  const names = clear === undefined ? [] : args[clear];
  if (clear === undefined || !Array.isArray(names)) return null;
  const name = names.find((argument) => args[argument] !== undefined);
  if (name === undefined) return null;
  const example = names.filter((argument) => args[argument] === undefined);
  return { argument: clear, text: `"${name}" is given and also listed in "${clear}". Keep one of them.`, example };
}

/**
 * Checks arguments that repeat the value of others.
 *
 * @returns the disagreement with both values, or null. A pair is not checked if one of its arguments is missing.
 */
function findDisagreement(tool: Tool, args: Arguments): BrokenRule | null {
  for (const { argument, template } of tool.agreements ?? []) {
    const names = [...template.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
    if ([argument, ...names].some((name) => args[name] === undefined || args[name] === null)) continue;
    const expected = template.replace(/\{([^{}]+)\}/g, (_, name: string) => String(args[name]));
    const actual = String(args[argument]);
    if (actual === expected) continue;
    const sourceNames = names.map((name) => `"${name}"`).join(' and ');
    const text = `"${argument}" says ${quoted(actual)} but ${sourceNames} ${names.length === 1 ? 'says' : 'say'} ${quoted(expected)}. Use the same in both.`;
    return { argument, text, example: expected };
  }
  return null;
}

function isUnsafe(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}

function quoted(text: string): string {
  return JSON.stringify(text.length <= 100 ? text : `${text.slice(0, 100)}…`);
}

const MAX_DEPTH = 6;

const EXAMPLES_BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T00:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'P1D',
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  email: 'name@example.com',
  uri: 'https://example.com/',
  'uri-reference': '/path',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  'json-pointer': '/a/b',
  'relative-json-pointer': '1/a',
  'uri-template': '/items/{id}',
  regex: '^a+$',
  byte: 'aGVsbG8=',
};
/** Numbers written as texts have these formats too. */
const NUMBER_FORMATS = /^(?:u?int(?:8|16|32|64)?|integer|long|float|double|decimal|number)$/;

/** Returns a value that fits the format and the type of a schema. Undefined if none is known. */
export function exampleOfFormat({ type, format }: JsonSchema): unknown {
  const types = [type].flat();
  if (NUMBER_FORMATS.test(String(format)))
    return types.includes('string') && !types.some((name) => name === 'integer' || name === 'number') ? '1' : 1;
  return Object.hasOwn(EXAMPLES_BY_FORMAT, String(format)) ? EXAMPLES_BY_FORMAT[String(format)] : undefined;
}

/** Returns the schema's own example (`examples`, `default`, `const`, `enum`), else the simplest value. */
export function exampleOf(root: JsonSchema, schema: JsonSchema, depth = 0): unknown {
  const target = resolve(root, schema);
  const [first] = Array.isArray(target.examples) ? target.examples : [];
  if (first !== undefined) return first;
  if (target.example !== undefined) return target.example;
  if (target.default !== undefined && target.default !== null) return target.default;
  if ('const' in target) return target.const;
  if (Array.isArray(target.enum)) return target.enum[0];
  const [alternative] = [...asSchemas(target.anyOf), ...asSchemas(target.oneOf), ...asSchemas(target.allOf)];
  if (target.type === undefined && alternative !== undefined && depth < MAX_DEPTH) {
    return exampleOf(root, alternative, depth + 1);
  }
  return exampleByType(root, target, depth);
}

const RANGE_END_NAME = /end|before|until|lte?$|To$/;
const RANGE_END_EXAMPLES: Readonly<Record<string, string>> = {
  'date-time': '2026-02-28T00:00:00Z',
  date: '2026-02-28',
};

/** Returns an example that the schema or its description gives. Undefined if a value would have to be invented, such as an id. */
export function realExampleOf(root: JsonSchema, schema: JsonSchema, name = ''): unknown {
  const target = resolve(root, schema);
  const { type, format = '', description = '' } = target as Record<string, string | undefined>;
  const hasExample = ['examples', 'example', 'default', 'const', 'enum'].some((keyword) => target[keyword] != null);
  if (hasExample || type === 'boolean') return exampleOf(root, target);
  const describedExample = /\be\.g\. (\[[^\]]*\]|\{[^}]*\}|"[^"]*"|[^\s,;)]+)/
    .exec(description)?.[1]
    ?.replace(/\.$/, '');
  if (describedExample !== undefined)
    return type === 'string' ? describedExample.replace(/^"|"$/g, '') : parseJson(describedExample);
  if (type === 'array' && isSchema(target.items)) {
    const item = realExampleOf(root, target.items, name);
    return item === undefined ? undefined : [item];
  }
  const { properties, required, contentEncoding } = target;
  if (type === 'object' && isSchema(properties) && Array.isArray(required) && required.length > 0) {
    const members = required.map((memberName: string) => [
      memberName,
      isSchema(properties[memberName]) && realExampleOf(root, properties[memberName], memberName),
    ]);
    return members.some(([, member]) => member === undefined) ? undefined : Object.fromEntries(members);
  }
  if (contentEncoding === 'base64') return exampleOf(root, target);
  if (RANGE_END_NAME.test(name) && Object.hasOwn(RANGE_END_EXAMPLES, format)) return RANGE_END_EXAMPLES[format];
  return format !== 'uuid' && Object.hasOwn(EXAMPLES_BY_FORMAT, format) ? EXAMPLES_BY_FORMAT[format] : undefined;
}

function exampleByType(root: JsonSchema, schema: JsonSchema, depth: number): unknown {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const [type] = types.filter((name) => name !== 'null');
  switch (type) {
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return exampleArray(root, schema, depth);
    case 'object':
      return exampleObject(root, schema, depth);
    case undefined:
      return types.includes('null') ? null : 'text';
    default:
      return exampleText(schema);
  }
}

function exampleNumber(schema: JsonSchema): number {
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

function exampleText(schema: JsonSchema): string {
  if (schema.contentEncoding === 'base64') return 'aGVsbG8=';
  if (schema.contentMediaType === 'application/json') return '{}';
  const text = String(exampleOfFormat({ type: 'string', format: schema.format }) ?? 'text');
  const shortest = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 100) : 0;
  return text.padEnd(shortest, 'x');
}

function exampleArray(root: JsonSchema, schema: JsonSchema, depth: number): unknown[] {
  if (depth >= MAX_DEPTH || !isSchema(schema.items)) return [];
  return [exampleOf(root, schema.items, depth + 1)];
}

function exampleObject(root: JsonSchema, schema: JsonSchema, depth: number): Record<string, unknown> {
  const { properties } = schema;
  if (depth >= MAX_DEPTH || !isSchema(properties)) return {};
  // "Exactly one of these members" is written as alternatives that have only `required`.
  const [choice] = [...asSchemas(schema.oneOf), ...asSchemas(schema.anyOf)];
  const required = [schema.required, choice?.required].flatMap((names) => (Array.isArray(names) ? names : []));
  const entries = required.flatMap((name: string) => {
    const member = properties[name];
    return isSchema(member) ? [[name, exampleOf(root, member, depth + 1)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns the schema's own example, or generated values for required arguments that agree where they must. */
export function exampleArguments(tool: AnyTool): Arguments {
  const example = exampleOf(tool.inputSchema, tool.inputSchema);
  const args: Arguments = isSchema(example) ? example : {};
  const broken = findBrokenRule(tool, args);
  return broken === null || broken.example === undefined ? args : { ...args, [broken.argument]: broken.example };
}
