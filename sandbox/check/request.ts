/**
 * Checks a request against its operation with openapi-backend's validator.
 *
 * openapi-backend alone would wrongly accept or reject some things, so this file decides them: arrays and objects in
 * the query other than repeated keys, members of an exploded object next to other parameters, a path-level parameter
 * that its operation overrides, media types, an unexpected body, and dialects of JSON Schema.
 */

import type { Ajv, ErrorObject, Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Document, OpenAPIRouter, OpenAPIValidator, type ParsedRequest, ValidationContext } from 'openapi-backend';
import { decodeWholeQuery } from '../decode/form.ts';
import { decodeCookies, decodeHeaders, decodePath } from '../decode/parameters.ts';
import { decodeQuery, type QueryPair } from '../decode/query.ts';
import type { SandboxDescriptor, SandboxMediaType, SandboxOperation } from '../descriptor/operations.ts';
import type { JsonObject } from '../json.ts';
import { isJson } from '../media-types.ts';
import { isSentFile, type ReadBody, readBody, type Violation } from './body.ts';
import { createRouter, type IncomingRequest, type Match } from './router.ts';

/** A decoded request and what is wrong with it. No violations: the descriptor allows the request. */
interface CheckedRequest {
  readonly status: 200 | 400 | 415 | 422;
  readonly violations: readonly Violation[];
  readonly path: JsonObject;
  readonly query: JsonObject;
  /** Parsed JSON, a form by member, text, or otherwise bytes; undefined if there is no body. */
  readonly body: unknown;
}

export interface DescriptorChecks {
  match(request: IncomingRequest): Match;
  check(request: IncomingRequest, operation: SandboxOperation): Promise<CheckedRequest>;
  /** Returns the problems of a JSON answer. Empty if the descriptor does not describe it. */
  checkAnswer(operation: SandboxOperation, status: number, body: unknown): readonly Violation[];
}

export function createChecks(descriptor: SandboxDescriptor): DescriptorChecks {
  const ids = new Map(descriptor.operations.map((operation, index) => [operation, String(index)]));
  const idOf = (operation: SandboxOperation): string => ids.get(operation) ?? '';
  const definition = toDefinition(descriptor);
  const checkForm = createFormCheck(descriptor);
  const validator = new OpenAPIValidator({
    definition,
    router: new DecodedRouter({ definition, ignoreTrailingSlashes: false }),
    lazyCompileValidators: true,
    customizeAjv: createAjvs(descriptor),
  });

  return {
    match: createRouter(descriptor.operations),

    async check(request, operation) {
      const path = decodePath(request.pathname, operation);
      const pairs = withoutKey(request.query, operation);
      const wholeQuery = await decodeWholeQuery(pairs, operation, descriptor);
      const query = wholeQuery?.members ?? decodeQuery(pairs, operation, descriptor);
      const body = await readBody(request, operation, descriptor);
      const decoded: Decoded = {
        params: path,
        query: { ...(wholeQuery?.values ?? query) },
        headers: decodeHeaders(request.headers, operation),
        cookies: decodeCookies(request.headers.cookie, operation, descriptor),
        requestBody: body.value,
        bodyIsJson: body.kind === 'json',
      };
      const { errors } = validator.validateRequest(
        { method: 'post', path: '/', headers: {}, decoded } as never,
        idOf(operation),
      );
      const allViolations = (errors ?? []).flatMap(toViolations);
      const ofParameters = allViolations.filter(({ in: place }) => place !== 'body' || body.violations.length === 0);
      const violations = [...body.violations, ...ofParameters, ...checkForm(body)];
      const status = violations.length === 0 ? 200 : statusOf(body, operation);
      return { status, violations: unique(violations), path, query, body: body.value };
    },

    checkAnswer(operation, status, body) {
      const { errors } = validator.validateResponse(body, idOf(operation), status);
      return unique((errors ?? []).map((error) => toViolation(error, error.instancePath, 'body')));
    },
  };
}

/** Drops what the operation's key in `paths` requires, except declared parameters. */
function withoutKey(pairs: readonly QueryPair[], { key, parameters }: SandboxOperation): QueryPair[] {
  const declared = new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
  const keyNames = new Set(key.query.map(({ name }) => name).filter((name) => !declared.has(name)));
  return pairs.filter(({ name }) => !keyNames.has(name));
}

interface Decoded {
  readonly params: JsonObject;
  readonly query: JsonObject;
  readonly headers: JsonObject;
  readonly cookies: JsonObject;
  readonly requestBody: unknown;
  readonly bodyIsJson: boolean;
}

/** Passes the values that this file decoded to the validator, instead of those that the router would parse. */
class DecodedRouter extends OpenAPIRouter {
  override parseRequest(request: Parameters<OpenAPIRouter['parseRequest']>[0]): ParsedRequest {
    const { decoded } = request as unknown as { decoded: Decoded };
    const headers = { ...decoded.headers, 'content-type': decoded.bodyIsJson ? 'application/json' : '' };
    return { ...request, ...decoded, headers } as unknown as ParsedRequest;
  }
}

/**
 * The descriptor in the one form that openapi-backend checks completely. Each operation has its own path, because requests are
 * already routed, by more than method and path.
 */
function toDefinition(descriptor: SandboxDescriptor): Document {
  const paths: Record<string, JsonObject> = {};
  for (const [index, operation] of descriptor.operations.entries()) {
    const bodySchemas = (operation.body?.mediaTypes ?? []).filter(({ name }) => isJson(name)).map(schemaOf);
    const post = {
      operationId: String(index),
      parameters: operation.parameters.map(({ name, in: parameterIn, required, schema }) => ({
        name,
        in: parameterIn === 'querystring' ? 'query' : parameterIn,
        required,
        schema: { allOf: [schema] },
      })),
      ...(bodySchemas.length > 0
        ? { requestBody: { required: operation.body?.required, content: jsonContent(bodySchemas) } }
        : {}),
      responses: Object.fromEntries(
        operation.responses.map(({ status, mediaTypes }) => {
          const schemas = mediaTypes.filter(({ name }) => isJson(name)).map(schemaOf);
          return [status, schemas.length > 0 ? { content: jsonContent(schemas) } : { content: {} }];
        }),
      ),
    };
    paths[`/${index}`] = { post };
  }
  return { openapi: '3.1.0', info: { title: descriptor.title, version: '' }, paths } as unknown as Document;
}

function schemaOf(mediaType: SandboxMediaType): JsonObject {
  return mediaType.schema ?? {};
}

function jsonContent(schemas: readonly JsonObject[]): JsonObject {
  return { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } } };
}

/** Separate validators for parameters and bodies: only parameters arrive as text, so only their types are coerced. */
function createAjvs(descriptor: SandboxDescriptor): (ajv: Ajv, options: Options, context: ValidationContext) => Ajv {
  const ofParameters = createAjv(descriptor, true);
  const ofBodies = createAjv(descriptor, false);
  return (_ajv, _options, context) => (context === ValidationContext.Params ? ofParameters : ofBodies);
}

function createAjv(descriptor: SandboxDescriptor, coerceTypes: boolean): Ajv {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, coerceTypes });
  addFormats.default(ajv as unknown as Ajv);
  for (const format of ['int32', 'int64']) ajv.addFormat(format, { type: 'number', validate: Number.isInteger });
  ajv.addSchema(descriptor.schemas.request, 'request', undefined, false);
  ajv.addSchema(descriptor.schemas.response, 'response', undefined, false);
  return ajv as unknown as Ajv;
}

/** Checks a form; a file counts as text, because its schema describes it as a string. */
function createFormCheck(descriptor: SandboxDescriptor): (body: ReadBody) => Violation[] {
  let ajv: Ajv | null = null;
  return ({ value, kind, mediaType }) => {
    if (kind !== 'form' || mediaType?.schema === undefined || mediaType.schema === null) return [];
    ajv ??= createAjv(descriptor, true);
    const validate = ajv.compile({ allOf: [mediaType.schema] });
    validate(withoutFiles(value));
    return (validate.errors ?? []).map((error) => toViolation(error, error.instancePath, 'body'));
  };
}

function withoutFiles(value: unknown): unknown {
  if (isSentFile(value)) return value.bytes.toString('latin1');
  if (Array.isArray(value)) return value.map(withoutFiles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutFiles(member)]));
}

/** 415 for an undeclared media type; 422 for a readable body if the descriptor declares that status; otherwise 400. */
function statusOf(body: ReadBody, operation: SandboxOperation): 400 | 415 | 422 {
  if (body.unsupported) return 415;
  return !body.unreadable && operation.responses.some(({ status }) => status === '422') ? 422 : 400;
}

function toViolations(error: ErrorObject): Violation[] {
  const [, place = '', ...rest] = error.instancePath.split('/');
  if (place === '' && error.keyword === 'required' && error.params.missingProperty !== 'requestBody') return [];
  if (place === 'requestBody') return [toViolation(error, rest.map((part) => `/${part}`).join(''), 'body')];
  if (place === '') return [{ in: 'body', name: '', message: 'a body is required' }];
  return [toViolation(error, rest.join('/'), place as Violation['in'])];
}

function toViolation(error: ErrorObject, path: string, place: Violation['in']): Violation {
  const join = (member: unknown): string => (place === 'body' || path !== '' ? `${path}/${member}` : `${member}`);
  const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues } = error.params;
  if (error.keyword === 'required') return { in: place, name: join(missingProperty), message: 'is required' };
  const unknown = additionalProperty ?? unevaluatedProperty;
  if (unknown !== undefined) return { in: place, name: join(unknown), message: 'is not declared by the descriptor' };
  const name = error.propertyName === undefined ? path : join(error.propertyName);
  const detail = Array.isArray(allowedValues)
    ? `: ${allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
    : '';
  return { in: place, name, message: `${error.message ?? 'is wrong'}${detail}` };
}

function unique(violations: readonly Violation[]): Violation[] {
  const byJson = new Map(violations.map((violation) => [JSON.stringify(violation), violation]));
  return [...byJson.values()];
}
