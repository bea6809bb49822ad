/** The items of a list: where an answer has them, which members they list, and what a path gives of one. */

import type { JsonSchema, ObjectSchema, Tool } from '../../../contract/index.ts';
import { branches, findSubschemas, isSchema, parsePointer, rawNumber } from '../json.ts';
import { completePath, findUnknownMember, followPath } from '../results/fields.ts';
import { isContainer } from '../results/measure.ts';

const MAX_PATH_LENGTH = 256;

/** The parts of a tool that say where its answers have a list. */
export interface ListingTool {
  readonly page?: Tool['page'];
  readonly result?: Tool['result'];
  readonly outputSchema: ObjectSchema;
}

/** The items of a tool's list. */
export interface ListedItems {
  /** RFC 6901 pointer to them in the upstream's answer. */
  readonly pointer: string;
  /** RFC 6901 pointer to them in structured content. */
  readonly structuredPointer: string;
  /** The schema of one item. */
  readonly schema: ObjectSchema;
}

/** Returns the items of an answer: those of `page`, the rows, or else its only array. Null if the tool lists nothing. */
export function itemsOf(tool: ListingTool): ListedItems | null {
  const known = knownItems.get(tool);
  if (known !== undefined) return known;
  const items = findItems(tool);
  knownItems.set(tool, items);
  return items;
}

/** Every call of a list asks for its items. */
const knownItems = new WeakMap<ListingTool, ListedItems | null>();

function findItems({ page, result, outputSchema }: ListingTool): ListedItems | null {
  const pointer = page?.items ?? result?.rows?.rows ?? (result?.wrapItems === true ? '' : onlyArray(outputSchema));
  if (pointer === null) return null;
  const structuredPointer = pointer === '' ? '/items' : pointer;
  const { schemas } = findSubschemas(outputSchema, `${structuredPointer}/0`) ?? { schemas: [] };
  return { pointer, structuredPointer, schema: toItemSchema(outputSchema, schemas) };
}

function onlyArray({ properties }: ObjectSchema): string | null {
  const members = isSchema(properties) ? Object.entries(properties) : [];
  const [arrayMember, secondMember] = members.filter(([, member]) => isSchema(member) && member.items !== undefined);
  return arrayMember === undefined || secondMember !== undefined ? null : `/${arrayMember[0]}`;
}

function toItemSchema({ $defs }: ObjectSchema, schemas: readonly JsonSchema[]): ObjectSchema {
  return $defs === undefined ? { type: 'object', anyOf: schemas } : { type: 'object', anyOf: schemas, $defs };
}

/** An argument that cannot be used. The message names it, and says what to write. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
  readonly argument: string;

  constructor(argument: string, message: string) {
    super(message);
    this.argument = argument;
  }
}

/** A member of items. */
export interface Member {
  /** Dotted name as it is shown. */
  readonly name: string;
  readonly path: readonly string[];
}

/** A schema whose members an argument names: an item, or something inside of it. */
export interface MemberLookup {
  readonly argument: string;
  readonly schema: ObjectSchema;
  /** Dotted path of the list in the answer, which callers may write before that of a member. Empty inside an item. */
  readonly list: string;
}

/** Items as the place whose members an argument names. */
export function createLookup(argument: string, { structuredPointer, schema }: ListedItems): MemberLookup {
  return { argument, schema, list: parsePointer(structuredPointer).join('.') };
}

/** Returns the member that a caller means, by its path or by a name that only one member has. @throws {SelectionError} no such member. */
export function toMember({ argument, schema, list }: MemberLookup, requestedPath: string): Member {
  if (requestedPath.length > MAX_PATH_LENGTH) {
    throw new SelectionError(
      argument,
      `"${argument}": the path of a member has ${MAX_PATH_LENGTH} characters at most.`,
    );
  }
  const path = requestedPath.trim().replace(/^\$\.?|\[[^\]]*\]/g, '');
  const startsAtAnswer = list !== '' && path.startsWith(`${list}.`) && !isListed(schema, list);
  const name = completePath(schema, startsAtAnswer ? path.slice(list.length + 1) : path);
  const problem =
    name === '' ? `"${argument}" names no member.` : findUnknownMember(schema, name, { argument, rootName: 'an item' });
  if (problem !== null) throw new SelectionError(argument, problem);
  return { name, path: name.split('.') };
}

function isListed(schema: ObjectSchema, path: string): boolean {
  const { memberNames, matchedNames } = followPath(schema, path);
  return memberNames.length > 0 && matchedNames.length > 0;
}

/** The place inside a member, whose own members a condition names. */
export function createInnerLookup({ argument, schema }: MemberLookup, { name }: Member): MemberLookup {
  return { argument, schema: toItemSchema(schema, followPath(schema, name).schemas), list: '' };
}

/** True if the schema lists a member with that name here. */
export function hasMember({ schema }: MemberLookup, name: string): boolean {
  return followPath(schema, name).matchedNames.length > 0;
}

/** Names of the members that the schema lists here. If it lists none, any may occur. */
export function memberNamesOf({ schema }: MemberLookup): readonly string[] {
  return followPath(schema, '').memberNames;
}

/** True if every value of a member is a text, a number or a flag by its schema, or a list of such values. */
export function holdsNoMembers({ schema }: MemberLookup, { name }: Member): boolean {
  const { schemas } = followPath(schema, name);
  return schemas.length > 0 && schemas.every((memberSchema) => isOfScalars(schema, memberSchema));
}

function isOfScalars(root: ObjectSchema, memberSchema: JsonSchema): boolean {
  return branches(root, memberSchema).every(({ type, items, enum: values, const: constant }) => {
    if (values !== undefined || constant !== undefined) return true;
    const types: readonly unknown[] = [type].flat();
    if (types.includes('array')) return isSchema(items) && isOfScalars(root, items);
    return types[0] !== undefined && !types.includes('object');
  });
}

/** True if every value of a member is an object by its schema, or a list of such values. */
export function holdsOnlyMembers({ schema }: MemberLookup, { name }: Member): boolean {
  const { schemas } = followPath(schema, name);
  return schemas.length > 0 && schemas.every((memberSchema) => isOfObjects(schema, memberSchema));
}

function isOfObjects(root: ObjectSchema, memberSchema: JsonSchema): boolean {
  return branches(root, memberSchema).every(({ type, items, properties, anyOf, oneOf, allOf }) => {
    if (type === undefined) return [properties, anyOf, oneOf, allOf].some((part) => part !== undefined);
    const types: readonly unknown[] = [type].flat();
    if (types.includes('array')) return isSchema(items) && isOfObjects(root, items);
    return types.every((name) => name === 'object' || name === 'null');
  });
}

/** Maximum of values of one member of one item, so that no item takes long. */
const MAX_VALUES = 2000;

/**
 * Returns the values of a member: every element of arrays on the way, 2,000 at most. The list is empty if the item has no such member. Only an
 * object's own members count.
 */
export function valuesAt(item: unknown, path: readonly string[]): readonly unknown[] {
  let values = elementsOf(item);
  for (const name of path) {
    values = values.flatMap((value) =>
      isContainer(value) && Object.hasOwn(value, name) ? elementsOf((value as Record<string, unknown>)[name]) : [],
    );
    if (values.length > MAX_VALUES) values = values.slice(0, MAX_VALUES);
  }
  return values;
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_VALUES).flatMap(elementsOf) : [value];
}

/** Names of an object's members that a note shows. */
const MAX_NAMED_MEMBERS = 20;

/** Names the members of an item, 20 at most. */
export function nameMembers(item: object): string {
  return Object.keys(item).slice(0, MAX_NAMED_MEMBERS).join(', ');
}

/** Returns the text of a raw number. Returns any other value as it is. */
export function unwrapRawNumber(value: unknown): unknown {
  return rawNumber(value) ?? value;
}
