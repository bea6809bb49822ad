import { describe, expect, test } from 'vitest';
import { modelOf, operationOf, places } from './model-of.ts';

const OK = { responses: { '200': { description: 'Done.' } } };

describe('operations', () => {
  test('are sorted by path and method in code units, whatever the order of the descriptor', () => {
    const paths = {
      '/b': { put: OK, get: OK, delete: OK },
      '/a/{x}': {},
      '/a_b': { post: OK },
      '/B': { head: OK },
      '/a': { trace: OK, patch: OK, options: OK },
    };
    const { model } = modelOf({ paths });
    expect(model.operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'HEAD /B',
      'OPTIONS /a',
      'PATCH /a',
      'TRACE /a',
      'POST /a_b',
      'DELETE /b',
      'GET /b',
      'PUT /b',
    ]);
  });

  test('are read completely', () => {
    const { operation, problems } = operationOf(
      {
        operationId: 'getNote',
        summary: 'Get a note',
        description: 'Returns one note.',
        deprecated: true,
        tags: ['notes', 1],
        'x-internal': true,
        callbacks: { done: { '{$request.body#/url}': { post: OK } } },
        ...OK,
      },
      { summary: 'A note', description: 'One note.' },
    );
    expect(operation).toEqual({
      id: 'getNote',
      method: 'GET',
      path: '/notes/{id}',
      summary: 'Get a note',
      description: 'Returns one note.',
      deprecated: true,
      tags: ['notes'],
      server: '{base_url}',
      parameters: [expect.objectContaining({ name: 'id', required: true })],
      body: null,
      responses: [{ status: '200', headers: [], contents: [] }],
      security: [],
      faults: [],
      pointer: '/paths/~1notes~1{id}/get',
    });
    expect(problems).toEqual([]);
  });

  test('take summary and description from their path item where they have none', () => {
    const { operation } = operationOf(OK, { summary: 'A note', description: 'One note.' });
    expect([operation.id, operation.summary, operation.description]).toEqual([null, 'A note', 'One note.']);
  });

  test('are not read from webhooks and extensions', () => {
    const { model } = modelOf({ webhooks: { created: { post: OK } }, paths: { 'x-paths': { get: OK } } });
    expect(model.operations).toEqual([]);
  });

  test('may be in a referenced path item', () => {
    const components = {
      pathItems: {
        note: {
          get: { ...OK, operationId: 'getNote' },
          parameters: [{ name: 'id', in: 'path', required: true, schema: {} }],
        },
      },
    };
    const { model, problems } = modelOf({
      components,
      paths: { '/notes/{id}': { $ref: '#/components/pathItems/note' } },
    });
    expect(model.operations).toEqual([
      expect.objectContaining({ id: 'getNote', path: '/notes/{id}', pointer: '/components/pathItems/note/get' }),
    ]);
    expect(model.operations[0]?.parameters).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('lose an operationId that two of them share', () => {
    const named = { ...OK, operationId: 'do' };
    const { model, problems } = modelOf({
      paths: { '/a': { get: named, put: named }, '/b': { get: { ...OK, operationId: 'other' } } },
    });
    expect(model.operations.map(({ id }) => id)).toEqual([null, null, 'other']);
    expect(problems.map(({ code, pointer, message }) => [code, pointer, message])).toEqual([
      ['operation-id-duplicate', '/paths/~1a/put/operationId', 'The operationId "do" is also that of GET /a.'],
    ]);
  });

  test('are reported when a placeholder has no parameter', () => {
    const { model, problems } = modelOf({ paths: { '/a/{x}/{y}': { get: OK } } });
    expect(model.operations[0]?.faults).toEqual([
      'GET /a/{x}/{y} does not declare {x}.',
      'GET /a/{x}/{y} does not declare {y}.',
    ]);
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['path-parameter-undeclared', 'GET /a/{x}/{y} does not declare {x}.'],
      ['path-parameter-undeclared', 'GET /a/{x}/{y} does not declare {y}.'],
    ]);
  });
});

describe('a request body', () => {
  const content = {
    'application/json': { schema: { type: 'object' }, example: { a: 1 } },
    'text/plain': {},
  };

  test('is read with all media types in their order', () => {
    const { operation } = operationOf({ ...OK, requestBody: { description: 'A note.', required: true, content } });
    const pointer = '/paths/~1notes~1{id}/get/requestBody';
    expect(operation.body).toEqual({
      required: true,
      description: 'A note.',
      contents: [
        {
          mediaType: 'application/json',
          schema: { type: 'object' },
          pointer: `${pointer}/content/application~1json`,
        },
        { mediaType: 'text/plain', schema: null, pointer: `${pointer}/content/text~1plain` },
      ],
      pointer,
    });
  });

  test('is optional by default, and may be a reference', () => {
    const components = { requestBodies: { Note: { content } } };
    const { operation } = operationOf(
      { ...OK, requestBody: { $ref: '#/components/requestBodies/Note' } },
      {},
      { components },
    );
    expect(operation.body).toEqual(
      expect.objectContaining({ required: false, pointer: '/components/requestBodies/Note' }),
    );
  });

  test('is rejected when its reference points to something else', () => {
    const components = { schemas: { Note: { type: 'object' } } };
    const { problems } = operationOf({ ...OK, requestBody: { $ref: '#/components/schemas/Note' } }, {}, { components });
    expect(places(problems)).toEqual(['reference-kind /paths/~1notes~1{id}/get/requestBody']);
  });
});

describe('responses', () => {
  test('are read by status, without extensions', () => {
    const components = { responses: { Missing: { description: 'Not there.' } } };
    const responses = {
      default: { $ref: '#/components/responses/Missing' },
      '200': {
        description: 'A note.',
        content: {
          'application/json': { schema: { type: 'object' } },
        },
      },
      '4xx': { description: 'Wrong.' },
      'x-note': { description: 'None.' },
    };
    const { operation, problems } = operationOf({ responses }, {}, { components });
    expect(operation.responses).toEqual([
      { status: '200', headers: [], contents: [expect.objectContaining({ mediaType: 'application/json' })] },
      { status: 'default', headers: [], contents: [] },
      { status: '4XX', headers: [], contents: [] },
    ]);
    expect(problems).toEqual([]);
  });
});

describe('security', () => {
  const securitySchemes = {
    token: { type: 'http', scheme: 'Bearer', description: 'A token.' },
    password: { type: 'http', scheme: 'basic' },
    key: { type: 'apiKey', in: 'query', name: 'api_key' },
    'x-key': { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    session: { type: 'apiKey', in: 'cookie', name: 'sid' },
    digest: { type: 'http', scheme: 'digest' },
    oauth: { type: 'oauth2', flows: {} },
    oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://example.com' },
    certificate: { type: 'mutualTLS' },
    alias: { $ref: '#/components/securitySchemes/password' },
  };

  test('schemes are read by kind and sorted by id', () => {
    const { model } = modelOf({ components: { securitySchemes } });
    expect(model.securitySchemes.map(({ description: _, pointer: __, ...scheme }) => scheme)).toEqual([
      { id: 'alias', type: 'basic' },
      { id: 'certificate', type: 'unsupported', kind: 'mutualTLS' },
      { id: 'digest', type: 'unsupported', kind: 'http digest' },
      { id: 'key', type: 'apiKey', in: 'query', name: 'api_key' },
      { id: 'oauth', type: 'oauth2', kind: 'oauth2 without a flow', flows: [], scopes: [] },
      { id: 'oidc', type: 'oauth2', kind: 'openIdConnect', flows: [], scopes: [] },
      { id: 'password', type: 'basic' },
      { id: 'session', type: 'apiKey', in: 'cookie', name: 'sid' },
      { id: 'token', type: 'bearer' },
      { id: 'x-key', type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    ]);
    expect(model.securitySchemes.find(({ id }) => id === 'token')).toEqual({
      id: 'token',
      type: 'bearer',
      description: 'A token.',
      pointer: '/components/securitySchemes/token',
    });
  });

  test('flows of OAuth 2.0 are those that the gateway supports, with the scopes of all flows', () => {
    const implicit = { authorizationUrl: 'https://example.com/authorize', scopes: { 'notes:old': '' } };
    const code = { authorizationUrl: '/authorize', tokenUrl: '/token', refreshUrl: '/refresh', scopes: { write: '' } };
    const client = { tokenUrl: 'https://example.com/token', authorizationUrl: '/ignored', scopes: { read: '' } };
    const flowsOf = (flows: object) =>
      modelOf({ components: { securitySchemes: { oauth: { type: 'oauth2', flows } } } }).model.securitySchemes[0];
    expect(flowsOf({ implicit, clientCredentials: client, authorizationCode: code })).toMatchObject({
      type: 'oauth2',
      kind: 'oauth2',
      flows: [
        { flow: 'authorization_code', authorizationUrl: '/authorize', tokenUrl: '/token', refreshUrl: '/refresh' },
        {
          flow: 'client_credentials',
          authorizationUrl: null,
          tokenUrl: 'https://example.com/token',
          refreshUrl: null,
        },
      ],
      scopes: ['notes:old', 'read', 'write'],
    });
    expect(flowsOf({ implicit })).toMatchObject({ kind: 'oauth2 with the flow implicit alone', flows: [] });
    const deviceAuthorization = { deviceAuthorizationUrl: 'https://example.com/device', scopes: {} };
    expect(flowsOf({ deviceAuthorization })).toMatchObject({
      kind: 'oauth2 with the flow deviceAuthorization alone',
      flows: [],
    });
    expect(flowsOf({ password: {}, implicit })).toMatchObject({
      kind: 'oauth2 with the flows password and implicit alone',
    });
  });

  test('of an operation keeps the scopes of each scheme', () => {
    const security = [{ oauth: ['read', 'write'] }, { token: [] }];
    const { operation } = operationOf({ ...OK, security }, {}, { components: { securitySchemes } });
    expect(operation.security).toEqual([[{ id: 'oauth', scopes: ['read', 'write'] }], [{ id: 'token', scopes: [] }]]);
  });

  const root = [{ token: [] }, { key: [], 'x-key': [] }];
  const cases: [string, { given: object; want: string[][] }][] = [
    ["the descriptor's where an operation has none", { given: {}, want: [['token'], ['key', 'x-key']] }],
    ['its own where it has any', { given: { security: [{ password: [] }] }, want: [['password']] }],
    ['none where its list is empty', { given: { security: [] }, want: [] }],
    ['optional where one alternative is empty', { given: { security: [{ token: [] }, {}] }, want: [['token'], []] }],
  ];
  test.each(cases)('of an operation is %s', (_title, { given, want }) => {
    const members = { security: root, components: { securitySchemes } };
    const { operation, problems } = operationOf({ ...OK, ...given }, {}, members);
    expect(operation.security).toEqual(want.map((ids) => ids.map((id) => ({ id, scopes: [] }))));
    expect(problems).toEqual([]);
  });

  test.each([
    ['unauthenticated', { type: 'http', scheme: 'none' }],
    ['NoAuth', undefined],
    ['anonymous', { type: 'apiKey', in: 'header', name: 'Anonymous' }],
  ])('is none where its scheme is %s', (name, scheme) => {
    const schemes = scheme === undefined ? securitySchemes : { ...securitySchemes, [name]: scheme };
    const security = [{ [name]: [] }, { token: [] }];
    const { operation, problems } = operationOf({ ...OK, security }, {}, { components: { securitySchemes: schemes } });
    expect(operation.security).toEqual([[], [{ id: 'token', scopes: [] }]]);
    expect(problems).toEqual([]);
  });

  test('is refused when it names a scheme that does not exist', () => {
    const { problems } = modelOf({ security: [{ other: [] }], components: { securitySchemes } });
    expect(places(problems)).toEqual(['security-scheme-unknown /security/0/other']);
  });
});

describe('a service', () => {
  test('has the title and description of its descriptor', () => {
    const { model } = modelOf({ openapi: '3.0.4', info: { title: 'Notes', version: '1', description: 'All notes.' } });
    expect([model.name, model.file, model.openapi, model.title, model.description]).toEqual([
      'notes',
      'specs/notes/openapi.yaml',
      '3.0',
      'Notes',
      'All notes.',
    ]);
  });

  test('is built without throwing from a document that is not a descriptor', () => {
    for (const document of [
      null,
      1,
      [],
      { paths: [1], components: 2, servers: 3, security: {} },
      { paths: { '/a': { get: 1 } } },
    ]) {
      expect(() => modelOf({ ...(document as object) })).not.toThrow();
    }
  });
});
