import { describe, expect, test } from 'vitest';
import type { LoadResult } from '../../../codegen/load/index.ts';
import { loadNotes } from './service-files.ts';

const HEAD = 'info: { title: Notes, version: "1" }';
const OK = 'responses: { "200": { description: Done. } }';

const toText = (loaded: LoadResult) =>
  loaded.problems.map(({ code, file, pointer, message }) => [code, loaded.locate(file, pointer)?.line, message]);

const REPAIRED: [title: string, given: string, want: [line: number, message: string][]][] = [
  [
    'a path parameter without required: true',
    '  /a/{id}: { get: { parameters: [{ name: id, in: path, schema: {} }], OK } }',
    [[4, 'A path parameter does not say that it is required. It is read as required.']],
  ],
  [
    'null in place of an optional value',
    '  /a: { post: { summary: null, requestBody: { content: { text/plain: { schema: null } } }, OK } }',
    [
      [4, '`summary` of an operation is null. It is read as left out.'],
      [4, '`schema` of a media type is null. It is read as left out.'],
    ],
  ],
  [
    'a number in place of a string, and a string in place of a boolean',
    '  /a: { get: { operationId: 404, deprecated: "true", OK } }',
    [
      [4, '`operationId` of an operation is the number 404. It is read as text.'],
      [4, '`deprecated` of an operation is the text "true". It is read as true.'],
    ],
  ],
  [
    'a wrong value that no call depends on',
    '  /a: { get: { tags: x, externalDocs: 3, description: [a], OK } }',
    [
      [4, '`tags` of an operation is "x". It is left out.'],
      [4, '`description` of an operation is a list. It is left out.'],
    ],
  ],
  [
    'an unknown key',
    '  /a: { get: { parameters: [{ name: q, in: query, schema: {}, enum: [a] }], OK } }',
    [[4, 'OpenAPI has no `enum` in a parameter. It is ignored.']],
  ],
  [
    'one object in place of a list',
    '  /a: { get: { security: { key: [] }, OK } }',
    [[4, '`security` of an operation is one object. It is read as a list of one.']],
  ],
  [
    'a path with a parameter as code writes it',
    `  /a/\${id}: { get: { parameters: [{ name: id, in: path, required: true, schema: {} }], OK } }`,
    [[4, 'A path has `$` before a parameter, as code writes it. It is read without.']],
  ],
  [
    'a path without a slash',
    '  a/b: { get: { OK } }',
    [[4, 'A path does not begin with a slash. It is read as if it did.']],
  ],
  [
    'a parameter with the type of Swagger 2.0',
    '  /a: { get: { parameters: [{ name: q, in: query, type: string, maxLength: 3 }], OK } }',
    [[4, 'A parameter describes its type itself. That is read as its `schema`.']],
  ],
  [
    'a sibling of a reference',
    '  /a: { get: { parameters: [{ $ref: "#/components/parameters/Q", name: q, description: Q. }], OK } }\ncomponents: { parameters: { Q: { name: q, in: query, schema: {} } } }',
    [[4, '`name` stands next to the `$ref` of a parameter. It is ignored.']],
  ],
  [
    'an enum whose values are of another type',
    '  /a: { get: { parameters: [{ name: q, in: query, schema: { type: string, enum: [1.5, on, true] } }, { name: n, in: query, schema: { type: integer, enum: ["1", "2"] } }], OK } }',
    [
      [4, 'A schema for text has numbers or flags as values. They are read as the text that was written.'],
      [4, 'A schema for numbers lists texts under `enum`. They are read as numbers.'],
    ],
  ],
  [
    'text that YAML reads as a number',
    '  /a: { get: { parameters: [{ name: q, in: query, schema: { type: string, const: 3.0 } }, { name: r, in: query, schema: { type: string, default: 0644 } }], OK } }',
    [
      [4, 'A schema for text has numbers or flags as values. They are read as the text that was written.'],
      [4, 'A schema for text has numbers or flags as values. They are read as the text that was written.'],
    ],
  ],
  [
    'a path with parameters in another notation',
    '  /a/<id>/:key: { get: { parameters: [{ name: id, in: path, required: true, schema: {} }, { name: key, in: path, required: true, schema: {} }], OK } }',
    [[4, 'The path /a/<id>/:key does not write its parameters in braces. They are read as parameters.']],
  ],
  [
    'a segment that may be a parameter',
    '  /a/:search: { get: { OK } }',
    [[4, 'A path has the segment :search, which may stand for a parameter. It is sent as it is.']],
  ],
  [
    'an undeclared path parameter',
    '  "/a/{id}": { get: { OK } }',
    [[4, 'An operation does not declare {id} of its path. It is read as a text.']],
  ],
  [
    'a path parameter under another name',
    '  "/a/{id}": { get: { parameters: [{ name: key, in: path, required: true, schema: {} }], OK } }',
    [[4, 'An operation declares the path parameter key, and its path has {id}. It is read as that one.']],
  ],
  [
    'a parameter that is declared twice',
    '  /a: { get: { parameters: [{ name: X-Q, in: header, schema: {} }, { name: x-q, in: header, description: Q., schema: {} }], OK } }',
    [[4, 'A list of parameters declares one of them twice. The first is read.']],
  ],
  [
    'a dynamic reference with one target',
    '  /a: { get: { parameters: [{ name: q, in: query, schema: { $ref: "#/components/schemas/Node" } }], OK } }\ncomponents: { schemas: { Node: { $dynamicAnchor: node, properties: { next: { $dynamicRef: "#node" } } } } }',
    [[5, 'The dynamic reference #node has one target. It is read as a `$ref` to it.']],
  ],
  [
    'an invalid schema',
    '  /a: { get: { parameters: [{ name: q, in: query, schema: { $ref: "#/components/schemas/Q" } }], OK } }\ncomponents: { schemas: { Q: [] } }',
    [[5, 'A schema is a list. It is read as one that accepts anything.']],
  ],
];

describe.each(['3.0.3', '3.1.0'])('in a descriptor of OpenAPI %s', (version) => {
  test.each(REPAIRED)('%s is repaired with a warning', async (_title, given, want) => {
    const text = `openapi: ${version}\n${HEAD}\npaths:\n${given.replaceAll('OK', OK)}\n`;
    const loaded = await loadNotes({ 'openapi.yaml': text });
    expect(toText(loaded)).toEqual(want.map((one) => ['descriptor-repaired', ...one]));
    expect(loaded.refused.size).toBe(0);
  });

  const FAULTY: [title: string, operation: string, want: string][] = [
    ['a parameter without a name', 'parameters: [{ in: query, schema: {} }]', '`name` of a parameter is missing.'],
    ['a parameter that is a string', 'parameters: [q]', 'A parameter must be an object, and is "q".'],
    ['parameters that are not a list', 'parameters: q', '`parameters` of an operation must be a list, and is "q".'],
    ['a body without content', 'requestBody: {}', '`content` of a request body is missing.'],
    [
      'content that is not an object',
      'requestBody: { content: [] }',
      '`content` of a request body must be an object, and is a list.',
    ],
    [
      'a misspelt key that decides about the request',
      'requestbody: { content: {} }',
      'OpenAPI has no `requestbody` in an operation. It looks like `requestBody`.',
    ],
    ['security that is a string', 'security: key', '`security` of an operation must be a list, and is "key".'],
    [
      'a parameter that is a schema',
      'parameters: [{ $ref: "#/components/schemas/Q" }]',
      'This leads to a schema, where a parameter belongs.',
    ],
  ];
  test.each(FAULTY)('%s removes only its operation', async (_title, operation, want) => {
    const text = `openapi: ${version}\n${HEAD}\npaths:\n  /a: { post: { operationId: a, ${operation}, ${OK} } }\n  /b: { get: { ${OK} } }\ncomponents: { schemas: { Q: {} } }\n`;
    const loaded = await loadNotes({ 'openapi.yaml': text });
    expect(loaded.problems.map(({ message }) => message)).toEqual([`${want} POST /a does not become a tool.`]);
    expect([...loaded.refused]).toEqual([['/paths/~1a/post', [want]]]);
    expect(loaded.document).toMatchObject({ paths: { '/a': { post: { operationId: 'a' } }, '/b': { get: {} } } });
  });
});

test('a fault in a component removes the operations that reach it, and one in an answer its output schema', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths:\n${['a', 'b', 'c', 'd', 'e']
      .map((name) => `  /${name}: { post: { requestBody: { $ref: "#/components/requestBodies/B" }, ${OK} } }`)
      .join('\n')}
  /f: { get: { responses: { "200": { description: Done., content: { a/b: { schema: { $ref: "#/components/schemas/S" } } } } } } }
components:
  requestBodies: { B: { content: { a/b: { schema: { $ref: "#/components/schemas/S" } } } } }
  schemas: { S: { items: { $ref: "#/gone" } }, T: { $ref: "#/components/schemas/S" }, U: {} }
`,
  });
  expect(loaded.problems.map(({ message }) => message)).toEqual([
    '$ref "#/gone" leads nowhere: there is no "gone" in openapi.yaml. POST /a, POST /b, POST /c and 2 more do not become tools.',
  ]);
  expect(loaded.refused.get('/paths/~1a/post')).toEqual([
    'components/schemas/S/items: $ref "#/gone" leads nowhere: there is no "gone" in openapi.yaml.',
  ]);
  expect(loaded.document).toMatchObject({
    paths: { '/f': { get: { responses: { '200': { description: '' } } } } },
    components: { requestBodies: {}, schemas: { U: {} } },
  });
});

test('a dangling reference in an optional member opens the member', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths:
  /a: { post: { requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/S" } } } }, ${OK} } }
  /b: { post: { requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/R" } } } }, ${OK} } }
  /c: { post: { requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/O" } } } }, ${OK} } }
components:
  schemas:
    S:
      properties:
        one: { $ref: "#/gone" }
        many: { description: Some., items: { anyOf: [{ $ref: "#/gone" }, { type: string }] } }
        deep: { required: [q], properties: { o: { $ref: "#/gone" }, q: { type: string } } }
        kept: { type: string }
    R: { required: [inner], properties: { inner: { required: [x], properties: { x: { $ref: "#/gone" } } } } }
    O: { properties: { x: { $ref: "https://other.example/s.json" } } }
`,
  });
  expect(loaded.document).toMatchObject({
    components: {
      schemas: {
        S: {
          properties: {
            one: {},
            many: { description: 'Some.' },
            deep: { required: ['q'], properties: { o: {}, q: { type: 'string' } } },
            kept: { type: 'string' },
          },
        },
      },
    },
  });
  expect(loaded.problems.filter(({ code }) => code === 'descriptor-repaired').map(({ message }) => message)).toEqual(
    ['one', 'many', 'o'].map(
      (name) =>
        `The optional member \`${name}\` refers to a schema that cannot be found. It is read as one that accepts anything.`,
    ),
  );
  expect([...loaded.refused.keys()]).toEqual(['/paths/~1b/post', '/paths/~1c/post']);
});

test('a fault of a whole path item removes its operations', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths:\n  /a: { parameters: [q], get: { ${OK} }, put: { ${OK} } }\n`,
  });
  expect(loaded.problems.map(({ message }) => message)).toEqual([
    'A parameter must be an object, and is "q". GET /a, PUT /a do not become tools.',
  ]);
});

test('unreadable security of the descriptor removes the operations that have none of their own', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\nsecurity: key\npaths:\n  /a: { get: { ${OK} }, put: { security: [], ${OK} } }\n`,
  });
  expect([...loaded.refused.keys()]).toEqual(['/paths/~1a/get']);
});

test('parts that no operation reaches are not reported, and are dropped where they are invalid', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3
info: { version: 1, contact: none, license: 3 }
tags: [{ name: T, externalDocs: { url: a, description: null } }, 3]
externalDocs: none
paths: { /a: { get: { callbacks: none, ${OK} } } }
components:
  schemas: { A: [], B: { $ref: "#/gone" }, C: { type: "string," } }
  parameters: { D: none }
  examples: none
`,
  });
  expect(toText(loaded)).toEqual([]);
  expect(loaded.document).toHaveProperty('info.version', '1');
  expect(loaded.document).toHaveProperty('components', {
    schemas: { A: {}, C: { type: 'string,' } },
    parameters: {},
    examples: 'none',
  });
});

test('a reference in place of properties means that schema, and one in place of a map its members', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3
${HEAD}
paths:
  /a: { post: { requestBody: { content: { a/b: { schema: { properties: { $ref: "#/components/schemas/P" } } } } }, ${OK} } }
  /b: { post: { requestBody: { content: { a/b: { schema: { properties: { $ref: "#/components/schemas/P/properties" } } } } }, ${OK} } }
  /c: { get: { parameters: { $ref: "#/x-common" }, ${OK} } }
x-common: [{ name: q, in: query, schema: {} }]
components: { schemas: { P: { type: object, properties: { p: { type: string } } } } }
`,
  });
  expect(loaded.problems.map(({ message }) => message)).toEqual([
    '`properties` of a schema is a `$ref` to a schema. It is read as all of that schema (`allOf`).',
    '`properties` of a schema is a `$ref`. It is read as references to all members of what it leads to.',
    '`parameters` of an operation is a `$ref`. It is read as references to all members of what it leads to.',
  ]);
  const bodyOf = (path: string) => `paths.${path}.post.requestBody.content.a/b.schema`;
  expect(loaded.document).toHaveProperty(bodyOf('/a'), { allOf: [{ $ref: '#/components/schemas/P' }] });
  expect(loaded.document).toHaveProperty(bodyOf('/b'), {
    properties: { p: { $ref: '#/components/schemas/P/properties/p' } },
  });
  expect(loaded.document).toHaveProperty('paths./c.get.parameters', [{ $ref: '#/x-common/0' }]);
});

test.each(['[]', '{ openapi: 3.1.0, paths: [] }'])(
  'a descriptor without usable content is an error: %s',
  async (given) => {
    const { problems, document } = await loadNotes({ 'openapi.yaml': given });
    expect(problems.map(({ code }) => code)).toEqual([given === '[]' ? 'openapi-version' : 'descriptor-unusable']);
    expect(document).toBeNull();
  },
);

describe('what OpenAPI 3.1 allows is accepted:', () => {
  const OPERATION = `get: { ${OK} }`;
  const accepted: [title: string, given: string][] = [
    ['a license with only a name', `info: { title: N, version: "1", license: { name: MIT } }\npaths: {}`],
    [
      'a server variable with a description',
      `${HEAD}\nservers: [{ url: "https://{a}", variables: { a: { default: b, description: c } } }]\npaths: {}`,
    ],
    [
      'servers of a path and of an operation with such variables',
      `${HEAD}\npaths:\n  /a:\n    servers: &s [{ url: "https://{a}", variables: { a: { default: b, description: c } } }]\n    get: { servers: *s, ${OK} }`,
    ],
    [
      'a path item that is a reference',
      `${HEAD}\npaths:\n  /a: { $ref: "#/components/pathItems/a" }\ncomponents: { pathItems: { a: { ${OPERATION} } } }`,
    ],
    [
      'a scheme in capitals',
      `${HEAD}\npaths: {}\ncomponents: { securitySchemes: { a: { type: http, scheme: Bearer, bearerFormat: JWT } } }`,
    ],
    [
      'a link with a server',
      `${HEAD}\npaths:\n  /a: { get: { responses: { "200": { description: Done., links: { a: { operationId: b, server: { url: "https://a" } } } } } } }`,
    ],
  ];
  test.each(accepted)('%s', async (_, given) => {
    const { problems } = await loadNotes({ 'openapi.yaml': `openapi: 3.1.0\n${given}\n` });
    expect(problems).toEqual([]);
  });
});

test.each([
  ['a schema', '  /a: { get: { parameters: [{ name: q, in: query, schema: { $ref: 5 } }], OK } }'],
  ['a parameter', '  /a: { get: { parameters: [{ $ref: 5 }], OK } }'],
  ['a response', '  /a: { get: { responses: { "200": { $ref: 5 } } } }'],
  ['a path', '  /a: { $ref: 5 }'],
])('a `$ref` of %s that is no text is a fault of that place', async (owner, paths) => {
  const text = `openapi: 3.1.0\n${HEAD}\npaths:\n${paths.replace('OK', OK)}\n`;
  const { problems, document } = await loadNotes({ 'openapi.yaml': text });
  expect(problems.map(({ code }) => code)).toEqual(['openapi-invalid']);
  expect(problems[0]?.message).toContain(`\`$ref\` of ${owner} must be a text, and is 5.`);
  expect(JSON.stringify(document)).not.toContain('"$ref":5');
});

test.each([
  ['reference-kind', '#'],
  ['reference-unresolved', ''],
])('%s: a path that leads to the whole descriptor or nowhere is not followed', async (code, ref) => {
  const { problems, document } = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths: { /a: { $ref: "${ref}" }, /b: { get: { ${OK} } } }\n`,
  });
  expect(problems.map(({ code }) => code)).toEqual([code]);
  expect(JSON.stringify(document)).not.toContain('$ref');
});

describe('OpenAPI 3.2', () => {
  test('is read where its additions do not affect a call', async () => {
    const given = [
      'tags: [{ name: a, summary: A, parent: b, kind: nav }]',
      'servers: [{ url: "https://a", name: A }]',
      'paths: { /a: { get: { responses: { "200": { summary: Done } } } } }',
    ];
    const { problems } = await loadNotes({ 'openapi.yaml': `openapi: 3.2.0\n${HEAD}\n${given.join('\n')}\n` });
    expect(problems).toEqual([]);
  });
});

test('an invalid method under additionalOperations, or one with its own key, is left out with a warning', async () => {
  const item = `{ query: { ${OK} }, additionalOperations: { COPY: { ${OK} }, Post: { ${OK} }, "A B": { ${OK} } } }`;
  const { problems, document } = await loadNotes({
    'openapi.yaml': `openapi: 3.2.0\n${HEAD}\npaths: { /a: ${item} }\n`,
  });
  expect(problems.map(({ message }) => message)).toEqual(
    ['Post', 'A B'].map(
      (name) =>
        `\`additionalOperations\` of a path holds "${name}", which is no method, or has a key of its own. It is ignored.`,
    ),
  );
  const { paths } = document as { paths: Record<string, { additionalOperations: object }> };
  expect(Object.keys(paths['/a']?.additionalOperations ?? {})).toEqual(['COPY']);
});

test('OpenAPI 3.2 in several files is read as one document', async () => {
  const { problems, document } = await loadNotes({
    'openapi.yaml': `openapi: 3.2.0\n${HEAD}\npaths: { /a: { $ref: a.yaml } }\n`,
    'a.yaml': `{ query: { ${OK} } }`,
  });
  expect(problems).toEqual([]);
  expect(JSON.stringify(document)).not.toContain('a.yaml');
});

test('Swagger 2.0 is rejected with instructions to convert it', async () => {
  const { problems } = await loadNotes({ 'openapi.yaml': `swagger: "2.0"\n${HEAD}\npaths: {}\n` });
  expect(problems.map(({ code, message, fix }) => [code, message, fix])).toEqual([
    [
      'openapi-version',
      'This is Swagger 2.0 (OpenAPI 2), which is not supported.',
      'Run `npm run utg -- update notes specs/notes/openapi.yaml`: it converts the descriptor, and keeps this one next to it.',
    ],
  ]);
});

test('a fault in a file that the descriptor references is reported in that file', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3\n${HEAD}\npaths: { /a: { $ref: "a.yaml" } }\n`,
    'a.yaml': `get:\n  parameters:\n    - { $ref: "q.yaml" }\n  ${OK}\n`,
    'q.yaml': 'in: query\nschema:\n  items: { $ref: "#/gone" }\n',
  });
  expect(
    loaded.problems.map(({ file, pointer }) => `${file}:${loaded.locate(file, pointer)?.line} ${pointer}`),
  ).toEqual(['specs/notes/q.yaml:3 /schema/items', 'specs/notes/q.yaml:1 ']);
  expect([...loaded.refused.keys()]).toEqual(['/paths/~1a/get']);
});

test('a referenced file that does not parse removes what refers to it', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3\n${HEAD}\npaths:\n  /a: { $ref: "a.yaml" }\n  /b: { get: { ${OK} } }\n`,
    'a.yaml': 'get:\n  a: "b\n',
  });
  expect(loaded.problems.map(({ code, message }) => [code, message])).toEqual([
    ['reference-unresolved', '$ref "a.yaml": a.yaml, line 3: Missing closing "quote.'],
  ]);
  expect(loaded.document).toHaveProperty('paths./b.get');
});

test('content from another file is located at the reference that includes it', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3\n${HEAD}\npaths: {}\ncomponents:\n  schemas:\n    A: { items: { $ref: note.yaml }, type: array }\n`,
    'note.yaml': 'type: object\nproperties:\n  a: { type: string }\n',
  });
  expect(loaded.problems).toEqual([]);
  expect(loaded.document).toHaveProperty('components.schemas.note.properties.a');
  expect(loaded.locate('specs/notes/openapi.yaml', '/components/schemas/note/properties/a')?.line).toBe(6);
  expect(loaded.locate('specs/notes/note.yaml', '/properties/a')?.line).toBe(3);
  expect(loaded.locate('specs/notes/other.yaml', '')).toBeNull();
});

test.each([
  ['openapi.yaml', '[1.10, 0644, 1e3, 0x1F, +7, 1., true]', ['1.10', '0644', '1e3', '0x1F', '+7', '1.', 'true']],
  ['openapi.json', '[1.10, 1e3, -0.0, 20240101000000000001]', ['1.10', '1e3', '-0.0', '20240101000000000001']],
])('numbers under a schema for text keep their digits in %s', async (name, list, want) => {
  const schema = `{ "type": ["string", "null"], "enum": ${list}, "default": 1.10 }`;
  const parameter = `{ "name": "q", "in": "query", "schema": ${schema} }`;
  const numbers = '{ "name": "n", "in": "query", "schema": { "type": "number", "enum": [1.10] } }';
  const operation = `{ "parameters": [${parameter}, ${numbers}], "responses": { "200": { "description": "OK" } } }`;
  const text = `{ "openapi": "3.1.0", "info": { "title": "Notes", "version": "1" }, "paths": { "/a": { "get": ${operation} } } }`;
  const { document } = await loadNotes({
    [name]: name.endsWith('.yaml') ? `# A comment makes it YAML.\n${text}` : text,
  });
  expect(document).toMatchObject({
    paths: {
      '/a': { get: { parameters: [{ schema: { enum: want, default: '1.10' } }, { schema: { enum: [1.1] } }] } },
    },
  });
});

test('of a parameter that is declared twice, the first is left', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths:\n  /a: { get: { parameters: [{ name: q, in: query, description: First., schema: {} }, { name: q, in: query, schema: {} }, { name: q, in: header, schema: {} }], ${OK} } }\n`,
  });
  expect(loaded.document).toMatchObject({
    paths: { '/a': { get: { parameters: [{ in: 'query', description: 'First.' }, { in: 'header' }] } } },
  });
});

test('numbers in examples of texts keep their digits, without a warning', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths:\n  /a: { get: { parameters: [{ name: q, in: query, schema: { type: string, example: 007, examples: [1.10] } }], ${OK} } }\n`,
  });
  expect(toText(loaded)).toEqual([]);
  expect(loaded.document).toMatchObject({
    paths: { '/a': { get: { parameters: [{ schema: { example: '007', examples: ['1.10'] } }] } } },
  });
});

test.each([
  ['/a/{{id}}', '/a/{id}'],
  ['/a/%7Bid%7D', '/a/{id}'],
  ['/a/<int:id>', '/a/{id}'],
  ['/a/%3Cid%3E', '/a/{id}'],
  ['/a/{id*}', '/a/{id}'],
  ['/a/{id:[0-9]{4}}', '/a/{id}'],
  ['/a/{ id }', '/a/{id}'],
  ['/a/[id]', '/a/{id}'],
  ['/a/:lampId/on', '/a/{lampId}/on'],
  ['/a/$count', '/a/$count'],
  ['/v1/messages:batchGet', '/v1/messages:batchGet'],
])('the path %s is read as %s', async (path, want) => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths:\n  ${JSON.stringify(path)}: { get: { ${OK} } }\n`,
  });
  expect(Object.keys((loaded.document as { paths: object }).paths)).toEqual([want]);
});
