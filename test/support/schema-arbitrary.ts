/** A fast-check arbitrary of values that fit a JSON Schema: what a model could send, including limits and odd text. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import fc, { type Arbitrary } from 'fast-check';
import { isObject, type JsonObject, readPointer } from '../../sandbox/json.ts';

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

export interface SchemaArbitraryOptions {
  /** The document that `$ref` points into. Default: the schema itself. */
  readonly root?: JsonObject;
  /** Strings without a format or pattern in the schema. Default: any Unicode text, `textArbitrary`. */
  readonly text?: Arbitrary<string>;
  /** Names of members that no schema declares. Default: any text. */
  readonly names?: Arbitrary<string>;
  /** Values for a schema with requirements that it does not express; null: use the schema alone. */
  readonly special?: (schema: JsonObject) => Arbitrary<unknown> | null;
}

/** Text that serializers, decoders and template languages often get wrong; shrinks towards the first. */
const AWKWARD_TEXTS = [
  ...['', ' ', ' a ', 'a b', 'a+b', 'a,b', 'a|b', 'a;b', 'a/b', 'a\\b', '"a"', "it's", 'a=b&c=d', '?a#b', '%', '%2F'],
  ...['a%20b', '{a}', '[0]', '$(a)', '<b>', '-', '..a', '0', '1e3', 'true', 'null', '{}', '[]', 'undefined', '\u0000'],
  ...[
    'a\nb',
    '\t',
    '\ufeff',
    'é',
    'e\u0301',
    'ß',
    '中文',
    'עברית',
    '\u202e',
    '👩‍👩‍👧',
    '😀',
    '__proto__',
    'constructor',
  ],
];
/** Larger integers lose digits in JSON, so no tool accepts them. */
const { MAX_SAFE_INTEGER } = Number;
/** Maximum size of generated arrays, strings and objects where the schema allows more. */
const HEALTHY_LENGTH = 40;
const FEW = 5;
const MAX_DEPTH = 6;

export const textArbitrary: Arbitrary<string> = fc.oneof(
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }), weight: 3 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }), weight: 1 },
  { arbitrary: fc.nat(AWKWARD_TEXTS.length - 1).map((at) => AWKWARD_TEXTS[at] ?? ''), weight: 3 },
);

/**
 * Every value fits the schema and survives JSON: own properties, no `-0`, no numbers that lose digits.
 *
 * Values are generated from `$ref`, `type`, `enum`, `const`, `allOf`, `anyOf`, `oneOf`, and the keywords of each type.
 * Any other keyword, such as `not`, only filters generated values.
 */
export function schemaArbitrary(schema: JsonObject, options: SchemaArbitraryOptions = {}): Arbitrary<unknown> {
  const root = options.root ?? schema;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ownProperties: true });
  addFormats(ajv);
  const context: Context = {
    root,
    text: options.text ?? textArbitrary,
    names: options.names ?? textArbitrary,
    special: options.special ?? (() => null),
    fits: (part) => {
      const validate = ajv.compile({ ...part, $defs: root.$defs ?? {} });
      return (value) => validate(value) === true;
    },
  };
  return build(schema, context, 0)
    .map((value): unknown => JSON.parse(JSON.stringify(value)))
    .filter(context.fits(schema));
}

interface Context {
  readonly root: JsonObject;
  readonly text: Arbitrary<string>;
  readonly names: Arbitrary<string>;
  readonly special: (schema: JsonObject) => Arbitrary<unknown> | null;
  fits(schema: JsonObject): (value: unknown) => boolean;
}

function build(given: JsonObject, context: Context, depth: number): Arbitrary<unknown> {
  const schema = flatten(given, context.root);
  const special = context.special(schema);
  if (special !== null) return special;
  const { anyOf, oneOf, not, ...rest } = schema;
  if (not !== undefined) return build({ ...rest, anyOf, oneOf }, context, depth).filter(context.fits(schema));
  if (Array.isArray(anyOf))
    return oneOfAll(anyOf.map((branch) => build(merge({ ...rest, oneOf }, branch), context, depth)));
  if (Array.isArray(oneOf)) {
    const branches = oneOf.map((_, at) => build(onlyBranch(rest, oneOf, at), context, depth));
    return oneOfAll(branches).filter(context.fits(schema));
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  const types = typesOf(schema);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum.filter(context.fits({ type: types })));
  return oneOfAll(types.map((type) => buildType(type, schema, context, depth)));
}

function buildType(type: string, schema: JsonObject, context: Context, depth: number): Arbitrary<unknown> {
  if (type === 'string') return buildText(schema, context);
  if (type === 'integer') return buildInteger(schema);
  if (type === 'number') return buildNumber(schema);
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return buildArray(schema, context, depth);
  return type === 'object' ? buildObject(schema, context, depth) : fc.constant(null);
}

function buildText(schema: JsonObject, { text, fits }: Context): Arbitrary<string> {
  if (schema.contentMediaType === 'application/json') return fc.json();
  const { minLength = 0, maxLength } = schema as { minLength?: number; maxLength?: number };
  const { type: _, ...form } = schema;
  const accepts = fits({ ...form, type: 'string' });
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern, 'u')).filter(accepts);
  const formatted = FORMATS[String(schema.format)];
  if (formatted !== undefined) return formatted.filter(accepts);
  if (minLength <= 1 && maxLength === undefined) return text.filter((drawn) => drawn.length >= minLength);
  const longest = Math.min(maxLength ?? minLength + HEALTHY_LENGTH, Math.max(minLength, HEALTHY_LENGTH * 10));
  const ofLength = (min: number, max: number) => fc.string({ unit: 'binary', minLength: min, maxLength: max });
  return fc.oneof(
    ...(minLength <= 1 ? [text.filter(accepts)] : []),
    ofLength(minLength, Math.min(longest, minLength + HEALTHY_LENGTH)),
    ofLength(minLength, minLength),
    ofLength(longest, longest),
  );
}

const toDate = (date: Date): string => date.toISOString().slice(0, 10);
const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
const FORMATS: Readonly<Record<string, Arbitrary<string>>> = {
  date: dates.map(toDate),
  'date-time': dates.map((date) => date.toISOString()),
  time: dates.map((date) => date.toISOString().slice(11)),
  uri: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  email: fc.emailAddress(),
  uuid: fc.uuid(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  hostname: fc.domain(),
};

function buildInteger(schema: JsonObject): Arbitrary<number> {
  const widest = schema.format === 'int32' ? 2 ** 31 - 1 : MAX_SAFE_INTEGER;
  const step = Number(schema.multipleOf ?? 1);
  const { low, high } = boundsOf(schema, widest, step);
  const [min, max] = [Math.ceil(low / step), Math.floor(high / step)];
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max)).map((count) => count * step);
}

function buildNumber(schema: JsonObject): Arbitrary<number> {
  if (schema.multipleOf !== undefined) return buildInteger(schema);
  const { low: min, high: max } = boundsOf(schema, MAX_SAFE_INTEGER, 0);
  const accepts = (value: number): boolean => value !== schema.exclusiveMinimum && value !== schema.exclusiveMaximum;
  const fractions = fc.double({ min, max, noNaN: true }).filter(accepts);
  const first = accepts(Math.ceil(min)) ? Math.ceil(min) : Math.ceil(min) + 1;
  const last = accepts(Math.floor(max)) ? Math.floor(max) : Math.floor(max) - 1;
  return first > last ? fractions : fc.oneof(fractions, fc.integer({ min: first, max: last }));
}

/** @param step how far an exclusive bound is from the first value that it allows */
function boundsOf(schema: JsonObject, widest: number, step: number): { low: number; high: number } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<string, number | undefined>;
  return {
    low: Math.max(-widest, minimum ?? -Infinity, (exclusiveMinimum ?? -Infinity) + step),
    high: Math.min(widest, maximum ?? Infinity, (exclusiveMaximum ?? Infinity) - step),
  };
}

function buildArray(schema: JsonObject, context: Context, depth: number): Arbitrary<unknown[]> {
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
  const items =
    isObject(schema.items) && depth < MAX_DEPTH ? build(schema.items, context, depth + 1) : anyJson(context);
  const ofLength = (minLength: number, maxLength: number): Arbitrary<unknown[]> =>
    schema.uniqueItems === true
      ? fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) })
      : fc.array(items, { minLength, maxLength });
  const few = depth < MAX_DEPTH ? Math.min(maxItems, minItems + FEW) : minItems;
  const usual = ofLength(minItems, few);
  const least = ofLength(minItems, minItems);
  if (maxItems <= few || maxItems > HEALTHY_LENGTH || schema.uniqueItems === true)
    return fc.oneof({ arbitrary: usual, weight: 4 }, least);
  return fc.oneof({ arbitrary: usual, weight: 4 }, least, ofLength(maxItems, maxItems));
}

function buildObject(schema: JsonObject, context: Context, depth: number): Arbitrary<JsonObject> {
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const usable = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
  const members = usable.map(([name, property]) => [name, build(property as JsonObject, context, depth + 1)] as const);
  const declared = fc.record(Object.fromEntries(members), { requiredKeys: required, noNullPrototype: true });
  const { additionalProperties: open, minProperties = 0 } = schema;
  const freeForm = usable.length === 0 && open !== false;
  if (depth >= MAX_DEPTH || (open === undefined && !freeForm) || open === false)
    return declared as Arbitrary<JsonObject>;
  const others = isObject(open) && Object.keys(open).length > 0 ? build(open, context, depth + 1) : anyJson(context);
  const names = context.names.filter((name) => !Object.hasOwn(properties, name));
  const extras = fc.dictionary(names, others, {
    minKeys: Math.max(0, Number(minProperties) - required.length),
    maxKeys: Math.max(FEW, Number(minProperties)),
    noNullPrototype: true,
  });
  return fc.tuple(declared, extras).map(([first, more]) => withOwn(first as JsonObject, more));
}

/** Any JSON value, shallow. */
function anyJson({ text, names }: Context): Arbitrary<unknown> {
  const leaf = fc.oneof(text, buildInteger({}), buildNumber({}), fc.boolean(), fc.constant(null));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  return value;
}

/** Merges objects as own properties: assignment would set the prototype for a member named `__proto__`. */
function withOwn(...parts: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** One of several arbitraries; shrinks towards the first. */
function oneOfAll(arbitraries: readonly Arbitrary<unknown>[]): Arbitrary<unknown> {
  const [only] = arbitraries;
  if (only !== undefined && arbitraries.length === 1) return only;
  return fc.oneof({ withCrossShrink: true }, ...arbitraries);
}

function typesOf(schema: JsonObject): string[] {
  if (schema.type !== undefined) return [schema.type].flat() as string[];
  if (isObject(schema.properties)) return ['object'];
  if (isObject(schema.items)) return ['array'];
  return ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];
}

/** The schema with its reference followed and its `allOf` merged into it. */
function flatten(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref, allOf, ...rest } = schema;
  const target = typeof $ref === 'string' ? readPointer(root, $ref) : undefined;
  const parts = [...(isObject(target) ? [target] : []), ...(Array.isArray(allOf) ? allOf : [])] as JsonObject[];
  return parts.reduce<JsonObject>((merged, part) => merge(merged, flatten(part, root)), rest);
}

function merge(schema: JsonObject, other: unknown): JsonObject {
  const second = isObject(other) ? other : {};
  const merged: JsonObject = { ...schema, ...second };
  if (isObject(schema.properties)) merged.properties = { ...schema.properties, ...toObject(second.properties) };
  const required = [schema.required, second.required].flatMap((names) => (Array.isArray(names) ? names : []));
  if (required.length > 0) merged.required = [...new Set(required)];
  return merged;
}

/** One branch of a `oneOf`, without the members that would make it fit another branch too. */
function onlyBranch(schema: JsonObject, branches: readonly unknown[], at: number): JsonObject {
  const required = branches.map((branch) =>
    isObject(branch) && Array.isArray(branch.required) ? branch.required : [],
  );
  const own = required[at] ?? [];
  const others = required.flat().filter((name) => !own.includes(name));
  const merged = merge(schema, branches[at]);
  const properties = Object.entries(toObject(merged.properties)).filter(([name]) => !others.includes(name));
  return isObject(merged.properties) ? { ...merged, properties: Object.fromEntries(properties) } : merged;
}

function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
