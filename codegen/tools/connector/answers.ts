/** The answers of an operation, and the rule for arrays of cells that are rows. */

import { byCodeUnit, isRecord, toRecord, withoutUndefined } from '../../json.ts';
import type { ConnectorConfig, ToolConfig } from '../../load/connector-config.ts';
import type { OperationModel, Schema } from '../../model/types.ts';
import { checkPointer, MAX_ALTERNATIVE_DEPTH } from '../answers/answer-pointers.ts';
import { essenceOf, isJsonMediaType, isStreamMediaType } from '../body/media-types.ts';
import type { Reporter } from '../problems.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { alternativesOf, propertyOf, type Resolve, schemaList, typesOf } from '../schema/readers.ts';
import type { RateLimitHeaders, RowsRule } from '../types.ts';

/**
 * Schemas of the returned content of all 2xx answers, in the descriptor's order: of JSON bodies, and of streams whose
 * items are described (`itemSchema`). Media types without a schema are left out.
 */
export function answerSchemas(operation: OperationModel, resolve: Resolve): readonly Schema[] {
  return operation.responses
    .filter(({ status }) => /^2/.test(status))
    .flatMap(({ contents }) => contents)
    .flatMap(({ mediaType, schema, itemSchema }): readonly Schema[] => {
      if (isJsonMediaType(mediaType)) return schema === null ? [] : [schema];
      return itemSchema !== undefined && isStreamMediaType(mediaType)
        ? [toStream(itemSchema, essenceOf(mediaType), resolve)]
        : [];
    });
}

/**
 * Creates the same function for the name of a tool.
 *
 * @param operationOf returns undefined if there is no such tool.
 */
export function createAnswersOf(operationOf: (tool: string) => OperationModel | undefined, resolve: Resolve) {
  return (tool: string): readonly Schema[] => {
    const operation = operationOf(tool);
    return operation === undefined ? [] : answerSchemas(operation, resolve);
  };
}

const STREAM_ENDED: Schema = {
  type: 'boolean',
  description: 'False: more came than fits, or it went on past the time limit.',
};

function toStream(item: Schema, mediaType: string, resolve: Resolve): Schema {
  const items = mediaType === 'text/event-stream' ? toEvent(item, resolve) : item;
  return { type: 'object', properties: { items: { type: 'array', items }, streamEnded: STREAM_ENDED } };
}

/** Reads the data of an event if it is JSON (`contentSchema`), also in alternatives of events. */
function toEvent(event: Schema, resolve: Resolve, depth = 0): Schema {
  const { schema, leftovers } = mergeAllOf(event, resolve);
  if (depth > MAX_ALTERNATIVE_DEPTH || leftovers.length > 0) return event;
  const content = propertyOf(schema, 'data')?.contentSchema;
  const properties = { ...toRecord(schema.properties), ...(isRecord(content) ? { data: content } : {}) };
  const alternatives = (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const variants = schemaList(schema, keyword);
    return variants.length === 0 ? [] : [[keyword, variants.map((variant) => toEvent(variant, resolve, depth + 1))]];
  });
  const result = { ...schema, ...Object.fromEntries(alternatives) };
  return schema.properties === undefined ? result : { ...result, properties };
}

/**
 * True if the operation may succeed without content: no 2xx answer is declared, one has no content, or one may be null.
 */
export function mayBeEmpty(operation: OperationModel, resolve: Resolve): boolean {
  const successes = operation.responses.filter(({ status }) => /^2/.test(status));
  if (successes.length === 0 || successes.some(({ contents }) => contents.length === 0)) return true;
  return answerSchemas(operation, resolve).some((schema) => allowsNull(schema, resolve, 0));
}

function allowsNull(unmerged: Schema, resolve: Resolve, depth: number): boolean {
  if (depth > MAX_ALTERNATIVE_DEPTH) return false;
  const { schema, leftovers } = mergeAllOf(unmerged, resolve);
  const alternatives = [...leftovers, ...alternativesOf(schema)];
  return (
    typesOf(schema).includes('null') || alternatives.some((alternative) => allowsNull(alternative, resolve, depth + 1))
  );
}

interface Context {
  readonly tool: string;
  readonly config: ToolConfig | null;
  /** Schemas of its 2xx answers; empty if nothing is known about them. */
  readonly answers: readonly Schema[];
  readonly resolve: Resolve;
  readonly report: Reporter;
}

/** The rows rule of a tool, with its pointers checked against the answer. */
export function buildRows(context: Context): RowsRule | null {
  const rows = context.config?.rows;
  if (rows === undefined) return null;
  const path = ['tools', context.tool, 'rows'];
  checkPointer('config-rows', [...path, 'columns'], rows.columns, context);
  checkPointer('config-rows', [...path, 'columnName'], `${rows.columns}/0${rows.columnName}`, context);
  checkPointer('config-rows', [...path, 'rows'], rows.rows, context);
  return { columns: rows.columns, columnName: rows.columnName, rows: rows.rows };
}

/**
 * `ratelimit-reset`, `x-ratelimit-limit-user-reset`, `X-Rate-Limit-Reset` and similar, and the same with `remaining`.
 */
const RESET = /^(?:[a-z0-9]+-)*rate-?limit(?:-[a-z0-9]+)*-reset(?:-after)?(?:-[a-z0-9]+)*$/;

/** Statuses of answers that refuse a call because of a limit. */
const REFUSALS = new Set(['429', '4XX', '503', 'DEFAULT']);

/**
 * Limits of connector.yaml first; then those with well-known names that the descriptor's refusals declare and
 * connector.yaml does not name. In lower case.
 */
export function buildRateLimitHeaders(
  configured: ConnectorConfig['rateLimitHeaders'],
  operations: readonly OperationModel[],
): readonly RateLimitHeaders[] {
  const configuredLimits = (configured ?? []).map(({ remaining, reset, quota }) =>
    withoutUndefined({ remaining: remaining?.toLowerCase(), reset: reset?.toLowerCase(), quota }),
  );
  const declared = new Set(
    operations.flatMap(({ responses }) =>
      responses.flatMap(({ status, headers }) => (REFUSALS.has(status.toUpperCase()) ? headers : [])),
    ),
  );
  const configuredResets = new Set(configuredLimits.map(({ reset }) => reset));
  const declaredLimits = [...declared]
    .filter((name) => RESET.test(name) && !configuredResets.has(name))
    .sort(byCodeUnit)
    .map((reset): RateLimitHeaders => {
      const remaining = reset.replace(/-reset(-after)?/, '-remaining');
      return declared.has(remaining) ? { remaining, reset } : { reset };
    });
  return [...configuredLimits, ...declaredLimits];
}
