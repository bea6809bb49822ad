/** Infers the effect of a POST from the shapes of its request and its answer. */

import { isRecord, toRecord } from '../../json.ts';
import type { OperationModel, Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { toWords } from '../words/words.ts';
import { isCertain, verbAt } from './names.ts';

/** The parts of an operation that have shapes. */
type ShapedOperation = Partial<Pick<OperationModel, 'parameters' | 'body' | 'responses'>>;

/** A member of the request. */
interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** True if it is of one of several changes, such as `deleteSheet` in `requests`. */
  readonly isOfChange: boolean;
}

export type Resolve = (ref: string) => Schema;

/** Maximum number of references and `allOf` levels that are followed. */
const MAX_DEPTH = 8;

/** Members that choose what an operation does. */
const ACTION_NAMES = wordSet('action cmd command op operation verb');

/** Members that hold such members, as those of a bulk do. */
const CHANGE_LISTS = wordSet('actions batch bulk changes commands mutations operations ops requests');

/** Members that hold what is to be deleted, or choose that it is. */
const DELETION_NAMES = wordSet('delete deletes destroy purge');

/** Members that take the place of the method. */
const METHOD_NAMES = /^(x-http-method|x-(http-)?method-override|_method)$/i;

const DESTRUCTIVE_METHOD = /^(delete|patch|put)$/i;

/** Members that say what becomes of something that exists. */
const OVERWRITING_NAMES = /^(allow_?)?overwrite(_?existing)?$/i;
const MODE_NAMES = wordSet('behavior behaviour conflict disposition exists mode strategy');
const OVERWRITING_WORDS = wordSet('overwrite overwriting replace truncate');

/** Members that ask for one page of a list. */
const PAGE_NAMES =
  /^(cursor|limit|max_?results|next_?(page_?)?token|offset|page|page_?(number|size|token)|per_?page|start_?cursor)$/i;

/** Participles that an answer has where something was deleted. */
const DELETION_PARTICIPLES = wordSet('deleted destroyed erased purged removed revoked terminated');

/** Other members of an answer that says only that something was deleted. */
const RECEIPT_NAMES = wordSet('id key message name object ok status success type');

/**
 * Returns a sign that the operation destroys, in words, or null.
 *
 * @param isNamedAsReading if true, only required members count.
 */
export function findDestructiveShape(
  operation: ShapedOperation,
  isNamedAsReading: boolean,
  resolve: Resolve,
): string | null {
  for (const { name, schema, isRequired, isOfChange } of membersOfRequest(operation, resolve)) {
    if (isNamedAsReading && !isRequired) continue;
    if (isOfChange && isCertain(verbAt(toWords(name), 0))) return `${name} among the changes`;
    const values = valuesOf(schema, resolve);
    const value = values.find((text) => isDestructiveValue(name, text));
    if (value !== undefined) return `"${value}" among the values of ${name}`;
    if (DELETION_NAMES.has(name.toLowerCase()) && isListOrChoice(schema, resolve)) return `${name} among the arguments`;
    if (OVERWRITING_NAMES.test(name) && values.length === 0) return `${name} among the arguments`;
  }
  const answer = Object.entries(membersOf(schemaOfAnswer(operation), resolve));
  const receipt = answer.find(([name, schema]) => {
    const types = [expand(schema, resolve).type].flat();
    if (!toWords(name).some((word) => DELETION_PARTICIPLES.has(word))) return false;
    const otherMembers = answer.filter(([other]) => other !== name);
    return (
      types.includes('integer') ||
      (types.includes('boolean') && otherMembers.every(([other]) => RECEIPT_NAMES.has(other)))
    );
  });
  return receipt === undefined ? null : `"${receipt[0]}" in the answer`;
}

/** Returns the member by which a request can be one of a method that destroys, in words, or null. It counts even if it is not required. */
export function findMethodChoice(operation: ShapedOperation, resolve: Resolve): string | null {
  for (const { name, schema } of membersOfRequest(operation, resolve)) {
    if (!METHOD_NAMES.test(name)) continue;
    const values = valuesOf(schema, resolve);
    if (values.length === 0) return `any method by ${name}`;
    const value = values.find((text) => DESTRUCTIVE_METHOD.test(text));
    if (value !== undefined) return `"${value}" among the values of ${name}`;
  }
  return null;
}

function isListOrChoice(schema: Schema, resolve: Resolve): boolean {
  const types = [expand(schema, resolve).type].flat();
  return types.includes('array') || types.includes('boolean');
}

function isDestructiveValue(name: string, value: string): boolean {
  const words = toWords(value);
  if (ACTION_NAMES.has(name.toLowerCase())) return verbAt(words, 0)?.effect === 'destroys';
  return MODE_NAMES.has(toWords(name).at(-1) ?? '') && words.some((word) => OVERWRITING_WORDS.has(word));
}

/** Returns the member with one of these names that takes any text, such as `query` of a GraphQL endpoint, or null. */
export function findStatement(operation: ShapedOperation, names: ReadonlySet<string>, resolve: Resolve): string | null {
  const statement = membersOfRequest(operation, resolve).find(
    ({ name, schema }) => names.has(name.toLowerCase()) && valuesOf(schema, resolve).length === 0,
  );
  return statement?.name ?? null;
}

/** Returns a sign that the operation only reads: it asks for a page and is answered with a list. Null without such a sign. */
export function findReadingShape(operation: ShapedOperation, resolve: Resolve): string | null {
  const page = membersOfRequest(operation, resolve).find(({ name }) => PAGE_NAMES.test(name));
  if (page === undefined) return null;
  const answer = expand(schemaOfAnswer(operation) ?? {}, resolve);
  const isList = (schema: Schema) => [expand(schema, resolve).type].flat().includes('array');
  const hasList = isList(answer) || Object.values(membersOf(answer, resolve)).some(isList);
  return hasList ? `a list in the answer, of which "${page.name}" asks for a page` : null;
}

function membersOfRequest({ parameters = [], body }: ShapedOperation, resolve: Resolve): Member[] {
  const content = body?.contents[0]?.schema ?? null;
  return [
    ...parameters.map(({ name, schema, required: isRequired }) => ({ name, schema, isRequired, isOfChange: false })),
    ...(content === null ? [] : membersOfBody(content, { resolve, isOfChange: false, seen: new Set() })),
  ];
}

interface BodyWalk {
  readonly resolve: Resolve;
  readonly isOfChange: boolean;
  /** Schemas that were visited: they may refer to each other. */
  readonly seen: Set<Schema>;
}

/** The members of a body, of its items, of each of its variants, and of the changes that a bulk lists. */
function membersOfBody(reference: Schema, walk: BodyWalk): Member[] {
  const { resolve, isOfChange, seen } = walk;
  const schema = expand(reference, resolve);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const required = requiredOf(schema, resolve);
  const members = Object.entries(membersOf(schema, resolve)).map(([name, member]) => {
    return { name, schema: member, isRequired: required.has(name), isOfChange };
  });
  const parts = [schema.items, schema.oneOf, schema.anyOf].flat().filter(isRecord);
  const changes = members.filter(({ name }) => CHANGE_LISTS.has(name.toLowerCase()));
  return [
    ...members,
    ...parts.flatMap((part) => membersOfBody(part, walk)),
    ...changes.flatMap((change) => membersOfBody(change.schema, { ...walk, isOfChange: true })),
  ];
}

function schemaOfAnswer({ responses = [] }: ShapedOperation): Schema | null {
  return responses.find(({ status }) => status.startsWith('2'))?.contents[0]?.schema ?? null;
}

/** The schema behind references. */
function expand(schema: Schema, resolve: Resolve): Schema {
  let current = schema;
  for (let depth = 0; depth < MAX_DEPTH && typeof current.$ref === 'string'; depth += 1)
    current = resolve(current.$ref);
  return current;
}

function membersOf(schema: Schema | null, resolve: Resolve, depth = 0): Readonly<Record<string, Schema>> {
  if (schema === null || depth > MAX_DEPTH) return {};
  const { properties, allOf } = expand(schema, resolve);
  const inherited = Array.isArray(allOf)
    ? allOf.filter(isRecord).map((part) => membersOf(part, resolve, depth + 1))
    : [];
  return Object.assign({}, ...inherited, toRecord(properties)) as Record<string, Schema>;
}

function requiredOf(schema: Schema | null, resolve: Resolve): ReadonlySet<unknown> {
  const { required } = schema === null ? {} : expand(schema, resolve);
  return new Set(Array.isArray(required) ? required : []);
}

/** The texts that a schema, or its items, allow. */
function valuesOf(schema: Schema, resolve: Resolve): readonly string[] {
  const { enum: values, const: value, items } = expand(schema, resolve);
  const texts = [...(Array.isArray(values) ? values : []), value].filter((candidate) => typeof candidate === 'string');
  return isRecord(items) ? [...texts, ...valuesOf(items, resolve)] : texts;
}
