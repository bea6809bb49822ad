import createClient from 'openapi-fetch';
import { describe, expect, test } from 'vitest';
import { withRules } from '../../../../../server/call/tools/catalogue/withheld.ts';
import { createValidators } from '../../../../../server/call/tools/validate.ts';
import { createCredentialVerifier } from '../../../../../server/call/tools/verify-credential.ts';
import type { Connector, ErrorRules, PageRule, Tool } from '../../../../../server/contract/index.ts';
import type { WithheldMembers } from '../../../../../shared/withheld.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { type FakeToolOptions, fakeConnector, fakeHandWritten, fakeTool } from '../../../../support/fake-connector.ts';
import { createLocalUpstream } from '../../../../support/outgoing.ts';
import { type Recorder, startRecorder } from '../../../../support/recorder.ts';
import { LIST } from '../selection/support.ts';
import { createFixture, errorOf, type Fixture, textOf } from '../support.ts';

const MARK = 'MARK-1980-01-31';

const open = closeAfterEach();

interface Given {
  readonly tool?: Partial<FakeToolOptions>;
  readonly list?: Partial<Tool>;
  readonly withhold?: WithheldMembers;
  readonly errors?: Partial<ErrorRules>;
  readonly connector?: Partial<Connector>;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

async function start(given: Given): Promise<Fixture & { readonly upstream: Recorder }> {
  const upstream = await startRecorder();
  upstream.answer({ status: given.status ?? 200, headers: given.headers ?? {}, body: given.body });
  const made =
    given.list === undefined ? fakeTool({ name: 'library_list', ...given.tool }) : { ...LIST, ...given.list };
  const plain = { ...fakeConnector({ tools: [made], errors: given.errors ?? {} }), ...given.connector };
  const rules = [{ service: 'library', members: given.withhold ?? ({ '**.born': 'drop' } as const) }];
  const fixture = createFixture({ connectors: withRules([plain], rules), origin: upstream.origin });
  open.push(upstream, fixture);
  return { ...fixture, upstream };
}

async function answered(given: Given, args: Record<string, unknown> = {}) {
  const result = await (await start(given)).call('library_list', args);
  return { result, error: result.isError === true ? errorOf(result) : null, json: JSON.stringify(result) };
}

describe('a member that never leaves', () => {
  test.each<[string, WithheldMembers, unknown, unknown]>([
    ['at the top', { born: 'drop' }, { id: 1, born: MARK }, { id: 1 }],
    [
      'inside of another',
      { 'owner.born': 'drop' },
      { owner: { born: MARK, id: 2 }, born: 3 },
      { owner: { id: 2 }, born: 3 },
    ],
    [
      'in the items of arrays in arrays',
      { 'data.born': 'drop' },
      { data: [[{ born: MARK }], { born: MARK, id: 1 }] },
      { data: [[{}], { id: 1 }] },
    ],
    [
      'with all that is in it',
      { 'data.owner': 'drop' },
      { data: [{ owner: { a: [MARK] }, id: 1 }] },
      { data: [{ id: 1 }] },
    ],
    [
      'anywhere',
      { '**.born': 'drop' },
      { born: MARK, a: [{ born: [MARK], b: { born: null, id: 1 } }] },
      { a: [{ b: { id: 1 } }] },
    ],
    [
      'below a name that is anywhere',
      { '**.owner.born': 'drop' },
      { x: { owner: { born: MARK } }, born: 1 },
      { x: { owner: {} }, born: 1 },
    ],
    ['of a root that is an array', { 'items.born': 'drop' }, [{ born: MARK, id: 1 }], { items: [{ id: 1 }] }],
    ['that a root alone is', { value: 'replace' }, '"x"', { value: '[withheld]' }],
    [
      'but for a text',
      { 'data.born': 'replace' },
      { data: [{ born: { a: MARK } }, { id: 1 }] },
      { data: [{ born: '[withheld]' }, { id: 1 }] },
    ],
    [
      'that two rules name',
      { '**.born': 'replace', 'owner.born': 'drop' },
      { owner: { born: MARK }, born: MARK },
      { owner: {}, born: '[withheld]' },
    ],
    [
      'with a name that objects have',
      { __proto__x: 'drop', '**.constructor': 'drop' },
      `{"constructor":"${MARK}","__proto__":{"a":1},"toString":2}`,
      JSON.parse('{"__proto__":{"a":1},"toString":2}'),
    ],
    ['spelled with escapes', { born: 'drop' }, `{"\\u0062orn":"${MARK}","id":1}`, { id: 1 }],
    ['written twice', { born: 'drop' }, `{"born":"${MARK}","id":1,"born":"${MARK}"}`, { id: 1 }],
  ])('is gone %s', async (_, withhold, body, want) => {
    const headers = { 'content-type': 'application/json' };
    const { result, json } = await answered({ withhold, body, headers });
    expect(json).not.toContain('MARK');
    expect(result.structuredContent).toEqual(want);
    expect(JSON.parse(textOf(result))).toEqual(want);
  });

  test('leaves every digit of the numbers next to it', async () => {
    const { result } = await answered({
      body: `{"big":12345678901234567890,"born":"${MARK}"}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(textOf(result)).toBe('{"big":"12345678901234567890"}');
  });

  test('is gone from rows, which are named first', async () => {
    const rows = { columns: '/columns', columnName: '/name', rows: '/rows' };
    const body = { columns: [{ name: 'id' }, { name: 'born' }], rows: [[1, MARK]] };
    const given = { tool: { more: { result: { rows } } }, withhold: { 'rows.born': 'drop' } as const };
    const { result, json } = await answered({ ...given, body });
    expect(result.structuredContent).toMatchObject({ rows: [{ id: 1 }] });
    expect(json).not.toContain('MARK');
    const { error, json: unnamed } = await answered({ ...given, body: { ...body, columns: [{ name: 'id' }] } });
    expect([error?.code, unnamed.includes('MARK')]).toEqual(['upstream_invalid_answer', false]);
  });

  test.each([
    ['lines of JSON', 'application/x-ndjson', `{"id":1,"born":"${MARK}"}\n{"id":2}`],
    ['events', 'text/event-stream', `data: {"id":1,"born":"${MARK}"}\n\ndata: {"id":2}\n\n`],
    [
      'parts',
      'multipart/mixed; boundary=b',
      `--b\r\nContent-Type: application/json\r\n\r\n{"id":1,"born":"${MARK}"}\r\n--b\r\nContent-Type: application/json\r\n\r\n{"id":2}\r\n--b--`,
    ],
  ])('is gone from %s', async (_, type, body) => {
    const { result, json } = await answered({ body, headers: { 'content-type': type } });
    expect(json).not.toContain('MARK');
    expect(JSON.stringify(result.structuredContent)).toMatch(/"id":1.*"id":2.*"streamEnded":true/);
  });

  test.each([
    ['lines', 'application/x-ndjson', `{"id":1}\nborn ${MARK}\n`],
    ['events', 'text/event-stream', `data: {"id":1}\n\ndata: born ${MARK}\n\n`],
    [
      'parts',
      'multipart/mixed; boundary=b',
      `--b\r\nContent-Type: application/json\r\n\r\n{"id":1}\r\n--b\r\n\r\n{"born":"${MARK}"}\r\n--b--`,
    ],
  ])('takes %s with it that are not JSON', async (_, type, body) => {
    const { result, json } = await answered({ body, headers: { 'content-type': type } });
    expect(json).not.toContain('MARK');
    expect(JSON.stringify(result.structuredContent)).toMatch(/"id":1.*"\[withheld\]".*"streamEnded":true/);
  });

  test.each([
    ['text', 'text/plain', `born ${MARK}`],
    ['a table', 'text/csv', `id,born\n1,${MARK}`],
    ['XML', 'application/xml', `<person born="${MARK}"/>`],
    ['a file', 'application/pdf', Buffer.from(`%PDF ${MARK}`)],
    ['broken JSON', 'application/json', `{"born":"${MARK}"`],
    ['no type at all', '', `born ${MARK}`],
  ])('is not looked for in %s, which is refused', async (_, type, body) => {
    const headers = {
      ...(type === '' ? {} : { 'content-type': type }),
      'content-disposition': `filename="${MARK}.csv"`,
    };
    const { error, json } = await answered({ body, headers });
    expect([error?.code, error?.retryable, error?.status]).toEqual(['upstream_invalid_answer', false, 200]);
    expect(textOf(JSON.parse(json))).toContain('cannot take what must not leave it');
    expect(json).not.toContain('MARK');
    const written = await answered({ body, headers, tool: { method: 'POST' } });
    expect(written.error?.message).toContain('The call itself took effect.');
  });

  test.each([200, 202])('is gone from a %i, and the name of a file from one without content', async (status) => {
    expect((await answered({ status, body: { job: 1, born: MARK } })).result.structuredContent).toEqual({ job: 1 });
    const { json } = await answered({
      status,
      body: '',
      headers: { 'content-disposition': `attachment; filename="${MARK}.txt"` },
    });
    expect(json).not.toContain('MARK');
  });
});

describe('an error of a tool that withholds members', () => {
  test.each([
    ['its message', { message: `born ${MARK} is wrong` }],
    ['its code', { code: MARK, error: { code: MARK } }],
    ['its details', { errors: [{ field: 'born', value: MARK }, { [MARK]: 1 }] }],
    ['any text', `Error: ${MARK}`],
    ['a web page', `<html><title>${MARK}</title></html>`],
  ])('passes nothing of %s', async (_, body) => {
    const given = await start({ status: 422, body, headers: { 'x-note': MARK } });
    const result = await given.call('library_list');
    expect(errorOf(result)).toMatchObject({ code: 'invalid_request', status: 422, upstreamCode: null, details: null });
    expect(textOf(result)).toContain('Its message, as data: "[withheld]".');
    expect(JSON.stringify([result, given.records, given.faults])).not.toContain('MARK');
  });

  const errors: Partial<ErrorRules> = {
    code: ['/failure/kind'],
    outcomes: { 'quota_*': 'quota_exhausted', quota_soon: 'rate_limited', 'quota_soon_*': 'conflict' },
    invalidCredential: [{ status: 400, pointer: '/failure/text', contains: 'Bad Key' }],
    inSuccess: '/failure',
  };
  test.each([
    ['a code that connector.yaml names', 400, { failure: { kind: 'quota_soon' } }, 'rate_limited', 'quota_soon'],
    ['the named beginning of a code', 400, { failure: { kind: `quota_${MARK}` } }, 'quota_exhausted', 'quota_'],
    ['no other code', 400, { failure: { kind: MARK } }, 'bad_request', null],
    ['that a credential is refused', 400, { failure: { kind: MARK, text: `a bad key ${MARK}` } }, 'refused_once', null],
    ['that a success is none', 200, { failure: { kind: MARK }, born: MARK, id: MARK }, 'request_refused', null],
    ['a named code in a success', 200, { failure: { kind: 'quota_soon', text: MARK } }, 'rate_limited', 'quota_soon'],
  ])('passes %s', async (_, status, body, code, upstreamCode) => {
    const { error, json } = await answered({ errors, status, body });
    expect(error).toMatchObject({ code, upstreamCode });
    expect(json).not.toContain('MARK');
  });

  test('passes how long to wait, by the usual header and by those of the connector', async () => {
    const limits = { rateLimitHeaders: [{ remaining: 'x-left', reset: 'x-reset' }] };
    const usual = await answered({ status: 503, headers: { 'retry-after': '7' }, body: {} });
    expect(usual.error?.retryAfterSeconds).toBe(7);
    const own = await answered({
      status: 429,
      headers: { 'x-left': '0', 'x-reset': '9' },
      body: {},
      connector: limits,
    });
    expect(own.error?.retryAfterSeconds).toBe(9);
  });
});

describe('how a list goes on', () => {
  const items = [
    { id: 1, born: MARK },
    { id: 2, born: 'MARK-1990-01-31' },
  ];
  const rule = (page: Partial<Tool['page']>) => ({
    page: { argument: 'cursor', items: '/data', size: 'limit', ...page } as PageRule,
  });
  const cursor = rule({ next: '/next', queryParameter: null, more: null } as Partial<PageRule>);
  const url = rule({ next: '/next', queryParameter: 'cursor', more: null } as Partial<PageRule>);
  const link = rule({ kind: 'link' });
  const header = rule({ kind: 'header', header: 'x-next' } as Partial<PageRule>);
  const encoded = Buffer.from(JSON.stringify({ after: MARK })).toString('base64');
  test.each<[string, Partial<Tool>, string | null, Record<string, string>]>([
    ['a cursor', cursor, `after:${MARK}`, {}],
    ['a cursor in base64', cursor, encoded, {}],
    ['a URL', url, `https://x.example/list?cursor=${encodeURIComponent(MARK)}`, {}],
    ['a Link header', link, null, { link: `<https://x.example/list?cursor=${MARK}>; rel="next"` }],
    ['a header', header, null, { 'x-next': encoded }],
  ])(
    'is not told by %s that has a withheld value: the items come, and that there are more',
    async (_, list, next, headers) => {
      const { result, error, json } = await answered({ list, headers, body: { data: items, next } });
      expect(error?.code).toBe('upstream_invalid_answer');
      expect(textOf(result)).toMatch(/goes on, but not readably where[\s\S]*"id":1\}/);
      expect(json).not.toMatch(/MARK|1980/);
      expect(json).not.toContain(encoded);
    },
  );

  test.each<[string, Partial<Tool>, string | null, Record<string, string>]>([
    ['a cursor', cursor, 'c2', {}],
    ['a URL', url, 'https://x.example/list?cursor=c2', {}],
    ['a Link header', link, null, { link: '<https://x.example/list?cursor=c2>; rel="next"' }],
    ['a header', header, null, { 'x-next': 'c2' }],
  ])('is told by %s without one', async (_, list, next, headers) => {
    const { result } = await answered({ list, headers, body: { data: items, next } });
    expect(result.structuredContent?.page).toEqual({ nextArguments: { cursor: 'c2' } });
  });

  test('is told by a link with a value that the caller itself sent', async () => {
    const next = `https://x.example/list?cursor=c2&where=${MARK}`;
    const { result } = await answered({ list: url, body: { data: items, next } }, { cursor: MARK });
    expect(result.structuredContent?.page).toEqual({ nextArguments: { cursor: 'c2' } });
  });
});

describe('a dropped member does not exist', () => {
  const body = {
    data: [
      { id: 1, name: 'Ana', email: MARK, owner: { name: MARK } },
      { id: 2, name: 'Bo', email: 'a@x.example' },
    ],
    next: null,
  };
  const withhold = { 'data.email': 'drop', 'data.owner.name': 'replace' } as const;
  const missing = 'nowhere';
  test.each<[string, (member: string) => Record<string, unknown>]>([
    ['where', (member) => ({ where: { [member]: { startsWith: 'MARK' } } })],
    ['where … exists', (member) => ({ where: { [member]: { exists: true } } })],
    ['where of a path', (member) => ({ where: { or: [{ [`data.${member}`]: 'x' }] } })],
    ['fields', (member) => ({ fields: [`owner.${member}`] })],
    ['sort', (member) => ({ sort: `-${member}` })],
    ['aggregate', (member) => ({ aggregate: { count: true, by: member } })],
    ['the least and the first of aggregate', (member) => ({ aggregate: { min: member, first: member } })],
  ])('for %s, which refuses it as a name that never was', async (_, args) => {
    const { error, json } = await answered({ list: {}, withhold, body }, args('email'));
    const other = await answered({ list: {}, withhold, body }, args(missing));
    expect([error?.code, error?.code]).toEqual(['invalid_arguments', other.error?.code]);
    const plain = (text = '') =>
      text
        .replace(/ ?Did you mean.*|Members: .*/, '')
        .trim()
        .replaceAll('email', missing);
    expect(plain(error?.message)).toBe(plain(other.error?.message));
    expect(json).not.toContain('MARK');
  });

  test('and a replaced one is the same for every item', async () => {
    const found = await answered({ list: {}, withhold, body }, { where: { 'owner.name': { contains: 'MARK' } } });
    expect(found.result.structuredContent).toMatchObject({ data: [] });
    const figures = await answered({ list: {}, withhold, body }, { aggregate: { count: true, by: 'owner.name' } });
    expect(figures.json).toContain('[withheld]');
    expect(figures.json).not.toContain('MARK');
  });

  test.each([
    [{ 'data.type': 'replace' } as const, { type: 'secret' }],
    [{ 'data.owner': 'replace' } as const, { 'owner.name': 'secret' }],
    [{ '**.name': 'replace' } as const, { 'owner.name': 'secret' }],
  ])('%j: the service is not asked to filter by %j, because how many it finds would tell', async (withhold, where) => {
    const filters = {
      type: { equals: 'q' },
      'owner.name': { equals: 'q' },
      email: { equals: 'q' },
    };
    const properties = { ...(LIST.inputSchema.properties as object), q: { type: 'string' } };
    const list = { filters, inputSchema: { ...LIST.inputSchema, properties }, request: { query: { q: 'q' } } };
    const asked = async (rules: WithheldMembers, args: object) => {
      const { call, upstream } = await start({ list, withhold: rules, body: { data: [], next: null } });
      await call('library_list', { where: args });
      return upstream.calls().map(({ url }) => url);
    };
    expect(await asked({ '**.nothing': 'drop' }, where)).toEqual(['/things?q=secret']);
    expect(await asked(withhold, where)).toEqual(['/things']);
    expect(await asked(withhold, { email: 'Ana' })).toEqual(['/things?q=Ana']);
  });

  test('where no schema lists the members, it matches nothing', async () => {
    const data = [{ id: 1, type: { secret: MARK } }];
    const given = { list: {}, withhold: { '**.secret': 'drop' } as const, body: { data, next: null } };
    const { result, json } = await answered(given, { where: { 'type.secret': { exists: true } } });
    expect(result.structuredContent).toMatchObject({ data: [] });
    expect(json).not.toContain('MARK');
  });
});

test('a hand-written tool gets neither, by call or by its typed client', async () => {
  const upstream = await startRecorder();
  const seen: unknown[] = [];
  const survey = fakeHandWritten({
    async run(_, { call, tryCall, send }) {
      seen.push(await call('library_list', {}));
      const client = createClient<Record<string, { get: never }>>({ baseUrl: 'http://gateway.invalid', fetch: send });
      seen.push(
        await (client as unknown as { GET(path: string): Promise<unknown> })
          .GET('/things')
          .then((got) => (got as { data: unknown }).data),
      );
      upstream.answer({ status: 422, body: { message: MARK, born: MARK } });
      seen.push(
        await tryCall('library_list', {}),
        await (await send(new Request('http://gateway.invalid/things'))).text(),
      );
      return { count: 1 };
    },
  });
  const plain = fakeConnector({ tools: [fakeTool({ name: 'library_list' })], handWritten: [survey] });
  const connectors = withRules([plain], [{ service: 'library', members: { born: 'drop' } }]);
  const fixture = createFixture({ connectors, origin: upstream.origin });
  open.push(upstream, fixture);
  upstream.answer({ status: 200, body: { id: 1, born: MARK } });
  expect((await fixture.call('library_survey')).isError).toBeUndefined();
  expect(seen).toMatchObject([{ id: 1 }, { id: 1 }, { ok: false }, '{"message":"[withheld]"}']);
  expect(JSON.stringify(seen)).not.toContain('MARK');
});

test('who verifies a credential hears nothing of what the service says', async () => {
  const { upstream } = await start({ status: 422, body: { message: MARK, born: MARK } });
  const tool = fakeTool({ name: 'library_me' });
  const plain = { ...fakeConnector({ tools: [tool] }), verify: { tool: tool.name, arguments: {} } };
  const [library] = withRules([plain], [{ service: 'library', members: { '**.born': 'drop' } }]);
  const sending = createLocalUpstream({
    baseUrls: new Map([['library', new Map([['{library_base_url}', upstream.origin]])]]),
    ...{ timeoutMs: 3000, maxResultBytes: 1024, userAgent: 'test' },
  });
  open.push(sending);
  const verify = createCredentialVerifier({
    ...{ upstream: sending, validators: createValidators(), maxResultBytes: 1024, timeoutMs: 3000, now: Date.now },
    onFault: () => {},
  });
  const verdict = await verify(library!, {}, new AbortController().signal);
  expect(verdict).toMatchObject({ kind: 'refused', explanation: expect.stringContaining('[withheld]') });
  expect(JSON.stringify(verdict)).not.toContain('MARK');
  expect(JSON.stringify(await verify(plain, {}, new AbortController().signal))).toContain('MARK');
});
