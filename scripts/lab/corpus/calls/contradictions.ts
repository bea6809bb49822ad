/** Faults in every possible request, because two statements of a document contradict each other. */

import { toRecord } from '../../../../codegen/json.ts';
import { followed, type Operation, toPathKey } from './spec.ts';

type Members = Record<string, unknown>;

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};
const PLACES: Readonly<Record<string, string>> = {
  query: 'query',
  headers: 'header',
  params: 'path',
  cookies: 'cookie',
};

/**
 * - No value of an `enum` has the `type` next to it.
 * - One part of an `allOf` declares a member that another part forbids.
 * - A body is plain text, but its schema accepts only an object or a list.
 *
 * Alternatives are not checked: what one forbids, another may accept.
 *
 * @param spec from `toSpec`. @param type `Content-Type` of the request. @param fault `/body/a/0: what is wrong`.
 */
export function isContradicted(spec: Members, operation: Operation, type: string, fault: string): boolean {
  const [, pointer = '', what = ''] = /^\/(.*?): (must .*)$/.exec(fault) ?? [];
  const tokens = pointer.split('/').map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = tokens.at(-1) ?? '';
  if (what.startsWith('must be equal to one of'))
    return schemasAt(spec, operation, type, tokens).some(excludesItsValues);
  if (what === 'must NOT have additional properties')
    return schemasAt(spec, operation, type, tokens.slice(0, -1)).some(({ properties }) => last in toRecord(properties));
  return pointer === 'body' && type.startsWith('text/plain') && /^must be (object|array)$/.test(what);
}

function excludesItsValues({ type, enum: values }: Members): boolean {
  const wanted = TYPES[String(type)];
  return wanted !== undefined && Array.isArray(values) && values.every((one) => one !== null && typeof one !== wanted);
}

/** Every schema that applies to a value in any request. @param tokens its place, such as `body`, `list`, `0`. */
function schemasAt(spec: Members, operation: Operation, type: string, [place = '', ...tokens]: string[]): Members[] {
  const item = toRecord(toRecord(spec.paths)[toPathKey(operation.path)]);
  const { requestBody, parameters } = toRecord(item[operation.method.toLowerCase()]);
  if (place === 'body') {
    const content = toRecord(followed(requestBody, spec).content);
    return schemasIn(spec, toRecord(content[type.split(';', 1)[0]?.trim() ?? '']).schema, tokens);
  }
  const [name, ...rest] = tokens;
  const all = [parameters, item.parameters].flatMap((list) => (Array.isArray(list) ? list : [])).map(toRecord);
  const parameter = all.find((one) => one.in === PLACES[place] && one.name === name);
  return schemasIn(spec, parameter?.schema, rest);
}

function schemasIn(spec: Members, schema: unknown, [token, ...rest]: string[]): Members[] {
  const parts = partsOf(spec, schema);
  if (token === undefined) return parts;
  return parts.flatMap(({ properties, items, additionalProperties }) => {
    const inner = toRecord(properties)[token] ?? (/^\d+$/.test(token) ? items : undefined) ?? additionalProperties;
    return schemasIn(spec, inner, rest);
  });
}

/** A schema and the parts of its `allOf`, with references resolved. */
function partsOf(spec: Members, schema: unknown, depth = 0): Members[] {
  if (typeof schema !== 'object' || schema === null || depth > 20) return [];
  const own = followed(schema, spec);
  const parts = Array.isArray(own.allOf) ? own.allOf : [];
  return [own, ...parts.flatMap((part) => partsOf(spec, part, depth + 1))];
}
