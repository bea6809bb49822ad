/** A descriptor and a connector.yaml with text of a test's choice in every place that takes text or a name. */

/** @returns The next text. Names are given a number, so that they are not empty and differ. */
export interface TextSource {
  text(): string;
  name(): string;
}

export function createTextSource(texts: readonly string[]): TextSource {
  let count = 0;
  const text = () => texts[count++ % texts.length] ?? '';
  return { text, name: () => `${text()}${count}` };
}

type Json = Record<string, unknown>;

/** Codegen refuses longer ones of connector.yaml, because clients do. */
const MAX_DESCRIPTION_CHARS = 1000;

const OK = (at: TextSource): Json => ({ 200: { description: at.text() } });

/** Valid OpenAPI 3.1, whatever the texts are. */
export function hostileDescriptor(at: TextSource): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: at.text(),
      version: at.text(),
      description: at.text(),
      summary: at.text(),
      contact: { name: at.text() },
    },
    [`x-${at.name()}`]: at.text(),
    servers: [
      {
        url: 'https://{region}.notes.example/{constructor}',
        description: at.text(),
        variables: { region: { default: 'eu', description: at.text() }, constructor: { default: 'v1' } },
      },
    ],
    tags: [{ name: at.text(), description: at.text() }],
    security: [{ constructor: [] }, { toString: [at.text()] }],
    paths: {
      '/notes/{id}': { parameters: [pathParameter(at)], post: write(at), get: read(at) },
      [`/${at.name().replaceAll(/[{}?#]/g, '')}`]: { summary: at.text(), get: { responses: OK(at) } },
      [`/${at.name()}`]: { get: { operationId: at.name(), summary: at.text(), responses: OK(at) } },
      '/odd': { post: oddBody(at), delete: { operationId: '__proto__', responses: OK(at) } },
      '/hidden': { get: { operationId: at.name(), responses: OK(at) } },
      '/kind': { put: kind(at) },
    },
    components: {
      schemas: { constructor: note(at), toString: { type: 'string', enum: [at.text(), at.name()] } },
      securitySchemes: {
        constructor: { type: 'apiKey', in: 'header', name: at.name(), description: at.text() },
        toString: { type: 'oauth2', flows: {}, description: at.text() },
      },
    },
  };
}

/** Valid for the descriptor above, whatever the texts are. */
export function hostileConfig(at: TextSource): Json {
  const words = () => at.name();
  const pointer = () => `/${at.name().replaceAll('~', '~0')}`;
  return {
    title: words(),
    description: words(),
    categories: [words()],
    synonyms: { notes: [words()] },
    credential: {
      parts: [
        { id: words(), type: 'header', label: words(), name: words() },
        { id: words(), type: 'query', label: words(), name: words() },
      ],
      help: words(),
    },
    errors: {
      message: [pointer()],
      code: [pointer()],
      details: [],
      invalidCredential: [{ status: 400, pointer: '/a', contains: words() }],
    },
    notExposed: { 'GET /hidden': words() },
    tools: {
      notes_write: {
        operation: 'POST /notes/{id}',
        title: words(),
        description: at.text().slice(0, MAX_DESCRIPTION_CHARS).trim() || 'Writes.',
        arguments: { id: { description: words(), examples: [at.text()] } },
        hints: { idempotentHint: true, reason: words() },
      },
    },
  };
}

function pathParameter(at: TextSource): Json {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: at.text(),
    schema: { type: 'string', title: at.text() },
  };
}

function read(at: TextSource): Json {
  return {
    operationId: at.text(),
    summary: at.text(),
    description: at.text(),
    tags: [at.text()],
    [`x-${at.name()}`]: { [at.name()]: at.text() },
    externalDocs: { url: 'https://notes.example', description: at.text() },
    parameters: [
      {
        name: at.name(),
        in: 'query',
        description: at.text(),
        schema: { type: 'string', enum: [at.text(), at.name()] },
      },
      { name: at.name(), in: 'query', schema: { type: 'string', default: at.text(), examples: [at.text()] } },
      { name: at.name(), in: 'query', schema: { type: 'string', pattern: at.text(), format: at.text() } },
      { name: at.name(), in: 'query', example: at.text(), schema: { const: at.text() } },
      { name: at.name(), in: 'header', description: at.text(), schema: { type: 'string' } },
      { name: at.name(), in: 'cookie', description: at.text(), schema: { type: 'string' } },
      { name: at.name(), in: 'query', description: at.text(), content: { 'application/json': { schema: note(at) } } },
      { name: '__proto__', in: 'query', style: 'deepObject', explode: true, schema: note(at) },
    ],
    responses: {
      200: {
        description: at.text(),
        headers: { [at.name()]: { description: at.text(), schema: { type: 'string' } } },
        content: { 'application/json': { schema: note(at), example: at.text() }, [at.name()]: {} },
        links: { [at.name().replaceAll(/[^A-Za-z0-9._-]/g, '_')]: { operationId: at.text(), description: at.text() } },
      },
    },
  };
}

function write(at: TextSource): Json {
  return {
    operationId: at.name(),
    requestBody: { required: true, description: at.text(), content: { 'application/json': { schema: note(at) } } },
    responses: OK(at),
  };
}

function oddBody(at: TextSource): Json {
  return {
    operationId: at.name(),
    requestBody: { content: { [at.name()]: { schema: note(at) } } },
    responses: OK(at),
  };
}

function kind(at: TextSource): Json {
  return {
    operationId: at.name(),
    requestBody: {
      content: {
        'application/json': {
          schema: {
            oneOf: [{ $ref: '#/components/schemas/constructor' }, { type: 'object', title: at.text() }],
            discriminator: { propertyName: at.name(), mapping: { [at.name()]: '#/components/schemas/constructor' } },
          },
        },
      },
    },
    responses: OK(at),
  };
}

function note(at: TextSource): Json {
  return {
    type: 'object',
    title: at.text(),
    description: at.text(),
    [`x-${at.name()}`]: at.text(),
    properties: {
      [at.name()]: { type: 'string', description: at.text(), default: at.text(), title: at.text() },
      [at.name()]: { type: 'string', enum: [at.name(), at.name()], format: at.text() },
      [at.name()]: { type: 'object', properties: { [at.name()]: { const: at.text() } }, required: ['constructor'] },
      [at.name()]: { type: 'array', items: { type: 'string', examples: [at.text()], pattern: at.text() } },
      ['__proto__']: { type: 'string', description: at.text() },
      constructor: { $ref: '#/components/schemas/toString', description: at.text() },
    },
    example: { [at.name()]: at.text() },
  };
}
