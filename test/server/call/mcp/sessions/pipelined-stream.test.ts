import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { describeStore } from '../../../base/store/dialects.ts';
import { FIND, type NodesUnderTest, startNodes } from './support.ts';

vi.setConfig({ testTimeout: 30_000 });

describeStore('a stream behind a slower answer on the same connection', (given) => {
  let nodes: NodesUnderTest;
  afterEach(() => nodes?.close());

  test('is written no more once it has ended, and both answers arrive', async () => {
    const held: ServerResponse[] = [];
    const upstream = createServer((_, response) => void held.push(response));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    nodes = await startNodes(given, { LIBRARY_BASE_URL: `http://127.0.0.1:${port}` }, { aliveMs: 50 });
    const { token } = await nodes.user('ada');
    const url = new URL(nodes.urls[0]!);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: FIND, arguments: { id: '1' } },
    });
    const common = [`Host: ${url.host}`, `Authorization: Bearer ${token}`, 'MCP-Protocol-Version: 2025-11-25'];
    const post = [
      `POST ${url.pathname} HTTP/1.1`,
      ...common,
      'Accept: application/json, text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const get = [`GET ${url.pathname} HTTP/1.1`, ...common, 'Accept: text/event-stream'];
    let received = '';
    const socket = connect(Number(url.port), '127.0.0.1');
    socket.on('data', (data) => {
      received += String(data);
    });
    socket.write(`${post.join('\r\n')}\r\n\r\n${body}${get.join('\r\n')}\r\n\r\n`);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await delay(150);
    const partners = given.store.db.updateTable('partners');
    await partners.set({ suspended_at: 5 }).execute();
    await delay(150);
    await partners.set({ suspended_at: null }).execute();
    await delay(150);
    held[0]?.setHeader('Content-Type', 'application/json').end('{"title":"Ada"}');
    await vi.waitFor(() => expect(received.split('HTTP/1.1 200')).toHaveLength(3));
    expect(received).toContain('Ada');
    expect(received).toContain('text/event-stream');
    socket.destroy();
    upstream.closeAllConnections();
    upstream.close();
  });
});
