/** What an operation answers, and the rules about it: where the next page's cursor is, and which arrays of cells are rows. */

import { isRecord } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import type { ConnectorConfig, ToolConfig } from '../../load/connector-config.ts';
import type { OperationModel, Schema } from '../../model/types.ts';
import { isJsonMediaType } from '../body/media-types.ts';
import { type Reporter, suggest } from '../problems.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { isNever, propertyOf, type Resolve, schemaList, schemaMap, toSchema, typesOf } from '../schema/readers.ts';
import type { PageRule, RowsRule } from '../types.ts';

/** Schemas of the JSON bodies of all 2xx answers, in the descriptor's order; media types without a schema are left out. */
export function answerSchemas(operation: OperationModel): readonly Schema[] {
  return operation.responses
    .filter(({ status }) => /^2/.test(status))
    .flatMap(({ contents }) => contents.filter(({ mediaType }) => isJsonMediaType(mediaType)))
    .flatMap(({ schema }) => (schema === null ? [] : [schema]));
}

/** Whether the operation may succeed without content: where no 2xx answer is declared, one has no content, or one may be null. */
export function mayBeEmpty(operation: OperationModel, resolve: Resolve): boolean {
  const successes = operation.responses.filter(({ status }) => /^2/.test(status));
  if (successes.length === 0 || successes.some(({ contents }) => contents.length === 0)) return true;
  return answerSchemas(operation).some((schema) => allowsNull(schema, resolve, 0));
}

function allowsNull(place: Schema, resolve: Resolve, depth: number): boolean {
  if (depth > MAX_ALTERNATIVE_DEPTH) return false;
  const { schema, leftovers } = mergeAllOf(place, resolve);
  const alternatives = [...leftovers, ...schemaList(schema, 'anyOf'), ...schemaList(schema, 'oneOf')];
  return typesOf(schema).includes('null') || alternatives.some((each) => allowsNull(each, resolve, depth + 1));
}

interface Context {
  readonly tool: string;
  readonly config: ToolConfig | null;
  /** Names of the tool's arguments. */
  readonly arguments: readonly string[];
  /** Schemas of its 2xx answers; none: nothing is known about them. */
  readonly answers: readonly Schema[];
  readonly resolve: Resolve;
  readonly report: Reporter;
}

/** The page rule of a tool: its own, else the service's where the tool has the argument. */
export function buildPage(service: ConnectorConfig['pagination'], context: Context): PageRule | null {
  const own = context.config?.pagination;
  const rule = own === undefined ? service : own;
  if (rule === undefined || rule === null) return null;
  const path = own === undefined || own === null ? ['pagination'] : ['tools', context.tool, 'pagination'];
  if (!context.arguments.includes(rule.argument)) {
    if (own !== undefined) {
      context.report.config(
        'config-pagination',
        [...path, 'argument'],
        `${context.tool} has no argument ${rule.argument}.`,
        suggest(rule.argument, context.arguments, 'Write `pagination: null`.'),
      );
    }
    return null;
  }
  checkPointer('config-pagination', [...path, 'next'], rule.next, context);
  if (rule.more !== undefined) checkPointer('config-pagination', [...path, 'more'], rule.more, context);
  if (context.answers.some((answer) => stepsFrom([answer], 'page', context.resolve).next.length > 0)) {
    context.report.config(
      'config-pagination',
      path,
      `The answer of ${context.tool} has a member page, where the arguments of the next page would be.`,
      'Write `pagination: null` for this tool.',
    );
  }
  return {
    argument: rule.argument,
    next: rule.next,
    queryParameter: rule.queryParameter ?? null,
    more: rule.more ?? null,
    ...pagesOf(rule, path, context),
  };
}

/** What following the pages takes: where the records are, and the argument for how many of them a page has. */
function pagesOf(
  rule: NonNullable<ConnectorConfig['pagination']>,
  path: readonly (string | number)[],
  context: Context,
): Pick<PageRule, 'items' | 'size'> {
  const pointers = rule.items === undefined ? [] : [rule.items].flat();
  const items = pointers.find((pointer) => hasArray(pointer, context));
  const [only] = pointers;
  if (items === undefined && only !== undefined && pointers.length === 1) {
    checkPointer('config-pagination', [...path, 'items'], only, context);
  }
  const { size } = rule;
  return {
    ...(items === undefined ? {} : { items }),
    ...(size === undefined || !context.arguments.includes(size) ? {} : { size }),
  };
}

/** Whether a pointer leads to an array in the answers of a tool. */
function hasArray(pointer: string, { answers, resolve }: Context): boolean {
  const places = pointerTokens(pointer).reduce<readonly Schema[]>(
    (found, token) => stepsFrom(found, token, resolve).next,
    answers,
  );
  return places.some((place) => typesOf(mergeAllOf(place, resolve).schema).includes('array'));
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

/** Reports a pointer that leads nowhere in the answers of a tool; nothing where nothing is known about them. */
export function checkPointer(
  code: 'config-pagination' | 'config-rows' | 'config-account',
  path: readonly (string | number)[],
  pointer: string,
  { tool, answers, resolve, report }: Pick<Context, 'tool' | 'answers' | 'resolve' | 'report'>,
): void {
  if (answers.length === 0) return;
  let places: readonly Schema[] = answers;
  for (const token of pointerTokens(pointer)) {
    const { next, isOpen, names } = stepsFrom(places, token, resolve);
    if (next.length === 0) {
      if (isOpen) return;
      const fix = suggest(token, names, 'The answer has no members there.');
      report.config(code, path, `The answer of ${tool} has no ${pointer}: there is no ${token}.`, fix);
      return;
    }
    places = next;
  }
}

interface Steps {
  readonly next: readonly Schema[];
  /** True where the schema allows members that it does not name. */
  readonly isOpen: boolean;
  readonly names: readonly string[];
}

/** Where one token of a pointer leads from some schemas. */
function stepsFrom(places: readonly Schema[], token: string, resolve: Resolve): Steps {
  const steps = places.map((place) => stepFrom(place, token, resolve, 0));
  return {
    next: steps.flatMap(({ next }) => next),
    isOpen: steps.some(({ isOpen }) => isOpen),
    names: steps.flatMap(({ names }) => names),
  };
}

const MAX_ALTERNATIVE_DEPTH = 8;

function stepFrom(place: Schema, token: string, resolve: Resolve, depth: number): Steps {
  const { schema, leftovers } = mergeAllOf(place, resolve);
  const types = typesOf(schema);
  const named = propertyOf(schema, token);
  const properties = schemaMap(schema, 'properties');
  const additional = schema.additionalProperties;
  const isArray = types.includes('array') && /^\d+$/.test(token);
  const isFree = properties.length === 0 && (types.length === 0 || types.includes('object')) && !isNever(additional);
  const variants = [...leftovers, ...schemaList(schema, 'anyOf'), ...schemaList(schema, 'oneOf')];
  const inner =
    depth < MAX_ALTERNATIVE_DEPTH ? variants.map((variant) => stepFrom(variant, token, resolve, depth + 1)) : [];
  return {
    next: [
      ...(named === null ? [] : [named]),
      ...(isArray ? [toSchema(schema.items)] : []),
      ...(named === null && isRecord(additional) && !isNever(additional) ? [additional] : []),
      ...inner.flatMap(({ next }) => next),
    ],
    isOpen: (isFree && variants.length === 0) || inner.some(({ isOpen }) => isOpen),
    names: [...properties.map(([name]) => name), ...inner.flatMap(({ names }) => names)],
  };
}
