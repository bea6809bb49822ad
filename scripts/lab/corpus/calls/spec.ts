/**
 * A published document in a form that the third-party validator can read: the called operations, with OpenAPI's defaults made explicit.
 */

import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { toRecord } from '../../../../codegen/json.ts';
import { resolve } from '../document.ts';

type Members = Record<string, unknown>;

export interface Operation {
  readonly method: string;
  readonly path: string;
}

/**
 * OpenAPI 3.0.3, Parameter Object: a document defines the first three elsewhere. The last names the sending program (RFC 9110, 10.1.5),
 * which no document can decide.
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
   * True: as openly as tools read it. A value may fit several alternatives of a `oneOf`, and with `nullable` next to an `enum`, it may be
   * null even if the list does not contain null.
   */
  readonly isOpen: boolean;
}

/** Has one server at the root, because the rest of a URL is checked elsewhere. */
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
  const paths = Object.entries(toRecord(document.paths)).flatMap(([path, item]): [string, unknown][] => {
    const kept = Object.entries(followed(item, document)).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'parameters') return [[key, toParameters(value, document)]];
      if (!wanted.has(`${key.toUpperCase()} ${path}`)) return needsAll ? [[key, value]] : [];
      const { servers: _servers, callbacks: _callbacks, requestBody, ...operation } = toRecord(value) as Members;
      operation.parameters = toParameters(operation.parameters, document);
      const body = withBodies && requestBody !== undefined ? { requestBody: withParts(requestBody, document) } : {};
      return [[key, { ...operation, ...body }]];
    });
    return kept.some(([key]) => key !== 'parameters') ? [[toPathKey(path), Object.fromEntries(kept)]] : [];
  });
  const { openapi, security } = document;
  const components = toRecord(document.components) as Members;
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

/** Extensions refer to files that OpenAPI documents do not include. */
function withoutExtension(key: string, value: unknown): unknown {
  return key.startsWith('x-') && JSON.stringify(value)?.includes('"$ref"') ? undefined : value;
}

/** The validator finds no path parameter whose name has characters other than those of a word. */
export function toPathKey(path: string): string {
  return path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => `{${toWord(name)}}`);
}

/**
 * The name of a query parameter for the validator, which treats brackets as notation even if they are part of the name.
 */
export function toQueryKey(name: string): string {
  return name.replaceAll('[', '_5B').replaceAll(']', '_5D');
}

function toWord(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

/** Parameters with their default styles, and without those that OpenAPI ignores. */
function toParameters(value: unknown, document: Members): unknown[] {
  return (Array.isArray(value) ? value : []).flatMap((one) => {
    const parameter = followed(one, document);
    const { in: place, name } = parameter;
    // The converter leaves a shared body without an `in`.
    if (place === undefined || place === 'body') return [];
    if (place === 'header' && IGNORED_HEADERS.includes(String(name).toLowerCase())) return [];
    if (place === 'query') parameter.name = toQueryKey(String(name));
    if (parameter.content !== undefined) return [parameter];
    if (place === 'path') parameter.name = toWord(String(name));
    const style = parameter.style ?? STYLES[String(place)];
    // `readOnly` applies only to members of schemas: OpenAPI 3.0.3, Schema Object.
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
 * The validator reads a list of one value as a single value. With `allOf`, it does not treat a missing object as an empty one.
 */
function toDeepObject(schema: Members, document: Members): Members {
  const members = Object.entries(toRecord(schema.properties)).map(([name, inner]): [string, unknown] => {
    const member = followed(inner, document);
    return [name, member.type === 'array' ? { anyOf: [member, member.items ?? {}] } : inner];
  });
  return { allOf: [members.length === 0 ? schema : { ...schema, properties: Object.fromEntries(members) }] };
}

/** The parts of a form without references: the validator parses JSON in a part only if it sees the type. */
function withParts(requestBody: unknown, document: Members): Members {
  const body = followed(requestBody, document);
  const content = Object.entries(toRecord(body.content)).map(([type, media]): [string, unknown] => {
    if (!type.startsWith('multipart/')) return [type, media];
    const schema = followed(toRecord(media).schema, document);
    const parts = Object.entries(toRecord(schema.properties)).map(([name, part]) => [name, followed(part, document)]);
    return [type, { ...toRecord(media), schema: { ...schema, properties: Object.fromEntries(parts) } }];
  });
  return { ...body, content: Object.fromEntries(content) };
}

/** A copy of the value, or of what its reference names. */
export function followed(value: unknown, document: Members): Members {
  return { ...resolve(document, value) };
}

/** Removes defaults, which would be added to what arrived, and what keeps the validator from starting. */
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

/** Visits every schema of a document once. */
function visitSchemas(value: unknown, visit: (schema: Members) => void): void {
  const seen = new Set<unknown>();
  const schema = (one: unknown): void => {
    if (typeof one !== 'object' || one === null || seen.has(one)) return;
    seen.add(one);
    const members = one as Members;
    visit(members);
    for (const key of SCHEMA_LISTS) if (Array.isArray(members[key])) members[key].forEach(schema);
    for (const key of SCHEMA_MAPS) Object.values(toRecord(members[key])).forEach(schema);
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
