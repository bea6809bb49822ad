/** Describes what is wrong with a call's arguments, so that a model can correct the call. */

import type { JsonSchema, ObjectSchema } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import type { AnyTool } from '../catalogue/permitted.ts';
import { isObject, isSchema, parsePointer, rawNumber, typeName } from '../json.ts';
import { findNearest } from '../nearest.ts';
import { describeTaker } from '../selection/argument-takers.ts';
import { type ErrorObject, TOO_LONG, type Validator } from '../validate.ts';
import { branchesOf, findDiscriminator, withoutAlternatives } from './argument-choices.ts';
import { type BrokenRule, exampleOfFormat, findBrokenRule, realExampleOf } from './argument-rules.ts';

const MAX_PROBLEMS = 8;
/** Further problems are not looked at: a call with that many is wrong as a whole. */
const MAX_EXAMINED = 500;
const MAX_NAMED_VALUES = 20;
const MAX_VALUE_LENGTH = 80;
const MAX_PROBLEM_LENGTH = 600;

/**
 * Returns a text of bounded length: one problem per line, then an example. `problems` is not empty.
 *
 * @param siblings returns the tools of the same service that the caller may use: one of them may take what this one does not.
 */
export function describeArgumentErrors(
  tool: AnyTool,
  args: Arguments,
  problems: readonly ErrorObject[],
  { validator, siblings }: { readonly validator: Validator; readonly siblings: () => readonly AnyTool[] },
): string {
  const relevant = withoutAlternatives(problems.slice(0, MAX_EXAMINED), validator.schema);
  const sentences = new Set<string>();
  let describedCount = 0;
  for (const problem of relevant) {
    if (sentences.size === MAX_PROBLEMS) break;
    sentences.add(
      truncate(describeProblem(problem, tool, validator.schema), MAX_PROBLEM_LENGTH) +
        describeSource(problem, tool, siblings),
    );
    describedCount += 1;
  }
  const lines = [...sentences].map((text) => `- ${text}`);
  if (relevant.length > describedCount) lines.push(`- and ${relevant.length - describedCount} more.`);
  const example = findExample(tool, correctNames(tool, args, relevant), relevant.map(argumentOf), validator);
  return [`The arguments of ${tool.name} are not valid:`, ...lines, ...example].join('\n');
}

/**
 * Returns the names as a text for records. A name that the tool does not declare comes from the caller and may be a secret, so `(unknown)` stands for
 * it.
 */
export function nameInvalid({ inputSchema: { properties } }: AnyTool, names: readonly string[]): string {
  const declared = isSchema(properties) ? Object.keys(properties) : [];
  const safeNames = new Set(names.map((name) => (declared.includes(name) ? name : '(unknown)')));
  return [...safeNames].slice(0, MAX_PROBLEMS).join(', ');
}

/** Returns one sentence and an example for a rule that no schema expresses. */
export function describeBrokenRule(tool: AnyTool, args: Arguments, broken: BrokenRule, validator: Validator): string {
  const { [broken.argument]: _, ...otherArgs } = args;
  const hasExample = broken.example !== undefined;
  const corrected = hasExample ? { ...otherArgs, [broken.argument]: broken.example } : otherArgs;
  const example = findExample(tool, corrected, hasExample ? [] : [broken.argument], validator);
  return [`The arguments of ${tool.name} are not valid:`, `- ${broken.text}`, ...example].join('\n');
}

/** Describes a choice that no alternative fits, or that several fit. */
function describeChoice(problem: ErrorObject, root: ObjectSchema, argumentPath: string, actualText: string): string {
  const subject = quote(argumentPath);
  const branches = branchesOf(problem, root);
  if (argumentPath === '') return describeArgumentChoice(problem, branches);
  const choices = [...new Set(branches.map(describeBranch))].join(', or ');
  const { passingSchemas } = problem.params as { readonly passingSchemas?: readonly number[] | null };
  if (Array.isArray(passingSchemas)) {
    return `${subject} fits more than one of: ${choices}. Give only members of one of them (${actualText}).`;
  }
  const discriminator = findDiscriminator(problem, root);
  if (discriminator === null || !isObject(problem.data)) {
    return `${subject} must be ${problem.keyword === 'oneOf' ? `exactly one of: ${choices}` : choices} (${actualText}).`;
  }
  const { name, values } = discriminator;
  const member = quote(join(argumentPath, name));
  if (!Object.hasOwn(problem.data, name)) {
    return `${member} is missing. It chooses the form: ${joinValues(values)}.`;
  }
  const actual = problem.data[name];
  return describeEnum(member, values, actual, `got ${toShortJson(actual)}`);
}

/** Describes a choice among arguments: each alternative requires some. */
function describeArgumentChoice({ keyword, params }: ErrorObject, branches: readonly JsonSchema[]): string {
  const groups = branches.map(({ required }) =>
    [required]
      .flat()
      .map((name) => quote(String(name)))
      .join(' and '),
  );
  if (Array.isArray(params.passingSchemas)) return `Give only one of: ${groups.join('; ')}.`;
  return `Give ${keyword === 'oneOf' ? 'exactly' : 'at least'} one of: ${groups.join('; ')}.`;
}

function describeProblem(problem: ErrorObject, tool: AnyTool, root: ObjectSchema): string {
  const argumentPath = argumentPathOf(problem.instancePath);
  const subject = argumentPath === '' ? 'The arguments' : quote(argumentPath);
  const schema = (problem.parentSchema ?? {}) as JsonSchema;
  const actualText = `got ${toShortJson(problem.data)}`;
  switch (problem.keyword) {
    case 'required':
      return `${quote(join(argumentPath, problem.params.missingProperty))} is missing.`;
    case 'dependentRequired':
      return `${quote(join(argumentPath, problem.params.missingProperty))} is missing: with ${quote(join(argumentPath, problem.params.property))} it must be given.`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return describeUnknownName(problem, argumentPath, schema, tool);
    case 'enum':
      return describeEnum(subject, schema.enum, problem.data, actualText);
    case 'const':
      return `${subject} must be ${toShortJson(schema.const)} (${actualText}).`;
    case 'type':
      return `${subject} must be ${describeTypes(schema)} (${actualText}).`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `${subject} must be ${describeRange(schema)} (${actualText}).`;
    case 'multipleOf':
      return `${subject} must be a multiple of ${schema.multipleOf} (${actualText}).`;
    case 'minLength':
    case 'maxLength':
      return `${subject} must be ${describeLength(schema.minLength, schema.maxLength)} characters long (it has ${lengthOf(problem.data)}).`;
    case 'minItems':
    case 'maxItems':
      return `${subject} must have ${describeLength(schema.minItems, schema.maxItems)} elements (it has ${lengthOf(problem.data)}).`;
    case 'minProperties':
    case 'maxProperties':
      return `${subject} must have ${describeLength(schema.minProperties, schema.maxProperties)} members (it has ${lengthOf(problem.data)}).`;
    case 'uniqueItems':
      return `${subject} must not repeat an element.`;
    case 'pattern':
      return `${subject} must ${PATTERN_WORDS[String(schema.pattern)] ?? `match ${schema.pattern}`} (${actualText}).`;
    case 'format':
      return `${subject} must be of the format ${String(schema.format)}${describeFormat(schema)} (${actualText}).`;
    case 'not':
      return isSchema(schema.not) && Array.isArray(schema.not.enum)
        ? `${subject} must not be ${joinValues(schema.not.enum)}.`
        : `${subject} must not fit ${toShortJson(schema.not)} (${actualText}).`;
    case 'anyOf':
    case 'oneOf':
      return describeChoice(problem, root, argumentPath, actualText);
    case TOO_LONG.keyword:
      return `${subject} ${TOO_LONG.message}.`;
    default:
      return `${subject} ${problem.message ?? 'is not valid'} (${actualText}).`;
  }
}

/** Returns an example of a format, if one is known. */
function describeFormat(schema: JsonSchema): string {
  const example = exampleOfFormat(schema);
  return example === undefined ? '' : `, such as ${toShortJson(example)}`;
}

const PATTERN_WORDS: Readonly<Record<string, string>> = { '^https?://': 'be a public http(s) address' };

/** Problems that may mean that the caller does not know an id. */
const ID_PROBLEM_KEYWORDS = new Set(['required', 'type', 'format', 'pattern', 'minimum', 'minLength']);

/** Says which tool takes an unknown argument, or gives the ids for a wrong one. */
function describeSource(problem: ErrorObject, tool: AnyTool, siblings: () => readonly AnyTool[]): string {
  const { additionalProperty: name } = problem.params as { readonly additionalProperty?: unknown };
  if (problem.keyword !== 'additionalProperties' || problem.instancePath !== '' || typeof name !== 'string')
    return describeIdSource(problem, tool);
  const names = isSchema(tool.inputSchema.properties) ? Object.keys(tool.inputSchema.properties) : [];
  return findNearest(name, names).length > 0 ? '' : describeTaker(name, tool, siblings());
}

/** Says where the ids of an argument come from, if its description names one list tool. */
function describeIdSource(problem: ErrorObject, { inputSchema: { properties } }: AnyTool): string {
  const name = argumentOf(problem);
  const schema = isSchema(properties) ? properties[name] : undefined;
  if (!/(?:Id|_id)s?$/.test(name) || !ID_PROBLEM_KEYWORDS.has(problem.keyword) || !isSchema(schema)) return '';
  const lists = new Set(String(schema.description ?? '').match(/\b[a-z0-9]+_list_\w+/g));
  return lists.size === 1 ? ` Ids come from ${[...lists][0]}.` : '';
}

function describeUnknownName(
  problem: ErrorObject,
  argumentPath: string,
  schema: JsonSchema,
  { rare }: AnyTool,
): string {
  const name = String(problem.params.additionalProperty ?? problem.params.unevaluatedProperty);
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  const [nearest] = findNearest(name, names);
  const noun = argumentPath === '' ? 'argument' : `member of ${quote(argumentPath)}`;
  const firstSentence = `Unknown ${noun} ${quote(truncate(name, MAX_VALUE_LENGTH))}.`;
  if (nearest !== undefined) {
    const isRare = argumentPath === '' && rare?.includes(nearest) === true;
    const schemaHint = isRare ? ` It takes ${truncate(JSON.stringify(properties[nearest]), MAX_EXAMPLE_LENGTH)}.` : '';
    return `${firstSentence} Did you mean ${quote(nearest)}?${schemaHint}`;
  }
  return names.length === 0 ? `${firstSentence} There are none.` : `${firstSentence} Known: ${joinValues(names)}.`;
}

function describeEnum(subject: string, values: unknown, actual: unknown, actualText: string): string {
  const allowed = Array.isArray(values) ? values : [];
  const texts = allowed.filter((value): value is string => typeof value === 'string');
  const [nearest] = typeof actual === 'string' ? findNearest(actual, texts) : [];
  const hint = nearest === undefined ? '' : ` Did you mean ${toShortJson(nearest)}?`;
  return `${subject} must be one of ${joinValues(allowed)} (${actualText}).${hint}`;
}

function describeTypes(schema: JsonSchema): string {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => TYPE_WORDS[String(type)] ?? String(type)).join(' or ');
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function describeRange(schema: JsonSchema): string {
  const bounds = [
    typeof schema.minimum === 'number' ? `at least ${schema.minimum}` : null,
    typeof schema.exclusiveMinimum === 'number' ? `more than ${schema.exclusiveMinimum}` : null,
    typeof schema.maximum === 'number' ? `at most ${schema.maximum}` : null,
    typeof schema.exclusiveMaximum === 'number' ? `less than ${schema.exclusiveMaximum}` : null,
  ];
  return bounds.filter((bound) => bound !== null).join(' and ');
}

function describeLength(least: unknown, most: unknown): string {
  if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}`;
  return typeof least === 'number' ? `at least ${least}` : `at most ${String(most)}`;
}

function describeBranch(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return `one of ${joinValues(schema.enum)}`;
  if ('const' in schema) return toShortJson(schema.const);
  const { properties, required } = schema;
  if (Array.isArray(required) && required.length > 0) {
    return `an object with ${required.map((name) => quote(String(name))).join(' and ')}`;
  }
  if (isSchema(properties)) return `an object of ${joinValues(Object.keys(properties))}`;
  return schema.type === undefined ? 'another form' : describeTypes(schema);
}

/** The argument that a problem concerns. */
export function argumentOf({ instancePath, params }: ErrorObject): string {
  return parsePointer(instancePath)[0] ?? String(params.missingProperty ?? '');
}

/** The arguments with misspelt names corrected. */
function correctNames(tool: AnyTool, args: Arguments, problems: readonly ErrorObject[]): Arguments {
  const names = isSchema(tool.inputSchema.properties) ? Object.keys(tool.inputSchema.properties) : [];
  const result: Record<string, unknown> = { ...args };
  for (const { keyword, instancePath, params } of problems) {
    if (keyword !== 'additionalProperties' || instancePath !== '') continue;
    const name = String(params.additionalProperty);
    const [nearest] = findNearest(name, names);
    if (nearest !== undefined && !Object.hasOwn(result, nearest)) result[nearest] = args[name];
  }
  return result;
}

/** A place as callers write it, such as `items[0].amount`. */
export function argumentPathOf(pointer: string): string {
  return parsePointer(pointer).reduce((path, token) => join(path, token), '');
}

function join(path: string, name: unknown): string {
  const token = String(name);
  if (/^\d+$/.test(token) && path !== '') return `${path}[${token}]`;
  return path === '' ? token : `${path}.${token}`;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') {
    let length = 0;
    for (const _ of value) length += 1;
    return length;
  }
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function joinValues(values: readonly unknown[]): string {
  const words = values.slice(0, MAX_NAMED_VALUES).map(toShortJson);
  return values.length > MAX_NAMED_VALUES
    ? `${words.join(', ')} and ${values.length - MAX_NAMED_VALUES} more`
    : words.join(', ');
}

function toShortJson(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(truncateValue(value)) ?? 'nothing';
  if (text.length <= MAX_VALUE_LENGTH) return text;
  return `${typeName(value)} ${text.slice(0, MAX_VALUE_LENGTH)}…`;
}

/** A value whose JSON begins as that of the whole one, and is longer than `MAX_VALUE_LENGTH` if that is. */
function truncateValue(value: unknown, budget = { nodes: MAX_VALUE_LENGTH + 1 }): unknown {
  budget.nodes -= 1;
  if (typeof value === 'string') return value.slice(0, MAX_VALUE_LENGTH + 1);
  if (typeof value !== 'object' || value === null || rawNumber(value) !== undefined) return value;
  const entries: [string, unknown][] = [];
  for (const name in value) {
    if (budget.nodes <= 0) break;
    if (Object.hasOwn(value, name))
      entries.push([name.slice(0, MAX_VALUE_LENGTH + 1), truncateValue((value as Arguments)[name], budget)]);
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

function quote(text: string): string {
  return `"${truncate(text, 200)}"`;
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** Longer values from the caller are not repeated. */
const MAX_KEPT_LENGTH = 80;
const MAX_EXAMPLE_LENGTH = 1500;

/**
 * Returns one line with valid arguments, or no line if a value would have to be invented.
 *
 * It has the required arguments, the wrong ones with example values, and the caller's correct ones.
 */
function findExample(tool: AnyTool, args: Arguments, wrongNames: readonly string[], validator: Validator): string[] {
  const { properties, required } = tool.inputSchema;
  if (!isSchema(properties)) return [];
  const requiredNames: unknown[] = Array.isArray(required) ? required : [];
  const isReusable = (name: string): boolean =>
    !wrongNames.includes(name) &&
    Object.hasOwn(args, name) &&
    JSON.stringify(truncateValue(args[name])).length <= MAX_KEPT_LENGTH;
  const exampleFor = (name: string): unknown => {
    const schema = properties[name];
    return isSchema(schema) ? realExampleOf(tool.inputSchema, schema, name) : undefined;
  };

  const names = Object.keys(properties);
  const exampleNames = names.filter((name) => requiredNames.includes(name) || wrongNames.includes(name));
  const helpfulEntries = names
    .filter((name) => exampleNames.includes(name) || isReusable(name))
    .map((name) => [name, isReusable(name) ? args[name] : exampleFor(name)]);
  for (const entries of [helpfulEntries, exampleNames.map((name) => [name, exampleFor(name)])]) {
    const example: Arguments = Object.fromEntries(entries);
    if (entries.length === 0 || Object.values(example).includes(undefined)) continue;
    const text = JSON.stringify(example);
    if (text.length <= MAX_EXAMPLE_LENGTH && isValid(tool, example, validator)) return [`Example: ${text}`];
  }
  return [];
}

function isValid(tool: AnyTool, example: Arguments, validator: Validator): boolean {
  if (!validator.accepts(example)) return false;
  return findBrokenRule(tool, example) === null;
}
