/** Reads the parameters of a path, of headers and of cookies by their `style` and `explode` (OpenAPI 3.1 §4.8.12), as text. */

import type { SandboxDescriptor, SandboxOperation, SandboxParameter } from '../descriptor/operations.ts';
import { acceptsMember, isExplodedObject } from './query.ts';
import {
  type Decode,
  type DecodedValues,
  decodeDocument,
  decodeElement,
  decodeJoined,
  decodePairs,
  splitPair,
} from './values.ts';

/** The pattern of each style; `simple` matches as little as possible, so that a style after it can match. */
const PATTERNS: Readonly<Record<string, string>> = { label: '(\\.[^/]*)', matrix: '(;[^/]*)', simple: '([^/]+?)' };

/** @throws {URIError} if percent-encoding is broken. */
export function decodePath(pathname: string, operation: SandboxOperation): DecodedValues {
  const declared = new Map(
    operation.parameters.filter(({ in: parameterIn }) => parameterIn === 'path').map((p) => [p.name, p]),
  );
  const names: string[] = [];
  const pattern = operation.route.split(/(\{[^{}]+\})/).map((part) => {
    if (!part.startsWith('{')) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const name = part.slice(1, -1);
    names.push(name);
    const parameter = declared.get(name);
    return PATTERNS[parameter?.content === null ? parameter.style : 'simple'] ?? PATTERNS.simple;
  });
  const match = new RegExp(`^${pattern.join('')}$`).exec(pathname);
  return Object.fromEntries(names.map((name, at) => [name, decodeSegment(declared.get(name), match?.[at + 1] ?? '')]));
}

function decodeSegment(parameter: SandboxParameter | undefined, text: string): unknown {
  const decode = decodeURIComponent;
  if (parameter === undefined) return decode(text);
  if (parameter.content !== null) return decodeDocument(parameter, [decode(text)]);
  if (parameter.style === 'matrix') return decodeMatrix(parameter, text, decode);
  if (parameter.style === 'label') return decodeSimple(parameter, text.slice(1), decode, '.');
  return decodeSimple(parameter, text, decode, ',');
}

function decodeMatrix(parameter: SandboxParameter, text: string, decode: Decode): unknown {
  const { value, explode, name } = parameter;
  const pairs = text.split(';').slice(1).map(splitPair);
  if (value.kind === 'object' && explode) return decodePairs(value, pairs, decode);
  const rawValues = pairs.filter(([key]) => decode(key) === name).map(([, raw]) => raw);
  if (rawValues.length < pairs.length) return text;
  if (value.kind === 'array' && explode) return rawValues.map((raw) => decodeElement(value.items(), decode(raw)));
  if (rawValues.length > 1) return rawValues.map(decode);
  return value.kind === 'primitive'
    ? decode(rawValues[0] ?? '')
    : decodeJoined(parameter, (rawValues[0] ?? '').split(','), decode);
}

/** @param delimiter separates the elements of an exploded parameter; otherwise a comma does */
function decodeSimple(parameter: SandboxParameter, text: string, decode: Decode, delimiter: string): unknown {
  const { value, explode } = parameter;
  if (value.kind === 'primitive') return decode(text);
  const elements = text.split(explode ? delimiter : ',');
  if (value.kind === 'object' && explode) return decodePairs(value, elements.map(splitPair), decode);
  return decodeJoined(parameter, elements, decode);
}

/** Values by lower-case name: declared headers decoded, all others as they are. */
export function decodeHeaders(headers: Readonly<Record<string, string>>, operation: SandboxOperation): DecodedValues {
  const values: DecodedValues = { ...headers };
  for (const parameter of operation.parameters.filter(({ in: parameterIn }) => parameterIn === 'header')) {
    const name = parameter.name.toLowerCase();
    const text = headers[name];
    if (text === undefined) continue;
    values[name] =
      parameter.content === null
        ? decodeSimple(parameter, text, (part) => part.trim(), ',')
        : decodeDocument(parameter, [text]);
  }
  return values;
}

/**
 * Values of the declared cookies by name. An exploded object takes every other cookie that it accepts, except credentials.
 *
 * @throws {URIError} if percent-encoding is broken.
 */
export function decodeCookies(
  header: string | undefined,
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
): DecodedValues {
  const secretNames = new Set(
    Object.values(descriptor.securitySchemes).flatMap((scheme) => (scheme.in === 'cookie' ? [scheme.name] : [])),
  );
  const pairs = (header ?? '')
    .split(';')
    .map((part) => splitPair(part.trim()))
    .filter(([name]) => name !== '');
  const parameters = operation.parameters.filter(({ in: parameterIn }) => parameterIn === 'cookie');
  const reservedNames = new Set([
    ...secretNames,
    ...parameters.filter((candidate) => !isExplodedObject(candidate)).map(({ name }) => name),
  ]);
  const values: DecodedValues = {};
  for (const parameter of parameters.filter(isExplodedObject)) {
    const members = pairs.filter(
      ([name]) => !reservedNames.has(name) && acceptsMember(parameter, decodeURIComponent(name), descriptor),
    );
    if (members.length > 0) values[parameter.name] = decodePairs(parameter.value, members, decodeURIComponent);
  }
  for (const parameter of parameters.filter((candidate) => !isExplodedObject(candidate))) {
    const texts = pairs.filter(([name]) => name === parameter.name).map(([, text]) => text);
    if (texts.length > 0) values[parameter.name] = decodeCookie(parameter, texts);
  }
  return values;
}

/** The style `cookie` escapes nothing (OpenAPI 3.2 §4.12.3). */
function decodeCookie(parameter: SandboxParameter, texts: readonly string[]): unknown {
  const { content, value, explode, style } = parameter;
  const decode: Decode = style === 'cookie' ? (text) => text : decodeURIComponent;
  if (content === 'text') return decodeDocument(parameter, texts);
  if (content !== null) return decodeDocument(parameter, texts.map(decodeURIComponent));
  if (value.kind === 'array' && explode) {
    return texts.map((text) => decodeElement(value.items(), decode(text)));
  }
  if (texts.length > 1 || value.kind === 'primitive') {
    const decoded = texts.map(decode);
    return decoded.length === 1 ? decoded[0] : decoded;
  }
  return decodeJoined(parameter, (texts[0] ?? '').split(','), decode);
}
