import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Connector, CredentialPart, Tool } from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { type FakeToolOptions, fakeConnector, fakeHandWritten, fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, type Fixture, textOf } from '../support.ts';

const open = closeAfterEach();

const drifts: unknown[] = [];
afterEach(() => void drifts.splice(0));

async function serve(listener: RequestListener, parts: Partial<Connector> & Pick<Connector, 'tools'>, fields = {}) {
  const host = await startHost(listener);
  const connector = { ...fakeConnector({ tools: parts.tools }), ...parts };
  const onDrift = (_connector: Connector, { name }: { name: string }, problems: readonly object[]) =>
    void drifts.push([name, problems]);
  const fixture = createFixture({ origin: host.origin, connectors: [connector], fields, changes: { onDrift } });
  open.push(host, fixture);
  return { ...fixture, host };
}

const ID = { properties: { id: { type: 'string' } } } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

const writing = (options: Partial<FakeToolOptions> = {}, more: Partial<Tool> = {}) =>
  fakeTool({ name: 'library_call', method: 'POST', path: '/w', output: ID, ...options, more: { result: {}, ...more } });

const reply =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

async function write(listener: RequestListener, options: Partial<FakeToolOptions> = {}) {
  const fixture = await serve(listener, { tools: [writing(options)] });
  return { fixture, result: await fixture.call('library_call') };
}

describe('a write that succeeds without content', () => {
  it.each([200, 201, 202, 203, 204, 205, 206, 226, 299])('with %i is a result that says the status', async (status) => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const { fixture, result } = await write(reply(status), { method });
      expect(result.isError).toBeUndefined();
      expect(result.structuredContent).toEqual({ response: { status } });
      expect(result.content[0]?.text).toBe(`{"response":{"status":${status}}}`);
      expect(result.content[1]?.text).toMatch(new RegExp(`^Library answered ${status} without content: `));
      expect(fixture.records).toMatchObject([{ outcome: 'ok', upstreamStatus: status }]);
    }
  });

  it.each<[string, Record<string, string>, string | Buffer]>([
    ['no media type and white space', {}, ' \r\n\t'],
    ['no media type and null', {}, 'null'],
    ['JSON of length 0', { ...JSON_TYPE, 'content-length': '0' }, ''],
    ['JSON of white space', JSON_TYPE, ' '.repeat(5000)],
    ['JSON null', JSON_TYPE, '\ufeff null\n'],
    ['a web page of white space', { 'content-type': 'text/html' }, '\n'],
    ['a text of white space', { 'content-type': 'text/plain; charset=utf-8' }, '\n'],
    ['a text null', { 'content-type': 'text/plain' }, 'null'],
    ['an empty text', { 'content-type': 'text/plain' }, ''],
    ['nothing compressed', { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync('')],
    ['nothing that claims to be compressed', { ...JSON_TYPE, 'content-encoding': 'gzip' }, ''],
  ])('is one with %s', async (_title, headers, body) => {
    const { result } = await write(reply(200, headers, body));
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual({ response: { status: 200 } });
  });

  it.each<[string, string, object]>([
    ['a path', '/v1/w/42', { location: '/v1/w/42', id: '42' }],
    ['a final slash', '/v1/w/42/', { location: '/v1/w/42/', id: '42' }],
    ['a relative path', 'w/a%20b', { location: 'w/a%20b', id: 'a b' }],
    ['another host', 'https://other.example/w/42', { location: 'https://other.example/w/42', id: '42' }],
    ['a host alone', 'https://other.example', { location: 'https://other.example' }],
    ['a query', '/w/42?sig=SECRET#SECRET', { location: '/w/42', id: '42' }],
    ['parameters', '/w/42;jsessionid=SECRET', { location: '/w/42', id: '42' }],
    ['a password', 'https://SECRET:SECRET@a.example/w/42', { location: 'https://a.example/w/42', id: '42' }],
    ['a password without a scheme', '//SECRET@a.example/w/42', { location: '//a.example/w/42', id: '42' }],
    ['a password after three slashes', '///SECRET:SECRET@a.example/w/42', { location: '//a.example/w/42', id: '42' }],
    ['a password with a slash', 'https://u:SECRET/w@a.example/w/42', {}],
    ['the collection', '/v1/w?id=42', { location: '/v1/w' }],
    ['a broken escape', '/w/%zz', { location: '/w/%zz', id: '%zz' }],
    ['a control character', '/w/%0a', { location: '/w/%0a' }],
    ['the folder above', '/w/..', { location: '/w/..' }],
    ['the folder above, escaped', '/w/%2e%2E', { location: '/w/%2e%2E' }],
    ['a blank', '/w/%20', { location: '/w/%20' }],
    ['a long id', `/w/${'4'.repeat(201)}`, { location: `/w/${'4'.repeat(201)}` }],
    ['a long path', `/w/${'x'.repeat(1000)}/42`, { id: '42' }],
    ['another scheme', 'urn:uuid:42', {}],
    ['a script', 'javascript:alert(1)', {}],
    ['two addresses', '/w/1, /w/2', {}],
    ['nothing', '', {}],
  ])('says the location and the id in it: %s', async (_title, location, facts) => {
    const { result } = await write(reply(201, { location }));
    expect(result.structuredContent).toEqual({ response: { status: 201, ...facts } });
    expect(JSON.stringify(result)).not.toContain('SECRET');
  });

  it('says the location in place of an empty object', async () => {
    const { result } = await write(reply(201, { ...JSON_TYPE, location: '/w/42' }, '{}'));
    expect(result.structuredContent).toEqual({ response: { status: 201, location: '/w/42', id: '42' } });
    expect((await write(reply(200, JSON_TYPE, '{}'))).result.structuredContent).toEqual({});
  });

  it('shows no credential of the connection in the location', async () => {
    const location = '/w/k-SECRET-1';
    const parts: CredentialPart[] = [{ id: 'key', type: 'bearer', label: 'Key' }];
    const tools = [writing()];
    const credential = { parts, help: '', url: null };
    const fixture = await serve(reply(201, { location }), { tools, credential }, { key: 'k-SECRET-1' });
    const result = await fixture.call('library_call');
    expect(result.structuredContent).toMatchObject({ response: { status: 201 } });
    expect(JSON.stringify(result)).not.toContain('SECRET');
  });

  it('is not followed', async () => {
    const fixture = await serve(reply(201, { location: '/w/42' }), { tools: [writing()] });
    await fixture.call('library_call');
    expect(fixture.host.hits()).toBe(1);
  });

  it('says where accepted work has its state, and how long to wait', async () => {
    const { result } = await write(
      reply(202, { location: '/results/9', 'operation-location': '/jobs/7?t=SECRET', 'retry-after': '30' }),
    );
    expect(result.structuredContent).toEqual({
      response: { status: 202, location: '/jobs/7', id: '7', retryAfterSeconds: 30 },
    });
    expect(result.content[1]?.text).toContain('The state of the work is at the location.');
    expect(JSON.stringify(result)).not.toContain('SECRET');
  });

  it('satisfies an output schema that allows no other members', async () => {
    const output = { properties: { id: {} }, additionalProperties: false };
    const { result } = await write(reply(201, { location: '/w/42' }), { output });
    expect(result.structuredContent).toEqual({});
    expect(result.content[0]?.text).toBe('{"response":{"status":201,"location":"/w/42","id":"42"}}');
  });

  it('counts as a difference where the descriptor declares content', async () => {
    const problem = expect.objectContaining({ instancePath: '', keyword: 'type', data: null });
    const { fixture } = await write(reply(204));
    expect(drifts).toEqual([['library_call', [problem]]]);
    expect(fixture.faults).toEqual([{ kind: 'output_drift', tool: 'library_call', places: [''] }]);
    const declared = await serve(reply(204), { tools: [writing({}, { result: { mayBeEmpty: true } })] });
    await declared.call('library_call');
    expect([drifts.length, declared.faults]).toEqual([1, []]);
  });

  it('gives its answer to a hand-written tool', async () => {
    const answers: unknown[] = [];
    const run = async (_: object, context: { call(name: string, args: object): Promise<unknown> }) => {
      answers.push(await context.call('library_call', {}));
      return {};
    };
    const handWritten = [fakeHandWritten({ uses: ['library_call'], run: run as never })];
    const fixture = await serve(reply(201, { location: '/w/42' }), { tools: [writing()], handWritten });
    expect((await fixture.call('library_survey')).isError).toBeUndefined();
    expect(answers).toEqual([{ response: { status: 201, location: '/w/42', id: '42' } }]);
  });
});

describe('a read that succeeds without content', () => {
  const page = { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data/rows' } as const;
  const INPUT = { properties: { cursor: { type: 'string' }, maxItems: { type: 'integer' } } };
  const request = { query: { cursor: 'cursor' } };
  const read = async (listener: RequestListener, more: Partial<Tool>): Promise<Fixture> =>
    serve(listener, { tools: [fakeTool({ name: 'library_call', input: INPUT, more: { result: {}, ...more } })] });

  it('is a result that says the status', async () => {
    const result = await (await read(reply(204), {})).call('library_call');
    expect(result.structuredContent).toEqual({ response: { status: 204 } });
    expect(result.content[1]?.text).toBe('Library answered 204 without content.');
  });

  it('is an empty list where the tool lists', async () => {
    for (const listener of [reply(204), reply(200, JSON_TYPE, 'null'), reply(200, JSON_TYPE)]) {
      const result = await (await read(listener, { page })).call('library_call');
      expect(result.structuredContent).toEqual({ data: { rows: [] }, page: { nextArguments: null } });
      expect(textOf(result)).toMatch(/without content: the list is empty\./);
    }
    const wrapped = await (await read(reply(204), { result: { wrapItems: true } })).call('library_call');
    expect(wrapped.structuredContent).toEqual({ items: [] });
  });

  it('ends a list of several pages', async () => {
    const listener: RequestListener = ({ url }, response) =>
      url?.includes('cursor') === true
        ? void response.writeHead(204).end()
        : void response.writeHead(200, JSON_TYPE).end('{"data":{"rows":[1]},"next":"2"}');
    const fixture = await read(listener, { page, request, gatewayArguments: ['maxItems'] });
    const { structuredContent } = await fixture.call('library_call', { maxItems: 5 });
    expect(structuredContent).toMatchObject({ data: { rows: [1] }, page: { nextArguments: null } });
  });

  it('of a HEAD announces the size of what does not come', async () => {
    const operation = { id: 'h', method: 'HEAD', path: '/things', server: '{library_base_url}' } as const;
    const fixture = await read(reply(200, { 'content-length': '99999999' }), { operation });
    const result = await fixture.call('library_call');
    expect(result.structuredContent).toEqual({ response: { status: 200 } });
    expect(fixture.faults).toEqual([]);
  });
});

describe('a success with content that is not declared', () => {
  it.each([200, 201, 202, 203, 206, 226, 299])('passes with %i as it is', async (status) => {
    const { result } = await write(reply(status, JSON_TYPE, '{"key":7}'));
    expect(result.structuredContent).toEqual({ key: 7 });
    expect(result.content).toHaveLength(1);
    const text = await write(reply(status, { 'content-type': 'text/plain' }, 'Created'));
    expect(text.result.content[0]).toEqual({ type: 'text', text: 'Created' });
  });
});

describe('a write whose content cannot be decoded', () => {
  it.each<[string, Record<string, string>, string]>([
    ['broken JSON', JSON_TYPE, '{"id":'],
    ['a web page', { 'content-type': 'text/html' }, '<html>Saved</html>'],
    ['content that is not compressed as it says', { ...JSON_TYPE, 'content-encoding': 'gzip' }, '{"id":"1"}'],
  ])('took effect: %s', async (_title, headers, body) => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const fixture = await serve(reply(200, headers, body), { tools: [writing({ method })] });
      const result = await fixture.call('library_call');
      expect(errorOf(result)).toMatchObject({ code: 'upstream_invalid_answer', status: 200, retryable: false });
      expect(textOf(result)).toContain(
        'The status says that the call took effect. Do not repeat it: read the current state instead.',
      );
    }
  });
});

describe('207 (RFC 4918)', () => {
  it.each(['', '{"results":['])('with the content %j is no success', async (body) => {
    const { result } = await write(reply(207, JSON_TYPE, body));
    expect(errorOf(result)).toMatchObject({ code: 'upstream_invalid_answer', status: 207, retryable: false });
    expect(textOf(result)).toContain('The call may have taken effect: check before calling again.');
  });

  it('with content says that parts may have failed', async () => {
    const { result } = await write(reply(207, JSON_TYPE, '{"results":[{"status":500}]}'));
    expect(result.structuredContent).toEqual({ results: [{ status: 500 }] });
    expect(result.content[1]?.text).toBe(
      'Library answered 207: parts of the call may have failed. Read the status of each part.',
    );
  });
});

describe('a 3xx', () => {
  it('303 to a write says where the outcome is, and is not followed', async () => {
    const { fixture, result } = await write(reply(303, { location: '/w/42?token=SECRET' }));
    const details = { location: '/w/42', id: '42' };
    expect(errorOf(result)).toMatchObject({ code: 'upstream_redirect', status: 303, retryable: false, details });
    expect(textOf(result)).toContain('Do not repeat the call: it may have taken effect.');
    expect([fixture.host.hits(), JSON.stringify(result).includes('SECRET')]).toEqual([1, false]);
  });

  it.each([301, 302, 307, 308])('%i to a write says that it may have taken effect', async (status) => {
    const { result } = await write(reply(status, { location: '/elsewhere' }));
    expect(errorOf(result)).toMatchObject({ code: 'upstream_redirect', status, retryable: false });
    expect(textOf(result)).toContain('Do not repeat the call: it may have taken effect.');
  });

  it('304 says that nothing has changed', async () => {
    const { result } = await write(reply(304), { method: 'GET' });
    expect(errorOf(result)).toMatchObject({ code: 'upstream_redirect', status: 304 });
    expect(textOf(result)).toContain('Nothing has changed since the version that the arguments name.');
  });
});
