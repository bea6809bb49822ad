/** Keeps input schemas within their size limits: shares parts, cuts texts, and then opens the deepest parts. */

import { charsOf, isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { remember } from '../../remember.ts';
import { type Reporter, toShortList } from '../problems.ts';
import { measureDepth } from '../profiles/facts.ts';
import { mapChildren } from '../schema/walk.ts';
import { toShortText } from '../words/texts.ts';
import { type OpenedSchema, openDeepest } from './open.ts';
import { SMALL_SHARED_CHARS, shareParts } from './share.ts';

/** Longest input schema in characters of JSON, about 3,700 tokens: a model reads it with every list of tools. */
const MAX_INPUT_SCHEMA_CHARS = 16_000;
/** Maximum nesting of objects, including the root: OpenAI's limit for tools in strict mode. */
const MAX_INPUT_DEPTH = 10;

/** Maximum lengths of the descriptor's texts, in characters. */
interface TextLimits {
  /** Of an argument. */
  readonly argument: number;
  /** Of anything inside an argument. */
  readonly inner: number;
}

/** Tried in this order before structure is given up. */
const TEXT_LIMITS: readonly TextLimits[] = [
  { argument: Number.POSITIVE_INFINITY, inner: 240 },
  { argument: Number.POSITIVE_INFINITY, inner: 120 },
  { argument: 240, inner: 120 },
];
/** For a schema whose arguments alone, with everything in them left open, are too long. */
const LAST_TEXT_LIMITS: TextLimits = { argument: 80, inner: 40 };

/** Arguments that connector.yaml configures, by name. */
export interface ConfiguredArguments {
  /** Arguments whose description is in connector.yaml. */
  readonly texts: ReadonlySet<string>;
  /** Arguments whose whole schema is in connector.yaml. */
  readonly schemas: ReadonlySet<string>;
}

/**
 * The purpose of a tool's schemas: to be published, within their size limits; to be compared, of any size; or to draft a first connector.yaml from, of
 * any size, with nothing shared and only the first levels of outputs.
 */
export type SchemaFit = 'published' | 'whole' | 'draft';

/** The owner of a schema, for diagnostics. */
interface Subject {
  readonly tool: string;
  /** RFC 6901 pointer of its operation in the descriptor. */
  readonly pointer: string;
  readonly report: Reporter;
  readonly fit: SchemaFit;
}

/** A published input schema. */
interface FittedSchema {
  readonly schema: Schema;
  /** True if it may accept more than the schema before. */
  readonly isOpened: boolean;
}

/**
 * The input schema as published: parts that are used more than once are in `$defs`, and the whole is within
 * `MAX_INPUT_SCHEMA_CHARS` and `MAX_INPUT_DEPTH`.
 *
 * Steps for a schema over its size limit, until it fits: share smaller parts, which loses nothing; cut long texts inside
 * arguments, then of arguments; and only then give up structure, the deepest first (`openDeepest`). Every valid value
 * stays valid, and texts of connector.yaml are never cut. Arguments are never left out, so a tool with very many of
 * them can stay over the limit. Reports `input-schema-shortened` or `input-schema-opened` with the sizes before and
 * after.
 */
export function fitInputSchema(root: Schema, configured: ConfiguredArguments, subject: Subject): FittedSchema {
  if (subject.fit === 'draft') return { schema: root, isOpened: false };
  const shared = shareParts(root);
  if (subject.fit === 'whole' || fits(shared)) return { schema: shared, isOpened: false };
  let limits: TextLimits | undefined;
  let short = shareParts(root, SMALL_SHARED_CHARS);
  for (const next of TEXT_LIMITS) {
    if (isShort(short)) break;
    limits = next;
    short = shareParts(cutTexts(root, limits, configured), SMALL_SHARED_CHARS);
  }
  let isOpened = !fits(short);
  let result: OpenedSchema = isOpened ? openParts(short, configured) : { schema: short, open: [] };
  if (!isShort(result.schema)) {
    isOpened = true;
    limits = LAST_TEXT_LIMITS;
    result = openParts(shareParts(cutTexts(root, limits, configured), SMALL_SHARED_CHARS), configured);
  }
  reportLosses(subject, shared, result, limits);
  return { schema: result.schema, isOpened };
}

function isShort(schema: Schema): boolean {
  return charsOf(schema) <= MAX_INPUT_SCHEMA_CHARS;
}

function fits(schema: Schema): boolean {
  return isShort(schema) && measureDepth(schema) <= MAX_INPUT_DEPTH;
}

/** The same schema with shorter texts, except those of connector.yaml. */
function cutTexts(root: Schema, limits: TextLimits, { texts, schemas }: ConfiguredArguments): Schema {
  const cache = new Map<Schema, Schema>();
  const cutInner = (schema: Schema): Schema =>
    remember(cache, schema, () => mapChildren(cutText(schema, limits.inner), cutInner));
  const cutArgument = (name: string, argument: Schema): Schema => {
    if (schemas.has(name)) return argument;
    return mapChildren(texts.has(name) ? argument : cutText(argument, limits.argument), cutInner);
  };
  const result: Record<string, unknown> = { ...root };
  if (isRecord(root.properties)) result.properties = mapMembers(root.properties, cutArgument);
  if (isRecord(root.$defs)) result.$defs = mapMembers(root.$defs, (_, body) => cutInner(body));
  return result;
}

function mapMembers(members: Schema, map: (name: string, schema: Schema) => Schema): Schema {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, map(name, schema as Schema)]));
}

function cutText(schema: Schema, limit: number): Schema {
  const { description } = schema;
  if (typeof description !== 'string' || description.length <= limit) return schema;
  return { ...schema, description: toShortText(description, limit) };
}

/** Opens parts until the schema fits, and shares what is left. */
function openParts(schema: Schema, { schemas }: ConfiguredArguments): OpenedSchema {
  const { schema: opened, open } = openDeepest(schema, schemas, fits);
  const shared = shareParts(opened, SMALL_SHARED_CHARS);
  return { schema: fits(shared) ? shared : opened, open };
}

function reportLosses(
  { tool, pointer, report }: Subject,
  before: Schema,
  { schema, open }: OpenedSchema,
  limits: TextLimits | undefined,
): void {
  const sizes =
    `The input schema of ${tool} had ${charsOf(before)} characters of at most ${MAX_INPUT_SCHEMA_CHARS} and ` +
    `${measureDepth(before)} objects inside one another of at most ${MAX_INPUT_DEPTH}; it has ${charsOf(schema)} and ${measureDepth(schema)} now`;
  const texts = limits === undefined ? '' : `, with texts of at most ${limits.inner} characters inside its arguments`;
  if (open.length === 0) {
    if (limits !== undefined) report.descriptor('input-schema-shortened', pointer, `${sizes}${texts}.`);
    return;
  }
  const partCount = open.length === 1 ? '1 part' : `${open.length} parts`;
  report.descriptor(
    'input-schema-opened',
    pointer,
    `${sizes}${texts} and ${partCount} left open: ${toShortList(open)}.`,
  );
}
