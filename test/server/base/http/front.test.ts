import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { givenApp } from '../../app-server.ts';

const given = givenApp();

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

function send(path: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Reply> {
  const { port } = new URL(given.origin);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers }, async (answer) => {
      let body = '';
      for await (const chunk of answer) body += chunk;
      const { date, ...others } = answer.headers;
      resolve({ status: answer.statusCode ?? 0, headers: others, body });
    });
    outgoing.on('error', reject).end();
  });
}

const sameId = (headers: Reply['headers']): Reply['headers'] => ({ ...headers, 'x-request-id': '' });

describe('the MCP endpoint and the pages', () => {
  const ID = { 'X-Request-Id': 'request-42' };
  const PUBLIC = { publicUrl: 'https://tools.example.com', trustedProxies: ['127.0.0.1', '3.3.3.3'] };

  test.each([
    ['its own host', { Host: 'tools.example.com' }],
    ['another host', { Host: 'evil.example' }],
    ['a forwarded host', { Host: 'inner', 'X-Forwarded-Host': 'tools.example.com, evil.example' }],
    ['another forwarded host', { Host: 'tools.example.com', 'X-Forwarded-Host': 'evil.example' }],
    ['an empty forwarded host', { Host: 'tools.example.com', 'X-Forwarded-Host': '' }],
    ['a forwarded address', { Host: 'tools.example.com', 'X-Forwarded-For': '1.1.1.1, 2.2.2.2 , 3.3.3.3' }],
    ['only addresses of proxies', { Host: 'tools.example.com', 'X-Forwarded-For': '3.3.3.3' }],
    ['no address in the header', { Host: 'tools.example.com', 'X-Forwarded-For': ' ' }],
  ])('treat %s alike, in their answers and in the log', async (_title, headers) => {
    await given.start(PUBLIC);
    given.page = async (ctx) => {
      ctx.body = { host: ctx.host };
    };
    given.mcp = async (exchange) =>
      exchange.send(200, 'application/json; charset=utf-8', JSON.stringify({ host: exchange.host }));
    const token = { Authorization: `Bearer ${await given.issueToken()}` };
    const page = await send('/page', { ...ID, ...headers });
    const mcp = await send(MCP_PATH, { ...ID, ...token, ...headers });
    const { vary, ...mcpHeaders } = mcp.headers;
    expect({ ...mcp, headers: sameId(mcpHeaders) }).toEqual({ ...page, headers: sameId(page.headers) });
    const [pageLine, mcpLine] = given.lines.filter(({ msg }) => msg === 'request');
    const { userId, tokenId, ...line } = mcpLine ?? {};
    const same = { requestId: '', route: '', time: '', ms: 0 };
    expect({ ...line, ...same }).toEqual({ ...pageLine, ...same });
  });

  test('fail alike', async () => {
    await given.start();
    given.page = async () => {
      throw new Error('planted');
    };
    given.mcp = given.page as never;
    const token = { Authorization: `Bearer ${await given.issueToken()}` };
    const page = await send('/page', ID);
    const { vary, ...headers } = (await send(MCP_PATH, { ...ID, ...token })).headers;
    expect(sameId(headers)).toEqual(sameId(page.headers));
  });

  test('ask clients to connect elsewhere while the gateway stops', async () => {
    await given.start();
    given.stop.abort();
    for (const path of ['/page', MCP_PATH]) expect((await send(path)).headers.connection).toBe('close');
  });
});

describe('the path of the endpoint', () => {
  test.each([MCP_PATH, `${MCP_PATH}?x=1`, `${MCP_PATH}/`, '/API/mcp/Unified'])(
    '%s is the MCP endpoint',
    async (path) => {
      await given.start();
      expect((await send(path)).status).toBe(401);
    },
  );

  test.each([
    `${MCP_PATH}/x`,
    `${MCP_PATH}//`,
    `/x${MCP_PATH}`,
    '/api/mcp',
    `/api/mcp/unified%2F`,
    '//api/mcp/unified',
  ])('%s is not the MCP endpoint', async (path) => {
    await given.start();
    expect((await send(path)).status).toBe(404);
  });

  test('an absolute target of another host is refused', async () => {
    await given.start();
    expect((await send(`http://evil.example${MCP_PATH}`)).status).toBe(400);
  });

  test('HEAD is answered like GET, without a body', async () => {
    await given.start();
    const [get, head] = [await send(MCP_PATH, {}, 'GET'), await send(MCP_PATH, {}, 'HEAD')];
    expect({ ...head.headers, 'x-request-id': '' }).toEqual({ ...get.headers, 'x-request-id': '' });
    expect([get.body === '', head.body]).toEqual([false, '']);
  });
});

describe('a request whose client disconnected', () => {
  test('is logged as such', async () => {
    await given.start();
    let arrived = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    given.mcp = async ({ disconnected }) => {
      arrived();
      await new Promise((resolve) => disconnected.addEventListener('abort', resolve));
    };
    const stop = new AbortController();
    const headers = { Authorization: `Bearer ${await given.issueToken()}` };
    const answer = given.send(MCP_PATH, { method: 'POST', headers, signal: stop.signal });
    await waiting;
    stop.abort();
    await expect(answer).rejects.toThrow('aborted');
    await expect
      .poll(() => given.lines.at(-1))
      .toMatchObject({ msg: 'request', disconnected: true, userId: given.userId });
  });

  test('aborts a signal that is requested afterwards', async () => {
    await given.start();
    const stop = new AbortController();
    const seen: boolean[] = [];
    given.mcp = async (exchange) => {
      stop.abort();
      await new Promise((resolve) => exchange.response.once('close', resolve));
      seen.push(exchange.disconnected.aborted);
    };
    const headers = { Authorization: `Bearer ${await given.issueToken()}` };
    await expect(given.send(MCP_PATH, { method: 'POST', headers, signal: stop.signal })).rejects.toThrow('aborted');
    await expect.poll(() => seen).toEqual([true]);
  });
});
