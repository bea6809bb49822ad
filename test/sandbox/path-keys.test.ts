import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';

const named = (operationId: string, more: object = {}) => ({
  operationId,
  responses: {
    '200': {
      description: '',
      content: { 'application/json': { schema: answer(operationId) } },
    },
  },
  ...more,
});
const answer = (id: string) => ({
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', enum: [id] } },
});
const bucket = { name: 'bucket', in: 'path', required: true, schema: { type: 'string' } };
const query = (name: string, schema: object, required = false) => ({ name, in: 'query', required, schema });

const document = {
  openapi: '3.0.3',
  info: { title: 'Buckets', version: '1' },
  paths: {
    '/{bucket}': { parameters: [bucket], get: named('list', { parameters: [query('limit', { type: 'integer' })] }) },
    '/{bucket}?acl': { parameters: [bucket], get: named('getAcl'), put: named('putAcl') },
    '/{bucket}?tagging': { parameters: [bucket], get: named('getTags'), put: named('putTags') },
    '/{bucket}?list-type=2': {
      parameters: [bucket],
      get: named('listNew', { parameters: [query('prefix', { type: 'string' })] }),
    },
    '/{bucket}#versions': {
      parameters: [bucket],
      get: named('versions', { parameters: [query('versions', { type: 'boolean' }, true)] }),
    },
    '/items?kind={kind}&state=open%20now': {
      get: named('openItems', { parameters: [query('kind', { type: 'string' }), query('state', { type: 'string' })] }),
    },
  },
};

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ services: [{ name: 'buckets', document }] });
});
afterAll(() => sandbox.close());

describe('a request whose path and method belong to several operations', () => {
  it.each([
    ['GET', '/photos?acl', 'getAcl'],
    ['GET', '/photos?tagging=', 'getTags'],
    ['PUT', '/photos?tagging', 'putTags'],
    ['GET', '/photos?list-type=2&prefix=a', 'listNew'],
    ['GET', '/photos?versions=true', 'versions'],
    ['GET', '/photos?limit=3', 'list'],
    ['GET', '/photos', 'list'],
    ['GET', '/items?kind=book&state=open+now', 'openItems'],
  ])('%s %s is for the operation whose key has its query', async (method, path, id) => {
    const { status, body } = await ask(method, path);
    expect({ status, body }).toEqual({ status: 200, body: { id } });
  });

  it.each([
    ['GET', '/photos?list-type=1', 400],
    ['GET', '/photos?acl&other=1', 400],
    ['PUT', '/photos', 404],
    ['PUT', '/photos?limit=3', 404],
    ['POST', '/photos?acl', 405],
  ])('%s %s is refused with %s', async (method, path, status) => {
    expect((await ask(method, path)).status).toBe(status);
  });
});

async function ask(method: string, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${sandbox.origin}/buckets${path}`, { method });
  return { status: response.status, body: await response.json() };
}
