/** A published document as the foreign validator can read it: the operations that are called, with what OpenAPI says is assumed. */

import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { toObject } from '../document.ts';

type Members = Record<string, unknown>;

export interface Operation {
  readonly method: string;
  readonly path: string;
}

/**
 * OpenAPI 3.0.3, Parameter Object: what the first three are is said elsewhere in a document. The last names the program that sends
 * (RFC 9110, 10.1.5), which no document can decide.
 */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization', 'user-agent'];
const STYLES: Readonly<Record<string, string>> = { query: 'form', cookie: 'form', path: 'simple', header: 'simple' };
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs'];
const SCHEMAS = ['items', 'additionalProperties', 'not'];

export interface SpecOptions {
  /** False: for requests without a body. */
  readonly withBodies: boolean;
  /**
   * True: as openly as tools read it. A value may fit several alternatives of a `oneOf`, and where `nullable` is next to an `enum`, it
   * may be null although the list does not have it.
   */
  readonly isOpen: boolean;
}

/** At the root of one server, so that the rest of an address is looked at elsewhere. */
export function toSpec(
  published: Readonly<Members>,
  operations: readonly Operation[],
  { withBodies, isOpen }: SpecOptions,
): Members {
  const copy = JSON.parse(JSON.stringify(published), withoutExtension) as Members;
  const document = (copy.swagger === undefined ? copy : upgradeFromTwoToThree(copy)) as Members;
  const wanted = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  const text = JSON.stringify(document);
  const needsAll = text.includes('"#/paths/');
  const isReferred = text.includes('/example"');
  const paths = Object.entries(toObject(document.paths)).flatMap(([path, item]): [string, unknown][] => {
    const kept = Object.entries(followed(item, document)).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'parameters') return [[key, toParameters(value, document)]];
      if (!wanted.has(`${key.toUpperCase()} ${path}`)) return needsAll ? [[key, value]] : [];
      const { servers: _servers, callbacks: _callbacks, requestBody, ...operation } = toObject(value) as Members;
      operation.parameters = toParameters(operation.parameters, document);
      const body = withBodies && requestBody !== undefined ? { requestBody: withParts(requestBody, document) } : {};
      return [[key, { ...operation, ...body }]];
    });
    return kept.some(([key]) => key !== 'parameters') ? [[toPathKey(path), Object.fromEntries(kept)]] : [];
  });
  const { openapi, security } = document;
  const components = toObject(document.components) as Members;
  const spec = {
    openapi,
    info: { title: 'A document', version: '1' },
    servers: [{ url: '/' }],
    ...(security === undefined ? {} : { security }),
    paths: Object.fromEntries(paths),
    components,
  };
  visitSchemas(spec, (schema) => {
    simplify(schema, isOpen);
    if (!isReferred) delete schema.example;
  });
  return spec;
}

/** Extensions refer to files that no document of OpenAPI has. */
function withoutExtension(key: string, value: unknown): unknown {
  return key.startsWith('x-') && JSON.stringify(value)?.includes('"$ref"') ? undefined : value;
}

/** The validator finds no path parameter whose name is more than a word. */
export function toPathKey(path: string): string {
  return path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => `{${toWord(name)}}`);
}

/**
 * The name by which the validator is told of a query parameter and of its values: brackets are a notation there, even where they are
 * a part of the name.
 */
export function toQueryKey(name: string): string {
  return name.replaceAll('[', '_5B').replaceAll(']', '_5D');
}

function toWord(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

/** With the styles that are assumed, and without those that OpenAPI ignores. */
function toParameters(value: unknown, document: Members): unknown[] {
  return (Array.isArray(value) ? value : []).flatMap((one) => {
    const parameter = followed(one, document);
    const { in: place, name } = parameter;
    // The converter leaves a shared body without a place.
    if (place === undefined || place === 'body') return [];
    if (place === 'header' && IGNORED_HEADERS.includes(String(name).toLowerCase())) return [];
    if (place === 'query') parameter.name = toQueryKey(String(name));
    if (parameter.content !== undefined) return [parameter];
    if (place === 'path') parameter.name = toWord(String(name));
    const style = parameter.style ?? STYLES[String(place)];
    // It is said of members of schemas alone: OpenAPI 3.0.3, Schema Object.
    const { readOnly: _readOnly, ...schema } = followed(parameter.schema, document);
    return [
      {
        ...parameter,
        schema: style === 'deepObject' && schema.type !== 'array' ? toDeepObject(schema, document) : schema,
        style,
        explode: parameter.explode ?? style === 'form',
      },
    ];
  });
}

/**
 * A list of one value looks like a value there. Behind `allOf` the validator does not take an object that was not given for an empty one.
 */
function toDeepObject(schema: Members, document: Members): Members {
  const members = Object.entries(toObject(schema.properties)).map(([name, inner]): [string, unknown] => {
    const member = followed(inner, document);
    return [name, member.type === 'array' ? { anyOf: [member, member.items ?? {}] } : inner];
  });
  return { allOf: [members.length === 0 ? schema : { ...schema, properties: Object.fromEntries(members) }] };
}

/** The parts of a form without references: the validator reads JSON out of a part only where it sees the type. */
function withParts(requestBody: unknown, document: Members): Members {
  const body = followed(requestBody, document);
  const content = Object.entries(toObject(body.content)).map(([type, media]): [string, unknown] => {
    if (!type.startsWith('multipart/')) return [type, media];
    const schema = followed(toObject(media).schema, document);
    const parts = Object.entries(toObject(schema.properties)).map(([name, part]) => [name, followed(part, document)]);
    return [type, { ...toObject(media), schema: { ...schema, properties: Object.fromEntries(parts) } }];
  });
  return { ...body, content: Object.fromEntries(content) };
}

/** The one that a reference names, or this one; a copy. */
export function followed(value: unknown, document: Members): Members {
  const { $ref } = toObject(value);
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return { ...toObject(value) };
  const tokens = decodeURIComponent($ref).slice(2).split('/');
  const target = tokens.reduce(
    (at: unknown, token) => toObject(at)[token.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  return { ...toObject(target) };
}

/** Defaults would be added to what arrived; the others are in the way of the validator's start. */
function simplify(schema: Members, isOpen: boolean): void {
  delete schema.default;
  delete schema.$id;
  if (typeof schema.id === 'string') delete schema.id;
  if (isOpen && Array.isArray(schema.oneOf)) {
    schema.anyOf ??= schema.oneOf;
    delete schema.oneOf;
  }
  if (isOpen && schema.nullable === true && Array.isArray(schema.enum)) delete schema.enum;
  if (schema.type === undefined) delete schema.nullable;
  if (typeof schema.pattern === 'string' && !compiles(schema.pattern)) delete schema.pattern;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}

/** Every schema of a document, once, whatever holds it. */
function visitSchemas(value: unknown, visit: (schema: Members) => void): void {
  const seen = new Set<unknown>();
  const schema = (one: unknown): void => {
    if (typeof one !== 'object' || one === null || seen.has(one)) return;
    seen.add(one);
    const members = one as Members;
    visit(members);
    for (const key of SCHEMA_LISTS) if (Array.isArray(members[key])) members[key].forEach(schema);
    for (const key of SCHEMA_MAPS) Object.values(toObject(members[key])).forEach(schema);
    for (const key of SCHEMAS) schema(members[key]);
  };
  const walk = (one: unknown, key: string): void => {
    if (typeof one !== 'object' || one === null || key === 'example' || key === 'examples') return;
    if (key === 'schema') schema(one);
    else if (key === 'schemas') Object.values(one).forEach(schema);
    else for (const [name, inner] of Object.entries(one)) walk(inner, Array.isArray(one) ? '' : name);
  };
  walk(value, '');
}
