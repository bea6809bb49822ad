import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../../../../server/call/tools/results/outcomes.ts';
import type { ErrorRules, Tool } from '../../../../../server/contract/index.ts';
import { createCertificate } from '../../../../support/certificate.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { startCpuClock } from '../../../../support/cpu-clock.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { answering, type Host, startHost, startRawHost } from '../../upstream/support.ts';
import { createFixture, errorOf, type Fixture } from '../support.ts';

const open = closeAfterEach();

interface Setting {
  readonly tool?: Partial<Tool>;
  readonly errors?: Partial<ErrorRules>;
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  /** Arguments beside `bookId`. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Tools beside the one that is called. */
  readonly others?: readonly Tool[];
}

function fixtureFor(
  host: Host,
  { tool = {}, errors = {}, method = 'GET', path = '/books/{bookId}', others = [] }: Setting = {},
): Fixture {
  const made = fakeTool({ name: 'library_get_book', method, path, more: tool });
  const connector = fakeConnector({
    tools: [made, ...others],
    errors,
    parts: [{ id: 'key', type: 'bearer', label: 'Key' }],
  });
  const verify = { tool: made.name, arguments: path.includes('{bookId}') ? { bookId: 'b1' } : {} };
  const fields = { key: 'planted-secret' };
  const fixture = createFixture({ origin: host.origin, connectors: [{ ...connector, verify }], fields });
  open.push(host, fixture);
  return fixture;
}

async function fail(listener: RequestListener, setting: Setting = {}) {
  const fixture = fixtureFor(await startHost(listener), setting);
  const result = await fixture.call('library_get_book', { bookId: 'b1', ...setting.more });
  return { error: errorOf(result), text: String(result.content[0]?.text), result, fixture };
}

describe('an error of an upstream', () => {
  const RULES: Partial<ErrorRules> = {
    message: ['/error/message', '/errors/0/message'],
    code: ['/error/code', '/errors/0/code'],
    details: ['/error/fields'],
  };

  it('has the common error shape, with the members that the connector names', async () => {
    const body = { error: { message: 'No such book', code: 'QECx02', fields: [{ name: 'bookId' }] } };
    const { error, text, result } = await fail(answering(404, body), { errors: RULES });
    expect(error).toEqual({
      code: 'not_found',
      status: 404,
      upstreamCode: 'QECx02',
      message: 'Library answered 404. Its message, as data: "No such book".',
      details: [{ name: 'bookId' }],
      retryable: false,
      retryAfterSeconds: null,
    });
    expect(text).toBe(
      'Library answered 404. Its message, as data: "No such book". Check "bookId": what it names does not exist.',
    );
    expect(result.structuredContent).toBeUndefined();
  });

  const FILTER = {
    type: 'object',
    properties: {
      bookId: { type: 'string' },
      filter: { type: 'object', description: 'Only such books. Operators: $eq $ne; $and takes an array. See year.' },
    },
  } as const;

  it.each<[number, string, Record<string, unknown>, boolean]>([
    [400, 'Unknown operator $contains', { filter: { year: { $contains: 1 } } }, true],
    [422, 'Invalid Operator', { filter: {} }, true],
    [422, 'Unknown operator $contains', {}, false],
    [400, 'Unknown member year', { filter: {} }, false],
    [503, 'The operator has been told', { filter: {} }, false],
  ])('%s "%s" names the operators that an argument takes, if it is about one', async (status, message, more, want) => {
    const { text } = await fail(answering(status, { message }), { tool: { inputSchema: FILTER }, more });
    expect(text.includes('Operators of "filter": $eq $ne; $and takes an array.')).toBe(want);
  });

  const STATUSES: readonly [number, string, boolean, string][] = [
    [300, 'upstream_redirect', false, 'Calling again will not help.'],
    [400, 'bad_request', false, 'Correct the arguments, then call again.'],
    [
      401,
      'credential_refused',
      false,
      'the user must connect Library again in the application that manages the connection.',
    ],
    [402, 'payment_required', false, 'The plan or quota of the connected account does not allow this: tell the user.'],
    [403, 'forbidden', false, 'The connected account is not allowed to do this: try something else, or tell the user.'],
    [404, 'not_found', false, 'Check "bookId": what it names does not exist.'],
    [409, 'conflict', false, 'The request conflicts with the current state of the resource: read that state first.'],
    [418, 'request_refused', false, 'Correct the arguments, then call again.'],
    [422, 'invalid_request', false, 'Correct the arguments, then call again.'],
    [429, 'rate_limited', true, 'Wait a little, then call again.'],
    [500, 'upstream_error', true, 'Wait a little, then call again.'],
    [503, 'upstream_unavailable', true, 'Wait a little, then call again.'],
  ];
  for (const [status, code, retryable, advice] of STATUSES)
    it(`of status ${status} is ${code}, with what to do`, async () => {
      const { error, text, fixture } = await fail(answering(status, {}));
      expect(error).toMatchObject({ code, status, retryable, message: `Library answered ${status}.` });
      expect(text.endsWith(advice)).toBe(true);
      expect(fixture.records).toMatchObject([{ outcome: code, upstreamStatus: status }]);
    });

  const listBooks = fakeTool({ name: 'library_list_books', path: '/books' });
  const addBook = fakeTool({ name: 'library_add_book', method: 'POST', path: '/books' });
  const listPages = fakeTool({ name: 'library_list_pages', path: '/books/{bookId}/pages/' });
  const MISSING: readonly [string, readonly Tool[], string][] = [
    ['/books/{bookId}', [addBook], 'Check "bookId": what it names does not exist.'],
    ['/books/{bookId}', [addBook, listBooks], 'Check "bookId": library_list_books returns what exists.'],
    [
      '/books/{bookId}/cover',
      [listBooks],
      'What it names may have no cover. Otherwise check "bookId": library_list_books returns what exists.',
    ],
    [
      '/books/{bookId}/pages/{pageId}',
      [listPages, listBooks],
      'Check "bookId" and "pageId": library_list_books and library_list_pages return what exists.',
    ],
  ];
  for (const [path, others, advice] of MISSING) {
    it(`of status 404 on ${path} names ${others.map(({ name }) => name).join(' or ')} where it lists`, async () => {
      const { text } = await fail(answering(404, {}), {
        path,
        others,
        more: path.includes('{pageId}') ? { pageId: 'p1' } : {},
      });
      expect(text).toBe(`Library answered 404. ${advice}`);
    });
  }

  it('of a call that must not be repeated is reported as such', async () => {
    const { error, text } = await fail(answering(500, {}), { method: 'POST' });
    expect(error.retryable).toBe(false);
    expect(text).toContain('The call may have taken effect: check before calling again.');
  });

  it('says how long to wait, from seconds or a date', async () => {
    const seconds = await fail(answering(429, {}, { 'retry-after': '17' }));
    expect(seconds.error.retryAfterSeconds).toBe(17);
    expect(seconds.text).toContain('Wait 17 seconds, then call again.');
    const date = new Date(Date.now() + 60_000).toUTCString();
    const dated = await fail(answering(503, {}, { 'retry-after': date }));
    expect(dated.error.retryAfterSeconds).toBeGreaterThan(55);
  });

  const BODIES: readonly [string, unknown, string, string, string | null][] = [
    ['FastAPI', { detail: 'Not here' }, 'application/json', 'Not here', null],
    ['a list of errors', { errors: [{ code: 'not-found', message: 'Gone' }] }, 'application/json', 'Gone', 'not-found'],
    ['OAuth', { error: 'invalid_grant', error_description: 'Too old' }, 'application/json', 'Too old', null],
    ['plain text', 'Nothing here', 'text/plain', 'Nothing here', null],
  ];
  for (const [title, body, type, said, upstreamCode] of BODIES) {
    it(`without rules is read as ${title}`, async () => {
      const { error } = await fail(answering(404, body, { 'content-type': type }));
      expect(error).toMatchObject({
        message: `Library answered 404. Its message, as data: ${JSON.stringify(said)}.`,
        code: 'not_found',
        upstreamCode,
      });
    });
  }

  it('has validation errors as details', async () => {
    const detail = [{ loc: ['query', 'page_size'], msg: 'too large', type: 'value_error' }];
    expect((await fail(answering(422, { detail }))).error.details).toEqual(detail);
  });

  it('passes on no stack trace, control character, excessive text or credential', async () => {
    const message = `Bad\u001b[31m key\u0000 planted-secret ${'x'.repeat(5000)}\n    at Object.run (/srv/app/index.js:10:5)`;
    const { error, result } = await fail(answering(400, { message, details: 'y'.repeat(50_000) }));
    expect(error.message.length).toBeLessThan(1100);
    expect(error.message).toMatch(/^Library answered 400. Its message, as data: "Bad key \[redacted\] xxx/);
    const all = JSON.stringify(result);
    expect(all).not.toContain('/srv/app');
    expect(all).not.toContain('planted-secret');
    expect(all.length).toBeLessThan(8000);
  });

  it('loses a stack trace that follows a short message', async () => {
    const { error } = await fail(answering(500, { message: 'Boom\n    at Object.run (/srv/app/index.js:10:5)' }));
    expect(error.message).toBe('Library answered 500. Its message, as data: "Boom".');
  });

  it('has bounded details where they are not text', async () => {
    const { error } = await fail(answering(400, { details: Array.from({ length: 1000 }, (_, index) => ({ index })) }));
    expect(String(error.details)).toHaveLength(4001);
  });

  it('inside a 200 is still an error', async () => {
    const errors = { ...RULES, inSuccess: '/error' };
    const { error } = await fail(answering(200, { error: { message: 'Bad table', code: 'QE1' } }), { errors });
    expect(error).toMatchObject({
      code: 'request_refused',
      upstreamCode: 'QE1',
      status: 200,
      message: 'Library answered 200. Its message, as data: "Bad table".',
    });
  });

  it('is not reported when the error member is null', async () => {
    const fixture = fixtureFor(await startHost(answering(200, { error: null, id: 1 })), {
      errors: { inSuccess: '/error' },
    });
    expect((await fixture.call('library_get_book', { bookId: 'b1' })).isError).toBeUndefined();
  });
});

describe("an upstream's own code", () => {
  const BODIES: readonly ((code: unknown) => unknown)[] = [
    (code) => ({ error: { code } }),
    (code) => ({ code }),
    (code) => ({ errors: [{ code, message: 'no' }] }),
  ];
  const CASES = OUTCOMES.flatMap((code) => BODIES.map((body) => [code, JSON.stringify(body(code))] as const));
  for (const [code, body] of CASES) {
    it(`in ${body} is never the outcome`, async () => {
      for (const [status, outcome] of [
        [400, 'bad_request'],
        [500, 'upstream_error'],
      ] as const) {
        const { error, result, fixture } = await fail(answering(status, body));
        expect(error).toMatchObject({ code: outcome, upstreamCode: code, status });
        expect(result.isError).toBe(true);
        expect(fixture.records).toMatchObject([{ outcome, upstreamCode: code }]);
        expect(fixture.refusals).toEqual([]);
      }
    });
  }

  it('inside a 200 is never the outcome', async () => {
    for (const code of OUTCOMES) {
      const { error, result, fixture } = await fail(answering(200, { error: { code } }), {
        errors: { inSuccess: '/error' },
      });
      expect(result.isError).toBe(true);
      expect(error).toMatchObject({ code: 'request_refused', upstreamCode: code });
      expect(fixture.refusals).toEqual([]);
    }
  });

  const KEPT: readonly [string, unknown, string | null][] = [
    ['a number', 1042, '1042'],
    ['a long text', 'x'.repeat(1000), 'x'.repeat(64)],
    ['a text of several lines', 'a\nb\u0007', 'ab'],
    ['an empty text', '', null],
    ['an object', { a: 1 }, null],
    ['null', null, null],
  ];
  for (const [title, code, kept] of KEPT) {
    it(`that is ${title} is kept as ${JSON.stringify(kept)?.slice(0, 20)}`, async () => {
      const { error, fixture } = await fail(answering(400, { code, message: 'no' }));
      expect(error.upstreamCode).toBe(kept);
      expect(fixture.records).toMatchObject([{ outcome: 'bad_request', upstreamCode: kept }]);
    });
  }

  it('among many line breaks or tags is read quickly', async () => {
    const cpuMs = startCpuClock();
    for (const body of [
      '\n'.repeat(62_000),
      { message: `a${'\n'.repeat(62_000)}b` },
      `<html>${'<title'.repeat(10_000)}`,
    ]) {
      const { error } = await fail(answering(400, body, { 'content-type': 'text/html' }));
      expect(error.code).toBe('bad_request');
    }
    expect(cpuMs()).toBeLessThan(2000);
  });
});

describe('a rejected credential', () => {
  const errors: Partial<ErrorRules> = {
    message: ['/message'],
    invalidCredential: [{ status: 400, pointer: '/message', contains: 'invalid api key' }],
  };

  it('is recognised behind another status', async () => {
    const { error, fixture } = await fail(answering(400, { message: 'Invalid API key' }), { errors });
    expect(error).toMatchObject({ code: 'credential_refused', status: 400, retryable: false });
    expect(fixture.refusals).toEqual([
      {
        connectionId: 'user-1/library',
        updatedAt: 7,
        partnerId: 'partner-1',
        userId: 'user-1',
        service: 'library',
      },
    ]);
  });

  it('is recognised inside a 200', async () => {
    const inSuccess = {
      ...errors,
      inSuccess: '/message',
      invalidCredential: [{ status: 200, pointer: '/code', contains: 'QEAx01' }],
    };
    const { error } = await fail(answering(200, { message: 'no', code: 'QEAx01' }), { errors: inSuccess });
    expect(error.code).toBe('credential_refused');
  });

  it('is reported for a 401, and for nothing else', async () => {
    expect((await fail(answering(401, {}))).fixture.refusals).toHaveLength(1);
    expect((await fail(answering(403, {}))).fixture.refusals).toHaveLength(0);
    expect((await fail(answering(400, { message: 'Bad date' }), { errors })).fixture.refusals).toHaveLength(0);
  });
});

describe('an upstream without a usable answer', () => {
  const ROWS: readonly [string, () => Promise<Host>, string, string, boolean][] = [
    [
      'that is silent',
      () => startHost(() => undefined),
      'upstream_timeout',
      'Library did not answer within 3 seconds.',
      true,
    ],
    [
      'that drops the connection',
      () => startRawHost((socket) => socket.destroy()),
      'upstream_connection_lost',
      'The connection to Library broke off.',
      true,
    ],
    [
      'that redirects elsewhere',
      () => startHost((_, response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end()),
      'upstream_redirect',
      'Library answered 302 with a redirect that the gateway does not follow.',
      false,
    ],
    [
      'that does not speak HTTP',
      () => startRawHost((socket) => socket.end('hello\r\n\r\n')),
      'upstream_protocol_error',
      'Library sent an answer that is not valid HTTP.',
      true,
    ],
  ];
  for (const [title, start, code, message, retryable] of ROWS) {
    it(`${title} is an error that describes it`, async () => {
      const fixture = fixtureFor(await start());
      const result = await fixture.call('library_get_book', { bookId: 'b1' });
      expect(errorOf(result)).toEqual({
        code,
        status: code === 'upstream_redirect' ? 302 : null,
        upstreamCode: null,
        message,
        details: null,
        retryable,
        retryAfterSeconds: null,
      });
      expect(fixture.records).toMatchObject([{ outcome: code }]);
    });
  }

  it('that is unreachable is an error that describes it', async () => {
    const host = await startHost(() => undefined);
    const fixture = fixtureFor(host);
    await host.close();
    expect(errorOf(await fixture.call('library_get_book', { bookId: 'b1' })).code).toBe('upstream_unreachable');
  });

  it('that does not speak TLS is an error that says so, and that another call does not repair', async () => {
    const host = await startHost(() => undefined);
    const fixture = fixtureFor({ ...host, origin: host.origin.replace('http:', 'https:') });
    const result = await fixture.call('library_get_book', { bookId: 'b1' });
    await host.close();
    expect(errorOf(result)).toMatchObject({
      code: 'upstream_tls_refused',
      retryable: false,
      message: expect.stringContaining('Library does not speak TLS at this port. Nothing was sent.'),
    });
  });

  it('whose certificate is not trusted is an error that names the fault', async () => {
    const { key, certificate } = createCertificate(['127.0.0.1']);
    const server = createHttpsServer({ key, cert: certificate }, () => expect.fail('a request was sent'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const fixture = fixtureFor({ origin: `https://127.0.0.1:${port}`, hits: () => 0, close: async () => {} });
    const result = await fixture.call('library_get_book', { bookId: 'b1' });
    server.close();
    expect(errorOf(result)).toMatchObject({
      code: 'upstream_tls_refused',
      retryable: false,
      message: expect.stringContaining('Library has a self-signed certificate.'),
    });
  });

  it('never shows the message of the network library', async () => {
    const fixture = fixtureFor(await startRawHost((socket) => socket.destroy()));
    const all = JSON.stringify(await fixture.call('library_get_book', { bookId: 'b1' }));
    expect(all).not.toMatch(/127\.0\.0\.1|ECONN|UND_ERR|fetch failed|node:|\.ts/);
  });
});

describe('an argument that cannot be sent', () => {
  it('is rejected before anything is sent', async () => {
    const host = await startHost(answering(200, {}));
    const fixture = fixtureFor(host);
    expect(errorOf(await fixture.call('library_get_book', { bookId: '\ud800' })).code).toBe('invalid_arguments');
    expect(host.hits()).toBe(0);
  });
});
