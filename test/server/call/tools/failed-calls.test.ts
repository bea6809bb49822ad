import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startHost } from '../upstream/support.ts';
import { createFixture, errorOf } from './support.ts';

const LIBRARY = fakeConnector({
  tools: [
    fakeTool({ name: 'library_list_books', path: '/books' }),
    fakeTool({ name: 'library_add_book', method: 'POST', path: '/books' }),
  ],
});

const open = closeAfterEach();

describe('an upstream that answers 408', () => {
  it.each([
    ['library_list_books', true],
    ['library_add_book', false],
  ])('reports whether %s may be called again: %s', async (tool, retryable) => {
    const host = await startHost((_, response) => response.writeHead(408, { 'retry-after': '0' }).end('{}'));
    const fixture = createFixture({ origin: host.origin, connectors: [LIBRARY] });
    open.push(host, fixture);
    expect(errorOf(await fixture.call(tool))).toMatchObject({ code: 'upstream_timeout', status: 408, retryable });
    expect(host.hits()).toBe(1);
  });
});

describe('reports to the operator', () => {
  it.each([
    ['exclude a call that its client cancelled', true, []],
    [
      'include a call whose connection was interrupted',
      false,
      [{ kind: 'upstream_failure', tool: 'library_list_books' }],
    ],
  ])('%s', async (_title, cancels, faults) => {
    const host = await startHost((request) => {
      if (!cancels) request.socket.resetAndDestroy();
    });
    const fixture = createFixture({ origin: host.origin, connectors: [LIBRARY] });
    open.push(host, fixture);
    const client = new AbortController();
    const call = fixture.call('library_list_books', {}, { signal: client.signal });
    while (host.hits() === 0) await delay(5);
    if (cancels) client.abort();
    expect(errorOf(await call).code).toBe(cancels ? 'cancelled' : 'upstream_connection_lost');
    expect(fixture.faults).toMatchObject(faults);
    expect(fixture.faults).toHaveLength(faults.length);
  });
});

describe('the record of a call with invalid arguments', () => {
  const INPUT = {
    type: 'object',
    properties: { bookId: { type: 'integer' }, meta: { type: 'object', additionalProperties: { type: 'string' } } },
    required: ['bookId'],
    additionalProperties: false,
  } as const;

  it.each<[Record<string, unknown>, string]>([
    [{ bookId: 'planted-value' }, 'bookId'],
    [{}, 'bookId'],
    [{ bookId: 1, meta: { 'planted-name': 7 } }, 'meta'],
    [{ 'planted-name': 7, meta: 'planted-value' }, 'bookId, (unknown), meta'],
  ])('of %j names the arguments, and nothing that the caller wrote', async (args, want) => {
    const tool = fakeTool({ name: 'library_get_book', path: '/books', more: { inputSchema: INPUT } });
    const fixture = createFixture({ tools: [tool] });
    open.push(fixture);
    const error = errorOf(await fixture.call('library_get_book', args));
    expect(error).toMatchObject({ code: 'invalid_arguments', upstreamCode: null });
    expect(fixture.records).toMatchObject([{ outcome: 'invalid_arguments', upstreamCode: want }]);
  });
});
