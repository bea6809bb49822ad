import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startFormsService } from './service.ts';

const DESCRIPTOR = path.join(import.meta.dirname, '../../golden/openapi-3.2/specs/notes/openapi.yaml');

const service = await startFormsService(DESCRIPTOR);
const { sandbox, client } = service;
afterAll(() => service.close());

/** The request that the sandbox got and the answer of the tool; the descriptor allows the request. */
async function call(name: string, args: Record<string, unknown> = {}) {
  const { structuredContent, isError } = await client.callTool({ name: `forms_${name}`, arguments: args });
  expect([isError ?? false, structuredContent]).toEqual([false, expect.anything()]);
  const sent = sandbox.requests().at(-1);
  return { sent: `${sent?.method} ${sent?.url}`, body: sent?.body, cookie: sent?.headers.cookie, structuredContent };
}

const NOTES = { notes: expect.arrayContaining([{ id: expect.any(String), text: expect.any(String) }]) };

describe('additions of OpenAPI 3.2 that the gateway sends and the sandbox reads', () => {
  test('a query that is a form', async () => {
    const { sent, structuredContent } = await call('list_notes', {
      folder: 'a&b c',
      labels: ['x', 'y'],
      state: ['open', 'done'],
      created: { after: '2026' },
    });
    expect(sent).toBe(
      'GET /forms/notes?folder=a%26b%20c&labels=x,y&state=open&state=done&created=%7B%22after%22%3A%222026%22%7D',
    );
    expect(structuredContent).toEqual(NOTES);
  });

  test('a query that is JSON', async () => {
    const { sent, structuredContent } = await call('match_notes', { selector: { all: ['a=b&c', '+ %'] } });
    expect(sent).toBe(`GET /forms/notes/match?${encodeURIComponent('{"all":["a=b&c","+ %"]}')}`);
    expect(structuredContent).toEqual(NOTES);
  });

  test('a query that is a text', async () => {
    const { sent } = await call('select_notes', { path: '$.notes[?@.id == "a=b"]' });
    expect(sent).toMatch(/^GET \/forms\/notes\/select\?%24\.notes/);
  });

  test('the method QUERY, with a body', async () => {
    const { sent, body, structuredContent } = await call('search_notes', { text: 'milk', limit: 3 });
    expect([sent, body]).toEqual(['QUERY /forms/notes', '{"text":"milk","limit":3}']);
    expect(structuredContent).toEqual(NOTES);
  });

  test('methods without a key in OpenAPI 3.1, and a cookie that is not escaped', async () => {
    const copied = await call('copy_note', { noteId: 'n1', folder: 'old', session: 'a=b%' });
    expect([copied.sent, copied.body, copied.cookie]).toEqual([
      'COPY /forms/notes/n1',
      '{"folder":"old"}',
      'session=a=b%',
    ]);
  });

  test('streams whose items have a schema', async () => {
    const note = { id: expect.any(String), text: expect.any(String) };
    const event = { event: expect.stringMatching(/^(created|deleted)$/), data: note };
    expect((await call('watch_notes')).structuredContent).toEqual({ items: [event, event], streamEnded: true });
    expect((await call('bundle_notes')).structuredContent).toEqual({ items: [note, note], streamEnded: true });
    expect((await call('export_notes')).structuredContent).toEqual({ items: [note, note], streamEnded: true });
  });
});

describe('the sandbox refuses', () => {
  test.each([
    ['GET', '/notes?labels=x', 'folder'],
    ['GET', '/notes?folder=a&state=lost', 'state'],
    ['GET', '/notes/match?%7B%7D', 'all'],
    ['GET', '/notes/match', 'selector'],
  ])('%s %s for %s', async (method, target, name) => {
    const headers = { authorization: 'Bearer sandbox-key' };
    const response = await fetch(`${sandbox.origin}/forms${target}`, { method, headers });
    const { violations } = (await response.json()) as { violations: { in: string; name: string }[] };
    expect([response.status, violations.map((one) => [one.in, one.name])]).toEqual([
      400,
      [['query', expect.stringContaining(name)]],
    ]);
  });
});
