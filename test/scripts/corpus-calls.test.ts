import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { compareNulls, compareValues, constantsOf } from '../../scripts/lab/corpus/calls/arrived.ts';
import { callTools, leaveCleared } from '../../scripts/lab/corpus/calls/call.ts';
import { drawArguments } from '../../scripts/lab/corpus/calls/draw.ts';
import { openJudge } from '../../scripts/lab/corpus/calls/judge.ts';
import { toCallsPage, toShare } from '../../scripts/lab/corpus/calls/page.ts';
import type { ArrivedRequest } from '../../scripts/lab/corpus/calls/wire.ts';
import { createLayout } from '../../scripts/lab/corpus/layout.ts';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  servers: [{ url: 'https://notes.example/{version}', variables: { version: { default: 'v1' } } }],
  paths: {
    '/notes/{id}': {
      put: {
        operationId: 'putNote',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['text'],
                properties: { text: { type: 'string' }, size: { type: 'integer' } },
              },
            },
          },
        },
        responses: { 200: { description: 'Done.' } },
      },
    },
  },
};
const OPERATION = { method: 'PUT', path: '/notes/{id}' };

const request = (parts: Partial<Omit<ArrivedRequest, 'body'>> & { readonly body?: unknown }): ArrivedRequest => ({
  method: 'PUT',
  origin: 'https://notes.example',
  url: '/v1/notes/7?tags=a,b',
  headers: { 'content-type': ['application/json'] },
  ...parts,
  body: Buffer.from(parts.body === undefined ? '' : JSON.stringify(parts.body)),
});

describe('arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: 5 },
      file: { type: 'string', contentEncoding: 'base64', description: 'Content.' },
      tree: { $ref: '#/$defs/tree' },
    },
    required: ['id'],
    additionalProperties: false,
    $defs: { tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, name: { type: 'string' } } } },
  };

  test('are the same for the same seed, and fit the schema', () => {
    const drawn = drawArguments(schema, 'a', 'all');
    expect(drawn).toEqual(drawArguments(schema, 'a', 'all'));
    expect(drawn).not.toEqual(drawArguments(schema, 'b', 'all'));
    expect(drawn).toMatchObject({ id: expect.any(Number), file: 'Y29ycHVz', tree: expect.any(Object) });
  });

  test('are omitted if nothing fits', () => {
    expect(drawArguments({ type: 'object', required: ['a'], additionalProperties: false }, 'a', 'some')).toBeNull();
  });
});

const SENT = { constants: new Set(['fixed']), path: '/notes/{id}', credential: 'the-key' };

describe('values', () => {
  test.each<[title: string, args: Record<string, unknown>, want: readonly string[]]>([
    [
      'two swapped values',
      { text: 'fixed', kind: 'long' },
      [
        'text is "fixed", but what arrived under this name is something else',
        'kind is "long", but what arrived under this name is something else',
      ],
    ],
    ['nothing if all arrived', { id: 7, tags: ['a', 'b'], text: 'long' }, []],
    ['one that did not arrive', { id: 7, tags: ['a', 'c'], text: 'long' }, ['tags.1 is "c", which did not arrive']],
    [
      'a part of one',
      { id: 7, tags: ['a'], text: 'lo' },
      ['text is "lo", which did not arrive', 'text of the body is "long", which no one gave'],
    ],
  ])('find %s', (_, args, want) => {
    expect(compareValues(args, request({ body: { text: 'long', kind: 'fixed' } }), SENT)).toEqual(want);
  });

  test('can be in a JSON document in the query', () => {
    const url = '/v1/notes/7?filter=%7B%22by%22%3A%7B%22name%22%3A%22ann%22%7D%7D&as=%22me%22';
    expect(compareValues({ filter: { by: { name: 'ann' } }, as: 'me' }, request({ url, headers: {} }), SENT)).toEqual(
      [],
    );
    expect(compareValues({ filter: { by: { name: 'an' } }, as: 'you' }, request({ url, headers: {} }), SENT)).toEqual([
      'filter.by.name is "an", which did not arrive',
      'as is "you", which did not arrive',
    ]);
  });

  test('are not compared with the credential of the same name', () => {
    const args = { id: 7, tags: ['a', 'b'], key: 'mine' };
    const body = { other: 'mine' };
    expect(compareValues(args, request({ url: '/v1/notes/7?tags=a,b&key=the-key', body }), SENT)).toEqual([]);
    expect(compareValues(args, request({ url: '/v1/notes/7?tags=a,b&key=a-key', body }), SENT)).toEqual([
      'key is "mine", but what arrived under this name is something else',
    ]);
  });

  test('are null for an argument to be cleared, which is then not sent', () => {
    const body = { as: 'json', members: {}, mediaType: 'application/json', clear: 'clear' };
    const drawn = { id: 7, text: 'a', tree: [null], clear: ['text'] };
    expect(leaveCleared({ request: { body } } as never, drawn)).toEqual({ id: 7, tree: [null], clear: ['text'] });
    expect(leaveCleared({ request: {} }, drawn)).toEqual(drawn);
    const values = { id: 7, tree: [null], kind: null };
    expect(compareNulls(values, request({ body: { tree: [null], text: null } }), ['text'])).toEqual([]);
    expect(compareNulls(values, request({ body: { tree: [null] } }), ['text'])).toEqual([
      '1 nulls arrived, but 2 were asked for',
    ]);
  });

  test('can be constants of the document', () => {
    expect(constantsOf({ a: [{ enum: ['x', 2] }, { default: { b: true } }] })).toEqual(new Set(['x', '2', 'true']));
  });
});

describe('the judge', () => {
  test.each<[title: string, request: ArrivedRequest, want: readonly unknown[]]>([
    ['accepts what the document declares', request({ body: { text: 'a' } }), []],
    ['finds a wrong type', request({ body: { text: 'a', size: 'b' } }), ['/body/size: must be integer']],
    ['finds a missing member', request({ body: {} }), [expect.stringContaining("'text'")]],
    ['finds a missing body', request({}), ['the body is missing']],
    [
      'finds an unknown parameter',
      request({ url: '/v1/notes/7?tag=a', body: { text: 'a' } }),
      [expect.stringContaining("'tag'")],
    ],
    [
      'finds a wrong host',
      request({ origin: 'https://other.example' }),
      ['no server of the document is at https://other.example/v1/notes/7?tags=a,b'],
    ],
    ['finds a wrong path', request({ url: '/v1/note/7', body: { text: 'a' } }), ['/note/7: not found']],
    [
      'finds wrong text in a path',
      request({ url: '/v1/notes/x', body: { text: 'a' } }),
      ['/params/id: must be integer'],
    ],
  ])('%s', { timeout: 30_000 }, async (_, arrived, want) => {
    const judge = await openJudge(DOCUMENT, [OPERATION]);
    onTestFinished(() => judge.close());
    expect(await judge.judge(arrived, OPERATION, false)).toEqual(want);
  });
});

test('tools of a document are generated, called and judged', { timeout: 120_000 }, async () => {
  const root = await createLayout();
  const folder = await mkdtemp(path.join(tmpdir(), 'calls-test-'));
  onTestFinished(async () => {
    await rm(root, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });
  const file = path.join(folder, 'notes.json');
  await writeFile(file, JSON.stringify(DOCUMENT));
  const calls = await callTools({ root, service: 'notes', file }, 'notes');
  expect(calls).toMatchObject([
    {
      tool: 'notes_put_note',
      verdict: 'right',
      arguments: { id: expect.any(Number), text: expect.any(String), size: expect.any(Number) },
    },
    { tool: 'notes_put_note', verdict: 'right', arguments: { id: expect.any(Number), text: expect.any(String) } },
  ]);
  const [right] = calls;
  const wrong = { tool: 'b', verdict: 'wrong' as const, problems: ['a | b'], arguments: null };
  const document = { name: 'notes.json', id: 'p/notes.json', file, compiles: true };
  const results = [{ document, calls: right === undefined ? [] : [right, wrong], failure: null }];
  expect(toShare(results.flatMap(({ calls: all }) => all))).toEqual({
    text: 'Of 2 calls that could be judged, 1 are right: 50 %.',
    share: 0.5,
  });
  expect(
    toCallsPage('# Title', [{ title: 'p 1.0.0', results }])
      .split('\n')
      .slice(2),
  ).toEqual([
    '## Calls',
    '',
    'Of 2 calls that could be judged, 1 are right: 50 %.',
    '',
    '| Package | Documents | Tools | Calls | right | open | wrong | refused | undrawn | unjudged |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    '| p 1.0.0 | 1 | 2 | 2 | 1 | 0 | 1 | 0 | 0 | 0 |',
    '| All | 1 | 2 | 2 | 1 | 0 | 1 | 0 | 0 | 0 |',
    '',
    '## Calls that are not right',
    '',
    '| Document | Tool | Calls | Verdict | Why |',
    '| --- | --- | --- | --- | --- |',
    '| `p/notes.json` | `b` | 1 | wrong | a \\| b |',
    '',
  ]);
});
