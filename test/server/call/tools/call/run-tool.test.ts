import type { IncomingHttpHeaders } from 'node:http';
import createClient from 'openapi-fetch';
import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import type { CallApprovals } from '../../../../../server/call/tools/call/dependencies.ts';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import type {
  CredentialPart,
  HandWrittenTool,
  ToolCalls,
  ToolContext,
  ToolHints,
} from '../../../../../server/contract/index.ts';
import { toRawNumber } from '../../../../../shared/exact-json.ts';
import { accessTo } from '../../../../support/access.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeConnector, fakeHandWritten, fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { type CallOptions, createFixture, errorOf, type FixtureOptions, textOf } from '../support.ts';

const open = closeAfterEach();

const SHELF = { properties: { shelf: { type: 'string' } } };
const TOOLS = [
  fakeTool({ name: 'library_list', path: '/books', input: SHELF }),
  fakeTool({ name: 'library_add', method: 'POST', path: '/books', input: SHELF }),
  fakeTool({ name: 'library_get', path: '/books/{id}' }),
];
const WRITES: ToolHints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

type Answer = { readonly status?: number; readonly body?: unknown };

interface Options extends Partial<FixtureOptions> {
  readonly answer?: (url: string) => Answer;
  readonly hears?: (headers: IncomingHttpHeaders) => void;
  readonly parts?: readonly CredentialPart[];
}

async function given(
  tool: Parameters<typeof fakeHandWritten>[0],
  { answer = () => ({}), hears, parts = [], ...options }: Options = {},
) {
  const heard: string[] = [];
  const host = await startHost((request, response) => {
    const url = `${request.method} ${request.url}`;
    heard.push(url);
    hears?.(request.headers);
    const { status = 200, body = {} } = answer(url);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  const connectors = [fakeConnector({ tools: TOOLS, parts, handWritten: [fakeHandWritten(tool)] })];
  const fixture = createFixture({ connectors, origin: host.origin, ...options });
  open.push(host, fixture);
  const call = (args: Record<string, unknown> = {}, more?: CallOptions) => fixture.call('library_survey', args, more);
  return { ...fixture, heard, call };
}

describe('a hand-written tool', () => {
  test('answers with what its code returns, and writes one record', async () => {
    const { call, heard, records } = await given(
      {
        inputSchema: { type: 'object', additionalProperties: false, ...SHELF },
        run: async ({ shelf }, context) => {
          const answer = (await context.call('library_list', { shelf: shelf as string })) as { books: unknown[] };
          return { count: answer.books.length };
        },
      },
      { answer: () => ({ body: { books: [1, 2, 3] } }) },
    );
    const result = await call({ shelf: 'A' });
    expect(result.structuredContent).toEqual({ count: 3 });
    expect(textOf(result)).toBe('{"count":3}');
    expect(heard).toEqual(['GET /books?shelf=A']);
    expect(records.map(({ tool, outcome, upstreamStatus }) => [tool, outcome, upstreamStatus])).toEqual([
      ['library_survey', 'ok', 200],
    ]);
  });

  test('is never run with arguments that its schema rejects', async () => {
    const { call, heard } = await given({ run: (_, context) => context.call('library_list', {}) });
    expect(errorOf(await call({ other: 1 })).code).toBe('invalid_arguments');
    expect(heard).toEqual([]);
  });

  test('fails as the call that failed, unless its code handles the failure', async () => {
    const answer = () => ({ status: 404 });
    const ends = await given({ run: (_, context) => context.call('library_list', {}) }, { answer });
    expect(errorOf(await ends.call())).toMatchObject({ code: 'not_found', status: 404 });
    const goesOn = await given(
      {
        outputSchema: { type: 'object', properties: { code: { type: 'string' } } },
        run: async (_, context) => {
          const found = await context.tryCall('library_list', {});
          return found.ok ? {} : { code: found.error.code };
        },
      },
      { answer },
    );
    expect((await goesOn.call()).structuredContent).toEqual({ code: 'not_found' });
  });

  test('has its calls checked like those of a model', async () => {
    const { call, heard } = await given({ run: (_, context) => context.call('library_list', { shelve: 'A' }) });
    expect(errorOf(await call()).code).toBe('invalid_arguments');
    expect(heard).toEqual([]);
  });

  test('fails with a rejected credential, however its code handles it', async () => {
    const { call, refusals } = await given(
      { run: async (_, context) => ({ count: (await context.tryCall('library_list', {})).ok ? 1 : 0 }) },
      { answer: () => ({ status: 401 }) },
    );
    expect(errorOf(await call()).code).toBe('refused_once');
    expect(errorOf(await call()).code).toBe('credential_refused');
    expect(refusals).toHaveLength(1);
  });

  test('reports after a write that it must not be repeated', async () => {
    const run: HandWrittenTool['run'] = async (_, context) => {
      await context.call('library_add', { shelf: 'A' });
      return context.call('library_list', {});
    };
    const { call } = await given(
      { run, annotations: WRITES, uses: ['library_add', 'library_list'] },
      { answer: (url) => (url.startsWith('GET') ? { status: 429 } : {}) },
    );
    const result = await call();
    expect(errorOf(result)).toMatchObject({ code: 'rate_limited', retryable: false });
    expect(textOf(result)).toContain('do not repeat it');
  });

  test('calls no tool that it does not name, and no more than the limit', async () => {
    const other = await given({ run: (_, context) => context.call('library_add', {}) });
    expect(errorOf(await other.call()).code).toBe('internal_error');
    expect(String(other.faults[0]?.error)).toContain('calls library_add, which its "uses" does not name');
    const many = await given({
      run: async (_, context) => {
        while (true) await context.call('library_list', {});
      },
    });
    expect(errorOf(await many.call()).code).toBe('internal_error');
    expect(many.heard).toHaveLength(50);
  });

  test('ends at its timeout, even while it waits', async () => {
    const { call } = await given(
      { run: (_, context) => context.wait(60_000).then(() => ({ count: 1 })) },
      { changes: { timeoutMs: 50, wait: () => new Promise(() => {}) } },
    );
    expect(errorOf(await call())).toMatchObject({ code: 'upstream_timeout', retryable: true });
  });

  test('waits no longer than the remaining time of the call', async () => {
    const waits: number[] = [];
    const wait = async (ms: number) => void waits.push(ms);
    const { call } = await given(
      { run: (_, context) => context.wait(60_000).then(() => ({ count: context.remainingCalls() })) },
      { changes: { wait, now: () => 1000 } },
    );
    expect((await call()).structuredContent).toEqual({ count: 50 });
    expect(waits).toEqual([3000]);
  });

  test('is cancelled with its client', async () => {
    const stop = new AbortController();
    const { call } = await given({
      run: (_, { signal }) => {
        stop.abort();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('late'))));
      },
    });
    expect(errorOf(await call({}, { signal: stop.signal })).code).toBe('cancelled');
  });

  test('that fails while a write of it is on its way may have acted', async () => {
    const heard = Promise.withResolvers<void>();
    const silent = await startHost(() => heard.resolve());
    open.push(silent);
    const acted: boolean[] = [];
    const approvals: CallApprovals = {
      ...{
        traits: new Map(),
        rule: [],
        isOnPage: true,
        require: async () => null,
        requestWithConsent: async (_, refusal) => refusal,
        finish: async () => {},
        isWaiting: async () => false,
      },
      giveBack: async ({ mayHaveActed }) => void acted.push(mayHaveActed),
    };
    const run: HandWrittenTool['run'] = async (_, context) => {
      context.call('library_add', { shelf: 'A' }).catch(() => {});
      await heard.promise;
      throw new Error('of its own');
    };
    const { call } = await given(
      { run, annotations: WRITES, uses: ['library_add'] },
      { origin: silent.origin, changes: { approvals } },
    );
    expect([errorOf(await call()).code, acted]).toEqual(['internal_error', [true]]);
  });

  test('loses only what its output schema rejects', async () => {
    const { call, faults } = await given({ run: async () => ({ count: 'three', more: true }) });
    expect((await call()).structuredContent).toEqual({ more: true });
    expect(faults).toEqual([{ kind: 'output_drift', tool: 'library_survey', places: ['/count'] }]);
  });

  test('gets numbers of any length as texts, and its own are numbers or texts again', async () => {
    const { call, faults } = await given(
      { run: async (_, context) => (await context.call('library_list', {})) as { count: number } },
      { answer: () => ({ body: { count: toRawNumber('725653563933458433') } }) },
    );
    expect((await call()).structuredContent).toEqual({ count: '725653563933458433' });
    expect(faults).toEqual([]);
  });

  test('fails with a number that is not finite', async () => {
    const { call, faults } = await given({ run: async () => ({ list: [{ count: Number.NaN }] }) });
    expect((await call()).isError).toBe(true);
    expect(String(faults.map((fault) => (fault as { error?: unknown }).error))).toContain('a number at list.0.count');
  });

  test('cannot write the credential into its answer', async () => {
    const { call } = await given(
      {
        outputSchema: { type: 'object' },
        run: async (_, context) => {
          const { halves } = (await context.call('library_list', {})) as { halves: string[] };
          return { joined: halves.join('') };
        },
      },
      {
        parts: [{ id: 'key', type: 'bearer', label: 'Key' }],
        fields: { key: 'planted-secret' },
        answer: () => ({ body: { halves: ['planted-', 'secret'] } }),
      },
    );
    expect(textOf(await call())).not.toContain('planted-secret');
  });
});

describe('a hand-written tool under a narrowed grant', () => {
  const run: HandWrittenTool['run'] = (_, context) => context.call('library_list', { shelf: 'B' });
  const connectors = [fakeConnector({ tools: TOOLS, handWritten: [fakeHandWritten({ run })] })];
  const names = (permission: object) =>
    createCatalogue(connectors).names(accessTo(['library'], { permission: { ...FULL_PERMISSION, ...permission } }));

  test.each([
    ['is included by its own name', { only: ['library_survey'] }, true],
    ['is excluded by its own name', { without: ['library_survey'] }, false],
    ['is excluded with a tool that it uses', { without: ['library_list'] }, false],
    ['is kept without a tool that it does not use', { without: ['library_add'] }, true],
    ['is kept where the tools that it uses support the pins', { pins: { library: { shelf: 'A' } } }, true],
    ['is excluded where a tool that it uses cannot support a pin', { pins: { library: { id: '1' } } }, false],
  ])('%s', (_, permission, included) => {
    expect(names(permission).includes('library_survey')).toBe(included);
  });

  test('keeps pins in its own calls', async () => {
    const { call, heard } = await given({ run });
    const permission = { ...FULL_PERMISSION, pins: { library: { shelf: 'A' } } };
    expect(errorOf(await call({}, { principal: { permission } })).code).toBe('not_allowed');
    expect(heard).toEqual([]);
    const same = await given({ run: (_, context) => context.call('library_list', {}) });
    await same.call({}, { principal: { permission } });
    expect(same.heard).toEqual(['GET /books?shelf=A']);
  });

  test.each([
    ['reads in different steps needs no approval', true, 'ok'],
    ['writes in different steps needs approval again', false, 'needs_approval'],
  ])('that now %s', async (_, reads, outcome) => {
    const effect = reads ? 'reads' : 'writes';
    const { call, records } = await given(
      reads ? { run: async () => ({}) } : { run: async () => ({}), annotations: WRITES, uses: ['library_add'] },
      { changes: { seenFacts: () => ({ library_survey: `${effect} library.example 111111111111` }) } },
    );
    await call({}, { principal: { permission: { ...FULL_PERMISSION, seen: 'old' } } });
    expect(records.map((record) => record.outcome)).toEqual([outcome]);
  });
});

describe('its typed client', () => {
  const BASE = 'https://client.example';
  const ANY = { type: 'object', properties: { status: {}, body: {} } } as const;
  const send = (path: string, init: RequestInit = {}) => ({
    outputSchema: ANY,
    uses: ['library_list', 'library_get'],
    run: async (_: unknown, context: ToolContext<ToolCalls>) => {
      const client = createClient<never>({ baseUrl: BASE, fetch: context.send });
      const { response } = await client.request(
        (init.method ?? 'GET').toLowerCase() as never,
        path as never,
        init as never,
      );
      return { status: response.status };
    },
  });
  const raw = (path: string, init: RequestInit = {}) => ({
    ...send(path, init),
    run: async (_: unknown, context: ToolContext<ToolCalls>) => {
      const response = await context.send(new Request(BASE + path, init));
      return { status: response.status, body: await response.text() };
    },
  });
  const KEY: readonly CredentialPart[] = [{ id: 'key', type: 'bearer', label: 'Key' }];

  test('reads answers of any status, and writes one record', async () => {
    const { call, heard, records } = await given(send('/books/7'), {
      answer: () => ({ status: 404, body: { error: 'gone' } }),
    });
    const result = await call();
    expect(heard).toEqual(['GET /books/7']);
    expect(result.structuredContent).toMatchObject({ status: 404 });
    expect(records.map(({ tool, outcome }) => [tool, outcome])).toEqual([['library_survey', 'ok']]);
  });

  test.each([
    ['another path', raw('/admin')],
    ['another method', raw('/books', { method: 'POST' })],
    ['a path with ..', raw('/books/../admin')],
    ['a path with .. in another spelling', raw('/books/%2e%2e/admin')],
    ['an empty segment', raw('/books/')],
  ])('sends nothing to %s', async (_, tool) => {
    const { call, heard } = await given(tool);
    expect(errorOf(await call()).code).toBe('internal_error');
    expect(heard).toEqual([]);
  });

  test('sends the credential of the connection, and no other', async () => {
    const headers = { authorization: 'Bearer mine', cookie: 'a=b', host: 'elsewhere.example', 'x-own': 'yes' };
    const sent: IncomingHttpHeaders[] = [];
    const { call } = await given(raw('/books', { headers }), {
      parts: KEY,
      fields: { key: 'secret-key' },
      hears: (given) => sent.push(given),
    });
    expect((await call()).structuredContent).toMatchObject({ status: 200 });
    expect(sent).toMatchObject([{ authorization: 'Bearer secret-key', 'x-own': 'yes' }]);
    expect(sent[0]).not.toHaveProperty('cookie');
    expect(sent[0]?.host).not.toBe('elsewhere.example');
  });

  test('cannot hide a rejected credential', async () => {
    const { call, records } = await given(raw('/books'), {
      parts: KEY,
      fields: { key: 'secret-key' },
      answer: () => ({ status: 401 }),
    });
    await call();
    expect(['credential_refused', 'refused_once']).toContain(records[0]?.outcome);
  });

  test('keeps pins on the request itself', async () => {
    const permission = { ...FULL_PERMISSION, pins: { library: { shelf: 'A' } } };
    const only = { ...raw('/books?shelf=B'), uses: ['library_list'] };
    const { call, heard } = await given(only);
    expect(errorOf(await call({}, { principal: { permission } })).code).toBe('not_allowed');
    expect(heard).toEqual([]);
    const same = await given({ ...raw('/books?shelf=A'), uses: ['library_list'] });
    await same.call({}, { principal: { permission } });
    expect(same.heard).toEqual(['GET /books?shelf=A']);
  });
});
