import { afterEach, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../../../support/gateway.ts';
import { type Host, startHost } from '../support.ts';
import { GREET, KEY, mcpConnector, mcpTool } from './support.ts';

let host: Host;
let gateway: RunningGateway;
afterEach(async () => {
  await gateway.close();
  await host.close();
});

test('a server gets its credential and the arguments, and nothing else that the client sent', async () => {
  const received: string[] = [];
  const log: string[] = [];
  host = await startHost(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    received.push(JSON.stringify([request.method, request.url, request.rawHeaders]) + body);
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const results: Record<string, object> = {
      'server/discover': {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
      },
      'tools/list': { tools: [GREET], ttlMs: 0, cacheScope: 'private' },
      'tools/call': { content: [{ type: 'text', text: 'Hello.' }] },
    };
    response.writeHead(200, { 'content-type': 'application/json', 'www-authenticate': 'Bearer scope="steal"' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...results[method] } }));
  });
  gateway = await startGateway({
    connectors: [mcpConnector([mcpTool(GREET)], [KEY])],
    env: { LIBRARY_BASE_URL: `${host.origin}/mcp`, LOG_LEVEL: 'debug' },
    secretOf: () => 'the-key-of-the-user',
    log: (line) => log.push(line),
  });
  const secrets = {
    token: gateway.token,
    cookie: 'cookie-of-the-client',
    header: 'header-of-the-client',
    parameter: 'parameter-of-the-client',
    meta: 'meta-of-the-client',
    client: 'name-of-the-client',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: secrets.client, version: '1' },
    'example.com/secret': secrets.meta,
    authorization: `Bearer ${gateway.token}`,
  };
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${gateway.token}`,
      'Content-Type': 'application/json',
      Cookie: secrets.cookie,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'people_greet',
      'Mcp-Param-Name': secrets.parameter,
      'Mcp-Session-Id': secrets.header,
      'X-Api-Key': secrets.header,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'people_greet', arguments: { name: 'Ada' }, _meta },
    }),
  });
  expect(await response.text()).toContain('Hello.');
  const sent = received.join('\n');
  expect(sent).toContain('Bearer the-key-of-the-user');
  for (const secret of Object.values(secrets)) expect(sent).not.toContain(secret);
  for (const secret of [gateway.token, 'the-key-of-the-user']) expect(log.join('\n')).not.toContain(secret);
});
