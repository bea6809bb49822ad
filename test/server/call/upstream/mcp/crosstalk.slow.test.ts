import { createHash } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { seedUser } from '../../../../../scripts/demo/seed.ts';
import type { McpTool } from '../../../../../shared/mcp/lock.ts';
import { type RunningGateway, startGateway } from '../../../../support/gateway.ts';
import { keyBytes } from '../../../../support/keys.ts';
import { postRpc } from '../../../../support/post-rpc.ts';
import { createPostgresDatabase } from '../../../../support/postgres-database.ts';
import { vaultBeside } from '../../../../support/vault-beside.ts';
import { startHost } from '../support.ts';
import { GREET, KEY, mcpConnector, mcpTool } from './support.ts';

const USERS = 12;
const CALLS = 20;
const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

async function startEcho() {
  const authorizations = new Set<string>();
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [GREET as McpTool as never] }));
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const authorization = context.http?.req?.headers.get('authorization') ?? '';
      const text = `${params.arguments?.name} ${digest(authorization)}`;
      return { content: [{ type: 'text', text }] };
    });
    return server;
  });
  const serve = toNodeHandler(handler);
  const host = await startHost((request, response) => {
    authorizations.add(String(request.headers.authorization));
    void serve(request as never, response);
  });
  return { host, authorizations };
}

async function callAll(gateway: RunningGateway): Promise<readonly string[]> {
  const vault = await vaultBeside(gateway.store, [{ id: 'test', key: keyBytes(1) }]);
  const tokens: string[] = [];
  for (let user = 0; user < USERS; user += 1) {
    const { token } = await seedUser({
      store: gateway.store,
      vault,
      partner: 'test',
      user: `user-${user}`,
      connectors: [mcpConnector([mcpTool(GREET)], [KEY])],
      secretOf: () => `secret-${user}`,
      resource: gateway.url,
      now: Date.now(),
    });
    tokens.push(token);
  }
  const wrong: string[] = [];
  const calls = Array.from({ length: USERS * CALLS }, async (_, index) => {
    const user = index % USERS;
    const params = { name: 'people_greet', arguments: { name: `n${index}` } };
    const response = await postRpc({ url: gateway.url, token: tokens[user]! }, 'tools/call', params);
    const { result } = (await response.json()) as { result: { content: readonly { text: string }[] } };
    const expected = `n${index} ${digest(`Bearer secret-${user}`)}`;
    if (result.content[0]?.text !== expected) wrong.push(`${result.content[0]?.text} instead of ${expected}`);
  });
  await Promise.all(calls);
  return wrong;
}

describe.each([
  { store: 'SQLite', url: null },
  { store: 'PostgreSQL', url: process.env.TEST_DATABASE_URL ?? '' },
])('$store', ({ url }) => {
  test.skipIf(url === '')(
    'no call of many users is made with the credential, or gets the answer, of another',
    async () => {
      const { host, authorizations } = await startEcho();
      const database = url === null ? null : await createPostgresDatabase(url);
      const gateway = await startGateway({
        connectors: [mcpConnector([mcpTool(GREET)], [KEY])],
        env: { LIBRARY_BASE_URL: host.origin, ...(database && { DATABASE_URL: database.url }) },
        secretOf: () => 'secret-of-ada',
      });
      try {
        expect(await callAll(gateway)).toEqual([]);
        const expected = Array.from({ length: USERS }, (_, user) => `Bearer secret-${user}`);
        expect([...authorizations].sort()).toEqual(expected.sort());
      } finally {
        await gateway.close();
        await database?.remove();
        await host.close();
      }
    },
    120_000,
  );
});
