import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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

const PATHS = ['/', '/api/mcp/unified', '/.well-known/oauth-authorization-server'];

test.each(PATHS)('%s is refused with a second host, in whichever order', async (path) => {
  const { host } = new URL(gateway.url);
  for (const hosts of [
    [host, 'evil.example'],
    ['evil.example', host],
    [host, host],
  ]) {
    const sent = hosts.map((each) => `host: ${each}\r\n`).join('');
    expect(await answerTo(`GET ${path} HTTP/1.1\r\n${sent}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 40[03] /);
  }
});

test.each(PATHS)('%s is refused as an absolute target, whichever host it names', async (path) => {
  const { host } = new URL(gateway.url);
  for (const named of [host, 'evil.example']) {
    const sent = `GET http://${named}${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(await answerTo(sent)).toMatch(/^HTTP\/1.1 40[03] /);
  }
});

function answerTo(sent: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.end(sent);
  return text(socket);
}
