/** Publishes what an upstream answers: one object, open to everything that the upstream may add. */

import { pointerTokens } from '../json-pointer.ts';
import type { OperationModel, Schema } from '../model/types.ts';
import { isJsonMediaType } from './media-types.ts';
import { nameDefinitions, type RefGraph } from './refs.ts';
import type { Shape, ShapeReader } from './relax.ts';
import { byCodeUnit, refOf } from './schema.ts';

/** Longest output schema in characters of JSON: a list of tools is read by models, which pay for every character. */
export const MAX_OUTPUT_SCHEMA_CHARS = 8_000;
/** Levels that are written when the whole schema is too long; fewer until it fits, at last none. */
export const MAX_SHORTENED_DEPTH = 5;

/** What answers of an operation look like. */
export interface OutputSchema {
  readonly schema: Schema;
  /** True: an answer whose root is an array is published as `{items: [...]}`. */
  readonly wrapItems: boolean;
}

/** Schemas of the JSON bodies of all 2xx answers, in the descriptor's order; media types without a schema are left out. */
export function answerSchemas(operation: OperationModel): readonly Schema[] {
  return operation.responses
    .filter(({ status }) => /^2/.test(status))
    .flatMap(({ contents }) => contents.filter(({ mediaType }) => isJsonMediaType(mediaType)))
    .flatMap(({ schema }) => (schema === null ? [] : [schema]));
}

/**
 * The output schema of an operation.
 *
 * Root `type: object`; no `required`, closed values, formats or bounds; everything may be null. All 2xx JSON answers
 * are united. An answer that is too long to publish loses its descriptions first, then its deeper levels.
 *
 * @param rows pointer of the arrays of cells that are published as objects keyed by column, or null
 * @param hasPages adds `page.nextArguments`
 */
export function buildOutputSchema(
  operation: OperationModel,
  graph: RefGraph,
  read: ShapeReader,
  options: { readonly rows: string | null; readonly hasPages: boolean },
): OutputSchema {
  const answers = answerSchemas(operation);
  const united: Schema = answers.length === 1 ? (answers[0] ?? {}) : { anyOf: answers };
  const shapes = answers.map(read);
  const wrapItems = shapes.some((shape) => shape.kind === 'array');
  const root = toRoot(shapes, wrapItems, united);
  const members = options.rows === null ? root : withRows(root, pointerTokens(options.rows), read);
  const extra = options.hasPages ? { page: PAGE_SCHEMA } : {};
  return { schema: writeRoot(members, extra, graph, read), wrapItems };
}

const PAGE_SCHEMA: Schema = {
  type: ['object', 'null'],
  properties: {
    nextArguments: {
      type: ['object', 'null'],
      description: 'Arguments for the call that gets the next page; null at the end.',
    },
  },
};

type ObjectShape = Extract<Shape, { kind: 'object' }>;

function toRoot(shapes: readonly Shape[], wrapItems: boolean, source: Schema): ObjectShape {
  const objects = shapes.filter((shape) => shape.kind === 'object');
  const arrays = shapes.filter((shape) => shape.kind === 'array');
  const properties = new Map<string, Schema>();
  const add = (name: string, schema: Schema) => {
    const before = properties.get(name);
    properties.set(name, before === undefined || before === schema ? schema : { anyOf: [before, schema] });
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

/** The shape with the array at a pointer made an array of objects. */
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
  graph: RefGraph,
  read: ShapeReader,
): Schema {
  const roots = [...root.properties.map(([, schema]) => schema), ...(root.values === null ? [] : [root.values])];
  const names = nameDefinitions(roots, graph);
  const attempts: readonly Settings[] = [
    { names, hasTexts: true, depth: Number.POSITIVE_INFINITY },
    { names, hasTexts: false, depth: Number.POSITIVE_INFINITY },
    ...Array.from({ length: MAX_SHORTENED_DEPTH }, (_, index) => ({
      names: new Map<string, string>(),
      hasTexts: false,
      depth: MAX_SHORTENED_DEPTH - index,
    })),
  ];
  for (const settings of attempts) {
    const schema = attempt(root, extra, settings, graph, read);
    if (schema !== null) return schema;
  }
  return { type: 'object', ...(Object.keys(extra).length === 0 ? {} : { properties: extra }) };
}

interface Settings {
  /** References that become local definitions. */
  readonly names: ReadonlyMap<string, string>;
  readonly hasTexts: boolean;
  readonly depth: number;
}

/** The whole schema under some settings, or null where it is too long. */
function attempt(
  root: ObjectShape,
  extra: Readonly<Record<string, Schema>>,
  { names, hasTexts, depth: maxDepth }: Settings,
  graph: RefGraph,
  read: ShapeReader,
): Schema | null {
  const definitions = new Map<string, Schema>();
  let room = MAX_OUTPUT_SCHEMA_CHARS;

  const write = (schema: Schema, depth: number): Schema => {
    if (room < 0) return {};
    const ref = aliasOf(schema);
    const name = ref === null ? undefined : names.get(ref);
    if (ref !== null && name !== undefined) return { $ref: define(ref, name) };
    return writeShape(read(schema), depth);
  };

  const define = (ref: string, name: string): string => {
    room -= name.length + 24;
    if (!definitions.has(name)) {
      definitions.set(name, {});
      definitions.set(name, writeShape(read(graph.resolve(ref)), 0));
    }
    return `#/$defs/${name}`;
  };

  const writeShape = (shape: Shape, depth: number): Schema => {
    const text = hasTexts && shape.description !== '' ? { description: shape.description } : {};
    room -= 24 + (hasTexts ? shape.description.length : 0);
    if (shape.kind === 'any') return text;
    if (shape.kind === 'scalar') return { type: [...toWide(shape.types), 'null'], ...text };
    if (shape.kind === 'array') {
      const items = depth >= maxDepth ? {} : write(shape.items, depth + 1);
      return { type: ['array', 'null'], ...text, items };
    }
    return { type: ['object', 'null'], ...text, ...(depth >= maxDepth ? {} : writeMembers(shape, depth + 1)) };
  };

  const writeMembers = (shape: ObjectShape, depth: number): Schema => {
    const members = shape.properties.map(([name, schema]) => {
      room -= name.length + 4;
      return [name, write(schema, depth)] as const;
    });
    return {
      ...(members.length === 0 ? {} : { properties: Object.fromEntries(members) }),
      ...(shape.values === null ? {} : { additionalProperties: write(shape.values, depth) }),
    };
  };

  const { properties, ...rest } = writeMembers(root, 1);
  const all = { ...(properties as Readonly<Record<string, Schema>> | undefined), ...extra };
  const sorted = [...definitions].sort(([a], [b]) => byCodeUnit(a, b));
  const schema: Schema = {
    type: 'object',
    ...(Object.keys(all).length === 0 ? {} : { properties: all }),
    ...rest,
    ...(sorted.length === 0 ? {} : { $defs: Object.fromEntries(sorted) }),
  };
  return room >= 0 && JSON.stringify(schema).length <= MAX_OUTPUT_SCHEMA_CHARS ? schema : null;
}

/** The reference of a schema that is nothing else, or `allOf` of nothing else. */
function aliasOf(schema: Schema): string | null {
  const ref = refOf(schema);
  return ref !== null && Object.keys(schema).every((key) => key === '$ref' || key === 'description') ? ref : null;
}

function toWide(types: readonly string[]): readonly string[] {
  return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
}
