/**
 * Reads a key of `paths` that is more than a path: `/items?kind=book`, `/{bucket}#tagging`.
 *
 * OpenAPI allows neither a query nor a fragment there (OpenAPI 3.1 §4.8.8). Descriptors of APIs that select the
 * operation by its query use both: a query is part of every request, and a fragment, which HTTP never sends, only makes
 * the key unique.
 */

import type { Method, ParameterModel, RequestTarget, Schema } from './types.ts';

interface PathKey {
  readonly path: string;
  /** `name=value` pairs as written, and names alone. */
  readonly query: readonly string[];
  /** Pairs and names, like the query. */
  readonly fragment: readonly string[];
}

/** A template expression, even one without a name. */
const EXPRESSION = /\{[^{}]*\}/g;

/** The request that a key describes. */
interface ReadKey {
  /** Null if the key is only a path. */
  readonly target: RequestTarget | null;
  /** Parameters that get their value from the key have only that value. */
  readonly parameters: readonly ParameterModel[];
  /** Why no correct request can be built from the key; empty for most keys. */
  readonly faults: readonly string[];
}

/** Splits a key at the first `?` and the first `#` outside braces. */
function splitKey(key: string): PathKey {
  const plain = key.replaceAll(EXPRESSION, (expression) => 'x'.repeat(expression.length));
  const hash = plain.indexOf('#');
  const end = hash < 0 ? key.length : hash;
  const queryStart = plain.slice(0, end).indexOf('?');
  const toPairs = (from: number, to: number) =>
    key
      .slice(from, to)
      .split('&')
      .filter((pair) => pair !== '');
  return {
    path: key.slice(0, queryStart < 0 ? end : queryStart),
    query: queryStart < 0 ? [] : toPairs(queryStart + 1, end),
    fragment: hash < 0 ? [] : toPairs(hash + 1, key.length),
  };
}

/** Equal for operations whose requests differ only in their fragments. */
export function requestKey(method: Method, key: string): string {
  const { path, query } = splitKey(key);
  return `${method} ${path.replaceAll(EXPRESSION, '{}')}?${query.toSorted().join('&')}`;
}

/**
 * Reads the key of an operation.
 *
 * Every request sends the pairs of its query; if a parameter has the name of a pair, the value becomes the parameter's
 * only one. `name={name}` only shows where a query parameter goes.
 *
 * A fragment is never sent. It can be dropped if the request is still unique without it: either no other operation has
 * the same method, path, query and body, or each name in the fragment is a required query or header parameter, which is then
 * sent with the value from the fragment.
 *
 * @param isOnly true if no other operation with the same `requestKey` can send the same body
 * @param resolve the schema behind a `$ref`
 */
export function readKey(
  { key, method }: { readonly key: string; readonly method: Method },
  parameters: readonly ParameterModel[],
  isOnly: boolean,
  resolve: (ref: string) => Schema,
): ReadKey {
  const { path, query, fragment } = splitKey(key);
  const faults = /[{}]/.test(key.replaceAll(EXPRESSION, '')) ? [`${method} ${key} has a brace without its pair.`] : [];
  if (path === key) return { target: null, parameters, faults };
  const fixed = new Map<ParameterModel, ParameterModel>();
  const fix = (parameter: ParameterModel, value: string | null): boolean => {
    const fixedParameter = fixValue(parameter, value, resolve);
    if (fixedParameter !== null) fixed.set(parameter, fixedParameter);
    return fixedParameter !== null;
  };
  const remainingPairs = query.filter((pair) => {
    const { name, value } = toPair(pair);
    const parameter = findParameter(parameters, name, ['query']);
    if (parameter === undefined) return true;
    if (value !== `{${name}}` && !fix(parameter, value)) {
      faults.push(`${method} ${key} sends ${pair}, which the parameter ${name} does not allow.`);
    }
    return false;
  });
  const isSentByParameter = (pair: string) => {
    const { name, value } = toPair(pair);
    const parameter = findParameter(parameters, name, ['query', 'header']);
    if (parameter?.required !== true) return false;
    return fixed.has(parameter) || fix(parameter, value) || value === null;
  };
  if (!isOnly && fragment.length > 0 && !fragment.map(isSentByParameter).every(Boolean)) {
    faults.push(`${method} ${key} differs from another operation by its fragment alone, which HTTP does not send.`);
  }
  return {
    target: { path, query: remainingPairs.join('&') },
    parameters: parameters.map((parameter) => fixed.get(parameter) ?? parameter),
    faults,
  };
}

/**
 * The parameter with one value, or null if its schema does not allow that value.
 *
 * @param text null for a name alone, which means the only value that the schema allows, true, or the empty text
 */
function fixValue(
  parameter: ParameterModel,
  text: string | null,
  resolve: (ref: string) => Schema,
): ParameterModel | null {
  const { $ref, ...siblings } = parameter.schema;
  const schema = typeof $ref === 'string' ? { ...resolve($ref), ...siblings } : siblings;
  const listed = schema.const === undefined ? schema.enum : [schema.const];
  const allowedValues: readonly unknown[] | null = Array.isArray(listed) ? listed : null;
  const types = [schema.type ?? 'string'].flat();
  const value = text === null ? toPresence(allowedValues, types) : toTyped(allowedValues, types, text);
  return value === undefined ? null : { ...parameter, fixed: { value } };
}

function toPresence(allowedValues: readonly unknown[] | null, types: readonly unknown[]): unknown {
  if (allowedValues !== null)
    return allowedValues.length === 1 ? allowedValues[0] : allowedValues.find((value) => value === true);
  if (types.includes('boolean')) return true;
  return types.includes('string') ? '' : undefined;
}

function toTyped(allowedValues: readonly unknown[] | null, types: readonly unknown[], text: string): unknown {
  if (allowedValues !== null) return allowedValues.find((value) => String(value) === text);
  if (types.includes('string')) return text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = types.includes('number') || types.includes('integer');
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

interface Pair {
  readonly name: string;
  /** Null for a name alone. */
  readonly value: string | null;
}

function toPair(pair: string): Pair {
  const separator = pair.indexOf('=');
  if (separator < 0) return { name: decode(pair), value: null };
  return { name: decode(pair.slice(0, separator)), value: decode(pair.slice(separator + 1)) };
}

function findParameter(
  parameters: readonly ParameterModel[],
  name: string,
  locations: readonly ParameterModel['in'][],
): ParameterModel | undefined {
  return parameters.find(
    ({ in: location, name: parameterName }) =>
      locations.includes(location) &&
      (location === 'header' ? parameterName.toLowerCase() === name.toLowerCase() : parameterName === name),
  );
}

/** Invalid percent-encoding stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
