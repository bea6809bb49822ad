import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGuardedFetch, type GuardedFetch } from '../../../../server/base/guarded-fetch/index.ts';
import { LOOPBACK_NETWORKS } from '../../../../server/base/guarded-fetch/networks.ts';
import { purge } from '../../../../server/base/store/purge.ts';
import { findClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { retentionRules } from '../../../../server/base/store/retention.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { type DocumentServer, sendJson, startDocumentServer } from '../../../support/document-server.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { ASSERTION_TYPE, createClientKey } from './client-keys.ts';
import { createVisitor, locationOf, requestOf } from './page-visitor.ts';
import { authorize, describeOAuth, type OAuthUnderTest, PUBLIC_URL, REDIRECT_URI } from './support.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let server: DocumentServer;
let fetcher: GuardedFetch;
let clientId: string;
beforeAll(async () => {
  server = await startDocumentServer(['claude.example']);
  fetcher = createGuardedFetch({
    networks: LOOPBACK_NETWORKS,
    ca: server.ca,
    resolve: server.resolve,
    timeoutMs: 1500,
    maxPerHostAndMinute: 10_000,
    maxPerMinute: 10_000,
  });
  clientId = `${server.origin}/client.json`;
});
beforeEach(() => {
  server.requests.length = 0;
  publish();
});
afterEach(async () => {
  server.answer = sendJson({});
});
afterAll(async () => {
  await fetcher.close();
  await server.close();
});

function publish(changes: Readonly<Record<string, unknown>> = {}, headers: Readonly<Record<string, string>> = {}) {
  const document = {
    client_id: clientId,
    client_name: 'Claude',
    client_uri: 'https://claude.example',
    logo_uri: 'https://claude.example/logo.png',
    redirect_uris: [REDIRECT_URI, 'https://claude.example/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  server.answer = sendJson({ ...document, ...changes }, headers);
}

const fails: DocumentServer['answer'] = (_, response) => response.writeHead(500).end();

function describeDocuments(title: string, define: (given: OAuthUnderTest) => void): void {
  describeOAuth(title, define, {
    documents: { getJson: (url) => fetcher.getJson(url) },
    clientDocuments: true,
    limits: limitsWithout('registrations', 'consent-pages'),
  });
}

describeDocuments('client ID metadata documents', (given) => {
  const open = (id = clientId, changes = {}) => createVisitor(given).open(requestOf(id, changes));
  const signIn = async () => {
    await open();
    const { parameters } = await authorize(given, { clientId });
    return parameters;
  };

  test('the authorization server advertises them', async () => {
    verifies('cimd-advertised');
    const { body } = await given.send('/.well-known/oauth-authorization-server');
    expect(body.client_id_metadata_document_supported).toBe(true);
  });

  test('a client signs in without registration, and only its host is shown as verified', async () => {
    verifies('cimd-fetch', 'cimd-shown-host');
    const visitor = createVisitor(given);
    const page = await visitor.open(requestOf(clientId));
    expect(page.status).toBe(200);
    expect(page.body).toMatch(/Verified website: <strong><bdi>claude\.example:\d+<\/bdi>/);
    expect(page.body).toContain('Unverified name.');
    expect(page.body).not.toContain('logo.png');

    const { body: session } = await given.session();
    await visitor.submit({ connection_code: session.session_token, decision: 'continue' });
    const { to, parameters } = locationOf(await visitor.submit({ decision: 'allow' }));
    expect(to).toBe(REDIRECT_URI);
    const grant = await given.store.db.selectFrom('oauth_grants').select(['client_id', 'redirect_uri']).execute();
    expect(parameters.code).toMatch(/^utg_ac_/);
    expect(grant).toEqual([{ client_id: clientId, redirect_uri: REDIRECT_URI }]);
    expect(server.requests).toEqual([`claude.example:${server.port} /client.json`]);
  });

  test('its code becomes tokens, which it can refresh and revoke', async () => {
    verifies('cimd-fetch');
    const first = await given.token(await signIn());
    expect(first.status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token, client_id: clientId };
    const second = await given.token(refresh);
    expect(second.status).toBe(200);
    expect((await given.revoke({ token: second.body.access_token, client_id: clientId })).status).toBe(200);
    expect(await given.use(second.body.access_token)).toBe(401);
  });

  describe('refused documents', () => {
    test.each<[string, () => void]>([
      ['that names another client', () => publish({ client_id: 'https://other.example/client.json' })],
      [
        'that writes its URL differently',
        () => publish({ client_id: clientId.replace('client.json', './client.json') }),
      ],
      ['without a client_id', () => publish({ client_id: undefined })],
      ['with a secret', () => publish({ client_secret: 'x' })],
      ['with the end of a secret', () => publish({ client_secret_expires_at: 0 })],
      ['with a shared-secret method', () => publish({ token_endpoint_auth_method: 'client_secret_basic' })],
      ['with an unknown method', () => publish({ token_endpoint_auth_method: 'tls_client_auth' })],
      ['with a key method and no keys', () => publish({ token_endpoint_auth_method: 'private_key_jwt' })],
      ['without redirect URIs', () => publish({ redirect_uris: [] })],
      ['with a redirect URI that runs code', () => publish({ redirect_uris: ['javascript:alert(1)'] })],
      ['with a redirect URI that is http', () => publish({ redirect_uris: ['http://claude.example/callback'] })],
      ['with a name that changes direction', () => publish({ client_name: '\u202eedualC' })],
      [
        'that is a list',
        () => {
          server.answer = sendJson([]);
        },
      ],
      [
        'that is missing',
        () => {
          server.answer = (_, response) => response.writeHead(404).end();
        },
      ],
      [
        'that redirects',
        () => {
          server.answer = (_, response) => response.writeHead(302, { Location: '/other' }).end();
        },
      ],
      ['that is an HTML page', () => publish({}, { 'Content-Type': 'text/html' })],
      ['that is huge', () => publish({ padding: 'x'.repeat(70_000) })],
      [
        'that never arrives',
        () => {
          server.answer = () => {};
        },
      ],
    ])('a document %s', async (_, prepare) => {
      verifies('cimd-document', 'cimd-guard');
      prepare();
      const page = await open();
      expect(page.status).toBe(400);
      expect(page.headers.get('Location')).toBeNull();
      expect(page.body).toContain('This application cannot be identified');
      expect(await findClient(given.store.db, clientId)).toBeUndefined();
    });

    test('a failure is not cached: the next request reads the document again', async () => {
      verifies('cimd-cache');
      server.answer = fails;
      expect((await open()).status).toBe(400);
      publish();
      expect((await open()).status).toBe(200);
    });

    test.each([
      ['without a path', () => server.origin],
      ['with a fragment', () => `${clientId}#x`],
      ['with an empty fragment', () => `${clientId}#`],
      ['with dot segments', () => `${server.origin}/a/../client.json`],
      ['with encoded dot segments', () => `${server.origin}/a/%2e%2e/client.json`],
      ['with a user', () => clientId.replace('https://', 'https://user@')],
      ['with a host in upper case', () => clientId.replace('claude', 'Claude')],
      ['with the default port', () => 'https://claude.example:443/client.json'],
      ['with a backslash', () => `${server.origin}\\client.json`],
      ['that is too long', () => `${clientId}?${'x'.repeat(2000)}`],
    ])('a client id %s', async (_, id) => {
      verifies('cimd-client-id');
      expect((await open(id())).status).toBe(400);
      expect(server.requests).toEqual([]);
    });

    test('a client id that is a URL of another scheme is unknown', async () => {
      verifies('cimd-client-id');
      const page = await open(clientId.replace('https', 'http'));
      expect([page.status, page.body.includes('Unknown application'), server.requests]).toEqual([400, true, []]);
    });

    test('a redirect URI that the document does not name', async () => {
      verifies('cimd-redirect-uri');
      const page = await open(clientId, { redirect_uri: 'https://attacker.example/callback' });
      expect([page.status, page.headers.get('Location')]).toEqual([400, null]);
    });
  });

  describe('the cache lifetime of a document', () => {
    test.each([
      ['an hour by default', {}, HOUR_MS],
      ['its max-age', { 'Cache-Control': 'public, max-age=600' }, 10 * MINUTE_MS],
      ['its max-age less its Age', { 'Cache-Control': 'max-age=600', Age: '300' }, 5 * MINUTE_MS],
      ['until Expires', { Expires: new Date(1_700_000_000_000 + 2 * HOUR_MS).toUTCString() }, 2 * HOUR_MS],
      ['at least a minute', { 'Cache-Control': 'no-store' }, MINUTE_MS],
      ['at least a minute, with max-age=0', { 'Cache-Control': 'max-age=0' }, MINUTE_MS],
      ['a minute, if Expires is invalid', { Expires: '0' }, MINUTE_MS],
      ['at most a day', { 'Cache-Control': 'max-age=31536000' }, DAY_MS],
    ])('%s', async (_, headers, ms) => {
      verifies('cimd-cache');
      publish({}, headers as Record<string, string>);
      await open();
      given.now += ms - 1;
      await open();
      expect(server.requests).toHaveLength(1);
      given.now += 1;
      await open();
      expect(server.requests).toHaveLength(2);
    });

    test('concurrent requests share one fetch', async () => {
      verifies('cimd-cache');
      const pages = await Promise.all(Array.from({ length: 6 }, () => open()));
      expect(pages.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(server.requests).toHaveLength(1);
    });

    test('a document is removed an hour after it was read, unless a user allowed its client', async () => {
      verifies('cimd-cache');
      const removed = async () =>
        (await purge(given.store, retentionRules({ callRecordDays: 90 }), { now: given.now })).oauth_clients;
      await open();
      given.now += HOUR_MS;
      expect(await removed()).toBe(0);
      given.now += 1;
      expect(await removed()).toBe(1);
      await signIn();
      given.now += 40 * DAY_MS;
      expect(await removed()).toBe(0);
    });
  });

  describe('a document that changes', () => {
    test('an address that is no longer listed gets no code, and no page', async () => {
      verifies('cimd-changed');
      const visitor = createVisitor(given);
      await visitor.open(requestOf(clientId));
      publish({ redirect_uris: ['https://claude.example/callback'] });
      given.now += HOUR_MS / 2 - MINUTE_MS;
      expect((await open()).status).toBe(200);
      given.now += HOUR_MS / 2 + MINUTE_MS;
      expect((await open()).status).toBe(400);
      const events = await given.store.db
        .selectFrom('audit_events')
        .select('details')
        .where('type', '=', 'client_document_changed')
        .execute();
      expect(events).toEqual([]);
      expect(await given.anonymousEvents()).toMatchObject({ client_document_changed: 1 });
    });

    test('an open form checks the document again', async () => {
      verifies('cimd-changed');
      publish({}, { 'Cache-Control': 'no-store' });
      const visitor = createVisitor(given);
      await visitor.open(requestOf(clientId));
      const { body: session } = await given.session();
      publish({ redirect_uris: ['https://claude.example/callback'] });
      given.now += MINUTE_MS;
      const page = await visitor.submit({ connection_code: session.session_token, decision: 'continue' });
      expect([page.status, page.body.includes('Unknown return address')]).toEqual([400, true]);
    });

    test('a code that was sent to an address that is no longer listed becomes no tokens', async () => {
      verifies('cimd-changed');
      publish({}, { 'Cache-Control': 'no-store' });
      const parameters = await signIn();
      publish({ redirect_uris: ['https://claude.example/callback'] });
      given.now += MINUTE_MS;
      expect((await given.token(parameters)).body.error).toBe('invalid_grant');
    });

    test('a grant ends if its address is no longer listed, and continues if another is added', async () => {
      verifies('cimd-changed');
      const first = await given.token(await signIn());
      const refresh = (token: string) =>
        given.token({ grant_type: 'refresh_token', refresh_token: token, client_id: clientId });
      publish({ redirect_uris: [REDIRECT_URI.replace(':7000', ''), 'https://claude.example/new'] });
      given.now += HOUR_MS;
      const second = await refresh(first.body.refresh_token);
      expect(second.status).toBe(200);
      publish({ redirect_uris: ['https://claude.example/new'] });
      given.now += HOUR_MS;
      expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant');
    });

    test('an unreachable document ends no session for a week, and is fetched at most once a minute', async () => {
      verifies('cimd-outage');
      let { body } = await given.token(await signIn());
      const refresh = async () => {
        const answer = await given.token({
          grant_type: 'refresh_token',
          refresh_token: body.refresh_token,
          client_id: clientId,
        });
        if (answer.status === 200) body = answer.body;
        return answer;
      };
      server.answer = fails;
      given.now += 6 * DAY_MS;
      for (const _ of [1, 2]) expect((await refresh()).status).toBe(200);
      expect(server.requests).toHaveLength(2);
      given.now += DAY_MS;
      expect((await refresh()).status).toBe(200);
      given.now += MINUTE_MS;
      expect((await refresh()).body.error).toBe('invalid_client');
      publish();
      expect((await refresh()).status).toBe(200);
    });

    test('the token endpoint fetches no document for a client that showed no consent page', async () => {
      verifies('cimd-guard');
      const answer = await given.token({ grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId });
      expect([answer.body.error, server.requests]).toEqual(['invalid_client', []]);
    });
  });

  test('a client whose document has keys must authenticate with them', async () => {
    verifies('cimd-authentication');
    const key = await createClientKey('one');
    publish({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.publicJwk] } });
    const parameters = await signIn();
    expect((await given.token(parameters)).body.error).toBe('invalid_client');
    const seconds = Math.floor(given.now / 1000);
    const claims = { iss: clientId, sub: clientId, aud: PUBLIC_URL, jti: randomUUID(), exp: seconds + 60 };
    const proof = { client_assertion_type: ASSERTION_TYPE, client_assertion: await key.sign(claims) };
    expect((await given.token({ ...parameters, ...proof })).status).toBe(200);
  });

  test('a client whose document names no authentication method is public', async () => {
    verifies('cimd-authentication');
    publish({ token_endpoint_auth_method: undefined });
    expect((await given.token(await signIn())).status).toBe(200);
  });
});

describeOAuth('a gateway without client metadata documents', (given) => {
  test('does not advertise them, and fetches none', async () => {
    verifies('cimd-setting');
    const { body } = await given.send('/.well-known/oauth-authorization-server');
    expect('client_id_metadata_document_supported' in body).toBe(false);
    const page = await createVisitor(given).open(requestOf(clientId));
    expect([page.status, page.body.includes('Unknown application')]).toEqual([400, true]);
    expect(server.requests).toEqual([]);
  });
});
