import { describe, expect, it } from 'vitest';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import { accessTo } from '../../../../support/access.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, createPrincipal } from '../support.ts';

const open = closeAfterEach();

const ALIAS = { name: 'library_find_books', until: '2027-03-01' };
const RENAMED = { ...fakeTool({ name: 'library_list_books' }), aliases: [ALIAS] };
const LIBRARY = fakeConnector({ tools: [RENAMED] });

async function serve(body = '{"books":[]}', status = 200) {
  const host = await startHost((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  const fixture = createFixture({ origin: host.origin, connectors: [LIBRARY] });
  open.push(host, fixture);
  return fixture;
}

describe('an old name of a tool', () => {
  it('is not listed', async () => {
    const { provider } = await serve();
    const list = await provider.list(createPrincipal());
    expect(Buffer.from(list.json).toString()).not.toContain(ALIAS.name);
    expect(Buffer.from(list.json).toString()).not.toContain('aliases');
    expect(createCatalogue([LIBRARY]).names(accessTo(['library']))).toEqual(['library_list_books']);
  });

  it('makes the same call, and the answer says which name to use and until when the old one works', async () => {
    const { call } = await serve();
    const result = await call(ALIAS.name);
    expect(result.structuredContent).toEqual({ books: [] });
    expect(result.content.map(({ text }) => text)).toEqual([
      '{"books":[]}',
      'Note: library_find_books is now called library_list_books. Use that name: the old one is kept until 2027-03-01.',
    ]);
  });

  it('is reported in errors as well', async () => {
    const { call } = await serve('{}', 404);
    const result = await call(ALIAS.name);
    expect(result.isError).toBe(true);
    expect(result.content.at(-1)?.text).toContain('is now called library_list_books');
  });

  it('is counted under the name that was called', async () => {
    const { call, records } = await serve();
    await call(ALIAS.name);
    await call('library_list_books');
    expect(records.map(({ tool }) => tool)).toEqual([ALIAS.name, 'library_list_books']);
  });

  it('adds nothing to an answer under the new name', async () => {
    const { call } = await serve();
    expect((await call('library_list_books')).content).toHaveLength(1);
  });

  it('yields to a tool that has that name', () => {
    const catalogue = createCatalogue([
      LIBRARY,
      fakeConnector({ name: 'other', tools: [fakeTool({ name: ALIAS.name })] }),
    ]);
    expect(catalogue.find(ALIAS.name)?.connector.name).toBe('other');
    expect(catalogue.find(ALIAS.name)?.alias).toBeUndefined();
  });
});
