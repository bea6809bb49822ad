import { describe, expect, it } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { findBrokenPin } from '../../../../server/call/tools/catalogue/permitted.ts';
import type { CompleteToolResult } from '../../../../server/call/tools/provider.ts';
import type { Tool, ToolRequest } from '../../../../server/contract/index.ts';
import { accessTo } from '../../../support/access.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startHost } from '../upstream/support.ts';
import { createContext, createFixture, createPrincipal, errorOf } from './support.ts';

const open = closeAfterEach();

const STRING = { type: 'string' };
const INPUT = { properties: { shelf: STRING, title: STRING }, required: ['shelf', 'title'] };
const toolFor = (request: ToolRequest, more: Partial<Tool> = {}) =>
  fakeTool({ name: 'library_call', method: 'POST', path: '/books', input: INPUT, request, more });
const members = { shelf: 'shelf', title: 'title' };
const PIN = { shelf: 'A/1' };

const HONOURED: readonly (readonly [string, Tool, string])[] = [
  [
    'a path segment',
    fakeTool({ name: 'library_call', method: 'POST', path: '/shelves/{shelf}/books', input: INPUT }),
    '/shelves/A%2F1/books?title=T',
  ],
  ['a query parameter', toolFor({ query: members }), '/books?shelf=A%2F1&title=T'],
  [
    'a query parameter with a default',
    toolFor({ query: { shelf: { argument: 'shelf', default: 'B' }, title: 'title' } }),
    '/books?shelf=A%2F1&title=T',
  ],
  ['a header', toolFor({ header: { 'X-Shelf': 'shelf' }, query: { title: 'title' } }), '/books?title=T'],
  ['a member of a JSON body', toolFor({ body: { mediaType: 'application/json', members } }), '/books'],
  [
    'a member of an object in a JSON body',
    toolFor({ body: { mediaType: 'application/json', members: { book: { members } } } }),
    '/books',
  ],
  [
    'a member of a form',
    toolFor({ body: { mediaType: 'application/x-www-form-urlencoded', as: 'form', members } }),
    '/books',
  ],
];

async function serve(tool: Tool) {
  const heard: { url: string | undefined; shelf: unknown; body: string }[] = [];
  const host = await startHost(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    heard.push({ url: request.url, shelf: request.headers['x-shelf'], body });
    response.end('{}');
  });
  const fixture = createFixture({ origin: host.origin, connectors: [fakeConnector({ tools: [tool] })] });
  open.push(host, fixture);
  const permission = { ...FULL_PERMISSION, pins: { library: PIN } };
  const principal = createPrincipal({ permission });
  const call = async (args: object) =>
    (await fixture.provider.call(principal, tool.name, { ...args }, createContext())) as CompleteToolResult;
  const list = JSON.parse(Buffer.from((await fixture.provider.list(principal)).json).toString('utf8')) as Tool[];
  return { call, list, heard };
}

describe('a pinned argument', () => {
  it.each(HONOURED)('in %s is set by the gateway and removed from the schema', async (_place, tool, url) => {
    const { call, list, heard } = await serve(tool);
    expect(list[0]?.inputSchema).toMatchObject({ properties: { title: STRING }, required: ['title'] });
    expect(JSON.stringify(list)).not.toContain('shelf"');
    expect((await call({ title: 'T' })).isError).toBeUndefined();
    expect((await call({ title: 'T', shelf: 'A/1' })).isError).toBeUndefined();
    expect(heard.map((request) => request.url)).toEqual([url, url]);
    expect(JSON.stringify(heard[0])).toMatch(/A(\/|%2F)1/);
  });

  it.each(HONOURED)('in %s accepts no other value', async (_place, tool) => {
    const { call, heard } = await serve(tool);
    for (const shelf of ['B', '', null, ['A/1'], 'A%2F1', 'A/1 ']) {
      const error = errorOf(await call({ title: 'T', shelf }));
      expect(error).toMatchObject({ code: 'not_allowed', message: expect.stringContaining('"shelf" is fixed') });
    }
    expect(heard).toEqual([]);
  });

  it.each<readonly [string, Tool]>([
    ['has no such argument', fakeTool({ name: 'library_call' })],
    ['sends it nowhere', toolFor({ query: { title: 'title' } })],
    ['sends it to two places', toolFor({ query: { shelf: 'shelf', also: 'shelf' } })],
    [
      'sends it with other text in one segment',
      fakeTool({ name: 'library_call', path: '/shelves/{shelf}.json', input: INPUT }),
    ],
    [
      'sends it in a style of its own',
      toolFor({ query: { shelf: { argument: 'shelf', style: 'form', explode: true } } }),
    ],
    ['sends it as a cookie', toolFor({ cookie: { shelf: 'shelf' } })],
    ['names a member with it', toolFor({ query: { filters: { entries: { '{shelf}': 'title' } } } })],
    ['sends it as the whole body', toolFor({ body: { mediaType: 'application/json', argument: 'shelf' } })],
    ['sends it in a multipart body', toolFor({ body: { mediaType: 'multipart/form-data', as: 'multipart', members } })],
  ])('withholds a tool that %s', async (_title, tool) => {
    const { call, list, heard } = await serve(tool);
    expect(list).toEqual([]);
    expect(errorOf(await call({ title: 'T' })).code).toBe('not_allowed');
    expect(heard).toEqual([]);
  });

  it('applies to an old name of the tool', async () => {
    const alias = { name: 'library_old', until: '2100-01-01' };
    const { call, heard } = await serve(toolFor({ query: members }, { name: 'library_call', aliases: [alias] }));
    await call({ title: 'T' });
    expect(heard).toHaveLength(1);
  });

  it.each([
    ['twice in the query', '/books?shelf=A%2F1&title=T&shelf=B'],
    ['not in the query', '/books?title=T'],
    ['in another spelling', '/books?shelf=a%2F1'],
  ])('that is %s of the request is detected before it is sent', (_title, target) => {
    const request = { target, headers: {}, body: null };
    expect(findBrokenPin(toolFor({ query: members }), PIN, request)).toBe('shelf');
  });

  it('of an object in a body is detected as missing where it is elsewhere', () => {
    const tool = toolFor({ body: { mediaType: 'application/json', members: { book: { members } } } });
    const check = (body: string) => findBrokenPin(tool, PIN, { target: '/books', headers: {}, body });
    expect(check('{"book":{"shelf":"A/1"}}')).toBeNull();
    for (const body of ['{"shelf":"A/1"}', '{"book":["A/1"]}', '{"book":null}', '{"book":{}}']) {
      expect(check(body)).toBe('shelf');
    }
  });

  it('of a body is detected as missing where another member has its name, or the body is not an object', () => {
    const tool = toolFor({ body: { mediaType: 'application/json', members } });
    const check = (body: string) => findBrokenPin(tool, PIN, { target: '/books', headers: {}, body });
    expect(check('{"shelf":"A/1"}')).toBeNull();
    for (const body of ['{"shelf":"A/1","shelf":"B"}', '{"Shelf":"A/1"}', '["A/1"]', '', '{"shelf":["A/1"]}']) {
      expect(check(body)).toBe('shelf');
    }
  });
});

it('a service whose tools lost a pinned argument is withheld entirely', async () => {
  const catalogue = createCatalogue(await loadConnectors());
  const pinnedTo = (argument: string) =>
    catalogue.names(
      accessTo(['mailer'], { permission: { ...FULL_PERMISSION, pins: { mailer: { [argument]: 'b1' } } } }),
    );
  expect(pinnedTo('renamedBrandId')).toEqual([]);
  const all = catalogue.names(accessTo(['mailer']));
  expect(pinnedTo('brandId')).toEqual(all.filter((name) => name !== 'mailer_list_brands'));
});
