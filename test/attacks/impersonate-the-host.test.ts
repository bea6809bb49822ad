import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ connectors: [], secretOf: () => '', env: { TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => gateway.close());

test.each(['/', '/api/mcp/unified', '/api/mcp/oauth/authorize', '/.well-known/oauth-authorization-server'])(
  'a rebound host name does not reach %s by forwarding an allowed one',
  async (path) => {
    const { host, hostname, port } = new URL(gateway.url);
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': host, Authorization: `Bearer ${gateway.token}` };
    const status = await new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path, method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(403);
  },
);
