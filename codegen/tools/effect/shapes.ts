/** Infers the effect of a POST from the shapes of its request and its answer. */

import { isRecord, toRecord } from '../../json.ts';
import { isKnownMethod } from '../../model/methods.ts';
import type { OperationModel, Schema } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { toWords } from '../words/words.ts';
import { isCertain, participleOf, verbAt } from './names.ts';

/** The parts of an operation that have shapes, and the path that says what they are about. */
type ShapedOperation = Partial<Pick<OperationModel, 'parameters' | 'body' | 'responses' | 'path'>>;

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

/** Members that choose what an operation does: `action`, `bulk_action`, `commandType`. */
const ACTION_NAMES = /^(bulk_?)?(action|cmd|command|op|operation|verb)(_?(code|kind|name|type))?$/i;

/** Members that choose it where the path names no deed, as `/droplets/{id}/actions` does not. */
const KIND_NAMES = wordSet('action code kind method name type');
const ACTION_PATH = /\/(actions?|commands?|operations?|transitions?)\/?$/i;

/** Members that hold such members, as those of a bulk do. */
const CHANGE_LISTS = wordSet('actions batch bulk changebatch changes commands mutations operations ops requests');

/** Last words of lists of them: `compositeRequest`. */
const CHANGE_LIST_WORDS = wordSet('actions batch changes commands mutations operations request requests');

/** Types of members that say more about a change. */
const SIMPLE_TYPES = wordSet('boolean integer number string');

/** Last words of members that only wrap the others. */
const WRAPPERS = wordSet('data input payload');

/** Members that hold what is to be deleted, or choose that it is. */
const DELETION_NAMES = wordSet('delete deletes deletions destroy prune purge removals remove removes revoke revokes');

/** First words of lists of what is to be deleted: `removeUserIds`. */
const DELETION_WORDS = wordSet('delete remove revoke');

/** Members that choose to delete what the request does not name: `replaceExisting`, `delete_missing`. */
const CLEARING_NAMES =
  /^(clear|delete|discard|drop|erase|overwrite|purge|remove|replace|wipe)(_?(absent|all|existing|extra|missing|obsolete|old|orphan(s|ed)?|others?|previous|stale|unlisted))?$/i;

/** Members that say what becomes of the item of a path. */
const STATE_NAMES = /^(new_?)?(state|status)(_?event)?$/i;
const ITEM_PATH = /(\}|\/(state|status))\/?$/i;

/** Members that take the place of the method. */
const METHOD_NAMES = /^(x-http-method|x-(http-)?method-override|_method)$/i;

/** Members of a request that is one of several. */
const METHOD_NAMES_OF_BATCH = /^(http_?)?(method|verb)$/i;

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
  const { path = '' } = operation;
  for (const { name, schema, isRequired, isOfChange } of membersOfRequest(operation, resolve)) {
    if (isNamedAsReading && !isRequired) continue;
    if (isOfChange && isChange(name, schema, resolve)) return `${name} among the changes`;
    const values = valuesOf(schema, resolve);
    const value = values.find((text) => isDestructiveValue(name, text, path)) ?? findDeed(name, values);
    if (value !== undefined) return `"${value}" among the values of ${name}`;
    if (isDeletion(name, schema, resolve)) return `${name} among the arguments`;
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
  for (const { name, schema, isOfChange } of membersOfRequest(operation, resolve)) {
    if (!METHOD_NAMES.test(name) && !(isOfChange && METHOD_NAMES_OF_BATCH.test(name))) continue;
    const values = valuesOf(schema, resolve);
    if (values.length === 0) return `any method by ${name}`;
    const value = values.find((text) => DESTRUCTIVE_METHOD.test(text));
    if (value !== undefined) return `"${value}" among the values of ${name}`;
  }
  return null;
}

/** `deleteSheet` with what it deletes, not `cancelUrl` and `disableNotifications`. */
function isChange(name: string, schema: Schema, resolve: Resolve): boolean {
  const words = toWords(name);
  const types = [expand(schema, resolve).type].flat();
  return isCertain(verbAt(words, 0)) && (words.length === 1 || !types.some((type) => SIMPLE_TYPES.has(String(type))));
}

/** A list of what is deleted, or a choice that something is. */
function isDeletion(name: string, schema: Schema, resolve: Resolve): boolean {
  const types = [expand(schema, resolve).type].flat();
  const isNamed = DELETION_NAMES.has(name.toLowerCase());
  if (types.includes('array')) return isNamed || DELETION_WORDS.has(toWords(name)[0] ?? '');
  return types.includes('boolean') && (isNamed || CLEARING_NAMES.test(name));
}

/** A deed among methods that are not those of HTTP: tools of MCP servers choose by `method`. */
function findDeed(name: string, values: readonly string[]): string | undefined {
  if (name.toLowerCase() !== 'method' || values.some((value) => isKnownMethod(value.toUpperCase()))) return undefined;
  return values.find((value) => isCertain(verbAt(toWords(value), 0)));
}

function isDestructiveValue(name: string, value: string, path: string): boolean {
  const words = toWords(value);
  const isAction = ACTION_NAMES.test(name) || (ACTION_PATH.test(path) && KIND_NAMES.has(name.toLowerCase()));
  if (isAction) return verbAt(words, 0)?.effect === 'destroys';
  if (STATE_NAMES.test(name) && ITEM_PATH.test(path)) {
    return participleOf(words) !== null || isCertain(verbAt(words, 0));
  }
  return MODE_NAMES.has(lastWordOf(name)) && words.some((word) => OVERWRITING_WORDS.has(word));
}

/** True if a member of the request has a name with one of these words: `useLegacySql`. */
export function hasMemberOf(operation: ShapedOperation, names: ReadonlySet<string>, resolve: Resolve): boolean {
  return membersOfRequest(operation, resolve).some(({ name }) => toWords(name).some((word) => names.has(word)));
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

/** The members of a body, of its items, its variants and what only wraps them, and of the changes that a bulk lists. */
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
  const changes = members.filter((member) => isChangeList(member, resolve));
  const wrapped = members.filter(({ name }) => WRAPPERS.has(lastWordOf(name)));
  return [
    ...members,
    ...parts.flatMap((part) => membersOfBody(part, walk)),
    ...wrapped.flatMap((wrapper) => membersOfBody(wrapper.schema, walk)),
    ...changes.flatMap((change) => membersOfBody(change.schema, { ...walk, isOfChange: true })),
  ];
}

function isChangeList({ name, schema }: Member, resolve: Resolve): boolean {
  if (CHANGE_LISTS.has(name.toLowerCase())) return true;
  return CHANGE_LIST_WORDS.has(lastWordOf(name)) && [expand(schema, resolve).type].flat().includes('array');
}

function lastWordOf(name: string): string {
  return toWords(name).at(-1) ?? '';
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
