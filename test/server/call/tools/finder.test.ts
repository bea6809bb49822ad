import { afterEach, describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import type { Principal } from '../../../../server/base/principal/principal.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { reportLargeList } from '../../../../server/call/tools/catalogue/list-pages.ts';
import type { CompleteToolResult } from '../../../../server/call/tools/provider.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startHost } from '../upstream/support.ts';
import { type CallOptions, createContext, createFixture, createPrincipal, type Fixture } from './support.ts';

const file = { type: 'string', contentEncoding: 'base64' };
const TOOLS = [
  fakeTool({
    name: 'library_list_books',
    path: '/books',
    input: { properties: { author: { type: 'string' }, shelf: { type: 'string' } } },
    more: { title: 'List books', description: 'Lists the books of a shelf. By author or shelf.' },
  }),
  fakeTool({
    name: 'library_get_book',
    path: '/books/{bookId}',
    more: { title: 'Get a book', description: 'Gets one book. Needs its id.' },
  }),
  fakeTool({
    name: 'library_add_book',
    method: 'POST',
    path: '/books',
    input: { properties: { cover: file, title: { type: 'string' } } },
    more: { title: 'Add a book', description: 'Adds a book to the library.' },
  }),
  fakeTool({
    name: 'library_remove_book',
    method: 'DELETE',
    path: '/books/{bookId}',
    more: {
      title: 'Remove a book',
      description: 'Removes a book for good.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    },
  }),
];
const CONNECTORS = [
  fakeConnector({ tools: TOOLS }),
  {
    ...fakeConnector({ tools: [fakeTool({ name: 'archive_list_books', more: { title: 'List books' } })] }),
    name: 'archive',
  },
];

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function serve(given: { mode?: 'full' | 'compact' | 'search' } = {}) {
  const requests: { method?: string | undefined; url?: string | undefined }[] = [];
  const host = await startHost(({ method, url }, response) => {
    requests.push({ method, url });
    response.setHeader('content-type', 'application/json').end('{"id":"b1"}');
  });
  cleanups.push(() => host.close());
  const upstream = { origin: host.origin, requests };
  const catalogue = createCatalogue(CONNECTORS, given);
  const fixture: Fixture = createFixture({ connectors: CONNECTORS, origin: upstream.origin, changes: { catalogue } });
  cleanups.push(() => fixture.close());
  const { provider } = fixture;
  const call = async (name: string, args: Record<string, unknown>, { principal, ...context }: CallOptions = {}) =>
    (await provider.call(createPrincipal(principal), name, args, createContext(context))) as CompleteToolResult;
  const list = async (principal: Partial<Principal> = {}) =>
    JSON.parse(Buffer.from((await provider.list(createPrincipal(principal))).json).toString('utf8'));
  const find = async (args: Record<string, unknown>, principal: Partial<Principal> = {}) => {
    const { structuredContent } = await call('search_tools', args, { principal });
    return namesOf((structuredContent ?? { tools: [] }).tools as { name: string }[]);
  };
  return { ...fixture, upstream, catalogue, provider, call, list, find };
}

const namesOf = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);
const withPermission = (changes: Partial<Principal['permission']>) => ({
  permission: { ...FULL_PERMISSION, ...changes },
});
const textsOf = ({ content }: CompleteToolResult) => content.map(({ text }) => String(text));

describe('a list', () => {
  test('is complete by default', async () => {
    const { list } = await serve();
    const tools = await list();
    expect(namesOf(tools)).toEqual([
      'library_add_book',
      'library_get_book',
      'library_list_books',
      'library_remove_book',
    ]);
    expect(tools[1].description).toBe('Gets one book. Needs its id.');
    expect(tools[1].outputSchema).toEqual({ type: 'object' });
  });

  test.each([
    ['the operator', 'compact', {}],
    ['the connection code, whatever the operator sets', 'full', withPermission({ catalogue: 'compact' })],
  ] as const)('is compact where %s asks for it', async (_title, mode, principal) => {
    const { list } = await serve({ mode });
    const tools = await list(principal);
    expect(namesOf(tools)).toEqual([
      'describe_tools',
      'library_add_book',
      'library_get_book',
      'library_list_books',
      'library_remove_book',
    ]);
    expect(tools[2]).toEqual({
      name: 'library_get_book',
      title: 'Get a book',
      description: 'Gets one book.',
      inputSchema: { type: 'object', properties: { bookId: { type: 'string' } }, required: ['bookId'] },
      annotations: TOOLS[1]?.annotations,
    });
  });

  test.each([
    ['the operator', 'search', {}],
    ['the connection code', 'full', withPermission({ catalogue: 'search' })],
  ] as const)('has exactly four tools where %s asks for search', async (_title, mode, principal) => {
    const { list } = await serve({ mode });
    const tools = await list(principal);
    expect(namesOf(tools)).toEqual(['call_reading_tool', 'call_writing_tool', 'describe_tools', 'search_tools']);
    const hints = tools.map(({ annotations }: { annotations: { readOnlyHint: boolean; destructiveHint: boolean } }) => [
      annotations.readOnlyHint,
      annotations.destructiveHint,
    ]);
    expect(hints).toEqual([
      [true, false],
      [false, true],
      [true, false],
      [true, false],
    ]);
  });

  test('is complete for a connection code that asks for it, whatever the operator sets', async () => {
    const { list } = await serve({ mode: 'search' });
    expect(await list(withPermission({ catalogue: 'full' }))).toHaveLength(4);
    expect((await list(withPermission({ catalogue: 'full' })))[0].outputSchema).toBeDefined();
  });

  test('is the same bytes for the same caller in every mode', async () => {
    for (const mode of ['full', 'compact', 'search'] as const) {
      const { provider } = await serve({ mode });
      expect(provider.list(createPrincipal())).toBe(provider.list(createPrincipal()));
    }
  });

  test('is empty without a scope of the gateway', async () => {
    const { list } = await serve({ mode: 'search' });
    expect(await list({ scopes: [] })).toEqual([]);
  });

  test('includes in a compact list what a client has to ask its user for', async () => {
    const { list } = await serve({ mode: 'compact' });
    const [, add] = await list({ scopes: ['tools:read'], clientId: 'client-1' });
    expect(add.description).toBe('Needs write access: calling it asks the user. Adds a book to the library.');
  });

  test.each(['full', 'compact', 'search'] as const)(
    'in the mode %s leaves each tool callable by its own name',
    async (mode) => {
      const { call, upstream } = await serve({ mode });
      for (const { name } of TOOLS) {
        expect((await call(name, name.endsWith('list_books') ? {} : { bookId: 'b1' }, {})).content).toBeDefined();
      }
      expect(upstream.requests.length).toBeGreaterThan(2);
    },
  );

  test('that is large is reported once, with how to make it smaller', () => {
    const lines: unknown[] = [];
    const log = { warn: (...line: unknown[]) => void lines.push(line) };
    reportLargeList({ ...createCatalogue(CONNECTORS), listBytes: 1_000_000 }, log);
    reportLargeList(createCatalogue(CONNECTORS), log);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('CATALOGUE_MODE');
  });
});

describe('search_tools', () => {
  test('finds the tools of connected services, best first, with the effect of each', async () => {
    const { call } = await serve();
    const { structuredContent } = await call('search_tools', { words: 'which books are on this shelf' });
    const [first] = (structuredContent ?? { tools: [] }).tools as object[];
    expect(first).toEqual({
      name: 'library_list_books',
      does: 'Lists the books of a shelf.',
      service: 'library',
      effect: 'reads',
    });
  });

  test.each([
    ['a service that is not connected', { words: 'list books' }, {}, 'archive_list_books'],
    [
      'a tool that writes, for a token that cannot be extended',
      { words: 'add book' },
      { scopes: ['tools:read'] },
      'library_add_book',
    ],
    [
      'a tool that the user excluded',
      { words: 'list books' },
      withPermission({ without: ['library_list_books'] }),
      'library_list_books',
    ],
    [
      'a tool that came after the grant was frozen',
      { words: 'get book' },
      withPermission({ only: ['library_list_books'] }),
      'library_get_book',
    ],
    [
      'a destructive tool, where none is allowed',
      { words: 'remove book' },
      withPermission({ destructive: false }),
      'library_remove_book',
    ],
    [
      'a tool that cannot support a pin',
      { words: 'add book' },
      withPermission({ pins: { library: { shelf: 's' } } }),
      'library_add_book',
    ],
  ] as const)('never shows %s', async (_title, args, principal, name) => {
    const { find, call } = await serve();
    expect(await find(args, principal as Partial<Principal>)).not.toContain(name);
    expect(await find({}, principal as Partial<Principal>)).not.toContain(name);
    const { structuredContent } = await call(
      'describe_tools',
      { names: [name] },
      { principal: principal as Partial<Principal> },
    );
    expect(structuredContent).toMatchObject({ tools: [], unknown: [{ name }] });
  });

  test('filters by service and by effect, and limits the number', async () => {
    const { find } = await serve();
    const writing = await find({ words: 'book', effect: 'writes' });
    expect(writing.sort()).toEqual(['library_add_book', 'library_remove_book']);
    expect(await find({ words: 'book', effect: 'reads', limit: 1 })).toHaveLength(1);
    expect(await find({ words: 'book', service: 'archive' })).toEqual([]);
  });

  test('lists tools where no words are given, and services where nothing is found', async () => {
    const { find, call } = await serve();
    expect(await find({})).toEqual(namesOf(TOOLS).sort());
    const { structuredContent } = await call('search_tools', { words: 'zeppelin' });
    expect(structuredContent).toEqual({ tools: [], services: ['library'] });
  });

  test('says that no tool seems to do what was asked, and describes the nearest', async () => {
    const { call } = await serve();
    const { structuredContent } = await call('search_tools', { words: 'translate the book into French' });
    expect(structuredContent).toMatchObject({ tools: [], services: ['library'] });
    expect(structuredContent?.note).toContain('No tool seems to do this.');
    const nearest = structuredContent?.nearest as { name: string }[];
    expect(nearest.length).toBeGreaterThan(0);
    expect(nearest.length).toBeLessThanOrEqual(5);
    expect(nearest[0]).toMatchObject({ name: expect.stringContaining('book'), service: 'library' });
  });

  test('explains invalid arguments', async () => {
    const { call } = await serve();
    const result = await call('search_tools', { words: 'book', effect: 'read' });
    expect(result.isError).toBe(true);
    expect(textsOf(result)[0]).toContain('Did you mean "reads"?');
  });
});

describe('describe_tools', () => {
  test('returns the same as a complete list, without the pinned arguments', async () => {
    const { call } = await serve();
    const principal = withPermission({ pins: { library: { shelf: 's1' } } });
    const { structuredContent } = await call('describe_tools', { names: ['library_list_books'] }, { principal });
    expect(structuredContent?.tools).toMatchObject([
      { name: 'library_list_books', inputSchema: { properties: { author: { type: 'string' } } } },
    ]);
    expect(JSON.stringify(structuredContent)).not.toContain('shelf": {');
    expect(JSON.stringify(structuredContent)).not.toContain('outputSchema');
  });

  test('describes answers when asked, and names the nearest tools for an unknown name', async () => {
    const { call } = await serve();
    const { structuredContent } = await call('describe_tools', {
      names: ['library_get_book', 'library_get_books'],
      answers: true,
    });
    expect(structuredContent).toMatchObject({
      tools: [{ name: 'library_get_book', outputSchema: { type: 'object' } }],
      unknown: [{ name: 'library_get_books', nearest: expect.arrayContaining(['library_get_book']) }],
    });
  });
});

describe('call_reading_tool and call_writing_tool', () => {
  test('call another tool, whose call is recorded under its own name', async () => {
    const { call, upstream, records } = await serve({ mode: 'search' });
    const result = await call('call_reading_tool', { name: 'library_get_book', arguments: { bookId: 'b1' } });
    expect(result.structuredContent).toEqual({ id: 'b1' });
    expect(upstream.requests).toMatchObject([{ method: 'GET', url: '/books/b1' }]);
    expect(records).toMatchObject([{ tool: 'library_get_book', service: 'library', outcome: 'ok' }]);
  });

  test('the reading one rejects a tool that writes, and says which to use', async () => {
    const { call, upstream } = await serve();
    const result = await call('call_reading_tool', { name: 'library_remove_book', arguments: { bookId: 'b1' } });
    expect(result.isError).toBe(true);
    expect(textsOf(result)[0]).toContain('call_writing_tool');
    expect(upstream.requests).toEqual([]);
    await call('call_writing_tool', { name: 'library_remove_book', arguments: { bookId: 'b1' } });
    expect(upstream.requests).toMatchObject([{ method: 'DELETE', url: '/books/b1' }]);
  });

  test.each([
    ['not allowed', withPermission({ without: ['library_get_book'] }), 'not_allowed'],
    ['of a service that is not connected', { services: [], connections: new Map() }, 'not_connected'],
  ] as const)('reject a tool that is %s as a direct call does', async (_title, principal, code) => {
    const { call, records } = await serve();
    const args = { bookId: 'b1' };
    const direct = await call('library_get_book', args, { principal });
    expect(await call('call_reading_tool', { name: 'library_get_book', arguments: args }, { principal })).toEqual(
      direct,
    );
    expect(textsOf(direct)[1]).toContain(`"code":"${code}"`);
    expect(records.map(({ outcome }) => outcome)).toEqual([code, code]);
  });

  test('apply the pins of the inner tool', async () => {
    const { call } = await serve();
    const principal = withPermission({ pins: { library: { shelf: 's1' } } });
    const result = await call(
      'call_reading_tool',
      { name: 'library_list_books', arguments: { shelf: 's2' } },
      { principal },
    );
    expect(textsOf(result)[1]).toContain('"code":"not_allowed"');
  });

  test('answer invalid arguments with the required schema', async () => {
    const { call } = await serve();
    const texts = textsOf(await call('call_reading_tool', { name: 'library_get_book', arguments: { id: 'b1' } }));
    expect(texts[0]).toContain('"bookId" is missing');
    expect(texts[2]).toContain('"inputSchema":{"type":"object","properties":{"bookId":{"type":"string"}}');
  });

  test('answer a wrong name with the nearest names and the schema of the first', async () => {
    const { call } = await serve();
    const result = await call('call_reading_tool', { name: 'library_get_books' });
    expect(result.isError).toBe(true);
    expect(textsOf(result)[0]).toContain('Did you mean library_get_book');
    expect(textsOf(result)[2]).toContain('"name":"library_get_book"');
  });

  test('stop at the rate limit of the user, and call nothing', async () => {
    const { call, upstream } = await serve();
    for (const name of ['call_reading_tool', 'search_tools', 'describe_tools']) {
      const result = await call(name, { name: 'library_get_book' }, { waitSeconds: 9 });
      expect(textsOf(result)[1]).toContain('"code":"too_many_calls"');
    }
    expect(upstream.requests).toEqual([]);
  });

  test('need the scopes of the inner tool, and have its size limit', async () => {
    const { provider } = await serve();
    const reader = createPrincipal({ scopes: ['tools:read'] });
    const write = { name: 'library_add_book' };
    expect(provider.missingScopes?.(reader, 'call_writing_tool', write, '2026')).toEqual(['tools:read', 'tools:write']);
    expect(provider.missingScopes?.(reader, 'call_writing_tool', { name: 'library_get_book' }, '2026')).toBeNull();
    expect(provider.missingScopes?.(reader, 'search_tools', {}, '2026')).toBeNull();
    expect(provider.takesFiles?.('call_writing_tool', write)).toBe(true);
    expect(provider.takesFiles?.('call_writing_tool', { name: 'library_get_book' })).toBe(false);
    expect(provider.takesFiles?.('search_tools', { name: 'library_add_book' })).toBe(false);
  });
});

describe('a connector', () => {
  test('cannot serve a tool or an old name that is one of the four', () => {
    const alias = { name: 'search_tools', until: '2030-01-01' };
    const tools = [
      fakeTool({ name: 'describe_tools' }),
      fakeTool({ name: 'library_find', more: { aliases: [alias] } }),
    ];
    const catalogue = createCatalogue([fakeConnector({ tools })]);
    expect(catalogue.refused).toEqual([{ name: 'describe_tools', reason: 'the gateway has a tool of this name' }]);
    expect(catalogue.find('search_tools')).toBeUndefined();
  });
});
