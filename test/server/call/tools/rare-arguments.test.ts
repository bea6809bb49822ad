import { expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import type { CompleteToolResult } from '../../../../server/call/tools/provider.ts';
import { accessTo } from '../../../support/access.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startHost } from '../upstream/support.ts';
import { createContext, createFixture, createPrincipal, textOf } from './support.ts';

const STRING = { type: 'string' };
const CONNECTOR = fakeConnector({
  tools: [
    fakeTool({
      name: 'library_find',
      path: '/books',
      input: { properties: { title: STRING, shelf: STRING, language: STRING }, required: ['title'] },
      more: { rare: ['shelf', 'language'] },
    }),
  ],
});

const open = closeAfterEach();

async function serve(pins: Record<string, Record<string, string>> = {}) {
  const heard: (string | undefined)[] = [];
  const host = await startHost((request, response) => {
    heard.push(request.url);
    response.end('{}');
  });
  const fixture = createFixture({ origin: host.origin, connectors: [CONNECTOR] });
  open.push(host, fixture);
  const principal = createPrincipal({ permission: { ...FULL_PERMISSION, pins } });
  const call = async (args: object) =>
    (await fixture.provider.call(principal, 'library_find', { ...args }, createContext())) as CompleteToolResult;
  return { call, heard };
}

test('a lean list names rare arguments as what one argument takes, and offers their description', () => {
  const { json } = createCatalogue([CONNECTOR], { mode: 'lean' }).list(accessTo(['library']));
  const tools = JSON.parse(Buffer.from(json).toString('utf8')) as { name: string; inputSchema: object }[];
  expect(tools.map(({ name }) => name)).toEqual(['describe_tools', 'library_find']);
  expect(tools[1]?.inputSchema).toEqual({
    type: 'object',
    properties: { title: STRING, more: { type: 'object', description: 'shelf, language: see describe_tools.' } },
    required: ['title'],
  });
});

test('a call gives rare arguments in that argument or next to the others, which win', async () => {
  const { call, heard } = await serve();
  await call({ title: 'T', more: { shelf: 'A', language: 'de' } });
  await call({ title: 'T', shelf: 'B', more: { shelf: 'A' } });
  expect(heard).toEqual(['/books?title=T&shelf=A&language=de', '/books?title=T&shelf=B']);
});

test('a wrong name is refused with the nearest one and what that takes', async () => {
  const { call, heard } = await serve();
  const result = await call({ title: 'T', more: { shelv: 'A' } });
  expect(textOf(result)).toContain('Unknown argument "shelv". Did you mean "shelf"? It takes {"type":"string"}.');
  expect(heard).toEqual([]);
});

test('a pinned argument cannot be changed through it', async () => {
  const { call, heard } = await serve({ library: { shelf: 'A' } });
  expect(textOf(await call({ title: 'T', more: { shelf: 'B' } }))).toContain('is fixed for this client');
  await call({ title: 'T', more: { language: 'de' } });
  expect(heard).toEqual(['/books?title=T&shelf=A&language=de']);
});
