import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { MCP_PATH } from '../../../../../server/gateway-paths.ts';
import { describeUserPage, fieldOf, type UserPageUnderTest } from '../../../modules/me/support.ts';
import { type Asked, askingLegacyServer, askingServer } from './asking-servers.ts';
import { GREET, mcpConnector, mcpTool } from './support.ts';

const FORM = {
  type: 'object',
  properties: {
    room: { type: 'string', title: 'Which <room>?', enum: ['blue', 'red'] },
    nights: { type: 'integer', minimum: 1, maximum: 9, description: 'At most 9.' },
    email: { type: 'string', format: 'email' },
    extras: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'b', title: 'Breakfast' },
          { const: 'p', title: 'Parking' },
        ],
      },
    },
    late: { type: 'boolean' },
  },
  required: ['room', 'nights'],
};
const QUESTION = { mode: 'form', message: 'Book </blockquote><b>now</b>?', requestedSchema: FORM };
const ASKED: Asked = { params: QUESTION, received: [] };
const ANSWER = { action: 'accept', content: { room: 'red', nights: 2 } };

type Elicit = (params: { readonly message: string }) => typeof ANSWER;
type Caller = Pick<V2Client, 'callTool' | 'close'>;
type Connect = (url: URL, token: string, elicit?: Elicit) => Promise<Caller>;

const headersOf = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

const v1: Connect = async (url, token, elicit) => {
  const capabilities = elicit === undefined ? {} : { elicitation: {} };
  const client = new V1Client({ name: 'v1', version: '1.0.0' }, { capabilities });
  if (elicit !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params) as never);
  await client.connect(new V1Transport(url, headersOf(token)) as Parameters<typeof client.connect>[0]);
  return client as unknown as Caller;
};

const v2 =
  (mode: 'auto' | 'legacy'): Connect =>
  async (url, token, elicit) => {
    const capabilities = elicit === undefined ? {} : { elicitation: { form: {} } };
    const client = new V2Client({ name: 'v2', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
    if (elicit !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params) as never);
    await client.connect(new V2Transport(url, headersOf(token)));
    return client;
  };

const CLIENTS = [
  ['v1 SDK client', v1],
  ['v2 SDK client of 2025-11-25', v2('legacy')],
  ['v2 SDK client of 2026-07-28', v2('auto')],
] as const;

const CALL = { name: 'people_greet', arguments: { name: 'Ada <i>' } };

async function call(client: Caller) {
  const { isError = false, content } = await client.callTool(CALL);
  const [first, second] = content as { text: string }[];
  return { isError, text: first?.text ?? '', code: isError ? JSON.parse(second?.text ?? '{}').code : 'ok' };
}

function pathOf(text: string): string {
  const [url = ''] = /http:\S+\/me\/questions\/[\w-]+/.exec(text) ?? [];
  return new URL(url).pathname;
}

function define(given: UserPageUnderTest): void {
  describe.each(CLIENTS)('of the %s', (_, connect) => {
    async function start(elicit?: Elicit) {
      ASKED.received.length = 0;
      ASKED.params = QUESTION;
      const { token } = await given.allow('Claude');
      return connect(new URL(given.origin + MCP_PATH), token, elicit);
    }

    test('that cannot ask its user is answered on a page, once', async () => {
      const client = await start();
      const first = await call(client);
      expect([first.code, ASKED.received]).toEqual(['needs_input', []]);
      expect(first.text).toContain('call again with exactly the same arguments');
      const path = pathOf(first.text);
      const browser = await given.entered();
      const { text } = await browser.get(path);
      for (const shown of ['People asks', 'Claude', 'Ada &lt;i&gt;', 'Which &lt;room&gt;?', 'Breakfast', 'At most 9.'])
        expect(text).toContain(shown);
      expect(text).toContain('Book &lt;/blockquote&gt;&lt;b&gt;now&lt;/b&gt;?');
      const sent = [
        ['question', fieldOf(text, 'question')],
        ['decision', 'send'],
        ['q0.0', '1'],
        ['q0.3', '0'],
        ['q0.3', '1'],
        ['q0.4', 'yes'],
      ] as const;
      const refused = await browser.submit(path, path, [...sent, ['q0.1', '10'], ['q0.2', 'ada']]);
      expect([refused.status, refused.text.includes('Enter at most 9.')]).toEqual([400, true]);
      expect(refused.text).toContain('Enter an email address.');
      const answer = await browser.submit(path, path, [...sent, ['q0.1', '2'], ['q0.2', '']]);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me?done=answered']);
      const content = { room: 'red', nights: 2, extras: ['b', 'p'], late: true };
      expect(JSON.parse((await call(client)).text)).toEqual({ action: 'accept', content });
      expect((await browser.get(path)).status).toBe(404);
      expect((await call(client)).code).toBe('needs_input');
      expect(ASKED.received).toHaveLength(1);
      await client.close();
    });

    test('that can ask its user gets the question in the name of the service, inside of the call', async () => {
      const messages: string[] = [];
      const client = await start(({ message }) => {
        messages.push(message);
        return ANSWER;
      });
      expect(JSON.parse((await call(client)).text)).toEqual(ANSWER);
      expect(messages).toEqual(['People asks: Book </blockquote><b>now</b>?']);
      expect(ASKED.received).toHaveLength(1);
      await client.close();
    });
  });
}

function definePages(given: UserPageUnderTest): void {
  async function ask(params: Asked['params']) {
    Object.assign(ASKED, { params, received: [] });
    const { token } = await given.allow('Claude');
    const client = await v2('auto')(new URL(given.origin + MCP_PATH), token);
    return { client, path: pathOf((await call(client)).text) };
  }

  test('a page of the service is shown with its host, and not opened', async () => {
    const url = 'https://pay.example/x?id=1&y="2"';
    const { client, path } = await ask({ mode: 'url', message: 'Pay there.', url });
    const browser = await given.entered();
    const { text } = await browser.get(path);
    expect(text).toContain('<strong><bdi>pay.example</bdi></strong>');
    expect(text).toContain('<a href="https://pay.example/x?id=1&amp;y=%222%22" rel="noopener noreferrer external"');
    const question = ['question', fieldOf(text, 'question')] as const;
    await browser.submit(path, path, [question, ['decision', 'send']]);
    expect(JSON.parse((await call(client)).text)).toEqual({ action: 'accept' });
    await client.close();
  });

  test.each(['http://pay.example/', 'javascript:alert(1)', 'https://user:pass@pay.example/'])(
    'the page %s of a service is not shown',
    async (url) => {
      await expect(ask({ mode: 'url', message: 'Pay there.', url })).rejects.toThrow('Invalid URL');
    },
  );

  test('a declined question is declined to the service', async () => {
    const { client, path } = await ask(QUESTION);
    const browser = await given.entered();
    const { text } = await browser.get(path);
    await browser.submit(path, path, [
      ['question', fieldOf(text, 'question')],
      ['decision', 'decline'],
    ]);
    expect(JSON.parse((await call(client)).text)).toEqual({ action: 'decline' });
    await client.close();
  });

  test('an answer is for the client that asked, while its question is new, and as it was shown', async () => {
    const { client, path } = await ask(QUESTION);
    const browser = await given.entered();
    const { text } = await browser.get(path);
    const answer = [
      ['decision', 'send'],
      ['q0.0', '1'],
      ['q0.1', '2'],
    ] as const;
    expect((await browser.submit(path, path, [['question', 'other'], ...answer])).status).toBe(404);
    const other = given.browser();
    const link = await given.api('POST', 'alice/links', undefined, { id: 'other', secret: given.other.secret });
    await other.enter(link.body.url.slice(given.origin.length));
    expect((await other.get(path)).status).toBe(404);
    await browser.submit(path, path, [['question', fieldOf(text, 'question')], ...answer]);
    const { token } = await given.allow('Cursor');
    const otherClient = await v2('auto')(new URL(given.origin + MCP_PATH), token);
    expect((await call(otherClient)).code).toBe('needs_input');
    given.now += 600_001;
    expect((await call(client)).code).toBe('needs_input');
    expect(ASKED.received).toEqual([]);
    for (const each of [client, otherClient]) await each.close();
  });

  test('a call that is made again while its user answers asks the same question, and another one if the server does', async () => {
    const { client, path } = await ask(QUESTION);
    const browser = await given.entered();
    const form = async () => [
      ['question', fieldOf((await browser.get(path)).text, 'question')] as const,
      ['decision', 'send'] as const,
      ['q0.0', '1'] as const,
      ['q0.1', '2'] as const,
    ];
    const shown = await form();
    ASKED.params = { ...QUESTION, message: 'Book two?' };
    await call(client);
    expect((await browser.submit(path, path, shown)).status).toBe(404);
    const shownAgain = await form();
    given.now += 1000;
    await call(client);
    expect((await browser.submit(path, path, shownAgain)).status).toBe(303);
    await client.close();
  });

  test('of the questions of one user, 20 wait, and each of them may be asked again', async () => {
    const { client } = await ask(QUESTION);
    const textOf = async (name: string) => {
      const { content } = await client.callTool({ name: CALL.name, arguments: { name } });
      return (content as { text: string }[])[0]?.text ?? '';
    };
    const names = Array.from({ length: 20 }, (_, index) => `guest ${index}`);
    const texts = [];
    for (const name of names) texts.push(await textOf(name));
    expect(texts.map((text) => text.includes('/me/questions/'))).toEqual(names.map((_, index) => index < 19));
    expect(await textOf('guest 0')).toContain('/me/questions/');
    await client.close();
  });

  test('of the questions that a user is asked at once, 20 wait', async () => {
    const { client } = await ask(QUESTION);
    const calls = Array.from({ length: 30 }, async (_, index) => {
      const { content } = await client.callTool({ name: CALL.name, arguments: { name: `guest ${index}` } });
      return (content as { text: string }[])[0]?.text.includes('/me/questions/');
    });
    expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(19);
    await client.close();
  });

  test('a form that no page can show leaves the question to the model', async () => {
    const requestedSchema = { type: 'object', properties: { a: { type: 'object' } } };
    await expect(ask({ ...QUESTION, requestedSchema })).rejects.toThrow('Invalid URL');
  });
}

const connectors = [mcpConnector([mcpTool(GREET)])];
const TWO_CALLS = { CALL_LIMITS: 'tool:people_greet 2/day/user' };
describeUserPage('a question of a server of 2026 in a call', define, TWO_CALLS, {
  connectors,
  upstream: askingServer([GREET], ASKED),
});
describeUserPage('a question of a server of 2025 in a call', define, TWO_CALLS, {
  connectors,
  upstream: askingLegacyServer([GREET], ASKED),
});

describeUserPage('a page of a question', definePages, {}, { connectors, upstream: askingServer([GREET], ASKED) });
