import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { generate } from '../../../codegen/generate.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const body = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } }, responses: {} });
const BOOK = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    owner: { type: 'object', properties: { name: { type: 'string' }, tax: { type: 'string' } } },
    tags: { type: 'array', items: { type: 'string' } },
  },
};
const DESCRIPTOR = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  servers: [{ url: 'https://notes.example.com' }],
  paths: {
    '/books': {
      get: { operationId: 'listBooks', responses: { 200: { description: 'Books.' } } },
      post: {
        operationId: 'addBook',
        responses: { 200: { description: 'Added.' } },
        callbacks: { scanned: { '{$request.body#/callback}': { post: body({ $ref: '#/components/schemas/Book' }) } } },
      },
    },
  },
  webhooks: {
    bookLent: {
      post: body({ type: 'object', properties: { type: {}, payload: { $ref: '#/components/schemas/Book' } } }),
    },
  },
  components: { schemas: { Book: BOOK } },
};

const EVENT = { of: 'bookLent', tool: 'notes_list_books', description: 'A book was lent.' };

async function eventsOf(types: object, more: object = {}) {
  const root = await mkdtemp(path.join(tmpdir(), 'events-'));
  folders.push(root);
  const folder = path.join(root, 'specs/notes');
  await mkdir(folder, { recursive: true });
  const events = { signature: 'standard-webhooks', type: 'body.type', data: 'payload', types, ...more };
  await writeFile(path.join(folder, 'openapi.yaml'), stringify(DESCRIPTOR));
  await writeFile(path.join(folder, 'connector.yaml'), stringify({ events }));
  const { diagnostics, services } = await generate({ root });
  const problems = diagnostics.filter(({ severity }) => severity === 'error');
  return { events: services[0]?.connector?.events, problems };
}

test('an event has the payload of its webhook, without what it withholds, and arguments of its filters', async () => {
  const filters = { id: 'bookId', 'owner.name': 'owner' };
  const { events, problems } = await eventsOf({
    'notes.lent': { ...EVENT, filters, withhold: { 'owner.tax': 'drop' } },
  });
  expect(problems).toEqual([]);
  expect(events?.types).toEqual([
    {
      ...{ name: 'notes.lent', description: 'A book was lent.', value: 'bookLent', tool: 'notes_list_books' },
      inputSchema: {
        type: 'object',
        properties: {
          bookId: { type: 'string', description: 'Only events whose id is this.' },
          owner: { type: 'string', description: 'Only events whose owner.name is this.' },
        },
        additionalProperties: false,
      },
      payloadSchema: {
        type: 'object',
        properties: { id: {}, owner: { properties: { name: {} } }, tags: { items: {} } },
      },
      filters,
      withhold: { 'owner.tax': 'drop' },
    },
  ]);
});

test('a callback of an operation is an event as well', async () => {
  const { events, problems } = await eventsOf(
    { 'notes.scanned': { ...EVENT, of: 'addBook#scanned' } },
    { data: undefined },
  );
  expect(problems).toEqual([]);
  expect(events?.types).toMatchObject([{ value: 'scanned', payloadSchema: { properties: { id: {} } } }]);
});

test.each([
  ['a webhook that is not there', { ...EVENT, of: 'bookLend' }, 'of', 'no webhook or callback bookLend'],
  ['a tool that writes', { ...EVENT, tool: 'notes_add_book' }, 'tool', 'no generated tool that only reads'],
  [
    'a filter by what the payload lacks',
    { ...EVENT, filters: { colour: 'colour' } },
    'filters/colour',
    'no text, number or boolean',
  ],
  ['a filter by a list', { ...EVENT, filters: { tags: 'tags' } }, 'filters/tags', 'no text, number or boolean'],
  [
    'a filter by a withheld member',
    { ...EVENT, filters: { id: 'id' }, withhold: { id: 'drop' } },
    'filters/id',
    'is withheld',
  ],
  [
    'a withheld member that is not there',
    { ...EVENT, withhold: { secret: 'drop' } },
    'withhold/secret',
    'has no secret',
  ],
])('%s is reported', async (_, type, place, message) => {
  const { problems } = await eventsOf({ 'notes.lent': type });
  expect(problems).toMatchObject([
    { code: 'config-event', pointer: `/events/types/notes.lent/${place}`, message: expect.stringContaining(message) },
  ]);
});

test('a name that could be of another service is reported, and so is a time that is not signed', async () => {
  expect((await eventsOf({ 'crm.lent': EVENT })).problems).toMatchObject([{ code: 'config-event' }]);
  const hmac = { header: 'X-Signature', timestampHeader: 'X-Time' };
  expect((await eventsOf({}, { signature: hmac })).problems).toMatchObject([{ pointer: '/events' }]);
});
