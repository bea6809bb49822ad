/**
 * Reads the parameters of a request by their `style` and `explode` (OpenAPI 3.1 §4.8.12), as text:
 * the validator turns text into numbers and booleans. `label` and `matrix` are not read.
 */

import { isObject, readPointer } from './json.ts';
import type { SandboxDescriptor, SandboxOperation, SandboxParameter } from './operations.ts';

/** One `name=value` of a query, value still percent-encoded. */
export interface QueryPair {
  readonly name: string;
  readonly raw: string;
}

export type DecodedValues = Record<string, unknown>;

/** @throws {URIError} where percent-encoding is broken. */
export function readQuery(search: string): QueryPair[] {
  return search
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return { name: decodeText(at < 0 ? pair : pair.slice(0, at)), raw: at < 0 ? '' : pair.slice(at + 1) };
    });
}

export function decodeText(raw: string): string {
  return decodeURIComponent(raw.replaceAll('+', ' '));
}

/** Values by parameter name. What no parameter declares stays under its own name, for the validator to refuse. */
export function decodeQuery(
  pairs: readonly QueryPair[],
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
): DecodedValues {
  const values: DecodedValues = {};
  let rest = [...pairs];
  const take = (matches: (pair: QueryPair) => boolean): QueryPair[] => {
    const taken = rest.filter(matches);
    rest = rest.filter((pair) => !matches(pair));
    return taken;
  };
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  for (const parameter of parameters.filter((candidate) => !isExplodedObject(candidate))) {
    const taken =
      parameter.style === 'deepObject'
        ? take(({ name }) => name.startsWith(`${parameter.name}[`) && name.endsWith(']'))
        : take(({ name }) => name === parameter.name);
    if (taken.length > 0) values[parameter.name] = decodeQueryValue(parameter, taken);
  }
  for (const parameter of parameters.filter(isExplodedObject)) {
    const taken = take(({ name }) => acceptsMember(parameter, name, descriptor));
    if (taken.length > 0) values[parameter.name] = toObject(taken.map(({ name, raw }) => [name, decodeText(raw)]));
  }
  return { ...values, ...toObject(rest.map(({ name, raw }) => [name, decodeText(raw)])) };
}

/** `form` with `explode`: each member of the object is a query parameter of its own. */
function isExplodedObject(parameter: SandboxParameter): boolean {
  return parameter.shape === 'object' && parameter.style === 'form' && parameter.explode && !parameter.json;
}

function acceptsMember(parameter: SandboxParameter, name: string, descriptor: SandboxDescriptor): boolean {
  const reference = parameter.schema.$ref;
  const schema =
    typeof reference === 'string'
      ? readPointer(descriptor.schemas.request, reference.slice(reference.indexOf('#')))
      : parameter.schema;
  if (!isObject(schema) || schema.additionalProperties !== false) return true;
  return isObject(schema.properties) && Object.hasOwn(schema.properties, name);
}

function decodeQueryValue(parameter: SandboxParameter, pairs: readonly QueryPair[]): unknown {
  const texts = pairs.map((pair) => decodeText(pair.raw));
  if (parameter.json) return parseJson(texts);
  if (parameter.style === 'deepObject') {
    return toObject(pairs.map(({ name, raw }) => [name.slice(parameter.name.length + 1, -1), decodeText(raw)]));
  }
  if (parameter.shape === 'primitive') return single(texts);
  if (parameter.explode) return texts;
  // Given twice although once is all that the style allows: stays a list of lists, which the validator refuses.
  const lists = pairs.map(({ raw }) => raw.split(delimiterOf(parameter.style)).map(decodeText));
  if (lists.length > 1) return lists;
  const [parts = []] = lists;
  return parameter.shape === 'array' ? parts : toObject(inPairs(parts));
}

function delimiterOf(style: string): RegExp {
  if (style === 'spaceDelimited') return /%20|\+| /;
  return style === 'pipeDelimited' ? /\||%7C/i : /,/;
}

/** A value that is given twice stays an array, which no primitive schema accepts. */
function single(texts: readonly string[]): unknown {
  return texts.length === 1 ? texts[0] : texts;
}

function parseJson(texts: readonly string[]): unknown {
  try {
    return texts.length === 1 ? JSON.parse(texts[0] ?? '') : texts;
  } catch {
    return single(texts);
  }
}

function inPairs(parts: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < parts.length; at += 2) pairs.push([parts[at] ?? '', parts[at + 1] ?? '']);
  return pairs;
}

function toObject(entries: readonly (readonly [string, string])[]): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of entries) values.set(name, values.has(name) ? [values.get(name), value].flat() : value);
  return Object.fromEntries(values);
}

/** @throws {URIError} where percent-encoding is broken. */
export function decodePath(pathname: string, operation: SandboxOperation): DecodedValues {
  const names: string[] = [];
  const pattern = operation.route.split(/(\{[^{}]+\})/).map((part) => {
    if (!part.startsWith('{')) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    names.push(part.slice(1, -1));
    return '([^/]+)';
  });
  const found = new RegExp(`^${pattern.join('')}$`).exec(pathname);
  const declared = new Map(operation.parameters.filter(({ in: place }) => place === 'path').map((p) => [p.name, p]));
  return Object.fromEntries(
    names.map((name, at) => [name, decodeSimple(declared.get(name), found?.[at + 1] ?? '', decodeURIComponent)]),
  );
}

export function decodeHeaders(headers: Readonly<Record<string, string>>, operation: SandboxOperation): DecodedValues {
  const values: DecodedValues = { ...headers };
  for (const parameter of operation.parameters.filter(({ in: place }) => place === 'header')) {
    const name = parameter.name.toLowerCase();
    const text = headers[name];
    if (text !== undefined) values[name] = decodeSimple(parameter, text, (part) => part.trim());
  }
  return values;
}

export function decodeCookies(header: string | undefined): DecodedValues {
  const parts = (header ?? '').split(';').filter((part) => part.includes('='));
  return toObject(
    parts.map((part) => [part.slice(0, part.indexOf('=')).trim(), decodeText(part.slice(part.indexOf('=') + 1))]),
  );
}

function decodeSimple(
  parameter: SandboxParameter | undefined,
  text: string,
  decode: (part: string) => string,
): unknown {
  if (parameter?.json) return parseJson([decode(text)]);
  if (parameter?.shape === 'array') return text.split(',').map(decode);
  if (parameter?.shape !== 'object') return decode(text);
  const parts = text.split(',');
  return toObject(parameter.explode ? parts.map((part) => toEntry(part, decode)) : inPairs(parts.map(decode)));
}

function toEntry(part: string, decode: (text: string) => string): [string, string] {
  const at = part.indexOf('=');
  return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
}
