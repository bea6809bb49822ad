/**
 * Checks whether every value of a call arrived, and nothing else: by values alone, independent of how a tool writes them.
 */

import type { Arguments } from './draw.ts';
import type { ArrivedRequest } from './wire.ts';

export interface Sent {
  /** Values that the document may add. */
  readonly constants: ReadonlySet<string>;
  /** The operation's key in the document: a path value has no name in a request. */
  readonly path: string;
  /** What the gateway adds under names that arguments may also use. */
  readonly credential: string;
}

/** One sentence for each value that did not arrive, arrived under another name, or was not given. */
export function compareValues(
  args: Arguments,
  request: ArrivedRequest,
  { constants, path, credential }: Sent,
): string[] {
  const given = leavesOf(args);
  const tokens = new Set(textsOf(request).flatMap(toTokens));
  const whole = [decode(request.url.split('?', 1)[0] ?? ''), isJson(request) ? '' : request.body.toString('utf8')];
  const lost = given.filter(([, value]) => {
    const text = String(value);
    const isInside = text.length > 2 && whole.some((one) => one.includes(text));
    return !isInside && !tokens.has(text) && !hasBytes(request, text);
  });
  const named = namedTextsOf(request, credential);
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => toPlain(name));
  const swapped = Object.entries(args).filter(([name, value]) => {
    const texts = typeof value === 'object' || inPath.includes(toPlain(name)) ? undefined : named.get(toPlain(name));
    return texts !== undefined && !texts.includes(String(value)) && !lost.some(([place]) => place === name);
  });
  const asked = new Set(given.flatMap(([, value]) => toTokens(String(value))));
  const added = bodyLeavesOf(request).filter(
    ([, value]) => value !== null && !asked.has(String(value)) && !constants.has(String(value)),
  );
  return [
    ...lost.map(([place, value]) => `${place} is ${show(value)}, which did not arrive`),
    ...swapped.map(([name, value]) => `${name} is ${show(value)}, but what arrived under this name is something else`),
    ...added.map(([place, value]) => `${place} of the body is ${show(value)}, which no one gave`),
  ];
}

/** One sentence if fewer nulls arrived than requested. @param cleared the arguments that are to arrive as null. */
export function compareNulls(args: Arguments, request: ArrivedRequest, cleared: readonly unknown[]): string[] {
  // An argument that is null counts as missing; a null inside an argument is a value.
  const asked = Object.values(args).reduce<number>((sum, value) => sum + (value === null ? 0 : countNulls(value)), 0);
  const arrived = isJson(request) ? countNulls(parse(request.body.toString('utf8'))) : 0;
  const wanted = asked + cleared.length;
  return cleared.length === 0 || arrived >= wanted ? [] : [`${arrived} nulls arrived, but ${wanted} were asked for`];
}

function countNulls(value: unknown): number {
  if (typeof value !== 'object') return 0;
  return value === null ? 1 : Object.values(value).reduce<number>((sum, inner) => sum + countNulls(inner), 0);
}

/** The text, and its items if it is a list. */
function toTokens(text: string): string[] {
  return [text, ...text.split(','), ...text.split(/[,|;=.\s]+/)];
}

/** Texts of the query, the headers and a JSON object, by name without case and punctuation. */
function namedTextsOf(request: ArrivedRequest, credential: string): ReadonlyMap<string, readonly string[]> {
  const { url, headers } = request;
  const body = isJson(request) ? parse(request.body.toString('utf8')) : null;
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const pairs: [string, string][] = [
    ...new URLSearchParams(url.split(/\?(.*)/s)[1] ?? ''),
    ...Object.entries(headers).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, decode(value)]),
    ),
    ...members.map(([name, value]): [string, string] => [name, String(value)]),
  ];
  const given = pairs.filter(([, text]) => !text.includes(credential));
  const groups = Map.groupBy(given, ([name]) => toPlain(name));
  return new Map(
    [...groups].map(([name, group]) => [
      name,
      group.flatMap(([, text]) => [...toTokens(text), ...textLeavesOf(text).flatMap(toTokens)]),
    ]),
  );
}

function toPlain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Every value of `enum`, `const` and `default` in a document. */
export function constantsOf(document: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'enum' || key === 'const' || key === 'default')
        for (const [, leaf] of leavesOf(inner)) found.add(String(leaf));
      visit(inner);
    }
  };
  visit(document);
  return found;
}

/**
 * Everything that was sent, decoded: path, query, headers, and the primitive values of a JSON body or the text of another body.
 */
function textsOf(request: ArrivedRequest): string[] {
  const { url, headers, body } = request;
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const raw = body.toString('utf8');
  const isForm = /urlencoded/.test(headers['content-type']?.[0] ?? '');
  return [
    ...path.split('/').map(decode),
    decode(path),
    ...[...new URLSearchParams(query)].flat().flatMap((text) => [text, ...textLeavesOf(text)]),
    ...Object.values(headers).flatMap((values) => values.flatMap((one) => [one, decode(one)])),
    ...bodyLeavesOf(request).map(([, value]) => String(value)),
    ...(isForm ? [...new URLSearchParams(raw)].flat().flatMap((text) => [text, ...textLeavesOf(text)]) : []),
    ...(isJson(request) ? [] : [raw, ...raw.split(/["{}:]+/)]),
  ];
}

/** Values in a text that is JSON. */
function textLeavesOf(text: string): string[] {
  return /^[{["]/.test(text) ? leavesOf(parse(text)).map(([, value]) => String(value)) : [];
}

function isJson({ headers }: ArrivedRequest): boolean {
  return /json/.test(headers['content-type']?.[0] ?? '');
}

/** Values of a JSON body. */
function bodyLeavesOf(request: ArrivedRequest): [place: string, value: unknown][] {
  return isJson(request) ? leavesOf(parse(request.body.toString('utf8'))) : [];
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, 60);
}

function hasBytes({ body }: ArrivedRequest, text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4}){2,}$/.test(text) && body.includes(Buffer.from(text, 'base64'));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every primitive value, with its place. */
export function leavesOf(value: unknown, place = ''): [place: string, value: unknown][] {
  if (typeof value !== 'object') return value === undefined ? [] : [[place, value]];
  return Object.entries(value ?? {}).flatMap(([key, inner]) => leavesOf(inner, place === '' ? key : `${place}.${key}`));
}
