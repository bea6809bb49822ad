import { afterEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../../server/base/guarded-fetch/index.ts';
import { createOutgoing, type OutgoingOptions } from '../../../../server/base/guarded-fetch/outgoing.ts';
import { createProxyCheck, parseDirectHosts } from '../../../../server/base/guarded-fetch/proxy.ts';
import { createOpenIdClient, startSignIn } from '../../../../server/base/http/openid-client.ts';
import { toUpstreamFailure } from '../../../../server/call/upstream/failures.ts';
import { createUpstream } from '../../../../server/call/upstream/index.ts';
import { createUpstreamOAuth } from '../../../../server/call/upstream/oauth/index.ts';
import { sendSigned } from '../../../../server/modules/notify/delivery/send.ts';
import { type ConnectProxy, startConnectProxy } from '../../../support/connect-proxy.ts';
import { type DocumentServer, sendJson, startDocumentServer } from '../../../support/document-server.ts';
import { oauth2Rules } from '../../../support/oauth-rules.ts';
import { callThrough } from '../../call/upstream/support.ts';

const HOSTS = ['api.example', 'login.example', 'hooks.example', 'client.example', 'direct.example', 'a.direct.example'];
const NEVER_RESOLVED = async () => {
  throw new Error('a host that the proxy is for was resolved');
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Given {
  readonly server: DocumentServer;
  readonly proxy: ConnectProxy;
  readonly options: OutgoingOptions;
  /** What was reported to the operator. */
  readonly problems: string[];
}

/** A server under many names, and a proxy in front of it. */
async function given({ directHosts = [] as readonly string[], credentials = 'gateway:p%40ss' } = {}): Promise<Given> {
  const server = await startDocumentServer(HOSTS);
  closing.push(() => server.close());
  const proxy = await startConnectProxy({ portOf: () => server.port, credentials: 'gateway:p@ss' });
  closing.push(() => proxy.close());
  const problems: string[] = [];
  const url = `http://${credentials}@127.0.0.1:${proxy.port}/`;
  const options = {
    ca: server.ca,
    resolve: NEVER_RESOLVED,
    proxy: { url, directHosts },
    onProxyProblem: (detail: string) => problems.push(detail),
  };
  return { server, proxy, options, problems };
}

function open(options: OutgoingOptions) {
  const outgoing = createOutgoing(options);
  closing.push(() => outgoing.destroy());
  return outgoing;
}

async function get(options: OutgoingOptions, url: string): Promise<number> {
  const { origin, pathname } = new URL(url);
  const answer = await (await open(options).dispatcher()).request({ origin, path: pathname, method: 'GET' });
  await answer.body.dump();
  return answer.statusCode;
}

async function failureOf(work: Promise<unknown>) {
  return toUpstreamFailure(
    await work.then(
      () => 'it worked',
      (error: unknown) => error,
    ),
  );
}

type Sender = (given: Given) => Promise<unknown>;

const SENDERS: readonly (readonly [what: string, tunnel: string, request: string, send: Sender])[] = [
  [
    'calls of tools',
    'api.example:443',
    'api.example /things',
    ({ options }) => {
      const baseUrls = new Map([['library', new Map([['{library_base_url}', 'https://api.example']])]]);
      const { dispatcher } = open(options);
      const upstream = createUpstream({
        baseUrls,
        dispatcher,
        timeoutMs: 5000,
        maxResultBytes: 1000,
        userAgent: 'gateway',
      });
      return callThrough(upstream, {});
    },
  ],
  [
    'requests for tokens of upstreams',
    'login.example:443',
    'login.example /token',
    async ({ options, server }) => {
      server.answer = sendJson({ access_token: 'at-1', token_type: 'Bearer' });
      const oauth = createUpstreamOAuth({ dispatcher: open(options).dispatcher, userAgent: 'gateway' });
      const rules = oauth2Rules('https://login.example', { tokenUrl: 'https://login.example/token', refreshUrl: null });
      const client = { id: 'row', service: 'library', clientId: 'gateway', clientSecret: null };
      return oauth.refresh(rules, { client, refreshToken: 'rt-1' }, new AbortController().signal);
    },
  ],
  [
    'webhooks',
    'hooks.example:8443',
    'hooks.example:8443 /events',
    async ({ options }) => {
      const dispatcher = await open(options).dispatcher();
      const message = { url: 'https://hooks.example:8443/events', body: '{}', id: 'evt_1', secrets: [] };
      const { signal } = new AbortController();
      const { status } = await sendSigned(message, { dispatcher, userAgent: 'gateway', now: 0, signal });
      expect(status).toBe(200);
    },
  ],
  [
    'documents and keys of clients',
    'client.example:443',
    'client.example /client.json',
    ({ options }) => {
      const fetcher = createGuardedFetch(options);
      closing.push(() => fetcher.close());
      return fetcher.getJson('https://client.example/client.json');
    },
  ],
  [
    "the company's OpenID provider",
    'login.example:443',
    'login.example /.well-known/openid-configuration',
    ({ options, server }) => {
      const issuer = 'https://login.example';
      server.answer = sendJson({ issuer, authorization_endpoint: `${issuer}/authorize`, jwks_uri: `${issuer}/keys` });
      const provider = {
        issuer,
        clientId: 'gateway',
        clientSecret: 's',
        scope: 'openid',
        rules: { look: [], act: [] },
      };
      const redirectUri = 'http://127.0.0.1/callback';
      const client = createOpenIdClient(provider, { redirectUri, outgoing: open(options), now: Date.now });
      return client.begin(startSignIn(), 'state');
    },
  ],
];

describe('the proxy', () => {
  test.each(SENDERS)('gets %s', async (_, tunnel, request, send) => {
    const all = await given();
    await send(all);
    expect(all.proxy.asked).toEqual([tunnel]);
    expect(all.server.requests).toEqual([request]);
    expect(all.proxy.forwarded()).toBe(0);
    expect(all.problems).toEqual([]);
  });

  test("tunnels plain http too, so that its own answers are not taken for the server's", async () => {
    const { proxy, options } = await given();
    await failureOf(get(options, 'http://api.example/things'));
    expect(proxy.asked).toEqual(['api.example:80']);
    expect(proxy.forwarded()).toBe(0);
  });

  test('gets consecutive requests in one tunnel', async () => {
    const { proxy, options } = await given();
    const dispatcher = await open(options).dispatcher();
    for (let sent = 0; sent < 5; sent += 1) {
      const answer = await dispatcher.request({ origin: 'https://api.example', path: '/', method: 'GET' });
      await answer.body.dump();
    }
    expect(proxy.asked.length).toBeLessThan(5);
  });

  test('gets no request for an excepted host, which is resolved and checked as without a proxy', async () => {
    const { server, proxy, options } = await given({ directHosts: ['direct.example'] });
    const direct = { ...options, resolve: server.resolve, networks: ['127.0.0.1'] };
    for (const host of ['direct.example', 'a.direct.example']) {
      expect(await get(direct, `https://${host}:${server.port}/`)).toBe(200);
    }
    await expect(get({ ...direct, networks: [] }, `https://direct.example:${server.port}/`)).rejects.toMatchObject({
      reason: 'address',
    });
    expect(proxy.asked).toEqual([]);
  });

  test('gets no request for this machine', async () => {
    const { server, proxy, options } = await given();
    const direct = { ...options, resolve: server.resolve, networks: ['127.0.0.1'] };
    await failureOf(get(direct, `https://localhost:${server.port}/`));
    await failureOf(get(direct, `https://127.0.0.1:${server.port}/`));
    expect(proxy.asked).toEqual([]);
  });
});

describe('a certificate', () => {
  test('is checked for the server behind the proxy', async () => {
    const { options, proxy } = await given();
    const failure = await failureOf(get(options, 'https://other.example/'));
    expect(failure).toMatchObject({ kind: 'tls', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(proxy.asked).toEqual(['other.example:443']);
  });

  test('must be from a trusted issuer', async () => {
    const { options, server } = await given();
    const { ca: _, ...trusting } = options;
    expect(await failureOf(get(trusting, 'https://api.example/'))).toMatchObject({
      reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(server.requests).toEqual([]);
  });
});

describe('a host that must not be reached through the proxy', () => {
  test.each([
    ['https://10.0.0.7/', 'OUTGOING_NETWORKS'],
    ['https://169.254.169.254/', 'OUTGOING_NETWORKS'],
    ['https://[fd00::1]/', 'OUTGOING_NETWORKS'],
    ['https://[::ffff:10.0.0.1]/', 'OUTGOING_NETWORKS'],
    ['https://metadata.google.internal/', 'OUTGOING_NO_PROXY'],
    ['https://metadata.google.internal./', 'OUTGOING_NO_PROXY'],
    ['https://printer.local/', 'OUTGOING_NO_PROXY'],
    ['https://intranet/', 'OUTGOING_NO_PROXY'],
  ])('%s', async (url, setting) => {
    const { options, proxy } = await given();
    const failure = await failureOf(get(options, url));
    expect(failure).toMatchObject({ kind: 'unreachable', isOfGateway: true });
    expect(failure.message).toContain(setting);
    expect(proxy.asked).toEqual([]);
  });

  test('does not include addresses of an allowed network', async () => {
    const { options, proxy } = await given();
    await failureOf(get({ ...options, networks: ['10.0.0.0/8'] }, 'https://10.0.0.7/'));
    expect(proxy.asked).toEqual(['10.0.0.7:443']);
  });
});

describe('a proxy that opens no tunnel', () => {
  test.each([
    [407, true, 'does not accept the user and password in it (407)'],
    [403, true, 'does not let the gateway connect there (403)'],
    [502, false, 'could not connect there (502)'],
  ])('is reported for status %i', async (status, isOfGateway, words) => {
    const { options, proxy, problems } = await given();
    proxy.refusal = status;
    const failure = await failureOf(get(options, 'https://api.example/'));
    expect(failure).toMatchObject({ kind: 'unreachable', reason: `the proxy of OUTGOING_PROXY ${words}`, isOfGateway });
    expect(problems).toEqual(isOfGateway ? [`the proxy of OUTGOING_PROXY ${words}`] : []);
  });

  test('is reported if it requires credentials', async () => {
    const { options } = await given({ credentials: 'gateway:wrong' });
    expect(await failureOf(get(options, 'https://api.example/'))).toMatchObject({
      reason: 'the proxy of OUTGOING_PROXY does not accept the user and password in it (407)',
    });
  });

  test('is reported if it is unreachable', async () => {
    const { options, proxy, problems } = await given();
    await proxy.close();
    const failure = await failureOf(get(options, 'https://api.example/'));
    expect(failure).toMatchObject({ kind: 'unreachable', isOfGateway: true });
    expect(problems).toEqual(['the proxy of OUTGOING_PROXY cannot be used (ECONNREFUSED)']);
  });

  test('is reported if it never answers', async () => {
    const { options, proxy, problems } = await given();
    proxy.isDumb = true;
    const failure = await failureOf(get({ ...options, connectTimeoutMs: 50 }, 'https://api.example/'));
    expect(failure).toMatchObject({ kind: 'unreachable', isOfGateway: true });
    expect(problems).toEqual(['the proxy of OUTGOING_PROXY cannot be used (UND_ERR_HEADERS_TIMEOUT)']);
  });
});

describe('hosts without the proxy', () => {
  const check = (text: string) => createProxyCheck(parseDirectHosts(text), (address) => !address.startsWith('10.'));

  test.each([
    ['crm.example', 'crm.example', false],
    ['crm.example', 'eu.crm.example', false],
    ['crm.example', 'notcrm.example', true],
    ['.crm.example', 'crm.example', false],
    ['*.crm.example', 'eu.crm.example', false],
    ['CRM.example', 'crm.example', false],
    ['crm', 'crm', false],
    ['crm.internal', 'crm.internal', false],
    ['10.20.0.0/16', '10.20.3.4', false],
    ['fd00::/8', '[fd00::1]', false],
    ['1.1.1.1', '1.1.1.1', false],
    ['1.1.1.1', '8.8.8.8', true],
    ['crm.example', 'app.localhost', false],
    ['crm.example', '[::1]', false],
  ])('with %s: %s', (text, hostname, isProxied) => {
    expect(check(text)(hostname)).toBe(isProxied);
  });

  test.each(['', 'crm.example,', 'crm.example:8080', '10.0.0.0/33', 'https://crm.example', 'a b'])(
    '%j are invalid',
    (text) => {
      expect(() => parseDirectHosts(text)).toThrow('must be host names, addresses or CIDR ranges');
    },
  );
});
