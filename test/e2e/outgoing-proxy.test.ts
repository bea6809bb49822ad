import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../server/index.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';

const PASSWORD = 'Zk3vQ9xT1mB7yR5nL0wHs2Jd';

let upstream: Recorder;
let proxy: ConnectProxy;
let gateway: RunningGateway | null;
let log: string[];
beforeEach(async () => {
  upstream = await startRecorder();
  proxy = await startConnectProxy({ credentials: `gateway:${PASSWORD}` });
  gateway = null;
  log = [];
});
afterEach(async () => {
  await gateway?.close();
  await proxy.close();
  await upstream.close();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<RunningGateway> {
  gateway = await startGateway({
    connectors: [fakeConnector({ tools: [fakeTool({ name: 'library_list' })] })],
    env: {
      LIBRARY_BASE_URL: `http://api.example:${new URL(upstream.origin).port}`,
      PLAIN_HTTP_UPSTREAMS: 'api.example',
      CLIENT_ID_METADATA_DOCUMENTS: 'on',
      OUTGOING_PROXY: `http://gateway:${PASSWORD}@127.0.0.1:${proxy.port}`,
      ...env,
    },
    secretOf: () => 'secret',
    log: (line) => log.push(line),
  });
  return gateway;
}

async function call({ url, token }: RunningGateway): Promise<{ isError?: boolean; content: { text: string }[] }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'library_list', arguments: {} },
    }),
  });
  return ((await response.json()) as { result: Awaited<ReturnType<typeof call>> }).result;
}

function said(message: string): string[] {
  return log.filter((line) => JSON.parse(line).msg.startsWith(message));
}

describe('a gateway with OUTGOING_PROXY', () => {
  test('calls upstreams and fetches documents of clients through the proxy', async () => {
    const running = await start();
    expect((await call(running)).isError).toBeUndefined();
    expect(upstream.calls()).toHaveLength(1);
    proxy.refusal = 403;
    const query = new URLSearchParams({ client_id: 'https://client.example/client.json', response_type: 'code' });
    await fetch(`${new URL(running.url).origin}/api/mcp/oauth/authorize?${query}`);
    expect(proxy.asked).toEqual([`api.example:${new URL(upstream.origin).port}`, 'client.example:443']);
  });

  test('reaches hosts in OUTGOING_NO_PROXY without the proxy', async () => {
    const running = await start({ OUTGOING_NO_PROXY: 'api.example' });
    expect((await call(running)).content[0]!.text).toBe('Library cannot be reached. Call again in a minute.');
    expect(proxy.asked).toEqual([]);
  });

  test.each([
    [
      'is unreachable',
      () => proxy.close(),
      'a request was not sent: the proxy of OUTGOING_PROXY cannot be used (ECONNREFUSED)',
    ],
    [
      'requires other credentials',
      () => {
        proxy.refusal = 407;
      },
      'a request was not sent: the proxy of OUTGOING_PROXY does not accept the user and password in it (407)',
    ],
  ])('that %s is reported to the operator once a minute, and the model learns what to do', async (_, breakIt, line) => {
    const running = await start();
    await breakIt();
    for (let calls = 0; calls < 6; calls += 1) {
      const { isError, content } = await call(running);
      expect(isError).toBe(true);
      expect(content[0]!.text).toBe(
        'Library cannot be reached from this gateway. Call again in a minute; if that does not help, tell the user that the operator of the gateway has to investigate.',
      );
      expect(JSON.parse(content[1]!.text)).toMatchObject({ code: 'upstream_unreachable' });
    }
    expect(said(line)).toHaveLength(1);
    expect(said('a tool call failed')[0]).toContain('OUTGOING_PROXY');
    expect(log.join('\n')).not.toContain(PASSWORD);
    expect(log.join('\n')).not.toContain(Buffer.from(`gateway:${PASSWORD}`).toString('base64'));
  });

  test('that cannot connect to the upstream counts as a failure of the upstream', async () => {
    const running = await start();
    proxy.refusal = 502;
    const codes: string[] = [];
    for (let calls = 0; calls < 6; calls += 1) codes.push(JSON.parse((await call(running)).content[1]!.text).code);
    expect(codes).toEqual([...Array(5).fill('upstream_unreachable'), 'upstream_circuit_open']);
    expect(said('a request was not sent')).toEqual([]);
  });
});

describe('the setting', () => {
  const load = (env: Readonly<Record<string, string>>) => loadConfig({ connectors: [], env });

  test('contains the proxy and the hosts that do not use it', () => {
    const env = {
      OUTGOING_PROXY: 'http://gateway:p%40ss@proxy.internal:3128',
      OUTGOING_NO_PROXY: 'crm.internal, .corp.example',
    };
    expect(load(env).outgoingProxy).toEqual({
      url: 'http://gateway:p%40ss@proxy.internal:3128/',
      directHosts: ['crm.internal', 'corp.example'],
    });
  });

  test.each([
    'proxy.internal:3128',
    'socks5://proxy.internal',
    'http://proxy.internal/path',
    'http://proxy.internal?a',
  ])('rejects %s', (OUTGOING_PROXY) => {
    expect(() => load({ OUTGOING_PROXY })).toThrow('OUTGOING_PROXY must be a URL of an HTTP proxy');
  });

  test('is required by OUTGOING_NO_PROXY', () => {
    expect(() => load({ OUTGOING_NO_PROXY: 'crm.internal' })).toThrow('OUTGOING_PROXY must be set');
  });

  test('is named if the environment sets a proxy for other programs', () => {
    const says = 'https_proxy is set, but requests leave directly: the gateway reads only OUTGOING_PROXY.';
    expect(load({ https_proxy: 'http://proxy.internal:3128' }).warnings).toEqual([says]);
    expect(load({ https_proxy: 'http://a.example', OUTGOING_PROXY: 'http://b.example' }).warnings).toEqual([]);
  });
});
