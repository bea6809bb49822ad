import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';

const text = { type: 'string' };
const note = {
  type: 'object',
  properties: { key: text, title: text, token: text, auth: { type: 'object', properties: { key: text, by: text } } },
};
const content = { 'application/json': { schema: note } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/bot{token}/notes': {
      post: {
        operationId: 'addNote',
        parameters: [{ name: 'token', in: 'path', required: true, schema: text }],
        requestBody: { required: true, content },
        responses: { 200: { description: 'The note.', content } },
      },
    },
    '/notes': {
      get: {
        operationId: 'listNotes',
        parameters: [
          { name: 'apiKey', in: 'query', schema: text },
          { name: 'X-Account', in: 'header', schema: text },
        ],
        responses: { 200: { description: 'The notes.', content } },
      },
    },
    '/open': { get: { operationId: 'open', responses: { 200: { description: 'Open.', content } } } },
  },
};
const SECRET = 'zq9-lm27';

let sandbox: Sandbox;
beforeAll(async () => {
  const targets = {
    'POST /bot{token}/notes': [
      { in: 'path', name: 'token' },
      { in: 'body', path: ['key'] },
      { in: 'body', path: ['auth', 'key'] },
    ],
    'GET /notes': [
      { in: 'query', name: 'apiKey' },
      { in: 'header', name: 'X-Account', isPublic: true },
    ],
    'GET /open': [{ in: 'query', name: 'apiKey' }],
  } as const;
  const connectorCredential = { prefixes: {}, targets };
  sandbox = await startSandbox({ services: [{ name: 'notes', document, connectorCredential }], credential: SECRET });
});
afterAll(() => sandbox?.close());

async function post(token: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const url = `${sandbox.origin}/notes/bot${token}/notes`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

test('an answer repeats members of a request, but not its credential', async () => {
  const { status, text } = await post(SECRET, { key: SECRET, title: 'Milk', auth: { key: SECRET, by: 'Ada' } });
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ title: 'Milk', auth: { by: 'Ada' } });
  expect(text).not.toContain(SECRET);
});

test.each([
  ['the path', 'another', { key: SECRET, auth: { key: SECRET } }],
  ['the body', SECRET, { key: 'another', auth: { key: SECRET } }],
  ['an object of the body', SECRET, { key: SECRET, auth: {} }],
  ['a body that is not text', SECRET, { key: 7, auth: { key: SECRET } }],
])('a credential that is wrong in %s is refused, and not repeated', async (_, token, body) => {
  const { status, text } = await post(token, body);
  expect(status).toBe(401);
  expect(text).not.toMatch(/another|zq9/);
});

describe('a key that the descriptor declares as a parameter', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${sandbox.origin}/notes${path}`, { headers });

  test('is no filter of the list', async () => {
    const answer = await get(`/notes?apiKey=${SECRET}`, { 'x-account': 'any' });
    expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining(SECRET)]);
  });

  test.each([
    ['a key that is wrong', '/notes?apiKey=another', { 'x-account': 'any' }],
    ['no key', '/notes', { 'x-account': 'any' }],
    ['no account', `/notes?apiKey=${SECRET}`, {}],
  ])('%s is refused', async (_, path, headers) => {
    expect((await get(path, headers)).status).toBe(401);
  });

  test('is not required of an operation that does not declare it', async () => {
    expect((await get('/open')).status).toBe(200);
  });
});
