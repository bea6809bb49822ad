/** Reads query parameters by their `style` and `explode` (OpenAPI 3.1 §4.8.12), as text: the validator converts it. */

import type { SandboxDescriptor, SandboxOperation, SandboxParameter } from '../descriptor/operations.ts';
import type { ValueShape } from '../descriptor/schemas.ts';
import { isObject, readPointer } from '../json.ts';
import {
  type Decode,
  type DecodedValues,
  decodeDocument,
  decodeElement,
  decodeJoined,
  decodePairs,
  single,
} from './values.ts';

/** One `name=value` pair of a query, with the value still percent-encoded. */
export interface QueryPair {
  readonly name: string;
  readonly raw: string;
}

/** @throws {URIError} if percent-encoding is broken. */
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

/** Values by parameter name. An undeclared pair keeps its own name, so that the validator rejects it. */
export function decodeQuery(
  pairs: readonly QueryPair[],
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
): DecodedValues {
  const values: DecodedValues = {};
  let rest = [...pairs];
  const take = (matches: (pair: QueryPair) => boolean): QueryPair[] => {
    const matchingPairs = rest.filter(matches);
    rest = rest.filter((pair) => !matches(pair));
    return matchingPairs;
  };
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  for (const parameter of parameters.filter((candidate) => !isExplodedObject(candidate))) {
    const parameterPairs = isDeepObject(parameter)
      ? take(({ name }) => name.startsWith(`${parameter.name}[`) && name.endsWith(']'))
      : take(({ name }) => name === parameter.name);
    if (parameterPairs.length > 0) values[parameter.name] = decodeValue(parameter, parameterPairs);
  }
  for (const parameter of parameters.filter(isExplodedObject)) {
    const memberPairs = take(({ name }) => acceptsMember(parameter, name, descriptor));
    if (memberPairs.length > 0)
      values[parameter.name] = decodePairs(parameter.value, memberPairs.map(toTexts), asIs, true);
  }
  return { ...values, ...decodePairs(UNDECLARED, rest.map(toTexts), asIs) };
}

const asIs: Decode = (text) => text;
const UNDECLARED: ValueShape = {
  kind: 'object',
  items: () => UNDECLARED.member(''),
  member: () => ({ ...UNDECLARED, kind: 'primitive' }),
};

function toTexts({ name, raw }: QueryPair): [string, string] {
  return [name, decodeText(raw)];
}

/** `form` or `cookie` with `explode`: each member of the object is a separate parameter. */
export function isExplodedObject({ value, style, explode, content }: SandboxParameter): boolean {
  return value.kind === 'object' && (style === 'form' || style === 'cookie') && explode && content === null;
}

function isDeepObject({ value, style, content }: SandboxParameter): boolean {
  return style === 'deepObject' && value.kind === 'object' && content === null;
}

export function acceptsMember(parameter: SandboxParameter, name: string, descriptor: SandboxDescriptor): boolean {
  const reference = parameter.schema.$ref;
  const schema =
    typeof reference === 'string'
      ? readPointer(descriptor.schemas.request, reference.slice(reference.indexOf('#')))
      : parameter.schema;
  if (!isObject(schema) || schema.additionalProperties !== false) return true;
  return isObject(schema.properties) && Object.hasOwn(schema.properties, name);
}

function decodeValue(parameter: SandboxParameter, pairs: readonly QueryPair[]): unknown {
  const texts = pairs.map((pair) => decodeText(pair.raw));
  const { value, style, explode } = parameter;
  if (parameter.content !== null) return decodeDocument(parameter, texts);
  if (isDeepObject(parameter)) {
    const entries = pairs.map(({ name, raw }) => ({ path: toPath(name, parameter.name), text: decodeText(raw) }));
    return decodeDeep(value, entries);
  }
  if (value.kind === 'primitive') return single(texts);
  if (value.kind === 'array' && (explode || style === 'deepObject')) {
    return texts.map((text) => decodeElement(value.items(), text));
  }
  const lists = pairs.map(({ raw }) => raw.split(delimiterOf(style)));
  if (lists.length > 1) return lists.map((parts) => parts.map(decodeText));
  return decodeJoined(parameter, lists[0] ?? [], decodeText);
}

function delimiterOf(style: string): RegExp {
  if (style === 'spaceDelimited') return /%20|\+| /;
  return style === 'pipeDelimited' ? /\||%7C/i : /,/;
}

/** `x[a][b]` -> `['a', 'b']`. */
function toPath(name: string, parameter: string): string[] {
  return name.slice(parameter.length + 1, -1).split('][');
}

interface DeepEntry {
  readonly path: readonly string[];
  readonly text: string;
}

/** Builds objects from their keys at any depth; an array repeats its key. */
function decodeDeep(shape: ValueShape, entries: readonly DeepEntry[]): unknown {
  const leaves = entries.filter(({ path }) => path.length === 0).map(({ text }) => text);
  if (leaves.length === entries.length) {
    if (shape.kind === 'array') return leaves.map((text) => decodeElement(shape.items(), text));
    return single(leaves);
  }
  const groups = Map.groupBy(entries, ({ path }) => path[0] ?? '');
  return Object.fromEntries(
    [...groups].map(([name, members]) => {
      const inner = members.map(({ path, text }) => ({ path: path.slice(1), text }));
      return [name, decodeDeep(shape.member(name), inner)];
    }),
  );
}
