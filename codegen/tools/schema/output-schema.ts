/** Publishes the answers of an upstream as one object, open to everything that the upstream may add. */

import { byCodeUnit, charsOf } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import type { Schema } from '../../model/types.ts';
import { refOf } from './readers.ts';
import { nameDefinitions, type RefGraph } from './refs.ts';
import type { Shape, ShapeReader } from './relax.ts';

/** By level of detail: characters of JSON, for which models pay in lists of tools, and levels of objects below the root. Deeper ones stay open. */
const OUTPUT_LIMITS = {
  /** The answer, and the objects in it or in its lists. */
  brief: { maxChars: 8_000, maxDepth: 2 },
  full: { maxChars: 8_000, maxDepth: 12 },
  /** A schema that is only compared. */
  whole: { maxChars: 2_000_000, maxDepth: 40 },
};

/** Reserved for the punctuation around definitions. */
const DEFINITIONS_CHARS = 200;

/** The level of detail of an answer's schema: everything, all that fits, its upper levels, or nothing. */
export type OutputDetail = 'whole' | 'full' | 'brief' | 'none';

/** Describes the answers of an operation. */
interface OutputSchema {
  readonly schema: Schema;
  /** True: an answer whose root is an array is published as `{items: [...]}`. */
  readonly wrapItems: boolean;
  /** True: answers are objects with known members, but the schema does not name them. */
  readonly hidesMembers: boolean;
}

/**
 * The output schema of answers with these schemas.
 *
 * Root `type: object`; no `required`, closed values, formats or bounds. Everything may be null, without stating so:
 * `properties`, `additionalProperties` and `items` imply an object or an array and allow null, and a member without a
 * type is text. Numbers and booleans state their type, including null. All 2xx JSON answers are united. An answer that
 * is too long to publish loses its descriptions first, then the members of its deepest objects.
 *
 * @param rows pointer of the arrays of cells that are published as objects keyed by column, or null
 * @param isPaged whether `page.nextArguments` is added, which the server's instructions explain
 */
export function buildOutputSchema(
  answers: readonly Schema[],
  graph: RefGraph,
  read: ShapeReader,
  options: {
    readonly rows: string | null;
    readonly isPaged: boolean;
    readonly detail: OutputDetail;
  },
): OutputSchema {
  const unitedSchema: Schema = answers.length === 1 ? (answers[0] ?? {}) : { anyOf: answers };
  const shapes = answers.map(read);
  const wrapItems = shapes.some((shape) => shape.kind === 'array');
  const root = toRoot(shapes, wrapItems, unitedSchema);
  if (options.detail === 'none') {
    return { schema: { type: 'object' }, wrapItems, hidesMembers: root.properties.length > 0 };
  }
  const members = options.rows === null ? root : withRows(root, pointerTokens(options.rows), read);
  const extra = options.isPaged ? { page: { properties: { nextArguments: { additionalProperties: {} } } } } : {};
  return { schema: writeRoot(members, extra, options.detail, { graph, read }), wrapItems, hidesMembers: false };
}

type ObjectShape = Extract<Shape, { kind: 'object' }>;

function toRoot(shapes: readonly Shape[], wrapItems: boolean, source: Schema): ObjectShape {
  const objects = shapes.filter((shape) => shape.kind === 'object');
  const arrays = shapes.filter((shape) => shape.kind === 'array');
  const properties = new Map<string, Schema>();
  const add = (name: string, schema: Schema) => {
    const existing = properties.get(name);
    properties.set(name, existing === undefined || existing === schema ? schema : { anyOf: [existing, schema] });
  };
  if (wrapItems)
    add('items', {
      type: 'array',
      items: arrays.length === 1 ? (arrays[0]?.items ?? {}) : { anyOf: arrays.map(({ items }) => items) },
    });
  for (const shape of objects) for (const [name, schema] of shape.properties) add(name, schema);
  const values = properties.size === 0 && objects.length === 1 ? (objects[0]?.values ?? null) : null;
  return { kind: 'object', properties: [...properties], values, description: '', source };
}

/** The shape with the array at a pointer turned into an array of objects. */
function withRows(shape: ObjectShape, tokens: readonly string[], read: ShapeReader): ObjectShape {
  const [token, ...rest] = tokens;
  const properties = shape.properties.map(([name, schema]) => {
    if (name !== token) return [name, schema] as const;
    if (rest.length === 0) return [name, { type: 'array', items: { type: 'object' }, description: ROWS_TEXT }] as const;
    const inner = read(schema);
    return [name, inner.kind === 'object' ? toPlainSchema(withRows(inner, rest, read)) : schema] as const;
  });
  return { ...shape, properties };
}

const ROWS_TEXT = 'One object a row, keyed by column name.';

function toPlainSchema(shape: ObjectShape): Schema {
  return { type: 'object', properties: Object.fromEntries(shape.properties), description: shape.description };
}

function writeRoot(
  root: ObjectShape,
  extra: Readonly<Record<string, Schema>>,
  detail: Exclude<OutputDetail, 'none'>,
  { graph, read }: { readonly graph: RefGraph; readonly read: ShapeReader },
): Schema {
  const names = nameDefinitions(childrenOf(root), graph);
  const settings = { ...OUTPUT_LIMITS[detail], names, graph, read };
  const withTexts = writeLevels(root, extra, { ...settings, hasTexts: true });
  return withTexts.isComplete ? withTexts.schema : writeLevels(root, extra, { ...settings, hasTexts: false }).schema;
}

function childrenOf(shape: ObjectShape): readonly Schema[] {
  const members = shape.properties.map(([, schema]) => schema);
  return shape.values === null ? members : [...members, shape.values];
}

interface Settings {
  readonly hasTexts: boolean;
  readonly maxDepth: number;
  readonly maxChars: number;
  /** References that become local definitions. */
  readonly names: ReadonlyMap<string, string>;
  readonly graph: RefGraph;
  readonly read: ShapeReader;
}

/** An object that is written without its members so far. */
interface UnwrittenObject {
  readonly shape: ObjectShape;
  readonly target: Record<string, unknown>;
  readonly depth: number;
}

/**
 * Writes a schema level by level, so that the deepest parts are the ones that do not fit: an object whose members do
 * not fit stays open.
 */
function writeLevels(
  root: ObjectShape,
  extra: Readonly<Record<string, Schema>>,
  { hasTexts, maxDepth, maxChars, names, graph, read }: Settings,
): { readonly schema: Schema; readonly isComplete: boolean } {
  const definitions = new Map<string, Schema>();
  const schema: Record<string, unknown> = { type: 'object' };
  let remainingChars = maxChars - charsOf(extra) - DEFINITIONS_CHARS;
  let isComplete = true;
  let unwritten: readonly UnwrittenObject[] = [{ shape: root, target: schema, depth: 1 }];

  const openMembers = ({ shape, target, depth }: UnwrittenObject): readonly UnwrittenObject[] => {
    const deeperObjects: UnwrittenObject[] = [];
    const newDefinitions = new Map<string, Schema>();
    const writeMember = (member: Schema): Schema => {
      const ref = plainReferenceOf(member);
      const name = ref === null ? undefined : names.get(ref);
      if (ref === null || name === undefined) return writeShape(read(member));
      if (!definitions.has(name) && !newDefinitions.has(name)) {
        newDefinitions.set(name, {});
        newDefinitions.set(name, writeShape(read(graph.resolve(ref))));
      }
      return { $ref: `#/$defs/${name}` };
    };
    const writeShape = (inner: Shape): Schema => {
      const text = hasTexts && inner.description !== '' ? { description: inner.description } : {};
      if (inner.kind === 'any') return text;
      if (inner.kind === 'scalar') return { ...toStatedType(inner.types), ...text };
      if (inner.kind === 'array') return { ...text, items: writeMember(inner.items) };
      const objectSchema = { ...text, additionalProperties: {} };
      if (childrenOf(inner).length > 0) deeperObjects.push({ shape: inner, target: objectSchema, depth: depth + 1 });
      return objectSchema;
    };
    const members: Record<string, unknown> = {};
    if (shape.properties.length > 0) {
      members.properties = Object.fromEntries(shape.properties.map(([name, member]) => [name, writeMember(member)]));
    }
    if (shape.values !== null) members.additionalProperties = writeMember(shape.values);
    const cost =
      charsOf(members) + [...newDefinitions].reduce((sum, [name, body]) => sum + name.length + charsOf(body), 0);
    if (depth > maxDepth) return [];
    if (cost > remainingChars) {
      isComplete = false;
      return [];
    }
    remainingChars -= cost;
    if (depth > 1) delete target.additionalProperties;
    Object.assign(target, members);
    for (const [name, body] of newDefinitions) definitions.set(name, body);
    return deeperObjects;
  };

  while (unwritten.length > 0) unwritten = unwritten.flatMap(openMembers);
  if (Object.keys(extra).length > 0) schema.properties = { ...(schema.properties as Schema), ...extra };
  const sorted = [...definitions].sort(([a], [b]) => byCodeUnit(a, b));
  if (sorted.length > 0) schema.$defs = Object.fromEntries(sorted);
  return { schema, isComplete };
}

/** The reference of a schema that is only a reference, with or without a description. */
function plainReferenceOf(schema: Schema): string | null {
  const ref = refOf(schema);
  return ref !== null && Object.keys(schema).every((key) => key === '$ref' || key === 'description') ? ref : null;
}

/** A member without a type is text. */
function toStatedType(types: readonly string[]): Schema {
  return types.every((type) => type === 'string') ? {} : { type: [...toWide(types), 'null'] };
}

function toWide(types: readonly string[]): readonly string[] {
  return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
}
