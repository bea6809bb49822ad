/** Keeps only the members of an answer that a call selects by path. */

import type { JsonSchema, ObjectSchema, PageRule, Tool } from '../../../contract/index.ts';
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
    const problem = findUnknownMember(schema, field, { argument: 'fields', whole: 'the answer' });
    if (problem !== null) return problem;
  }
  return null;
}

/** The parts of a message about a path: the argument that holds the path, and a name of the object in which the path begins. */
interface PathOf {
  readonly argument: string;
  readonly whole: string;
}

/** Does the same as `findUnknownField`, for one path of any argument. */
export function findUnknownMember(schema: ObjectSchema, field: string, { argument, whole }: PathOf): string | null {
  const begin = `"${argument}" names ${shown(field)}`;
  if (field.length > MAX_FIELD_LENGTH) return `${begin}: a path has ${MAX_FIELD_LENGTH} characters at most.`;
  const { unknown, passed, listed } = followPath(schema, field);
  if (unknown === null) return null;
  const where = passed.length === 0 ? whole : `"${passed.join('.')}"`;
  const missing = `${begin}, but ${where} has no member ${shown(unknown)}.`;
  const [nearest] = findNearest(unknown, listed);
  if (nearest !== undefined) return `${missing} Did you mean "${[...passed, nearest].join('.')}"?`;
  const more = listed.length > MAX_LISTED ? ` and ${listed.length - MAX_LISTED} more` : '';
  return `${missing} Members: ${listed.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

interface Followed {
  /** The schemas of the last place. */
  readonly places: readonly JsonSchema[];
  /** The members passed. */
  readonly passed: readonly string[];
  /** The members that the last place lists. Empty if it takes any. */
  readonly listed: readonly string[];
  /** The name that the last place does not list. Null if the path ends, or continues where members are not listed. */
  readonly unknown: string | null;
}

/** Follows a path as far as a schema lists members. */
export function followPath(schema: ObjectSchema, path: string): Followed {
  let places: readonly JsonSchema[] = [schema];
  const passed: string[] = [];
  for (const name of path.split('.')) {
    const members = places.flatMap((place) => objectsAt(schema, place));
    const listed = namesOf(members);
    const next = members.flatMap((member) => memberOf(member, name));
    if (listed.length === 0) return { places: next, passed, listed, unknown: null };
    if (next.length === 0) return { places, passed, listed, unknown: name };
    passed.push(name);
    places = next;
  }
  return { places, passed, listed: namesOf(places.flatMap((place) => objectsAt(schema, place))), unknown: null };
}

function namesOf(members: readonly JsonSchema[]): string[] {
  return [...new Set(members.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])))];
}

/**
 * Writes a path in the form that `findUnknownField` reads: without arrays (`data[].total`), and in full where only one member can be meant (`total`).
 * If several members have the name, the only member that is nearest to the top is meant.
 */
export function completePath(schema: ObjectSchema, given: string): string {
  if (given.length > MAX_FIELD_LENGTH) return given;
  const field = given.trim().replace(/^\$\.?|\[[^\]]*\]/g, '');
  if (field === '' || findUnknownField(schema, [field]) === null) return field;
  const wanted = plain(field).split('.');
  const depthOf = (path: readonly string[]) => path.length;
  const meant = pathsOf(schema).filter((path) => plain(path.slice(-wanted.length).join('.')) === wanted.join('.'));
  // A path of an item whose last members no schema lists.
  const below =
    meant.length > 0 ? [] : pathsOf(schema).filter((path) => path.length <= 2 && goesOn(schema, path, field));
  const found = [...meant, ...below.map((path) => [...path, field])];
  const least = Math.min(...found.map(depthOf));
  const [path, another] = found.filter((one) => depthOf(one) === least);
  return path === undefined || another !== undefined ? field : path.join('.');
}

/** True if a place lists the first member of a path, and nothing refuses the others. */
function goesOn(schema: ObjectSchema, place: readonly string[], field: string): boolean {
  const { unknown, passed } = followPath(schema, [...place, field].join('.'));
  return unknown === null && passed.length > place.length;
}

/** The paths of a call, which may also be in one text, separated by commas. */
export function completePaths(schema: ObjectSchema, fields: readonly unknown[]): string[] {
  const given = fields.flatMap((field) => String(field).split(','));
  return given.length > MAX_FIELDS ? given : given.map((field) => completePath(schema, field));
}

function plain(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}

const MAX_PATH_DEPTH = 5;

/** Paths of the listed members. */
function pathsOf(root: ObjectSchema, place: JsonSchema = root, above: readonly string[] = []): string[][] {
  if (above.length === MAX_PATH_DEPTH) return [];
  const members = objectsAt(root, place).flatMap(({ properties }) => Object.entries(properties ?? {}));
  return [...new Map(members)].flatMap(([name, member]) => {
    const path = [...above, name];
    return [path, ...(isSchema(member) ? pathsOf(root, member, path) : [])];
  });
}

/** The object schemas of a place; for an array, those of its elements. */
function objectsAt(root: ObjectSchema, place: JsonSchema, depth = 0): readonly JsonSchema[] {
  return branches(root, place).flatMap((schema) => {
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

function shown(text: string): string {
  return JSON.stringify(text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`);
}

/** Members to keep below each name, or null to keep everything. */
type Kept = Map<string, Kept | null>;

/** Returns a function that selects the members that a call gets: those of `keep`, reduced to the requested ones. Null if the call gets all. */
export function projectionOf(
  tool: Pick<Tool, 'page'>,
  keep: readonly string[] | undefined,
  fields: readonly string[] | null,
): ((answer: Record<string, unknown>) => Record<string, unknown>) | null {
  if (keep === undefined) return fields === null ? null : createProjection(tool, fields);
  const kept = createProjection(tool, keep);
  if (fields === null) return kept;
  const asked = createProjection(tool, fields);
  return (answer) => asked(kept(answer));
}

/**
 * Creates a function that keeps the members on these paths, and those that say how the list continues.
 *
 * Inside an array, an object without kept members becomes `{}`, so that the other elements keep their places.
 */
export function createProjection(
  tool: Pick<Tool, 'page'>,
  fields: readonly string[],
): (answer: Record<string, unknown>) => Record<string, unknown> {
  const paging = pagePointers(tool.page).map(parsePointer);
  const kept: Kept = new Map();
  for (const path of [...fields.map((field) => field.split('.')), ...paging, ['page']]) add(kept, path);
  return (answer) => project(answer, kept) as Record<string, unknown>;
}

/** The places of an answer that say how its list continues. */
function pagePointers(page: PageRule | undefined): readonly string[] {
  const rule: Readonly<Record<string, unknown>> = { ...page };
  return ['next', 'more', 'total', 'pages'].flatMap((name) => (typeof rule[name] === 'string' ? [rule[name]] : []));
}

function add(kept: Kept, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const below = kept.get(name);
  if (rest.length === 0) kept.set(name, null);
  else if (below !== null) {
    const inner = below ?? new Map();
    kept.set(name, inner);
    add(inner, rest);
  }
}

function project(value: unknown, kept: Kept): unknown {
  if (Array.isArray(value)) return value.map((element) => project(element, kept));
  if (!isContainer(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const below = kept.get(name);
    if (below === undefined) return [];
    return [[name, below === null ? member : project(member, below)] as const];
  });
  return Object.fromEntries(members);
}
