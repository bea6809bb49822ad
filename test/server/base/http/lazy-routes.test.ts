import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { afterEach, expect, test } from 'vitest';
import { type AppDependencies, createApp } from '../../../../server/app.ts';
import { createLog } from '../../../../server/base/http/log.ts';
import type { RequestState } from '../../../../server/base/http/state.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { NO_DATABASE } from '../../../support/no-database.ts';

const server = createServer();
const lines: string[] = [];

afterEach(() => server.close());

async function start(routes: AppDependencies['routes']): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.removeAllListeners('request').on(
    'request',
    createApp({
      config: { publicUrl: origin, allowedOrigins: [], trustedProxies: [] },
      log: createLog({ level: 'error', destination: { write: (line) => lines.push(line) } }),
      store: { db: NO_DATABASE, findAccessToken: async () => undefined, ping: async () => {} },
      mcp: async (exchange) => exchange.sendEmpty(204),
      routes,
      stopping: new AbortController().signal,
    }),
  );
  return origin;
}

test('loads the routes once, at the first request to one of them', async () => {
  let loaded = 0;
  const origin = await start(async () => {
    loaded += 1;
    return [
      new Router<RequestState>().get('/page', (ctx) => {
        ctx.body = 'here';
      }),
    ];
  });
  await fetch(origin + MCP_PATH, { method: 'POST' });
  expect(loaded).toBe(0);
  const answers = await Promise.all(['/page', '/page'].map((path) => fetch(origin + path)));
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['here', 'here']);
  expect(loaded).toBe(1);
});

test('answers 500 if the routes cannot be loaded, and logs why', async () => {
  const origin = await start(() => Promise.reject(new Error('a file is missing')));
  expect((await fetch(`${origin}/page`)).status).toBe(500);
  expect(lines.join()).toContain('a file is missing');
});
