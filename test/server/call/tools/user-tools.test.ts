import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CredentialUnreadableError } from '../../../../server/base/credentials/index.ts';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { type CompleteToolResult, UnknownToolError } from '../../../../server/call/tools/provider.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startHost } from '../upstream/support.ts';
import { createContext, createFixture, createPrincipal, errorOf, type FixtureOptions } from './support.ts';

const open = closeAfterEach();

const LIBRARY = fakeConnector({
  tools: [
    fakeTool({ name: 'library_list_books' }),
    fakeTool({ name: 'library_create_book', method: 'POST' }),
    fakeTool({ name: 'library_get_book', path: '/books/{bookId}' }),
  ],
});
const MAIL = fakeConnector({ name: 'mail', title: 'Mail', tools: [fakeTool({ name: 'mail_list_lists' })] });

async function serve(options: FixtureOptions = {}) {
  const host = await startHost((request, response) => response.end(JSON.stringify({ url: request.url })));
  const fixture = createFixture({ origin: host.origin, connectors: [MAIL, LIBRARY], ...options });
  open.push(host, fixture);
  return { ...fixture, host };
}

const namesOf = (list: { json: Uint8Array }) =>
  (JSON.parse(Buffer.from(list.json).toString()) as { name: string }[]).map((tool) => tool.name);

describe('the list', () => {
  it("contains the tools of the user's services and no others, sorted by name", async () => {
    const { provider } = await serve();
    expect(namesOf(await provider.list(createPrincipal()))).toEqual([
      'library_create_book',
      'library_get_book',
      'library_list_books',
    ]);
    expect(namesOf(await provider.list(createPrincipal({ services: ['mail'] })))).toEqual(['mail_list_lists']);
    expect(namesOf(await provider.list(createPrincipal({ services: [] })))).toEqual([]);
  });

  it('leaves out what writes when the token may only read', async () => {
    const { provider } = await serve();
    expect(namesOf(await provider.list(createPrincipal({ scopes: ['tools:read'] })))).toEqual([
      'library_get_book',
      'library_list_books',
    ]);
  });
});

describe('tools that the grant excludes', () => {
  it.each([
    ['excluded one by one', { without: ['library_get_book'] }],
    ['missing from a frozen list', { only: ['library_list_books'] }],
  ])('%s are neither listed nor called', async (_title, narrowed) => {
    const { provider, host } = await serve();
    const permission = { ...FULL_PERMISSION, ...narrowed };
    const principal = createPrincipal({ permission, scopes: ['tools:read'] });
    expect(namesOf(await provider.list(principal))).toEqual(['library_list_books']);
    const result = await provider.call(principal, 'library_get_book', { bookId: '1' }, createContext());
    expect(errorOf(result as CompleteToolResult).code).toBe('not_allowed');
    expect(host.hits()).toBe(0);
  });
});

describe('a call', () => {
  it('reaches the upstream and writes a record without arguments', async () => {
    const { call, records } = await serve();
    expect((await call('library_get_book', { bookId: 'secret-argument' })).structuredContent).toEqual({
      url: '/books/secret-argument',
    });
    expect(records).toEqual([
      {
        createdAt: expect.any(Number),
        partnerId: 'partner-1',
        userId: 'user-1',
        tokenId: 'token-1',
        grantId: null,
        service: 'library',
        tool: 'library_get_book',
        definition: null,
        outcome: 'ok',
        upstreamCode: null,
        upstreamStatus: 200,
        approvedBy: null,
        durationMs: expect.any(Number),
        requestBytes: '{"bookId":"secret-argument"}'.length,
        responseBytes: '{"url":"/books/secret-argument"}'.length,
        requestId: 'request-1',
      },
    ]);
    expect(JSON.stringify(records)).not.toContain('secret-argument');
  });

  it('of an unknown tool throws with the nearest tool of the user', async () => {
    const { provider, records } = await serve();
    const call = (name: string, services = ['library']) =>
      provider.call(createPrincipal({ services }), name, {}, createContext());
    await expect(call('library_get_bok')).rejects.toThrow(
      new UnknownToolError('library_get_bok', ['library_get_book']),
    );
    await expect(call('mail_list_list')).rejects.toThrow(/^Unknown tool: mail_list_list$/);
    await expect(call('x'.repeat(1_000_000))).rejects.toThrow(`Unknown tool: ${'x'.repeat(128)}`);
    await expect(call('x'.repeat(1_000_000))).rejects.toSatisfy((error: Error) => error.message.length < 200);
    await expect(call('toString')).rejects.toThrow(UnknownToolError);
    expect(records).toEqual([]);
  });

  it('of a service that is not connected says what to do', async () => {
    const { call, host } = await serve();
    const result = await call('mail_list_lists');
    expect(errorOf(result)).toMatchObject({ code: 'not_connected', message: 'Mail is not connected for this user.' });
    expect(result.content[0]?.text).toBe(
      'Mail is not connected for this user. Ask the user to connect it in the application that manages the connections, then call again. Connected: Library.',
    );
    expect(host.hits()).toBe(0);
  });

  for (const [title, status, code] of [
    ['was removed meanwhile', null, 'not_connected'],
    ['needs attention', 'attention', 'connection_needs_attention'],
  ] as const) {
    it(`over a connection that ${title} reaches no upstream`, async () => {
      const { call, host } = await serve({ status });
      expect(errorOf(await call('library_list_books')).code).toBe(code);
      expect(host.hits()).toBe(0);
    });
  }

  it('that writes is rejected for a token that may only read', async () => {
    const { call, host } = await serve();
    const result = await call('library_create_book', {}, { principal: { scopes: ['tools:read'] } });
    expect(errorOf(result).code).toBe('insufficient_scope');
    expect(host.hits()).toBe(0);
  });

  it('with wrong arguments reaches no upstream', async () => {
    const { call, host, records } = await serve();
    expect(errorOf(await call('library_get_book', { book: 1 })).code).toBe('invalid_arguments');
    expect(host.hits()).toBe(0);
    expect(records).toMatchObject([{ outcome: 'invalid_arguments', upstreamStatus: null }]);
  });

  it('with an unreadable credential says who can help', async () => {
    const unreadable = (reason: 'unknown-key' | 'damaged') => ({
      leases: {
        open: () => {
          throw new CredentialUnreadableError(reason, 'k1');
        },
      },
    });
    const lost = await serve({ changes: unreadable('unknown-key') });
    const result = await lost.call('library_list_books');
    expect(errorOf(result).code).toBe('credential_unreadable');
    expect(result.content[0]?.text).toContain('the operator of the gateway');
    expect(lost.faults).toMatchObject([{ kind: 'credential_unreadable' }]);
    const damaged = await serve({ changes: unreadable('damaged') });
    expect((await damaged.call('library_list_books')).content[0]?.text).toContain(
      'the user must connect Library again',
    );
  });

  it('that fails inside the gateway reveals no details', async () => {
    const validators = () => {
      throw new Error('kaboom /srv/secret/path');
    };
    const { call, faults } = await serve({ changes: { validators } });
    const result = await call('library_list_books');
    expect(errorOf(result).code).toBe('internal_error');
    expect(JSON.stringify(result)).not.toContain('kaboom');
    expect(faults).toMatchObject([{ kind: 'unexpected', tool: 'library_list_books' }]);
  });

  it('survives a hook that fails', async () => {
    const host = await startHost((_, response) => response.writeHead(401).end('{}'));
    const fixture = createFixture({
      origin: host.origin,
      connectors: [{ ...LIBRARY, verify: { tool: 'library_list_books', arguments: {} } }],
      changes: {
        onCredentialRefused: () => {
          throw new Error('the database is away');
        },
      },
    });
    open.push(host, fixture);
    expect(errorOf(await fixture.call('library_list_books')).code).toBe('credential_refused');
    expect(fixture.faults).toMatchObject([{ kind: 'unexpected' }]);
  });
});

describe('a user over the limit', () => {
  it('is told how long to wait, and nothing is sent', async () => {
    const { call, host } = await serve();
    const error = errorOf(await call('library_list_books', {}, { waitSeconds: 42 }));
    expect(error).toMatchObject({ code: 'too_many_calls', retryable: true, retryAfterSeconds: 42 });
    expect(host.hits()).toBe(0);
  });
});

describe('files', () => {
  it('are accepted by a tool with a base64 argument', async () => {
    const data = { type: 'string', contentEncoding: 'base64' };
    const tools = [
      fakeTool({ name: 'library_upload', input: { properties: { data } } }),
      fakeTool({ name: 'library_get' }),
    ];
    const { provider } = await serve({ connectors: [fakeConnector({ tools })] });
    const names = ['library_upload', 'library_get', 'library_nothing'];
    expect(names.map((name) => provider.takesFiles?.(name, {}))).toEqual([true, false, false]);
  });
});

describe('a client that disconnects', () => {
  const ROWS = [
    ['2026', 'library_list_books', true],
    ['2026', 'library_create_book', true],
    ['2025', 'library_list_books', true],
    ['2025', 'library_create_book', false],
  ] as const;
  for (const [era, tool, stops] of ROWS) {
    it(`${stops ? 'stops' : 'does not stop'} ${tool} in ${era}`, async () => {
      let stopped = false;
      const host = await startHost((request, response) => {
        request.socket.on('close', () => {
          stopped ||= !response.writableFinished;
        });
        setTimeout(() => response.end('{"done":true}'), 100);
      });
      const fixture = createFixture({ origin: host.origin, connectors: [LIBRARY] });
      open.push(host, fixture);
      const client = new AbortController();
      const call = fixture.call(tool, {}, { era, signal: client.signal });
      while (host.hits() === 0) await delay(5);
      client.abort();
      const result = await call;
      await delay(20);
      expect(stopped).toBe(stops);
      expect(fixture.records).toMatchObject([{ outcome: stops ? 'cancelled' : 'ok' }]);
      expect(result.isError).toBe(stops ? true : undefined);
    });
  }
});
