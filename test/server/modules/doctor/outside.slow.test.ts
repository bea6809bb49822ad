import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { createCertificate } from '../../../support/certificate.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { ringText } from '../../../support/keys.ts';
import { addForwarded, examine, type Faults, HOST, problemsOf, startProxy, type TestProxy } from './support.ts';

let proxy: TestProxy;
let gateway: RunningGateway;
let env: Record<string, string>;

beforeAll(async () => {
  proxy = await startProxy();
  const settings = { PUBLIC_URL: proxy.origin, TRUST_PROXY: '127.0.0.1' };
  gateway = await startGateway({ connectors: await loadConnectors(), env: settings, secretOf: () => 'key' });
  proxy.target = gateway.listensAt;
  env = { ...settings, DATABASE_URL: gateway.databaseUrl, ENCRYPTION_KEYS: gateway.encryptionKeys };
});
afterEach(() => {
  proxy.faults = {};
});
afterAll(async () => {
  await gateway?.close();
  await proxy?.close();
});

/** From another machine: no settings. */
const outside = (argv: readonly string[] = []) =>
  examine(['--url', proxy.origin, ...argv], { ...proxy.surroundings, env: {}, connectors: [] });

/** With the settings of the gateway; services are left out. */
const inside = (more: Record<string, string> = {}) =>
  examine([], { ...proxy.surroundings, env: { ...env, ...more }, connectors: [] });

describe('a gateway behind a proxy that forwards everything', () => {
  test('passes from outside', async () => {
    const seen = await outside();
    expect(problemsOf(seen)).toEqual([]);
    expect(seen.code).toBe(0);
    expect(seen.findings).toContainEqual({
      check: 'settings',
      state: 'skipped',
      seen: expect.stringContaining('only the checks from outside'),
    });
  });

  test('passes from inside: the gateway reports how requests arrive', async () => {
    const { findings } = await inside();
    expect(findings.filter(({ check }) => check === 'proxy').map(({ state, seen }) => [state, seen])).toEqual([
      ['ok', `requests arrive with Host: ${new URL(proxy.origin).host}`],
      ['ok', 'the gateway sees this machine as 198.51.100.9, and ignores forged addresses'],
      ['ok', 'event streams come through without buffering'],
    ]);
  });

  test('has no more registered clients afterwards', async () => {
    await outside();
    expect(await gateway.store.db.selectFrom('oauth_clients').select('client_id').execute()).toHaveLength(0);
  });

  test('reports nothing about requests without the keys of the gateway', async () => {
    const answer = await fetch(`${proxy.target}/healthz`, {
      headers: { Authorization: `UTG-Operator test.${Date.now()}.${'A'.repeat(43)}`, Accept: 'text/event-stream' },
    });
    expect(await answer.json()).toEqual({ status: 'ok' });
    const { findings } = await inside({
      ENCRYPTION_KEYS: ringText('other', 2),
    });
    const seen = 'the gateway that answers has other encryption keys, or is of an older version';
    expect(findings).toContainEqual(expect.objectContaining({ check: 'proxy', state: 'warning', seen }));
  });
});

const html = (path: string | RegExp, status = 200): Faults => ({
  answers: ({ url = '' }, response) => {
    if (!(typeof path === 'string' ? url === path : path.test(url))) return false;
    response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html></html>');
    return true;
  },
});
const RESOURCE = '/.well-known/oauth-protected-resource';

describe('a proxy that', () => {
  test.each<[what: string, faults: Faults, found: string, fix: string]>([
    [
      'sends its own Host',
      { request: (headers) => addForwarded({ ...headers, host: '127.0.0.1:3000' }) },
      `host: the gateway does not accept ${HOST}`,
      'proxy_set_header Host $http_host',
    ],
    [
      'reaches no gateway',
      { answers: (_, response) => Boolean(response.writeHead(502).end()) },
      'address: something in front of the gateway answers 502',
      'HOST and PORT',
    ],
    [
      'redirects',
      { answers: (_, response) => Boolean(response.writeHead(301, { Location: 'https://www.example.test/' }).end()) },
      'redirects to another address',
      'PUBLIC_URL',
    ],
    ['serves a page for everything', html(/./), 'is not a gateway', 'pass all paths'],
    [
      'removes WWW-Authenticate',
      { response: ({ 'www-authenticate': _, ...headers }) => headers },
      'discovery: the 401 has no WWW-Authenticate',
      'WWW-Authenticate',
    ],
    [
      'has no path-suffixed metadata',
      html(`${RESOURCE}/api/mcp/unified`, 404),
      `discovery: ${RESOURCE}/api/mcp/unified answers 404`,
      'pass this path on',
    ],
    [
      'answers 200 where clients expect 404',
      html('/.well-known/openid-configuration'),
      'openid-configuration answers 200 and not 404',
      'pass this path on',
    ],
    [
      'adds Access-Control-Allow-Origin',
      { response: (headers) => ({ ...headers, 'access-control-allow-origin': '*, *' }) },
      'has Access-Control-Allow-Origin: *, *',
      'neither remove nor add',
    ],
    [
      'answers preflights itself',
      { answers: ({ method }, response) => method === 'OPTIONS' && Boolean(response.writeHead(405).end()) },
      'browsers: /api/mcp/oauth/token does not answer the preflight',
      'OPTIONS',
    ],
    [
      'rejects registrations',
      html('/api/mcp/oauth/register', 403),
      'registration: a registration is answered with 403',
      'pass this path on',
    ],
    [
      'has a wrong clock',
      { response: (headers) => ({ ...headers, date: new Date(Date.now() - 120_000).toUTCString() }) },
      's behind the one here',
      'NTP',
    ],
  ])('%s is reported from outside', async (_, faults, found, fix) => {
    proxy.faults = faults;
    const seen = await outside();
    const finding = seen.findings.find((each) => `${each.check}: ${each.seen}`.includes(found));
    expect([finding?.seen ?? problemsOf(seen), finding?.fix]).toEqual([
      expect.any(String),
      expect.stringContaining(fix),
    ]);
    expect(seen.code).toBe(finding?.state === 'error' ? 1 : 0);
  });

  test.each<[what: string, faults: Faults, trust: string | null, found: string]>([
    [
      'does not forward client addresses',
      { request: (headers) => headers },
      null,
      'proxy: the proxy at 127.0.0.1 does not say whose requests it forwards',
    ],
    [
      'forwards what clients claim',
      { request: (headers) => ({ 'x-forwarded-for': '198.51.100.9', ...headers }) },
      null,
      'proxy: any client can claim any address',
    ],
    ['holds streams back', { buffers: true }, null, 'proxy: a proxy holds event streams back'],
    [
      'reports http',
      { request: (headers) => ({ ...addForwarded(headers), 'x-forwarded-proto': 'http' }) },
      null,
      'proxy: a proxy says that requests come over http, and not over https',
    ],
  ])('%s is reported from inside', async (_, faults, __, found) => {
    proxy.faults = faults;
    expect(problemsOf(await inside()).join('\n')).toContain(found);
  });
});

test('a proxy that TRUST_PROXY does not name is reported', async () => {
  const distrustful = await startGateway({
    connectors: [],
    env: { PUBLIC_URL: proxy.origin, TRUST_PROXY: 'none' },
    secretOf: () => 'key',
  });
  const { target } = proxy;
  try {
    proxy.target = distrustful.listensAt;
    const settings = { TRUST_PROXY: 'none', DATABASE_URL: distrustful.databaseUrl };
    expect(problemsOf(await inside(settings)).join('\n')).toContain(
      'proxy: addresses of clients are not seen: 127.0.0.1 sends X-Forwarded-For, and TRUST_PROXY does not name it',
    );
  } finally {
    proxy.target = target;
    await distrustful.close();
  }
});

describe('a certificate that', () => {
  test.each([
    ['expires soon', createCertificate([HOST], { days: 5 }), true, 'expires in 4 days'],
    ['has expired', createCertificate([HOST], { days: -0.5 }), true, 'has a certificate that has expired'],
    [
      'is for another name',
      createCertificate(['other.example.test'], { days: 90 }),
      true,
      'has a certificate for other names',
    ],
    ['no trusted authority signed', createCertificate([HOST], { days: 90 }), false, 'has a self-signed certificate'],
    [
      'lacks the intermediate certificates',
      createCertificate([HOST], { days: 90, signedBy: 'an authority in between' }),
      false,
      'the chain is incomplete',
    ],
  ])('%s is reported', async (_, certificate, isTrusted, found) => {
    const other = await startProxy(certificate);
    try {
      const ca = isTrusted ? {} : { ca: createCertificate([HOST]).certificate };
      const seen = await examine(['--url', other.origin], { ...other.surroundings, ...ca, env: {}, connectors: [] });
      expect(problemsOf(seen).join('\n')).toContain(found);
    } finally {
      await other.close();
    }
  });
});

test('a Host that is not forwarded is one finding, and the checks that it breaks are skipped', async () => {
  proxy.faults = { request: (headers) => addForwarded({ ...headers, host: '127.0.0.1:3000' }) };
  const seen = await outside();
  expect(problemsOf(seen)).toEqual([
    `host: the gateway does not accept ${new URL(proxy.origin).host} as its own name (invalid_host)`,
  ]);
  const left = seen.findings.filter((each) => each.seen === 'the gateway refuses the host');
  expect(new Set(left.map(({ check }) => check))).toEqual(new Set(['discovery', 'browsers', 'registration']));
});

test('if nothing answers, every check that needs an answer is skipped', async () => {
  const seen = await examine(['--url', 'https://nowhere.example.test'], {
    ...proxy.surroundings,
    env: {},
    connectors: [],
  });
  expect(seen.code).toBe(1);
  expect(problemsOf(seen)).toEqual([
    'address: nowhere.example.test has no address: its name does not resolve',
    'DNS and TLS: nowhere.example.test has no address: its name does not resolve',
  ]);
});
