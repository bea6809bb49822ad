import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { type Host, startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, type Fixture, type FixtureOptions, textOf } from '../support.ts';

const open = closeAfterEach();

const OPEN_INPUT = { properties: {}, additionalProperties: true };

const NOON = Date.UTC(2026, 0, 1, 12);

async function serve(
  listener: RequestListener,
  tool: Partial<Tool> = {},
  options: FixtureOptions = {},
): Promise<Fixture> {
  const host: Host = await startHost(listener);
  const made = fakeTool({ name: 'library_call', input: OPEN_INPUT, more: tool });
  const fixture = createFixture({
    origin: host.origin,
    tools: [made],
    ...options,
    changes: { now: () => NOON, ...options.changes },
  });
  open.push(host, fixture);
  return fixture;
}

const reply =
  (body: string | Buffer, type: string | null = 'application/json', status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, {
      'content-length': Buffer.byteLength(body),
      ...(type === null ? {} : { 'content-type': type }),
    });
    response.end(body);
  };

const call = async (fixture: Fixture, args: Record<string, unknown> = {}) => fixture.call('library_call', args);

describe('a JSON answer', () => {
  it('is structured content and the same text', async () => {
    const fixture = await serve(reply('{"id":"a","tags":["x"]}'));
    expect(await call(fixture)).toEqual({
      content: [{ type: 'text', text: '{"id":"a","tags":["x"]}' }],
      structuredContent: { id: 'a', tags: ['x'] },
    });
  });

  for (const [title, body, want] of [
    ['an array as items', '[{"id":1},{"id":2}]', { items: [{ id: 1 }, { id: 2 }] }],
    ['a string as a value', '"done"', { value: 'done' }],
    ['false as a value', 'false', { value: false }],
  ] as const) {
    it(`presents ${title}`, async () => {
      const fixture = await serve(reply(body));
      const result = await call(fixture);
      expect(result.structuredContent).toEqual(want);
      expect(textOf(result)).toBe(JSON.stringify(want));
    });
  }

  it('may be of any JSON media type, or of none', async () => {
    for (const type of ['application/problem+json', 'APPLICATION/JSON; charset=utf-8', 'text/json', null]) {
      const fixture = await serve(reply('{"id":1}', type));
      expect((await call(fixture)).structuredContent).toEqual({ id: 1 });
    }
  });

  it('is read as JSON where it is declared as JSON but sent as text', async () => {
    const fixture = await serve(reply('{"id":1}', 'text/plain'), {
      outputSchema: { type: 'object', properties: { id: { type: 'integer' } } },
    });
    expect((await call(fixture)).structuredContent).toEqual({ id: 1 });
  });

  it('has texts in place of numbers that a client would round', async () => {
    const body =
      '{"id":12345678901234567890,"ids":[9007199254740993,1],"rate":0.12345678901234567891,"huge":1e400,"plain":0.1}';
    const want =
      '{"id":"12345678901234567890","ids":["9007199254740993",1],"rate":"0.12345678901234567891","huge":"1e400","plain":0.1}';
    const fixture = await serve(reply(body), {
      outputSchema: { type: 'object', properties: { id: { type: 'integer' }, rate: { type: 'number' } } },
    });
    const result = await call(fixture);
    expect(textOf(result)).toBe(want);
    expect(JSON.stringify(result.structuredContent)).toBe(want);
    expect(fixture.faults).toEqual([]);
  });

  for (const type of ['application/json', 'text/plain', null]) {
    it(`never repeats the credential of the connection (${type})`, async () => {
      const connector = fakeConnector({
        tools: [fakeTool({ name: 'library_call' })],
        parts: [{ id: 'key', type: 'query', label: 'Key', name: 'api_key' }],
      });
      const fixture = await serve(
        (request, response) => reply(JSON.stringify({ next: request.url }), type)(request, response),
        {},
        { connectors: [connector], fields: { key: 'planted-secret' } },
      );
      expect(textOf(await call(fixture))).toBe('{"next":"/things?api_key=[redacted]"}');
    });
  }
});

describe('an answer that no longer matches its descriptor', () => {
  const outputSchema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      created: { type: 'string', format: 'date-time' },
      items: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    },
  } as const;

  it('has valid structured content and complete text', async () => {
    const body = '{"id":5,"created":"yesterday","items":[{"n":1},7,{"n":"x","m":1},8],"added":true}';
    const fixture = await serve(reply(body), { outputSchema });
    const result = await call(fixture);
    expect(textOf(result)).toBe(body);
    expect(result.structuredContent).toEqual({ items: [{ n: 1 }, { m: 1 }], added: true });
    expect(fixture.faults).toEqual([
      { kind: 'output_drift', tool: 'library_call', places: ['/id', '/created', '/items/1', '/items/2/n', '/items/3'] },
    ]);
  });

  it.each([
    [1000, 500],
    [12_000, undefined],
  ])(
    'of %i elements, half of them wrong, keeps %s in its structured content and all in its text',
    async (length, kept) => {
      const items = Array.from({ length }, (_, index) => (index % 2 === 0 ? { n: index } : index));
      const changes = { resultTokens: 1_000_000 };
      const fixture = await serve(reply(JSON.stringify({ items })), { outputSchema }, { changes });
      const result = await call(fixture);
      expect((result.structuredContent as { items?: unknown[] }).items?.length).toBe(kept);
      expect(JSON.parse(String(result.content[0]?.text)).items).toHaveLength(length);
    },
  );

  it('is reported once, not on every call', async () => {
    const fixture = await serve(reply('{"id":5}'), { outputSchema });
    await call(fixture);
    await call(fixture);
    expect(fixture.faults).toEqual([{ kind: 'output_drift', tool: 'library_call', places: ['/id'] }]);
  });

  it('keeps its digits where members are left out', async () => {
    const fixture = await serve(reply('{"id":7,"big":12345678901234567890}'), { outputSchema });
    expect(JSON.stringify((await call(fixture)).structuredContent)).toBe('{"big":"12345678901234567890"}');
  });
});

describe('an answer that is not JSON', () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');

  for (const [title, body, type, content] of [
    ['plain text', 'Grüße', 'text/plain; charset=utf-8', { type: 'text', text: 'Grüße' }],
    [
      'text in another charset',
      Buffer.from([0x47, 0x72, 0xfc]),
      'text/plain; charset=iso-8859-1',
      { type: 'text', text: 'Grü' },
    ],
    ['markdown', '# A', 'text/markdown', { type: 'text', text: '# A' }],
    ['XML', '<a/>', 'application/atom+xml', { type: 'text', text: '<a/>' }],
    ['an image', png, 'image/png', { type: 'image', data: png.toString('base64'), mimeType: 'image/png' }],
    ['audio', png, 'audio/mpeg', { type: 'audio', data: png.toString('base64'), mimeType: 'audio/mpeg' }],
    [
      'other bytes',
      png,
      'application/pdf',
      {
        type: 'resource',
        resource: { uri: 'tool-result:///library_call', mimeType: 'application/pdf', blob: png.toString('base64') },
      },
    ],
    [
      'bytes of no type',
      png,
      null,
      {
        type: 'resource',
        resource: {
          uri: 'tool-result:///library_call',
          mimeType: 'application/octet-stream',
          blob: png.toString('base64'),
        },
      },
    ],
  ] as const) {
    it(`presents ${title}`, async () => {
      const fixture = await serve(reply(body, type));
      expect(await call(fixture)).toEqual({ content: [content], structuredContent: {} });
    });
  }

  const jsonTool = { outputSchema: { type: 'object', properties: { id: {} } } } as const;

  it('is an error when it is a web page in place of JSON', async () => {
    const fixture = await serve(reply('<html>Sign in</html>', 'text/html'), jsonTool);
    expect(errorOf(await call(fixture))).toMatchObject({
      code: 'upstream_invalid_answer',
      status: 200,
      message: 'Library answered 200, but the answer is a web page (text/html) instead of JSON.',
      retryable: true,
    });
  });

  it('is an error when it is a web page, even where the output schema does not require JSON', async () => {
    const fixture = await serve(reply('<html>Sign in</html>', 'text/html'), { answersJson: true });
    expect(errorOf(await call(fixture)).code).toBe('upstream_invalid_answer');
  });

  it('is not an error when it is the requested web page', async () => {
    const fixture = await serve(reply('<html>A book</html>', 'text/html'), jsonTool);
    expect(textOf(await call(fixture, { mediaType: 'text/html' }))).toBe('<html>A book</html>');
  });

  it('is an error when it is nested too deeply', async () => {
    for (const depth of [501, 100_000]) {
      const fixture = await serve(reply(`${'['.repeat(depth)}${']'.repeat(depth)}`), jsonTool);
      expect(errorOf(await call(fixture)).code).toBe('upstream_invalid_answer');
    }
  });

  it('is an error when it is broken JSON', async () => {
    const fixture = await serve(reply('{"id": 1, "ti'), jsonTool);
    expect(errorOf(await call(fixture))).toMatchObject({
      code: 'upstream_invalid_answer',
      message: 'Library answered 200, but the answer is not valid JSON (it may have been cut off).',
    });
  });
});

describe('rows', () => {
  const rows = { columns: '/table/columns', columnName: '/name', rows: '/table/data' };
  const columns = [
    { name: 'ticker', type: 'String' },
    { name: 'close', type: 'double' },
  ];
  const shape = async (table: object) => {
    const fixture = await serve(reply(JSON.stringify({ table, meta: { next: null } })), {
      result: { rows },
    });
    return (await call(fixture)).structuredContent;
  };

  it('become objects keyed by column name, next to the columns', async () => {
    expect(
      await shape({
        columns,
        data: [
          ['A', 1.5],
          ['B', null],
        ],
      }),
    ).toEqual({
      table: {
        columns,
        data: [
          { ticker: 'A', close: 1.5 },
          { ticker: 'B', close: null },
        ],
      },
      meta: { next: null },
    });
  });

  for (const [title, table] of [
    ['two columns have one name', { columns: [columns[0], columns[0]], data: [['A', 'B']] }],
    ['a row is longer than the columns', { columns, data: [['A', 1, 2]] }],
    ['there are no columns', { data: [['A', 1]] }],
    ['a column has no name', { columns: [{ type: 'x' }, columns[1]], data: [['A', 1]] }],
  ] as const) {
    it(`are unchanged when ${title}`, async () => {
      expect(await shape(table)).toEqual({ table, meta: { next: null } });
    });
  }

  it('take a column of any name', async () => {
    const result = await shape({ columns: [{ name: '__proto__' }], data: [['A']] });
    expect(JSON.stringify(result)).toContain('"data":[{"__proto__":"A"}]');
  });
});

describe('paging', () => {
  const page = { argument: 'cursor', next: '/pagination/next', queryParameter: null, more: null };
  it.each<[string, Record<string, unknown>, Record<string, unknown>, unknown]>([
    ['the next one', { pagination: { next: 'abc' } }, { size: 5 }, { size: 5, cursor: 'abc' }],
    ['the end', { pagination: { next: null } }, { size: 5 }, null],
  ])('shows %s', async (_, answer, args, want) => {
    const result = await call(await serve(reply(JSON.stringify(answer)), { page }), args);
    expect(result.structuredContent).toEqual({ ...answer, page: { nextArguments: want } });
    expect(result.content).toHaveLength(2);
  });

  it('says in one line how to get the next page', async () => {
    const fixture = await serve(reply('{"pagination":{"next":"abc"}}'), { page });
    expect((await call(fixture, { size: 5 })).content[1]).toEqual({
      type: 'text',
      text: 'There are more results: call library_call again with the same arguments and "cursor": "abc".',
    });
  });

  it('reports that the end is reached', async () => {
    const fixture = await serve(reply('{}'), { page });
    expect((await call(fixture)).content[1]).toEqual({ type: 'text', text: 'This is the last page.' });
  });

  it('does not change an answer that has its own page member', async () => {
    const fixture = await serve(reply('{"page":7}'), { page });
    expect((await call(fixture)).structuredContent).toEqual({ page: 7 });
  });
});

describe('a result over the limit', () => {
  const input = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      pageSize: { type: 'integer' },
      columns: { type: 'array', items: { type: 'string' } },
      cursor: { type: 'string' },
      rerank: { type: 'boolean' },
    },
    required: [],
    additionalProperties: false,
  } as const;
  const page = { argument: 'cursor', next: '/next', queryParameter: null, more: null };

  it('answers with its size and the arguments that narrow it', async () => {
    const fixture = await serve(reply(Buffer.alloc(5000, ' ')), { inputSchema: input, page }, { maxResultBytes: 2000 });
    const result = await call(fixture, { pageSize: 100 });
    expect(errorOf(result)).toMatchObject({
      code: 'result_too_large',
      message: 'The result is too large: 5000 bytes (the limit is 2000).',
      retryable: false,
    });
    expect(result.content[0]?.text).toMatch(/Call again with narrower "pageSize" \(now 100\), "columns"\.$/);
  });

  it('is reported when its size is unknown', async () => {
    const fixture = await serve(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(Buffer.alloc(3000, ' '));
        response.end('{}');
      },
      { inputSchema: input, page },
      { maxResultBytes: 2000 },
    );
    expect(errorOf(await call(fixture)).message).toBe('The result is too large: more than 2000 bytes.');
  });

  it('of a call that writes says that it took effect', async () => {
    const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
    const fixture = await serve(
      reply(Buffer.alloc(5000, ' ')),
      { inputSchema: input, annotations },
      { maxResultBytes: 2000 },
    );
    expect(errorOf(await call(fixture)).message).toContain('The call itself took effect.');
  });

  it('does not affect the next call', async () => {
    let size = 5000;
    const fixture = await serve(
      (_, response) => response.end(`{"a":"${'x'.repeat(size)}"}`),
      {},
      { maxResultBytes: 2000 },
    );
    expect((await call(fixture)).isError).toBe(true);
    size = 10;
    expect((await call(fixture)).structuredContent).toEqual({ a: 'xxxxxxxxxx' });
  });
});
