/** Parameter Objects (OpenAPI 3.1 §4.8.12): path-level and operation-level ones, merged. */

import { toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { childEntries, childItems, childNode, type DescriptorNode, dereference, toText } from './descriptor-node.ts';
import type { ParameterLocation, ParameterModel } from './types.ts';

const DEFAULT_STYLES: Readonly<Record<ParameterLocation, string>> = {
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
export function buildParameters(
  context: ModelContext,
  pathItem: DescriptorNode,
  operation: DescriptorNode,
): ParameterModel[] {
  const merged = new Map<string, ParameterModel>();
  for (const level of [pathItem, operation]) {
    const visitedKeys = new Set<string>();
    for (const item of childItems(childNode(level, 'parameters'))) {
      const parameter = buildParameter(context, item);
      if (parameter === null) continue;
      const key = `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`;
      if (visitedKeys.has(key)) {
        const message = `The ${parameter.in} parameter ${JSON.stringify(parameter.name)} is declared twice.`;
        context.report('parameter-duplicate', item.pointer, message);
      }
      visitedKeys.add(key);
      merged.set(key, parameter);
    }
  }
  const parameters = [...merged.values()];
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query');
  const querystringParameter = queryParameters.find(({ isWholeQuery }) => isWholeQuery);
  if (querystringParameter !== undefined && (queryParameters.length > 1 || querystringParameter.mediaType === null)) {
    const reason =
      querystringParameter.mediaType === null ? 'it has no `content`' : 'the operation has other query parameters';
    const message = `The parameter ${JSON.stringify(querystringParameter.name)} cannot be all of the query: ${reason}.`;
    context.report('parameter-duplicate', querystringParameter.pointer, message);
  }
  return parameters;
}

function buildParameter(context: ModelContext, item: DescriptorNode): ParameterModel | null {
  const parameterNode = dereference(context.document, item);
  const source = toRecord(parameterNode.value);
  const name = toText(source.name);
  const isWholeQuery = source.in === 'querystring';
  const location = isWholeQuery ? 'query' : source.in;
  if (name === '' || !isParameterLocation(location)) {
    context.report('reference-kind', item.pointer, 'This is not a parameter: it lacks a `name`, or a known `in`.');
    return null;
  }
  if (location === 'header' && isIgnoredHeader(name)) return null;
  const style = toText(source.style) || DEFAULT_STYLES[location];
  const [content] = childEntries(childNode(parameterNode, 'content'));
  const schema =
    content === undefined
      ? childNode(parameterNode, 'schema')
      : childNode(dereference(context.document, content.node), 'schema');
  return {
    name,
    in: location,
    required: location === 'path' || source.required === true,
    deprecated: source.deprecated === true,
    description: toText(toRecord(item.value).description) || toText(source.description),
    style,
    explode: typeof source.explode === 'boolean' ? source.explode : style === 'form' || style === 'cookie',
    allowReserved: source.allowReserved === true,
    allowEmptyValue: source.allowEmptyValue === true || undefined,
    mediaType: content?.name ?? null,
    isWholeQuery: isWholeQuery || undefined,
    schema: schema.value === undefined ? {} : context.schemaAt(schema),
    pointer: parameterNode.pointer,
  };
}

function isParameterLocation(value: unknown): value is ParameterLocation {
  return typeof value === 'string' && Object.hasOwn(DEFAULT_STYLES, value);
}
