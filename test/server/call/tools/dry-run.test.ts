import { describe, expect, test } from 'vitest';
import type { ShownRequest } from '../../../../server/call/tools/provider.ts';
import type { CredentialPart, Tool, ToolCalls, ToolContext } from '../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeHandWritten, fakeTool } from '../../../support/fake-connector.ts';
import { startHost } from '../upstream/support.ts';
import { createFixture, createPrincipal, type FixtureOptions, textOf } from './support.ts';

const open = closeAfterEach();

const SECRET = 's3cr3t+key=of-alice';
const PLACE = '(credential)';
const WORDS = { properties: { words: { type: 'string' } }, required: [] };

interface Heard {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function given(parts: readonly CredentialPart[], tools: readonly Tool[], options: Partial<FixtureOptions> = {}) {
  const heard: Heard[] = [];
  const host = await startHost(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    heard.push({ url: request.url ?? '', headers, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const fields = Object.fromEntries(
    parts.flatMap(({ id, type }) => {
      const named = { basic: [`${id}.username`, `${id}.password`], oauth2: [`${id}.access_token`] };
      return (type in named ? named[type as keyof typeof named] : [id]).map((name) => [name, SECRET]);
    }),
  );
  const connectors = options.connectors ?? [fakeConnector({ tools, parts })];
  const fixture = createFixture({ origin: host.origin, connectors, fields, ...options });
  open.push(host, fixture);
  const dryRun = (name: string, args = {}) => fixture.provider.dryRun(createPrincipal(), name, args);
  const request = async (name: string, args = {}) => {
    const { request, result } = await dryRun(name, args);
    if (request === null) throw new Error(textOf(result));
    return request;
  };
  return { ...fixture, heard, dryRun, request, origin: host.origin };
}

type Context = ToolContext<ToolCalls>;

const key = { id: 'key', label: 'Key' };
const OAUTH2 = { flow: 'authorization_code', prefix: 'Bearer ', tokenUrl: 'https://x.example' } as never;
const json = { mediaType: 'application/json', members: { words: 'words', token: { credential: 'key' } } } as const;

const PLACES: readonly (readonly [string, readonly CredentialPart[], Partial<Parameters<typeof fakeTool>[0]>])[] = [
  ['a bearer token', [{ ...key, type: 'bearer' }], {}],
  ['a header with a prefix', [{ ...key, type: 'header', name: 'X-Key', prefix: 'Token ' }], {}],
  ['a name and a password', [{ ...key, type: 'basic' }], {}],
  ['an access token', [{ ...key, type: 'oauth2', oauth2: OAUTH2 }], {}],
  ['a query parameter', [{ ...key, type: 'query', name: 'api_key' }], {}],
  ['a cookie', [{ ...key, type: 'cookie', name: 'session' }], {}],
  [
    'a segment of the path',
    [{ ...key, type: 'body', name: 'token' }],
    { request: { query: { words: 'words' }, path: { key: { credential: 'key' } } }, path: '/of/{key}/things' },
  ],
  ['a member of a JSON body', [{ ...key, type: 'body', name: 'token' }], { method: 'POST', request: { body: json } }],
  [
    'a member of a form',
    [{ ...key, type: 'body', name: 'token' }],
    { method: 'POST', request: { body: { ...json, as: 'form', mediaType: 'application/x-www-form-urlencoded' } } },
  ],
];

/** What the service received, with the place of the credential where it was, in the escapes of each place. */
function hidden({ url, headers, body }: Heard): Heard {
  const basic = `Basic ${Buffer.from(`${SECRET}:${SECRET}`).toString('base64')}`;
  const hide = (text: string) =>
    text
      .replace(basic, PLACE)
      .replace(new RegExp(`^(Bearer |Token )?${SECRET.replace('+', '\\+')}$`), PLACE)
      .replaceAll(encodeURIComponent(SECRET), PLACE)
      .replaceAll(SECRET, PLACE);
  const shown = Object.entries(headers).map(([name, value]) => [name, hide(String(value))]);
  return { url: hide(url), headers: Object.fromEntries(shown), body: hide(body) };
}

const asHeard = ({ url, headers, body }: ShownRequest, origin: string): Heard => ({
  url: url.slice(origin.length).replaceAll('%28credential%29', PLACE),
  headers,
  body: (body?.text ?? '').replaceAll('%28credential%29', PLACE),
});

describe('a dry run', () => {
  test.each(PLACES)('equals the request of the call, but for %s', async (_, parts, options) => {
    const tool = fakeTool({ name: 'library_find', input: WORDS, ...options });
    const { request, call, heard, origin } = await given(parts, [tool]);
    const shown = await request('library_find', { words: 'a & b' });
    expect(heard).toEqual([]);
    await call('library_find', { words: 'a & b' });
    expect(asHeard(shown, origin)).toEqual(hidden(heard[0]!));
    expect(JSON.stringify(shown)).toMatch(/\(credential\)|%28credential%29/);
    for (const spelling of [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64').slice(0, 20)]) {
      expect(JSON.stringify(shown)).not.toContain(spelling);
    }
  });

  test('shows what is public of a credential', async () => {
    const account = { id: 'account', label: 'Account', type: 'header', name: 'X-Account', isPublic: true } as const;
    const fields = { key: SECRET, account: 'acme-1' };
    const tools = [fakeTool({ name: 'library_find' })];
    const { request } = await given([{ ...key, type: 'bearer' }, account], tools, { fields });
    expect((await request('library_find')).headers).toMatchObject({ authorization: PLACE, 'x-account': 'acme-1' });
  });

  test.each(['session=abc', 'a=1; b=2', 'bare-secret'])(
    'hides the values of a whole Cookie header: %s',
    async (value) => {
      const part = { ...key, type: 'header', name: 'Cookie' } as const;
      const { request } = await given([part], [fakeTool({ name: 'library_find' })], { fields: { key: value } });
      const { cookie = '' } = (await request('library_find')).headers;
      expect(cookie).toMatch(/^(\w+=\(credential\)(; )?)+$|^\(credential\)=\(credential\)$/);
    },
  );

  test('redacts a credential that an argument repeats, in any place and spelling', async () => {
    const input = { properties: { words: { type: 'string' }, note: { type: 'string' }, text: { type: 'string' } } };
    const body = { mediaType: 'application/json', members: { text: 'text' } };
    const request = { query: { words: 'words' }, header: { 'X-Note': 'note' }, body };
    const tool = fakeTool({ name: 'library_add', method: 'POST', input, request });
    const fixture = await given([{ ...key, type: 'bearer' }], [tool]);
    const shown = await fixture.request('library_add', {
      ...{ words: SECRET, note: `is ${SECRET}` },
      text: Buffer.from(`"${SECRET}"`).toString('base64'),
    });
    expect(shown.url).toBe(`${fixture.origin}/things?words=[redacted]`);
    expect(shown.headers['x-note']).toBe('is [redacted]');
    expect(shown.body?.text).toContain('[redacted]');
    expect(shown.body?.text).not.toContain(Buffer.from(SECRET).toString('base64').slice(2, 20));
  });

  test('shows a binary or long body by its length and media type', async () => {
    const input = { properties: { file: { type: 'string', contentEncoding: 'base64' }, text: { type: 'string' } } };
    const of = (name: string, as: 'bytes' | 'text', argument: string) =>
      fakeTool({ name, method: 'POST', input, request: { body: { mediaType: 'image/png', as, argument } } });
    const tools = [of('library_draw', 'bytes', 'file'), of('library_write', 'text', 'text')];
    const { request } = await given([], tools);
    const drawn = await request('library_draw', { file: Buffer.from([0x89, 0xff, 0]).toString('base64') });
    expect(drawn.body).toEqual({ mediaType: 'image/png', bytes: 3, text: null });
    const bytes = 64 * 1024;
    expect((await request('library_write', { text: 'é'.repeat(bytes / 2) })).body?.text).toHaveLength(bytes / 2);
    expect((await request('library_write', { text: 'é'.repeat(bytes) })).body).toMatchObject({
      bytes: 2 * bytes,
      text: null,
    });
  });

  test('ends as the call would where that sends nothing', async () => {
    const input = { properties: { words: { type: 'string' } }, required: ['words'] };
    const { dryRun, call, heard } = await given([], [fakeTool({ name: 'library_find', input })]);
    for (const args of [{}, { words: 1, more: 2 }]) {
      expect(await dryRun('library_find', args)).toEqual({ request: null, result: await call('library_find', args) });
    }
    await expect(dryRun('library_lose')).rejects.toThrow('Unknown tool: library_lose');
    expect(heard).toEqual([]);
  });

  test('renews no token, asks for no approval, waits for no turn, and is no call for those that watch calls', async () => {
    const done: string[] = [];
    const note = (what: string) => () => {
      done.push(what);
      throw new Error(what);
    };
    const token = { scopes: null, renewIfExpired: note('renewed'), renewAfterRefusal: note('renewed') };
    const connector = {
      ...fakeConnector({ tools: [fakeTool({ name: 'library_add', method: 'POST' })] }),
      caps: { concurrency: 1 },
    };
    const approvals = { traits: new Map([['library_add', ['writes']]]), rule: ['writes'] };
    const { request, records, faults } = await given([], [], {
      connectors: [connector],
      changes: {
        leases: { open: () => ({ fields: {}, token }) },
        upstreamSlots: { take: note('took a turn') },
        once: { take: note('took a key'), settle: note('settled a key') },
        approvals: { ...approvals, require: note('asked'), giveBack: note('gave back'), finish: note('finished') },
        interceptors: [note('intercepted')],
        aroundStages: note('watched'),
      } as never,
    });
    expect((await request('library_add')).method).toBe('POST');
    expect([done, records, faults]).toEqual([[], [], []]);
  });

  test.each([
    ['that calls a tool', (context: Context) => context.call('library_find', { words: 'first' })],
    ['that catches failures', (context: Context) => context.tryCall('library_find', { words: 'first' })],
    [
      'that sends a request of its own',
      (context: Context) => context.send(new Request('http://any.example/things?words=first')),
    ],
  ])('shows the first request of a hand-written tool %s', async (_, begin) => {
    const after: string[] = [];
    const own = fakeHandWritten({
      name: 'library_survey',
      uses: ['library_find'],
      async run(_args, context) {
        await begin(context).catch(() => after.push('went on'));
        return { found: await context.call('library_find', { words: 'second' }) };
      },
    });
    const tools = [fakeTool({ name: 'library_find', input: WORDS })];
    const connectors = [fakeConnector({ tools, parts: [{ ...key, type: 'bearer' }], handWritten: [own] })];
    const { request, heard, origin } = await given([{ ...key, type: 'bearer' }], [], { connectors });
    const { url, headers } = await request('library_survey');
    expect([url, headers.authorization, heard]).toEqual([`${origin}/things?words=first`, PLACE, []]);
  });

  test('says what a hand-written tool answers that sends nothing', async () => {
    const run = async () => ({ done: true });
    const connectors = [
      fakeConnector({ tools: [], handWritten: [fakeHandWritten({ name: 'library_survey', uses: [], run })] }),
    ];
    const { dryRun } = await given([], [], { connectors });
    expect(await dryRun('library_survey')).toMatchObject({
      request: null,
      result: { structuredContent: { done: true } },
    });
  });

  test('refuses a batch', async () => {
    const input = { properties: { words: { type: 'string' }, also: {}, count: {} }, required: ['words'] };
    const tool = fakeTool({ name: 'library_add', method: 'POST', input, more: { batch: ['words'] } });
    const { dryRun, heard } = await given([], [tool]);
    const { result } = await dryRun('library_add', { words: 'a', also: ['b'] });
    expect([textOf(result!), heard]).toEqual([expect.stringContaining('call it once for each item'), []]);
  });
});
