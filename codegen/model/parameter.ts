/** Parameter Objects (OpenAPI 3.1 §4.8.12): path-level and operation-level ones, merged. */

import { toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { below, entriesBelow, follow, itemsBelow, type Place, toText } from './place.ts';
import type { ParameterModel, ParameterPlace } from './types.ts';

const DEFAULT_STYLES: Readonly<Record<ParameterPlace, string>> = {
  cookie: 'form',
  header: 'simple',
  path: 'simple',
  query: 'form',
};

/** "If `in` is "header" and the `name` field is one of these, the parameter definition SHALL be ignored." */
export function isIgnoredHeader(name: string): boolean {
  return ['accept', 'content-type', 'authorization'].includes(name.toLowerCase());
}

/**
 * An operation's parameters: first those of its path item, each replaced by the operation's own with the same place and
 * name.
 */
export function buildParameters(context: ModelContext, pathItem: Place, operation: Place): ParameterModel[] {
  const merged = new Map<string, ParameterModel>();
  for (const level of [pathItem, operation]) {
    const seen = new Set<string>();
    for (const item of itemsBelow(below(level, 'parameters'))) {
      const parameter = buildParameter(context, item);
      if (parameter === null) continue;
      const key = `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`;
      if (seen.has(key)) {
        const message = `The ${parameter.in} parameter ${JSON.stringify(parameter.name)} is declared twice.`;
        context.report('parameter-duplicate', item.pointer, message);
      }
      seen.add(key);
      merged.set(key, parameter);
    }
  }
  const parameters = [...merged.values()];
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query');
  const whole = ofQuery.find(({ isWholeQuery }) => isWholeQuery);
  if (whole !== undefined && (ofQuery.length > 1 || whole.mediaType === null)) {
    const reason = whole.mediaType === null ? 'it has no `content`' : 'the operation has other query parameters';
    const message = `The parameter ${JSON.stringify(whole.name)} cannot be all of the query: ${reason}.`;
    context.report('parameter-duplicate', whole.pointer, message);
  }
  return parameters;
}

function buildParameter(context: ModelContext, item: Place): ParameterModel | null {
  const place = follow(context.document, item);
  const source = toRecord(place.value);
  const name = toText(source.name);
  const isWholeQuery = source.in === 'querystring';
  const where = isWholeQuery ? 'query' : source.in;
  if (name === '' || !isParameterPlace(where)) {
    context.report('reference-kind', item.pointer, 'This is not a parameter: it lacks a `name`, or a known `in`.');
    return null;
  }
  if (where === 'header' && isIgnoredHeader(name)) return null;
  const style = toText(source.style) || DEFAULT_STYLES[where];
  const [content] = entriesBelow(below(place, 'content'));
  const schema =
    content === undefined ? below(place, 'schema') : below(follow(context.document, content.place), 'schema');
  return {
    name,
    in: where,
    required: where === 'path' || source.required === true,
    deprecated: source.deprecated === true,
    description: toText(toRecord(item.value).description) || toText(source.description),
    style,
    explode: typeof source.explode === 'boolean' ? source.explode : style === 'form' || style === 'cookie',
    allowReserved: source.allowReserved === true,
    ...(source.allowEmptyValue === true ? { allowEmptyValue: true } : {}),
    mediaType: content?.name ?? null,
    ...(isWholeQuery ? { isWholeQuery } : {}),
    schema: schema.value === undefined ? {} : context.schemaAt(schema),
    pointer: place.pointer,
  };
}

function isParameterPlace(value: unknown): value is ParameterPlace {
  return typeof value === 'string' && Object.hasOwn(DEFAULT_STYLES, value);
}
