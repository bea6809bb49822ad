/**
 * Generates arguments from a tool's published input schema alone: by json-schema-faker, checked by Ajv. No code of ours chooses a value.
 */

import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { generateSync, type JsonSchema } from 'json-schema-faker';

export type Arguments = Readonly<Record<string, unknown>>;

const ATTEMPTS = 12;
/** Keywords that json-schema-faker supports; it treats any other keyword as a property. */
const PLAIN = new Set([
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength'],
  ...['maxLength', 'pattern', 'format', 'minItems', 'maxItems', 'uniqueItems', 'required', 'minProperties'],
  ...['maxProperties', '$ref'],
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAPS = new Set(['properties', '$defs', 'patternProperties']);
const SINGLE = new Set(['items', 'additionalProperties']);

const ajv = new Ajv2020({ strict: false, logger: false });
(ajvFormats as unknown as (ajv: Ajv2020) => void)(ajv);

/**
 * @returns null if no attempt fits the schema.
 *
 * @param seed the same seed generates the same arguments. @param extent how many of the optional arguments to include.
 */
export function drawArguments(schema: object, seed: string, extent: 'all' | 'some'): Arguments | null {
  const { $defs, ...own } = schema as Record<string, unknown>;
  const fits = ajv.compile({ ...own, $defs: $defs ?? {} });
  const drawable = toDrawable(schema) as JsonSchema;
  const start = createHash('sha256').update(seed).digest().readUInt32BE();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const drawn = drawOnce(drawable, start + attempt, extent === 'all' && attempt < ATTEMPTS / 2);
    if (drawn !== null && fits(drawn)) return drawn as Arguments;
  }
  return null;
}

function drawOnce(schema: JsonSchema, seed: number, alwaysFakeOptionals: boolean): unknown {
  try {
    const drawn = generateSync(schema, {
      seed,
      alwaysFakeOptionals,
      optionalsProbability: 0.4,
      minItems: 1,
      maxItems: 2,
      maxDepth: 6,
      refDepthMax: 3,
      minDateTime: '2025-01-01',
      maxDateTime: '2026-01-01',
    });
    return JSON.parse(JSON.stringify(drawn));
  } catch {
    return null;
  }
}

/** The schema without keywords that json-schema-faker would treat as property names. */
function toDrawable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(withText(value)).flatMap(([keyword, inner]): [string, unknown][] => {
      if (PLAIN.has(keyword)) return [[keyword, inner]];
      if (SINGLE.has(keyword)) return [[keyword, toDrawable(inner)]];
      if (LISTS.has(keyword) && Array.isArray(inner)) return [[keyword, inner.map(toDrawable)]];
      if (!MAPS.has(keyword) || typeof inner !== 'object' || inner === null) return [];
      return [[keyword, Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, toDrawable(one)]))]];
    }),
  );
}

/** Valid base64 where it is required, an example where no keyword constrains a string, and no empty strings. */
function withText(schema: object): object {
  const {
    type,
    contentEncoding,
    examples,
    enum: values,
    pattern,
    format,
  } = schema as Readonly<Record<string, unknown>>;
  if (type !== 'string') return schema;
  if (contentEncoding === 'base64') return { const: 'Y29ycHVz' };
  const isPlain = values === undefined && pattern === undefined && format === undefined;
  if (isPlain && Array.isArray(examples) && typeof examples[0] === 'string') return { const: examples[0] };
  return 'minLength' in schema || values !== undefined ? schema : { ...schema, minLength: 1 };
}
