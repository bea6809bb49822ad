/** Keeps only the members of an answer that a call selects by path. */

import type { JsonSchema, ObjectSchema, PageRule } from '../../../contract/index.ts';
import { branches, isSchema, parsePointer } from '../json.ts';
import { findNearest } from '../nearest.ts';
import { isContainer } from './measure.ts';

const MAX_FIELDS = 100;
const MAX_FIELD_LENGTH = 256;
const MAX_LISTED = 20;
const MAX_SHOWN_LENGTH = 80;

/**
 * Describes what is wrong with the paths, or returns null.
 *
 * A path is dotted and omits arrays: `data.name`. It must be in the output schema as far as that lists members; below a
 * place without listed members, any name is allowed.
 */
export function findUnknownField(schema: ObjectSchema, fields: readonly string[]): string | null {
  if (fields.length > MAX_FIELDS) return `"fields" has ${fields.length} paths: at most ${MAX_FIELDS} are allowed.`;
  for (const field of fields) {
    const problem = findUnknownMember(schema, field, { argument: 'fields', rootName: 'the answer' });
    if (problem !== null) return problem;
  }
  return null;
}

/** The parts of a message about a path: the argument that holds the path, and a name of the object in which the path begins. */
interface PathDescription {
  readonly argument: string;
  readonly rootName: string;
}

/** Does the same as `findUnknownField`, for one path of any argument. */
export function findUnknownMember(
  schema: ObjectSchema,
  field: string,
  { argument, rootName }: PathDescription,
): string | null {
  const messageStart = `"${argument}" names ${quoteText(field)}`;
  if (field.length > MAX_FIELD_LENGTH) return `${messageStart}: a path has ${MAX_FIELD_LENGTH} characters at most.`;
  const { unknownName, matchedNames, memberNames } = followPath(schema, field);
  if (unknownName === null) return null;
  const parentName = matchedNames.length === 0 ? rootName : `"${matchedNames.join('.')}"`;
  const missing = `${messageStart}, but ${parentName} has no member ${quoteText(unknownName)}.`;
  const [nearest] = findNearest(unknownName, memberNames);
  if (nearest !== undefined) return `${missing} Did you mean "${[...matchedNames, nearest].join('.')}"?`;
  const more = memberNames.length > MAX_LISTED ? ` and ${memberNames.length - MAX_LISTED} more` : '';
  return `${missing} Members: ${memberNames.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

interface FollowedPath {
  /** The schemas of the last place. */
  readonly schemas: readonly JsonSchema[];
  /** The members passed. */
  readonly matchedNames: readonly string[];
  /** The members that the last place lists. Empty if it takes any. */
  readonly memberNames: readonly string[];
  /** The name that the last place does not list. Null if the path ends, or continues where members are not listed. */
  readonly unknownName: string | null;
}

/** Follows a path as far as a schema lists members. */
export function followPath(schema: ObjectSchema, path: string): FollowedPath {
  let schemas: readonly JsonSchema[] = [schema];
  const matchedNames: string[] = [];
  for (const name of path.split('.')) {
    const members = schemas.flatMap((subschema) => objectsAt(schema, subschema));
    const memberNames = namesOf(members);
    const next = members.flatMap((member) => memberOf(member, name));
    if (memberNames.length === 0) return { schemas: next, matchedNames, memberNames, unknownName: null };
    if (next.length === 0) return { schemas, matchedNames, memberNames, unknownName: name };
    matchedNames.push(name);
    schemas = next;
  }
  return {
    schemas,
    matchedNames,
    memberNames: namesOf(schemas.flatMap((subschema) => objectsAt(schema, subschema))),
    unknownName: null,
  };
}

function namesOf(members: readonly JsonSchema[]): string[] {
  return [...new Set(members.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])))];
}

/**
 * Writes a path in the form that `findUnknownField` reads: without arrays (`data[].total`), and in full where only one member can be meant (`total`).
 * If several members have the name, the only member that is nearest to the top is meant.
 */
export function completePath(schema: ObjectSchema, requestedPath: string): string {
  if (requestedPath.length > MAX_FIELD_LENGTH) return requestedPath;
  const field = requestedPath.trim().replace(/^\$\.?|\[[^\]]*\]/g, '');
  if (field === '' || findUnknownField(schema, [field]) === null) return field;
  const normalizedNames = normalizeName(field).split('.');
  const depthOf = (path: readonly string[]) => path.length;
  const matches = pathsOf(schema).filter(
    (path) => normalizeName(path.slice(-normalizedNames.length).join('.')) === normalizedNames.join('.'),
  );
  // A path of an item whose last members no schema lists.
  const parentPaths =
    matches.length > 0 ? [] : pathsOf(schema).filter((path) => path.length <= 2 && acceptsField(schema, path, field));
  const candidates = [...matches, ...parentPaths.map((path) => [...path, field])];
  const minDepth = Math.min(...candidates.map(depthOf));
  const [path, another] = candidates.filter((candidate) => depthOf(candidate) === minDepth);
  return path === undefined || another !== undefined ? field : path.join('.');
}

/** True if a place lists the first member of a path, and nothing refuses the others. */
function acceptsField(schema: ObjectSchema, parentPath: readonly string[], field: string): boolean {
  const { unknownName, matchedNames } = followPath(schema, [...parentPath, field].join('.'));
  return unknownName === null && matchedNames.length > parentPath.length;
}

/** The paths of a call, which may also be in one text, separated by commas. */
export function completePaths(schema: ObjectSchema, fields: readonly unknown[]): string[] {
  const requestedPaths = fields.flatMap((field) => String(field).split(','));
  return requestedPaths.length > MAX_FIELDS
    ? requestedPaths
    : requestedPaths.map((field) => completePath(schema, field));
}

function normalizeName(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}

const MAX_PATH_DEPTH = 5;

/** Paths of the listed members. */
function pathsOf(root: ObjectSchema, subschema: JsonSchema = root, parentPath: readonly string[] = []): string[][] {
  if (parentPath.length === MAX_PATH_DEPTH) return [];
  const members = objectsAt(root, subschema).flatMap(({ properties }) => Object.entries(properties ?? {}));
  return [...new Map(members)].flatMap(([name, member]) => {
    const path = [...parentPath, name];
    return [path, ...(isSchema(member) ? pathsOf(root, member, path) : [])];
  });
}

/** The object schemas of a place; for an array, those of its elements. */
function objectsAt(root: ObjectSchema, subschema: JsonSchema, depth = 0): readonly JsonSchema[] {
  return branches(root, subschema).flatMap((schema) => {
    const inner = isSchema(schema.items) && depth < 8 ? objectsAt(root, schema.items, depth + 1) : [];
    return [schema, ...inner];
  });
}

function memberOf({ properties, additionalProperties }: JsonSchema, name: string): JsonSchema[] {
  if (isSchema(properties) && Object.hasOwn(properties, name)) {
    return isSchema(properties[name]) ? [properties[name]] : [{}];
  }
  return isSchema(additionalProperties) ? [additionalProperties] : [];
}

export function quoteText(text: string): string {
  return JSON.stringify(text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`);
}

/** Members to keep below each name, or null to keep everything. */
type MemberTree = Map<string, MemberTree | null>;

/** Returns a function that selects the members that a call gets: those of `keep`, reduced to the requested ones. Null if the call gets all. */
export function projectionOf(
  page: PageRule | undefined,
  keep: readonly string[] | undefined,
  fields: readonly string[] | null,
): ((answer: Record<string, unknown>) => Record<string, unknown>) | null {
  if (keep === undefined) return fields === null ? null : createProjection(page, fields);
  const selectDeclared = createProjection(page, keep);
  if (fields === null) return selectDeclared;
  const selectRequested = createProjection(page, fields);
  return (answer) => selectRequested(selectDeclared(answer));
}

/**
 * Creates a function that keeps the members on these paths, and those that say how the list continues.
 *
 * Inside an array, an object without kept members becomes `{}`, so that the other elements keep their places.
 */
export function createProjection(
  page: PageRule | undefined,
  fields: readonly string[],
): (answer: Record<string, unknown>) => Record<string, unknown> {
  const paging = pagePointers(page).map(parsePointer);
  const memberTree: MemberTree = new Map();
  for (const path of [...fields.map((field) => field.split('.')), ...paging, ['page']]) addPath(memberTree, path);
  return (answer) => project(answer, memberTree) as Record<string, unknown>;
}

/** The places of an answer that say how its list continues. */
function pagePointers(page: PageRule | undefined): readonly string[] {
  const rule: Readonly<Record<string, unknown>> = { ...page };
  return ['next', 'more', 'total', 'pages'].flatMap((name) => (typeof rule[name] === 'string' ? [rule[name]] : []));
}

function addPath(memberTree: MemberTree, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const subtree = memberTree.get(name);
  if (rest.length === 0) memberTree.set(name, null);
  else if (subtree !== null) {
    const innerTree = subtree ?? new Map();
    memberTree.set(name, innerTree);
    addPath(innerTree, rest);
  }
}

function project(value: unknown, memberTree: MemberTree): unknown {
  if (Array.isArray(value)) return value.map((element) => project(element, memberTree));
  if (!isContainer(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const subtree = memberTree.get(name);
    if (subtree === undefined) return [];
    return [[name, subtree === null ? member : project(member, subtree)] as const];
  });
  return Object.fromEntries(members);
}
