import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { type FakeToolOptions, fakeTool } from '../../../../support/fake-connector.ts';
import { answering, startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, textOf } from '../support.ts';

const open = closeAfterEach();

async function answered(listener: RequestListener, more: Partial<Tool> = {}, options: Partial<FakeToolOptions> = {}) {
  const tool = fakeTool({ name: 'library_call', ...options, more: { result: {}, ...more } });
  const host = await startHost(listener);
  const fixture = createFixture({ origin: host.origin, tools: [tool] });
  open.push(host, fixture);
  return fixture.call('library_call');
}

const JSON_TYPE = { 'content-type': 'application/json' };
describe('a list whose next page cannot be read', () => {
  const byUrl = { argument: 'cursor', next: '/next', queryParameter: 'cursor', more: null };
  const byFlag = { argument: 'cursor', next: '/cursor', queryParameter: null, more: '/more' };

  it.each([
    ['a URL without the cursor', byUrl, { next: 'https://library.example/books?page=2' }],
    ['a URL with an empty cursor', byUrl, { next: 'https://library.example/books?cursor=' }],
    ['no URL', byUrl, { next: { page: 2 } }],
    ['a cursor of no known kind', { ...byFlag, more: null }, { cursor: { id: 1 } }],
    ['more, and no cursor', byFlag, { more: true }],
    ['more, and an empty cursor', byFlag, { more: true, cursor: '' }],
  ])('is an error with the items of the page: %s', async (_title, page, where) => {
    const body = JSON.stringify({ items: [{ id: 1 }], ...where });
    const result = await answered(answering(200, body, JSON_TYPE), { page });
    expect(errorOf(result)).toMatchObject({ code: 'upstream_invalid_answer', retryable: true });
    expect(result.content[0]?.text).toContain('The items of this page follow: they are not all.');
    expect(result.content[2]?.text).toBe(body);
    expect(textOf(result)).not.toContain('last page');
  });
});

describe('a file', () => {
  const PDF = { 'content-type': 'application/pdf' };

  it.each([
    ['attachment; filename="report.pdf"', 'report.pdf'],
    ['attachment; filename="x.pdf"; filename*=UTF-8\'\'%E2%82%AC%20rates.pdf', '€ rates.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\temp\\\\a.pdf"', 'a.pdf'],
    ["attachment; filename*=UTF-8''a%0Ab%E2%80%AEfdp.pdf", 'a bfdp.pdf'],
  ])('named %s has its name in the URI and in the text', async (header, name) => {
    const result = await answered(answering(200, '%PDF', { ...PDF, 'content-disposition': header }));
    expect(result.content).toEqual([
      {
        type: 'resource',
        resource: {
          uri: `tool-result:///library_call/${encodeURIComponent(name)}`,
          mimeType: 'application/pdf',
          blob: Buffer.from('%PDF').toString('base64'),
        },
      },
      { type: 'text', text: `File name: ${JSON.stringify(name)}.` },
    ]);
  });

  it.each(['inline', 'attachment; filename=".."', 'attachment; filename="', ''])(
    'with the header %j has no name',
    async (header) => {
      const result = await answered(answering(200, '%PDF', { ...PDF, 'content-disposition': header }));
      expect(result.content).toMatchObject([{ resource: { uri: 'tool-result:///library_call' } }]);
    },
  );

  it.each([
    ['bytes 0-3/2048', 'The answer is partial: bytes 0 to 3 of 2048.'],
    ['bytes 0-3/*', 'The answer is partial: bytes 0 to 3 of a whole of unknown size.'],
  ])('that is partial says which part it is: %s', async (range, note) => {
    const result = await answered(answering(206, '%PDF', { ...PDF, 'content-range': range }));
    expect(result.content[1]).toEqual({ type: 'text', text: note });
  });

  it('of which a part came keeps that part of text, HTML and JSON', async () => {
    const outputSchema = { type: 'object', properties: { id: {} } } as const;
    for (const [type, body] of [
      ['text/plain', 'half a '],
      ['text/html', '<html>half'],
      ['application/json', '{"id":1,"na'],
    ] as const) {
      const headers = { 'content-type': type, 'content-range': 'bytes 0-9/20' };
      const result = await answered(answering(206, body, headers), { outputSchema });
      expect(result.content.map(({ text }) => text)).toEqual([body, 'The answer is partial: bytes 0 to 9 of 20.']);
    }
  });
});
