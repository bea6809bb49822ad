import { describe, expect, test } from 'vitest';
import { loadNotes } from './service-files.ts';

const HEAD = 'info: { title: Notes, version: "1" }';
const OK = 'responses: { "200": { description: Done. } }';

interface Case {
  readonly given: string;
  readonly want: readonly [line: number, message: string][];
}

describe.each(['3.0.3', '3.1.0'])('a descriptor that breaks OpenAPI %s', (version) => {
  const cases: [string, Case][] = [
    [
      'a missing title',
      { given: 'info: { version: "1" }\npaths: {}', want: [[2, "Must have required property 'title'."]] },
    ],
    [
      'an unknown field',
      {
        given: `${HEAD}\npaths:\n  /a:\n    gett: { ${OK} }`,
        want: [[5, version === '3.0.3' ? 'Does not belong here.' : '']],
      },
    ],
    [
      'an unknown place of a parameter',
      {
        given: `${HEAD}\npaths:\n  /a:\n    get:\n      parameters:\n        - { name: a, in: body, schema: {} }\n      ${OK}`,
        want: [[7, 'Must be equal to one of the allowed values']],
      },
    ],
    [
      'a path parameter that is not required',
      {
        given: `${HEAD}\npaths:\n  /a/{id}:\n    get:\n      parameters:\n        - { name: id, in: path, schema: {} }\n      ${OK}`,
        want: [
          [
            7,
            version === '3.0.3'
              ? 'A path parameter must have `required: true`.'
              : "Must have required property 'required'.",
          ],
        ],
      },
    ],
    [
      'several at once',
      {
        given: `${HEAD}\npaths:\n  /a:\n    get: { operationId: 1, ${OK} }\n    put: { tags: x, ${OK} }`,
        want: [
          [5, 'Must be string.'],
          [6, 'Must be array.'],
        ],
      },
    ],
  ];
  const applicable = cases.filter(([, { want }]) => want.every(([, message]) => message !== ''));
  test.each(applicable)('is refused: %s', async (_title, { given, want }) => {
    const loaded = await loadNotes({ 'openapi.yaml': `openapi: ${version}\n${given}\n` });
    const said = loaded.problems.map(({ code, file, pointer, message }) => ({
      code,
      line: loaded.locate(file, pointer),
      message,
    }));
    expect(said).toEqual(
      want.map(([line, message]) => ({ code: 'openapi-invalid', line, message: expect.stringContaining(message) })),
    );
    expect(loaded.document).toBeNull();
  });
});

describe('what OpenAPI 3.1 allows is accepted:', () => {
  const OPERATION = `get: { ${OK} }`;
  const accepted: [title: string, given: string][] = [
    ['a license with a name alone', `info: { title: N, version: "1", license: { name: MIT } }\npaths: {}`],
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

describe('OpenAPI 3.2', () => {
  test('is read where it adds nothing that a call depends on', async () => {
    const given = [
      'tags: [{ name: a, summary: A, parent: b, kind: nav }]',
      'servers: [{ url: "https://a", name: A }]',
      'paths: { /a: { get: { responses: { "200": { summary: Done } } } } }',
    ];
    const { problems } = await loadNotes({ 'openapi.yaml': `openapi: 3.2.0\n${HEAD}\n${given.join('\n')}\n` });
    expect(problems).toEqual([]);
  });

  test.each([
    ['the method QUERY', `/a: { query: { ${OK} } }`, '/paths/~1a'],
    ['other methods', `/a: { additionalOperations: { COPY: { ${OK} } } }`, '/paths/~1a'],
    [
      'a query string as one parameter',
      `/a: { get: { parameters: [{ in: querystring, name: a, content: { text/plain: {} } }], ${OK} } }`,
      '/paths/~1a/get/parameters/0/in',
    ],
  ])('is refused where it needs %s, with the way out', async (_, path, pointer) => {
    const { problems } = await loadNotes({ 'openapi.yaml': `openapi: 3.2.0\n${HEAD}\npaths:\n  ${path}\n` });
    expect(problems.map((problem) => [problem.code, problem.pointer, problem.fix])).toEqual([
      [
        'openapi-invalid',
        pointer,
        'Of OpenAPI 3.2, what 3.1 has as well is read. Correct this, or take what is new out of the descriptor.',
      ],
    ]);
  });
});

test('Swagger 2.0 is refused with the way out', async () => {
  const { problems } = await loadNotes({ 'openapi.yaml': `swagger: "2.0"\n${HEAD}\npaths: {}\n` });
  expect(problems.map(({ code, message, fix }) => [code, message, fix])).toEqual([
    [
      'openapi-version',
      'This is Swagger 2.0 (OpenAPI 2), which is not supported.',
      'Convert it to OpenAPI 3, for instance with `npx swagger2openapi`, or ask the upstream for such a descriptor.',
    ],
  ]);
});

test('a schema of OpenAPI 3.0 with an unknown type is refused without a word about `$ref`', async () => {
  const { problems } = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3\n${HEAD}\npaths: {}\ncomponents:\n  schemas:\n    A: { properties: { a: { type: strin } } }\n`,
  });
  expect(problems.map(({ pointer, message }) => ({ pointer, message }))).toEqual([
    {
      pointer: '/components/schemas/A/properties/a/type',
      message:
        'Must be equal to one of the allowed values: "array", "boolean", "integer", "number", "object", "string".',
    },
  ]);
});

test('a body of OpenAPI 3.0 without content is not asked for a `$ref`', async () => {
  const { problems } = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3\n${HEAD}\npaths:\n  /a: { put: { requestBody: {}, ${OK} } }\n`,
  });
  expect(problems.map(({ message }) => message)).toEqual(["Must have required property 'content'."]);
});

test('a fault in a file that the descriptor references is reported in that file', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3\n${HEAD}\npaths: {}\ncomponents:\n  schemas:\n    A: { items: { $ref: note.yaml }, type: array }\n`,
    'note.yaml': 'type: object\nproperties:\n  a: { type: strin }\n',
  });
  expect(loaded.problems.map(({ file, pointer }) => `${file}:${loaded.locate(file, pointer)} ${pointer}`)).toEqual([
    'specs/notes/note.yaml:3 /properties/a/type',
  ]);
});

test('a descriptor with a thousand faults gives fifty and a count', async () => {
  const paths = Array.from({ length: 1000 }, (_, i) => `  /a${i}: { get: { operationId: ${i}, ${OK} } }`).join('\n');
  const { problems } = await loadNotes({ 'openapi.yaml': `openapi: 3.1.0\n${HEAD}\npaths:\n${paths}\n` });
  expect(problems).toHaveLength(51);
  expect(problems.at(-1)?.message).toBe('950 more places are invalid.');
});

test('content that another file contributed is located at the reference that brought it in', async () => {
  const loaded = await loadNotes({
    'openapi.yaml': `openapi: 3.0.3\n${HEAD}\npaths: {}\ncomponents:\n  schemas:\n    A: { items: { $ref: note.yaml }, type: array }\n`,
    'note.yaml': 'type: object\nproperties:\n  a: { type: string }\n',
  });
  expect(loaded.problems).toEqual([]);
  expect(loaded.document).toHaveProperty('components.schemas.note.properties.a');
  expect(loaded.locate('specs/notes/openapi.yaml', '/components/schemas/note/properties/a')).toBe(6);
  expect(loaded.locate('specs/notes/note.yaml', '/properties/a')).toBe(3);
  expect(loaded.locate('specs/notes/other.yaml', '')).toBeNull();
});
