import { describe, expect, test } from 'vitest';
import { findSameOperations } from '../../scripts/tools-diff/same-operations.ts';

const GET = { method: 'GET', path: '/notes' };
const POST = { method: 'POST', path: '/notes' };

function descriptor() {
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    security: [{ key: [] }],
    paths: {
      '/notes': {
        parameters: [{ $ref: '#/components/parameters/trace' }] as object[],
        get: { responses: { 200: { $ref: '#/components/responses/notes' } } },
        post: { requestBody: { $ref: '#/components/requestBodies/draft' }, responses: {} as object },
      },
    },
    components: {
      parameters: { trace: { name: 'trace', in: 'query', schema: { type: 'string' } } },
      responses: { notes: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } } } },
      requestBodies: { draft: { content: { 'text/plain': { schema: { type: 'string' } } } } },
      schemas: {
        Note: { properties: { owner: { $ref: '#/components/schemas/Own~1er%20x' } } },
        'Own/er x': {
          properties: { notes: { items: { $ref: '#/components/schemas/Note' } } } as object,
        },
        Unused: { type: 'string' },
      } as Record<string, object>,
      securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } },
    },
  };
}

type Descriptor = ReturnType<typeof descriptor>;

function isSameAfter(change: (changed: Descriptor) => void, operation = GET): boolean {
  const changed = descriptor();
  change(changed);
  return findSameOperations(descriptor(), changed)(operation, operation);
}

describe('an operation is the same', () => {
  test.each<[title: string, change: (changed: Descriptor) => void]>([
    ['in the same descriptor, whose schemas refer to each other', () => {}],
    ['when another operation changes', ({ paths }) => Object.assign(paths['/notes'].post, { responses: { 204: {} } })],
    ['when a schema that it does not reach changes', ({ components }) => (components.schemas.Unused = {})],
    ['when the version of the descriptor changes', ({ info }) => (info.version = '2')],
  ])('%s', (_title, change) => {
    expect(isSameAfter(change)).toBe(true);
  });
});

describe('an operation is not the same', () => {
  test.each<[title: string, change: (changed: Descriptor) => void, operation?: typeof GET]>([
    ['when it changes', ({ paths }) => Object.assign(paths['/notes'].get, { deprecated: true })],
    ['when it is removed', ({ paths }) => Reflect.deleteProperty(paths['/notes'], 'post'), POST],
    ['when its path item changes', ({ paths }) => paths['/notes'].parameters.push({ name: 'page', in: 'query' })],
    ['when a parameter of its path item changes', ({ components }) => (components.parameters.trace.name = 'traced')],
    [
      'when a schema that it reaches through others changes',
      ({ components }) => Object.assign(components.schemas['Own/er x'] ?? {}, { required: ['notes'] }),
    ],
    [
      'when a schema that it reaches is removed',
      ({ components }) => Reflect.deleteProperty(components.schemas, 'Own/er x'),
    ],
    ['when the credentials of all operations change', ({ components }) => (components.securitySchemes.key.name = 'k')],
    ['when the version of OpenAPI changes', (changed) => (changed.openapi = '3.0.3')],
  ])('%s', (_title, change, operation) => {
    expect(isSameAfter(change, operation)).toBe(false);
  });

  test('as another operation, or if a tool has none', () => {
    const isSame = findSameOperations(descriptor(), descriptor());
    expect([isSame(GET, POST), isSame(GET, null), isSame(null, null)]).toEqual([false, false, false]);
  });
});
