import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findUsersByExternalId } from '../../../../server/base/store/repositories/users.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { postRpc } from '../../../support/post-rpc.ts';
import { type Host, startHost } from '../upstream/support.ts';

const file = { type: 'string', contentEncoding: 'base64' };
const TOOLS = [
  fakeTool({ name: 'library_get_things' }),
  fakeTool({
    name: 'library_add_thing',
    method: 'POST',
    path: '/things',
    input: { properties: { title: { type: 'string' } } },
    request: { body: { mediaType: 'application/json', members: { title: 'title' } } },
  }),
  fakeTool({
    name: 'library_add_cover',
    method: 'POST',
    path: '/covers',
    input: { properties: { cover: file } },
    request: { body: { mediaType: 'application/json', members: { cover: 'cover' } } },
  }),
];
const LARGE = 'A'.repeat(600 * 1024);

let host: Host;
let gateway: RunningGateway;
let readOnly: string;
let received: number[] = [];

beforeAll(async () => {
  host = await startHost((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(Buffer.concat(chunks).length);
      response.writeHead(201, { 'content-type': 'application/json' }).end(`{"number":${received.length}}`);
    });
  });
  gateway = await startGateway({
    connectors: [fakeConnector({ tools: TOOLS })],
    secretOf: () => 'secret',
    env: { LIBRARY_BASE_URL: host.origin, CATALOGUE_MODE: 'search' },
  });
  const [user] = await findUsersByExternalId(gateway.store.db, 'ada');
  const grant = { userId: user!.id, resource: gateway.url, now: Date.now(), scopes: ['tools:read'] } as const;
  readOnly = (await issueAccessToken(gateway.store.db, { ...grant, services: null })).token;
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  await gateway?.close();
  await host?.close();
});

async function call(token: string, name: string, inner: object, more: object = {}) {
  const response = await postRpc({ url: gateway.url, token }, 'tools/call', { name, arguments: inner, ...more });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('call_writing_tool with a token that only reads', () => {
  test('is refused with the scopes of the inner tool (RFC 6750 §3.1)', async () => {
    const refused = await call(readOnly, 'call_writing_tool', { name: 'library_add_thing' });
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope']);
    expect(refused.headers.get('WWW-Authenticate')).toContain(
      'scope="tools:read tools:write", error="insufficient_scope"',
    );
    expect(received).toEqual([]);
  });

  test('calls a tool that only reads', async () => {
    const { status, body } = await call(readOnly, 'call_writing_tool', { name: 'library_get_things' });
    expect([status, body.result.isError ?? false]).toEqual([200, false]);
  });
});

describe('a request of more than 512 KiB through call_writing_tool', () => {
  test('reaches a tool that takes files', async () => {
    const inner = { name: 'library_add_cover', arguments: { cover: LARGE } };
    const { status, body } = await call(gateway.token, 'call_writing_tool', inner);
    expect([status, body.result.structuredContent]).toEqual([200, { number: 1 }]);
    expect(received[0]).toBeGreaterThan(LARGE.length);
  });

  test.each([
    ['a tool that takes no files', 'call_writing_tool', { name: 'library_add_thing', arguments: { title: LARGE } }],
    ['a tool that does not exist', 'call_writing_tool', { name: 'library_drop', arguments: { cover: LARGE } }],
    ['a search', 'search_tools', { name: 'library_add_cover', words: LARGE }],
  ])('is refused for %s', async (_title, name, inner) => {
    const { status } = await call(gateway.token, name, inner);
    expect([status, received]).toEqual([413, []]);
  });
});

describe('a writing tool called through call_writing_tool', () => {
  const inner = { name: 'library_add_thing', arguments: { title: 'A' } };
  const keyed = (idempotencyKey: string) => ({ _meta: { idempotencyKey } });

  test('is called once for one idempotency key, and repeats the answer', async () => {
    const first = await call(gateway.token, 'call_writing_tool', inner, keyed('k'));
    const again = await call(gateway.token, 'call_writing_tool', inner, keyed('k'));
    expect(first.body.result.structuredContent).toEqual({ number: 1 });
    expect(again.body).toEqual(first.body);
    expect(received).toHaveLength(1);
    await call(gateway.token, 'call_writing_tool', inner, keyed('other'));
    expect(received).toHaveLength(2);
  });

  test('shares the key with a call by its own name', async () => {
    await call(gateway.token, 'call_writing_tool', inner, keyed('shared'));
    await call(gateway.token, inner.name, inner.arguments, keyed('shared'));
    expect(received).toHaveLength(1);
  });

  test('refuses a key that came with other arguments', async () => {
    await call(gateway.token, 'call_writing_tool', inner, keyed('bound'));
    const other = { ...inner, arguments: { title: 'B' } };
    const { body } = await call(gateway.token, 'call_writing_tool', other, keyed('bound'));
    expect(JSON.parse(body.result.content[1].text).code).toBe('idempotency_key_reused');
    expect(received).toHaveLength(1);
  });
});
