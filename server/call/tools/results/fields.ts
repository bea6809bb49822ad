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
    if (field.length > MAX_FIELD_LENGTH)
      return `"fields" names ${shown(field)}: a path has ${MAX_FIELD_LENGTH} characters at most.`;
    let places: readonly JsonSchema[] = [schema];
    const passed: string[] = [];
    for (const name of field.split('.')) {
      const members = places.flatMap((place) => objectsAt(schema, place));
      const listed = members.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : []));
      if (listed.length === 0) break;
      const next = members.flatMap((member) => memberOf(member, name));
      if (next.length === 0) return describeUnknown(field, name, passed, [...new Set(listed)]);
      passed.push(name);
      places = next;
    }
  }
  return null;
}

/**
 * Writes a path as `findUnknownField` wants it: without arrays (`data[].total`), and in full where only one member is meant (`total`).
 * Of several members with the name, the only one that is nearest to the top is meant.
 */
function completePath(schema: ObjectSchema, given: string): string {
  const field = given.trim().replace(/^\$\.?|\[[^\]]*\]/g, '');
  if (field === '' || field.length > MAX_FIELD_LENGTH || findUnknownField(schema, [field]) === null) return field;
  const wanted = plain(field).split('.');
  const depthOf = (path: readonly string[]) => path.length;
  const meant = pathsOf(schema).filter((path) => plain(path.slice(-wanted.length).join('.')) === wanted.join('.'));
  const least = Math.min(...meant.map(depthOf));
  const [path, another] = meant.filter((one) => depthOf(one) === least);
  return path === undefined || another !== undefined ? field : path.join('.');
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
export function pathsOf(root: ObjectSchema, place: JsonSchema = root, above: readonly string[] = []): string[][] {
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

function describeUnknown(field: string, name: string, passed: readonly string[], listed: readonly string[]): string {
  const [nearest] = findNearest(name, listed);
  const where = passed.length === 0 ? 'the answer' : `"${passed.join('.')}"`;
  const begin = `"fields" names ${shown(field)}, but ${where} has no member ${shown(name)}.`;
  if (nearest !== undefined) return `${begin} Did you mean "${[...passed, nearest].join('.')}"?`;
  const more = listed.length > MAX_LISTED ? ` and ${listed.length - MAX_LISTED} more` : '';
  return `${begin} Members: ${listed.slice(0, MAX_LISTED).join(', ')}${more}.`;
}

function shown(text: string): string {
  return JSON.stringify(text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`);
}

/** What is kept below each name; null: everything. */
type Kept = Map<string, Kept | null>;

/** Selects the members that a call gets: those of `keep`, reduced to the requested ones. Null: all. */
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
