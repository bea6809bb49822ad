import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MCP_PATH } from '../../server/gateway-paths.ts';
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

test.each(PATHS)('%s is refused as an absolute target that names another host than Host does', async (path) => {
  const { host, hostname } = new URL(gateway.url);
  for (const [named, sent] of [
    ['evil.example', host],
    [host, 'evil.example'],
    ['evil.example', 'evil.example'],
    [`user@${host}`, host],
    [`${host}\\@evil.example`, host],
    [`${hostname}:1`, host],
  ]) {
    const request = `GET http://${named}${path} HTTP/1.1\r\nHost: ${sent}\r\nConnection: close\r\n\r\n`;
    expect([named, sent, await answerTo(request)]).toEqual([named, sent, expect.stringMatching(/^HTTP\/1.1 40[03] /)]);
  }
  const twice = `Host: ${host}\r\nHost: ${host}\r\n`;
  expect(await answerTo(`GET http://${host}${path} HTTP/1.1\r\n${twice}Connection: close\r\n\r\n`)).toMatch(/ 40[03] /);
});

test.each(PATHS)('%s answers an absolute target that names the host of Host (RFC 9112 §3.2.2)', async (path) => {
  const { host } = new URL(gateway.url);
  const rest = `HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  const statusOf = async (target: string) => (await answerTo(`GET ${target} ${rest}`)).split('\r\n')[0];
  const wanted = await statusOf(path);
  expect(wanted).toMatch(path === MCP_PATH ? / 401 / : / 200 /);
  for (const scheme of ['http', 'https', 'HTTP']) expect(await statusOf(`${scheme}://${host}${path}`)).toBe(wanted);
  expect(await statusOf(`http://${host}?a=b`)).toBe(await statusOf('/?a=b'));
});

function answerTo(sent: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.end(sent);
  return text(socket);
}
