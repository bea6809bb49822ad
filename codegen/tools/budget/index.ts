/** Keeps input schemas within their budgets: what is given up first, and how it is reported. */

import type { Schema } from '../../model/types.ts';
import { type Reporter, toShortList } from '../problems.ts';
import { measureDepth } from '../profiles/facts.ts';
import { endReferences } from './endless.ts';
import { type FittedSchema, growWithin } from './grow.ts';
import { type PartStore, SMALL_SHARED_CHARS } from './share.ts';
import { type Decided, shortenTexts, type TextLimits } from './shorten.ts';

/** Longest input schema in characters of JSON, about 3,700 tokens: a model reads it with every list of tools. */
const MAX_INPUT_SCHEMA_CHARS = 16_000;
/** Maximum nesting of objects, including the root: OpenAI's limit for tools in strict mode. */
const MAX_INPUT_DEPTH = 10;
/** Limits for texts of the descriptor, tried in this order before structure is given up. */
const TEXT_LIMITS: readonly TextLimits[] = [
  { argument: Number.POSITIVE_INFINITY, inner: 240 },
  { argument: Number.POSITIVE_INFINITY, inner: 120 },
];
const LEAST_TEXT: TextLimits = { argument: 240, inner: 120 };
/** For a schema whose arguments alone, with everything in them left open, are too long. */
const LAST_TEXT_LIMITS: TextLimits = { argument: 80, inner: 40 };

/**
 * What the schemas of a tool are made for: to be published, within their budgets; to be compared, of any size; or to
 * draft a first connector.yaml from, of any size, with nothing shared and only the first levels of outputs.
 */
export type SchemaFit = 'published' | 'whole' | 'draft';

/** The owner of a schema, for diagnostics. */
export interface Subject {
  readonly tool: string;
  /** RFC 6901 pointer of its operation in the descriptor. */
  readonly pointer: string;
  readonly report: Reporter;
  readonly fit: SchemaFit;
  readonly parts: PartStore;
}

/**
 * The input schema as published: parts that are used more than once are in `$defs`, and the whole is within
 * `MAX_INPUT_SCHEMA_CHARS` and `MAX_INPUT_DEPTH`.
 *
 * Steps for a schema over its budget, until it fits: share smaller parts, which loses nothing; cut long texts inside
 * arguments, then of arguments; and only then give up structure, the deepest first (`growWithin`). Every valid value
 * stays valid, and texts of connector.yaml are never cut. Arguments are never left out, so a tool with very many of
 * them can stay over the budget. Reports `input-schema-shortened` or `input-schema-opened` with the sizes before and
 * after.
 */
export function fitInputSchema(root: Schema, decided: Decided, subject: Subject): Schema {
  const { shareParts, charsOf } = subject.parts;
  if (subject.fit === 'draft') return root;
  const shared = shareParts(endReferences(root));
  if (subject.fit === 'whole') return shared;
  const before = charsOf(shared);
  const depth = measureDepth(shared);
  if (before <= MAX_INPUT_SCHEMA_CHARS && depth <= MAX_INPUT_DEPTH) return shared;
  const compact = shareParts(shared, SMALL_SHARED_CHARS);
  const withTexts = (limits: TextLimits) =>
    shareParts(shortenTexts(compact, limits, decided, subject.parts.shortTexts), SMALL_SHARED_CHARS);
  const fitting = fitTexts(compact, withTexts, charsOf);
  const { schema: short, fits } = fitting;
  let { limits } = fitting;
  let result: FittedSchema = { schema: short, open: [] };
  if (!fits || depth > MAX_INPUT_DEPTH) result = leaveOpen(short, decided, subject.parts);
  if (charsOf(result.schema) > MAX_INPUT_SCHEMA_CHARS) {
    limits = LAST_TEXT_LIMITS;
    result = leaveOpen(withTexts(limits), decided, subject.parts);
  }
  const after = { chars: charsOf(result.schema), depth: measureDepth(result.schema) };
  reportLosses(subject, [{ chars: before, depth }, after], limits, result.open);
  return result.schema;
}

interface Fitting {
  readonly schema: Schema;
  /** Null if nothing is cut. */
  readonly limits: TextLimits | null;
  readonly fits: boolean;
}

/**
 * The schema with as much text as fits, or with `LEAST_TEXT`, which is tried first: if a schema is too long with the
 * shortest texts, it is too long with any.
 */
function fitTexts(
  schema: Schema,
  withTexts: (limits: TextLimits) => Schema,
  charsOf: (schema: Schema) => number,
): Fitting {
  const isShort = (one: Schema): boolean => charsOf(one) <= MAX_INPUT_SCHEMA_CHARS;
  if (isShort(schema)) return { schema, limits: null, fits: true };
  const least = withTexts(LEAST_TEXT);
  if (!isShort(least)) return { schema: least, limits: LEAST_TEXT, fits: false };
  for (const limits of TEXT_LIMITS) {
    const short = withTexts(limits);
    if (isShort(short)) return { schema: short, limits, fits: true };
  }
  return { schema: least, limits: LEAST_TEXT, fits: true };
}

interface Sizes {
  readonly chars: number;
  readonly depth: number;
}

function leaveOpen(schema: Schema, decided: Decided, parts: PartStore): FittedSchema {
  for (let maxLevel = MAX_INPUT_DEPTH; ; maxLevel -= 1) {
    const fitted = fill(schema, maxLevel, decided, parts);
    if (maxLevel === 1 || measureDepth(fitted.schema) <= MAX_INPUT_DEPTH) return fitted;
  }
}

/** Attempts to use the room gained by sharing small parts. */
const MAX_ATTEMPTS = 4;

function fill(schema: Schema, maxLevel: number, decided: Decided, parts: PartStore): FittedSchema {
  let best: FittedSchema | null = null;
  let maxChars = MAX_INPUT_SCHEMA_CHARS;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const fitted = growWithin(schema, { maxChars, maxLevel, whole: decided.schemas, nodes: parts });
    const shared: FittedSchema = { schema: parts.shareParts(fitted.schema, SMALL_SHARED_CHARS), open: fitted.open };
    const left = MAX_INPUT_SCHEMA_CHARS - parts.charsOf(shared.schema);
    if (best === null || (left >= 0 && parts.charsOf(shared.schema) > parts.charsOf(best.schema))) best = shared;
    if (left <= 0) break;
    maxChars += left;
  }
  return best ?? { schema, open: [] };
}

function reportLosses(
  { tool, pointer, report }: Subject,
  [before, after]: readonly [Sizes, Sizes],
  limits: TextLimits | null,
  open: readonly string[],
): void {
  const sizes =
    `The input schema of ${tool} had ${before.chars} characters of at most ${MAX_INPUT_SCHEMA_CHARS} and ` +
    `${before.depth} objects inside one another of at most ${MAX_INPUT_DEPTH}; it has ${after.chars} and ${after.depth} now`;
  const texts = limits === null ? '' : `, with texts of at most ${limits.inner} characters inside its arguments`;
  if (open.length === 0) {
    if (limits !== null) report.descriptor('input-schema-shortened', pointer, `${sizes}${texts}.`);
    return;
  }
  const parts = open.length === 1 ? '1 part' : `${open.length} parts`;
  report.descriptor('input-schema-opened', pointer, `${sizes}${texts} and ${parts} left open: ${toShortList(open)}.`);
}
