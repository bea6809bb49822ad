import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RequestHandler } from '../../../../server/base/http/front.ts';
import { createLog } from '../../../../server/base/http/log.ts';
import { createGateway, type Gateway } from '../../../../server/gateway.ts';
import { loadConfig } from '../../../../server/index.ts';
import { keyBytes } from '../../../support/keys.ts';

let folder: string;
let gateway: Gateway;
let server: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'listener-'));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string>): Promise<void> {
  const config = loadConfig({
    connectors: [],
    env: {
      DATABASE_URL: `sqlite:${join(folder, 'gateway.sqlite')}`,
      ENCRYPTION_KEYS: `a:${keyBytes(1).toString('base64')}`,
      ...env,
    },
  });
  gateway = await createGateway({ config, connectors: [], log: createLog({ level: 'silent' }) });
}

async function listen(handle: RequestHandler | null): Promise<(path: string, method?: string) => Promise<Response>> {
  if (handle === null) throw new Error('there is no such listener');
  server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return (path, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual' });
}

const handlerOf = (setting: string) => gateway.listeners.find((each) => each.setting === setting)?.handle ?? null;

describe('the listener for metrics', () => {
  test('serves only metrics and probes', async () => {
    await start({ METRICS_LISTEN: '127.0.0.1:9464' });
    const send = await listen(handlerOf('METRICS_LISTEN'));
    const metrics = await send('/metrics?x=1');
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await metrics.text()).toContain('target_info{service_name="unified-tool-gateway"');
    expect(await (await send('/healthz')).json()).toEqual({ status: 'ok' });
    expect(await (await send('/readyz')).json()).toEqual({ status: 'ready' });
    for (const path of ['/', '/admin', '/api/mcp/unified', '/metrics/']) expect((await send(path)).status).toBe(404);
    const posted = await send('/metrics', 'POST');
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await (await send('/metrics', 'HEAD')).text()).toBe('');
  });

  test('is refused under a name that the public could give it', async () => {
    await start({ METRICS_LISTEN: '127.0.0.1:9464' });
    await listen(handlerOf('METRICS_LISTEN'));
    const { port } = server.address() as AddressInfo;
    const statusAs = async (host: string) => {
      const asked = request({ port, path: '/metrics', headers: { host } }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    for (const host of [
      'localhost:1',
      '10.1.2.3:9464',
      '[::1]',
      'gateway:9464',
      'gateway.tools.svc:9464',
      'node.internal',
    ])
      expect([host, await statusAs(host)]).toEqual([host, 200]);
    for (const host of ['rebind.example', 'localhost.evil.example:9464', 'svc.evil.example', '?'])
      expect([host, await statusAs(host)]).toEqual([host, 403]);
  });

  test('reports that the gateway is stopping', async () => {
    await start({ METRICS_LISTEN: '127.0.0.1:9464' });
    const send = await listen(handlerOf('METRICS_LISTEN'));
    gateway.beginStop();
    const ready = await send('/readyz');
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping' }]);
  });

  test('may be that of the dashboard', async () => {
    await start({ METRICS_LISTEN: '127.0.0.1:3001', ADMIN_LISTEN: '127.0.0.1:3001' });
    expect(handlerOf('METRICS_LISTEN')).toBeNull();
    const send = await listen(handlerOf('ADMIN_LISTEN'));
    expect(await (await send('/metrics')).text()).toContain('process_uptime_seconds');
    expect((await send('/admin')).status).not.toBe(200);
  });

  test('is never that of clients', async () => {
    await start({ METRICS_LISTEN: '127.0.0.1:9464' });
    const send = await listen(gateway.handle);
    expect((await send('/metrics')).status).not.toBe(200);
  });

  test('is not opened if metrics are only exported', async () => {
    await start({ OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    await listen(gateway.handle);
    expect(handlerOf('METRICS_LISTEN')).toBeNull();
  });
});
