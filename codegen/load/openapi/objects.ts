/** The fields of each OpenAPI object, as data: 3.0, 3.1 and 3.2 in one, because descriptors mix them. */

import { KEYWORD_FORMS } from '../keywords.ts';

export type ObjectKind =
  | 'Document'
  | 'Info'
  | 'Server'
  | 'ServerVariable'
  | 'Components'
  | 'PathItem'
  | 'Operation'
  | 'Parameter'
  | 'Header'
  | 'RequestBody'
  | 'MediaType'
  | 'Encoding'
  | 'Response'
  | 'Requirement'
  | 'Schema';

/** The type of a value: an object of a kind, text, a boolean, or something that no call depends on. */
type ValueKind = ObjectKind | 'text' | 'flag' | 'any';

/** Short notation of a field: what it holds, `[]` for a list of that, `{}` for a map, then one mark. */
type Notation = `${ValueKind}${'' | '[]' | '{}'}${'' | '!' | '?'}`;

export interface Field {
  readonly valueKind: ValueKind;
  readonly collection: 'list' | 'map' | null;
  /** True if no request can be made without it. */
  readonly isRequired: boolean;
  /** True if no request depends on it: an invalid value is dropped. */
  readonly isNote: boolean;
}

/**
 * Fields by object, from the specification's tables (OpenAPI 3.0.4 §4.7, 3.1.2 §4.8, 3.2.0 §4).
 *
 * `!` marks a field that a request needs, `?` one that no request depends on. This requires less than the
 * specification: a response without a description, or an Info Object without a version, changes no call.
 */
const OBJECTS = {
  Document: {
    openapi: 'text!',
    $self: 'text?',
    info: 'Info?',
    jsonSchemaDialect: 'text?',
    servers: 'Server[]',
    paths: 'PathItem{}',
    webhooks: 'any?',
    components: 'Components',
    security: 'Requirement[]',
    tags: 'any?',
    externalDocs: 'any?',
  },
  Info: {
    title: 'text?',
    summary: 'text?',
    description: 'text?',
    termsOfService: 'any?',
    contact: 'any?',
    license: 'any?',
    version: 'text?',
  },
  Server: { url: 'text?', name: 'text?', description: 'text?', variables: 'ServerVariable{}?' },
  ServerVariable: { enum: 'text[]?', default: 'text?', description: 'text?' },
  Components: {
    schemas: 'any',
    responses: 'any',
    parameters: 'any',
    examples: 'any',
    requestBodies: 'any',
    headers: 'any',
    securitySchemes: 'any',
    links: 'any',
    callbacks: 'any',
    pathItems: 'any',
    mediaTypes: 'any',
  },
  PathItem: {
    $ref: 'any',
    summary: 'text?',
    description: 'text?',
    get: 'Operation',
    put: 'Operation',
    post: 'Operation',
    delete: 'Operation',
    options: 'Operation',
    head: 'Operation',
    patch: 'Operation',
    trace: 'Operation',
    query: 'Operation',
    additionalOperations: 'Operation{}',
    servers: 'Server[]',
    parameters: 'Parameter[]',
  },
  Operation: {
    tags: 'text[]?',
    summary: 'text?',
    description: 'text?',
    externalDocs: 'any?',
    operationId: 'text?',
    parameters: 'Parameter[]',
    requestBody: 'RequestBody',
    responses: 'Response{}?',
    callbacks: 'any?',
    deprecated: 'flag?',
    security: 'Requirement[]',
    servers: 'Server[]',
  },
  Parameter: {
    name: 'text!',
    in: 'text!',
    description: 'text?',
    required: 'flag',
    deprecated: 'flag?',
    allowEmptyValue: 'flag',
    style: 'text',
    explode: 'flag',
    allowReserved: 'flag',
    schema: 'Schema',
    content: 'MediaType{}',
    example: 'any',
    examples: 'any?',
  },
  Header: {
    description: 'text?',
    required: 'flag',
    deprecated: 'flag?',
    style: 'text',
    explode: 'flag',
    schema: 'Schema',
    content: 'MediaType{}',
    example: 'any',
    examples: 'any?',
  },
  RequestBody: { description: 'text?', content: 'MediaType{}!', required: 'flag' },
  MediaType: {
    schema: 'Schema',
    itemSchema: 'Schema',
    example: 'any',
    examples: 'any?',
    encoding: 'Encoding{}',
    prefixEncoding: 'Encoding[]',
    itemEncoding: 'Encoding',
  },
  Encoding: {
    contentType: 'text',
    headers: 'Header{}',
    style: 'text',
    explode: 'flag',
    allowReserved: 'flag',
    encoding: 'Encoding{}',
    prefixEncoding: 'Encoding[]',
    itemEncoding: 'Encoding',
  },
  Response: {
    summary: 'text?',
    description: 'text?',
    headers: 'Header{}?',
    content: 'MediaType{}',
    links: 'any?',
  },
} as const satisfies Partial<Record<ObjectKind, Readonly<Record<string, Notation>>>>;

/** Object kinds with fixed fields: not those whose keys are chosen names, or that have their own reader. */
export type DescribedKind = keyof typeof OBJECTS;

/** The name of an object in messages. */
export const NAMES: Readonly<Record<DescribedKind, string>> = {
  Document: 'the descriptor',
  Info: '`info`',
  Server: 'a server',
  ServerVariable: 'a server variable',
  Components: '`components`',
  PathItem: 'a path',
  Operation: 'an operation',
  Parameter: 'a parameter',
  Header: 'a header',
  RequestBody: 'a request body',
  MediaType: 'a media type',
  Encoding: 'an encoding',
  Response: 'a response',
};

/** The kinds of objects in those sections of `components` that calls depend on. */
export const SECTIONS: ReadonlyMap<string, ObjectKind> = new Map([
  ['schemas', 'Schema'],
  ['responses', 'Response'],
  ['parameters', 'Parameter'],
  ['requestBodies', 'RequestBody'],
  ['headers', 'Header'],
  ['pathItems', 'PathItem'],
  ['mediaTypes', 'MediaType'],
]);

/** Keywords that hold subschemas, with those of older drafts. */
export const SUBSCHEMAS: typeof KEYWORD_FORMS = new Map([
  ...KEYWORD_FORMS,
  ...(['$defs', 'definitions'] as const).map((keyword) => [keyword, 'map'] as const),
  ...(['additionalItems', 'contentSchema'] as const).map((keyword) => [keyword, 'one'] as const),
]);

const FIELDS = new Map(
  Object.entries(OBJECTS).map(([kind, fields]) => [
    kind,
    new Map(Object.entries(fields).map(([name, notation]) => [name, toField(notation)])),
  ]),
);

/** The fields of an object of this kind. */
export function fieldsOf(kind: DescribedKind): ReadonlyMap<string, Field> {
  return FIELDS.get(kind) ?? new Map();
}

function toField(notation: string): Field {
  const [, holds = '', many = '', mark = ''] = /^(\w+)(\[\]|\{\})?([!?])?$/.exec(notation) ?? [];
  return {
    valueKind: holds as ValueKind,
    collection: many === '[]' ? 'list' : many === '{}' ? 'map' : null,
    isRequired: mark === '!',
    isNote: mark === '?',
  };
}
