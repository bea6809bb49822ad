/** Lists the operations of a descriptor in the form that the sandbox works with, with every reference resolved. */

import { isObject, type JsonObject, readPointer } from '../json.ts';
import { isJson } from '../media-types.ts';
import { type QueryNeed, readPathKey } from './path-key.ts';
import {
  buildSchemaDocument,
  createValueShape,
  type DescriptorSchemas,
  type Direction,
  type ValueShape,
} from './schemas.ts';

export interface SandboxParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'querystring';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  /** The format of a `content` parameter. Null if `style` determines the format. */
  readonly content: 'json' | 'text' | null;
  /** The media type of a parameter that is the whole query (`in: querystring`); null for any other. */
  readonly document: SandboxMediaType | null;
  readonly schema: JsonObject;
  readonly value: ValueShape;
}

/** The encoding of one member of a form: by its style, or by its content types. */
export interface SandboxEncoding {
  readonly style?: string;
  readonly explode?: boolean;
  readonly contentTypes?: readonly string[];
}

export interface SandboxMediaType {
  /** As the descriptor writes it, such as `application/json` or `image/*`. */
  readonly name: string;
  readonly schema: JsonObject | null;
  /** The schema of each item of a stream, or null if it is not declared. */
  readonly itemSchema: JsonObject | null;
  /** By member. */
  readonly encoding: Readonly<Record<string, SandboxEncoding>>;
  readonly examples: readonly { readonly name: string; readonly value: unknown }[];
}

export interface SandboxResponse {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly mediaTypes: readonly SandboxMediaType[];
}

/** Scopes by the name of a security scheme. */
export type SandboxRequirement = Readonly<Record<string, readonly string[]>>;

export interface SandboxOperation {
  /** The operationId, or method and path (`GET /things`) if there is none. */
  readonly id: string;
  readonly method: string;
  /** The path as the descriptor writes it. */
  readonly path: string;
  /** The path that requests use: the base path of the operation's server, followed by `path` without its query and fragment. */
  readonly route: string;
  /** The query and fragment of the key in `paths`. */
  readonly key: { readonly query: readonly QueryNeed[]; readonly fragment: readonly QueryNeed[] };
  readonly parameters: readonly SandboxParameter[];
  readonly body: { readonly required: boolean; readonly mediaTypes: readonly SandboxMediaType[] } | null;
  /** Alternatives; each names the schemes that it requires together, with their scopes. An empty list means that the operation is open. */
  readonly security: readonly SandboxRequirement[];
  readonly responses: readonly SandboxResponse[];
}

export interface SandboxDescriptor extends DescriptorSchemas {
  readonly openapi: '3.0' | '3.1';
  readonly title: string;
  readonly securitySchemes: Readonly<Record<string, JsonObject>>;
  readonly operations: readonly SandboxOperation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
/** Header parameters that OpenAPI says to ignore (OpenAPI 3.1 §4.8.12.1). */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/**
 * @param document a bundled descriptor: local references only
 * @param serverVariables replaces the defaults of server variables, by name
 */
export function buildDescriptor(
  document: JsonObject,
  serverVariables: Readonly<Record<string, string>> = {},
): SandboxDescriptor {
  const schemas = {
    request: buildSchemaDocument(document, 'request'),
    response: buildSchemaDocument(document, 'response'),
  };
  const resolve = (value: unknown): JsonObject => {
    let current = value;
    for (let hops = 0; isObject(current) && typeof current.$ref === 'string' && hops < 32; hops += 1) {
      const [direction, pointer] = current.$ref.split('#');
      current = readPointer(schemas[direction as Direction], `#${pointer}`);
    }
    return isObject(current) ? current : {};
  };
  const operations: SandboxOperation[] = [];
  const requestPaths = objectOf(schemas.request.paths);
  const responsePaths = objectOf(schemas.response.paths);
  for (const path of Object.keys(requestPaths)) {
    const item = resolve(requestPaths[path]);
    const answers = resolve(responsePaths[path]);
    const { path: pathname, ...key } = readPathKey(path);
    const responseOperations = operationsOf(answers);
    for (const [method, operation] of operationsOf(item)) {
      const servers = operation.servers ?? item.servers ?? document.servers;
      operations.push({
        id: typeof operation.operationId === 'string' ? operation.operationId : `${method} ${path}`,
        method,
        path,
        route: `${basePathOf(servers, document.servers, serverVariables)}${pathname}`,
        key,
        parameters: buildParameters(item.parameters, operation.parameters, resolve, document.openapi),
        body: buildBody(operation.requestBody, resolve, document.openapi),
        security: toAlternatives(operation.security ?? document.security),
        responses: Object.entries(objectOf(responseOperations.get(method)?.responses)).map(([status, response]) => ({
          status,
          mediaTypes: buildMediaTypes(resolve(response).content, resolve, document.openapi),
        })),
      });
    }
  }
  const components = objectOf(schemas.request.components);
  const schemes = Object.entries(objectOf(components.securitySchemes));
  return {
    openapi: String(document.openapi).startsWith('3.0') ? '3.0' : '3.1',
    title: String(objectOf(document.info).title ?? ''),
    securitySchemes: Object.fromEntries(schemes.map(([name, scheme]) => [name, resolve(scheme)])),
    operations,
    schemas,
  };
}

type Resolve = (value: unknown) => JsonObject;

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** By method: those with their own key, and those in `additionalOperations` (OpenAPI 3.2 §4.9). */
function operationsOf(item: JsonObject): Map<string, JsonObject> {
  const standardEntries = METHODS.map((method) => [method.toUpperCase(), item[method]] as const);
  const additionalEntries = Object.entries(objectOf(item.additionalOperations)).filter(
    ([method]) => !method.startsWith('x-'),
  );
  return new Map(
    [...standardEntries, ...additionalEntries].filter((entry): entry is readonly [string, JsonObject] =>
      isObject(entry[1]),
    ),
  );
}

/**
 * The path of the first server's URL with its variables filled in, without a final slash.
 *
 * A variable with another default than the same variable of the descriptor's own server is a different one and not replaced.
 */
function basePathOf(
  servers: unknown,
  documentServers: unknown,
  variableValues: Readonly<Record<string, string>>,
): string {
  const firstOf = (list: unknown) => objectOf(Array.isArray(list) ? list[0] : undefined);
  const defaultOf = (server: JsonObject, name: string) => objectOf(objectOf(server.variables)[name]).default;
  const server = firstOf(servers);
  const url = String(server.url ?? '/').replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const documentDefault = defaultOf(firstOf(documentServers), name);
    const isDocumentVariable = documentDefault === undefined || documentDefault === defaultOf(server, name);
    return String((isDocumentVariable ? variableValues[name] : undefined) ?? defaultOf(server, name) ?? '');
  });
  const base = 'http://sandbox.invalid';
  return URL.canParse(url, base) ? new URL(url, base).pathname.replace(/\/+$/, '') : '';
}

function buildParameters(
  ofPath: unknown,
  ofOperation: unknown,
  resolve: Resolve,
  openapi: unknown,
): SandboxParameter[] {
  const byKey = new Map<string, SandboxParameter>();
  for (const list of [ofPath, ofOperation]) {
    for (const item of Array.isArray(list) ? list : []) {
      const parameter = resolve(item);
      const parameterIn = parameter.in as SandboxParameter['in'];
      const name = String(parameter.name);
      if (parameterIn === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) continue;
      const [[mediaType, content] = ['', undefined]] = Object.entries(objectOf(parameter.content));
      const schema = objectOf(content === undefined ? parameter.schema : resolve(content).schema);
      const isWholeQuery = parameterIn === 'querystring';
      const style = String(
        parameter.style ?? (parameterIn === 'query' || parameterIn === 'cookie' ? 'form' : 'simple'),
      );
      byKey.set(`${parameterIn} ${name}`, {
        name,
        in: parameterIn,
        required: parameter.required === true || parameterIn === 'path',
        style,
        explode: typeof parameter.explode === 'boolean' ? parameter.explode : ['form', 'cookie'].includes(style),
        content: content === undefined ? null : isJson(mediaType) ? 'json' : 'text',
        document: isWholeQuery ? (buildMediaTypes(parameter.content, resolve, openapi)[0] ?? null) : null,
        schema,
        value: createValueShape(schema, resolve),
      });
    }
  }
  return [...byKey.values()];
}

function buildBody(value: unknown, resolve: Resolve, openapi: unknown): SandboxOperation['body'] {
  if (value === undefined) return null;
  const body = resolve(value);
  return { required: body.required === true, mediaTypes: buildMediaTypes(body.content, resolve, openapi) };
}

function buildMediaTypes(content: unknown, resolve: Resolve, openapi: unknown): SandboxMediaType[] {
  return Object.entries(objectOf(content)).map(([name, value]) => {
    const mediaType = resolve(value);
    const namedExamples = Object.entries(objectOf(mediaType.examples)).map(([title, example]) => ({
      name: title,
      value: resolve(example).value ?? resolve(example).dataValue,
    }));
    const singleExample = mediaType.example === undefined ? [] : [{ name: 'example', value: mediaType.example }];
    return {
      name: name.toLowerCase(),
      schema: isObject(mediaType.schema) ? mediaType.schema : null,
      itemSchema: isObject(mediaType.itemSchema) ? mediaType.itemSchema : null,
      encoding: buildEncoding(name, mediaType.encoding, openapi),
      examples: [...singleExample, ...namedExamples.filter((example) => example.value !== undefined)],
    };
  });
}

/** From OpenAPI 3.1 on, the style of a multipart part counts and overrides its content type. */
function buildEncoding(mediaType: string, encoding: unknown, openapi: unknown): SandboxMediaType['encoding'] {
  const takesStyles = !/^multipart\//i.test(mediaType) || !String(openapi).startsWith('3.0');
  const members = Object.entries(objectOf(encoding)).map(([name, value]): [string, SandboxEncoding] => {
    const { style, explode, allowReserved, contentType } = objectOf(value);
    if (takesStyles && [style, explode, allowReserved].some((keyword) => keyword !== undefined)) {
      const styleName = String(style ?? 'form');
      return [name, { style: styleName, explode: typeof explode === 'boolean' ? explode : styleName === 'form' }];
    }
    if (typeof contentType !== 'string') return [name, {}];
    return [name, { contentTypes: contentType.split(',').map((type) => type.trim()) }];
  });
  return Object.fromEntries(members);
}

function toAlternatives(security: unknown): SandboxRequirement[] {
  const alternatives = (Array.isArray(security) ? security : []).filter(isObject);
  return alternatives.map((requirement) => {
    const schemes = Object.entries(requirement);
    return Object.fromEntries(schemes.map(([name, scopes]) => [name, Array.isArray(scopes) ? scopes.map(String) : []]));
  });
}
