import { beforeEach, describe, expect, test } from 'vitest';
import { markClientUsed } from '../../../../server/base/store/repositories/oauth-clients.ts';
import type { RequirementId } from '../../../requirements/oauth.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { createVisitor, locationOf, type Request, requestOf, type Visitor } from './page-visitor.ts';
import { describeOAuth, PUBLIC_URL, RESOURCE } from './support.ts';

const REGISTERED = [
  'http://127.0.0.1:7000/callback',
  'http://localhost/callback?from=gateway',
  'http://[::1]:7000/',
  'http://localhost:7000',
  'https://client.example/cb',
  'https://client.example/cb?tenant=1',
  'com.example.app:/callback',
];

describeOAuth(
  'the authorization endpoint (RFC 6749 §3.1)',
  (given) => {
    let visitor: Visitor;
    let clientId: string;
    beforeEach(async () => {
      const registered = await given.register({
        client_name: 'Claude <Code> & "friends"',
        redirect_uris: REGISTERED,
        token_endpoint_auth_method: 'none',
      });
      clientId = registered.body.client_id;
      await markClientUsed(given.store.db, clientId, given.now);
      visitor = createVisitor(given);
    });
    const open = (changes: Request = {}) => visitor.open(requestOf(clientId, changes));

    describe('a request that passes', () => {
      test('is answered with the page that asks for a connection code', async () => {
        verifies('rfc6749-3.1-get');
        const answer = await open();
        expect(answer.status).toBe(200);
        expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
        expect(answer.body).toContain('name="connection_code"');
      });

      test('shows its client by name, escaped, and as unverified', async () => {
        verifies('mcp-consent-client', 'rfc7591-5-shown');
        const { body } = await open();
        expect(body).toContain('Claude &lt;Code&gt; &amp; &quot;friends&quot;');
        expect(body).not.toContain('<Code>');
        expect(body).toContain('Unverified name.');
      });

      test('shows the host of its redirect URI', async () => {
        verifies('mcp-consent-destination');
        expect((await open({ redirect_uri: 'https://client.example/cb' })).body).toContain('client.example');
        expect((await open({ redirect_uri: 'http://127.0.0.1:51234/callback' })).body).toContain('127.0.0.1:51234');
        expect((await open({ redirect_uri: 'com.example.app:/callback' })).body).toContain('com.example.app:');
      });

      test.each<[string, Request, RequirementId]>([
        ['without scope', { scope: undefined }, 'rfc6749-3.3-default'],
        ['with an empty scope', { scope: '' }, 'rfc6749-3.1-empty'],
        ['with the resource twice', { resource: [RESOURCE, RESOURCE] }, 'rfc8707-2-repeated'],
        ['with an empty resource', { resource: '' }, 'rfc8707-2-absent'],
        ['with unknown parameters', { prompt: 'consent', nonce: ['1', '2'] }, 'rfc6749-3.1-unknown'],
      ])('may come %s', async (_title, changes, requirement) => {
        verifies(requirement);
        expect((await open(changes)).status).toBe(200);
      });

      test.each([
        ['with one scope', { scope: 'tools:read' }],
        ['with only the writing scope', { scope: 'tools:write' }],
        ['with both scopes', { scope: 'tools:write tools:read' }],
        ['with the resource', { resource: RESOURCE }],
        ['with the resource and a final slash', { resource: `${RESOURCE}/` }],
        ['without state', { state: undefined }],
        ['with a long state', { state: 'x'.repeat(4096) }],
        ['with the response mode', { response_mode: 'query' }],
      ])('may come %s', async (_title, changes) => {
        expect((await open(changes)).status).toBe(200);
      });
    });

    describe('errors without a redirect', () => {
      test.each([
        ['no client', { client_id: undefined }],
        ['an empty client', { client_id: '' }],
        ['an unknown client', { client_id: 'client-unknown' }],
        ['a client of NUL', { client_id: 'a\0b' }],
        ['a client with a lone surrogate', { client_id: '\ud800' }],
        ['a very long client', { client_id: 'x'.repeat(5000) }],
        ['two clients', { client_id: ['client-1', 'client-2'] }],
      ])('for %s are a page', async (_title, changes) => {
        verifies('rfc6749-4.1.2.1-client');
        const answer = await open(changes);
        expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
        expect(answer.body).toContain('<h1>Unknown application</h1>');
      });

      const expectPage = async (redirectUri: Request['redirect_uri']) => {
        const answer = await open({ redirect_uri: redirectUri, response_type: 'token' });
        expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
        expect(answer.body).toContain('<h1>Unknown return address</h1>');
        expect(answer.body).not.toContain('evil');
      };

      test.each([
        ['none', undefined],
        ['an empty one', ''],
        ['two of them', ['https://client.example/cb', 'https://client.example/cb']],
        ['another host', 'https://evil.example/cb'],
        ['a longer path', 'https://client.example/cb/more'],
        ['a final slash', 'https://client.example/cb/'],
        ['another case', 'https://client.example/CB'],
        ['another case of the host', 'https://CLIENT.example/cb'],
        ['a port', 'https://client.example:8443/cb'],
        ['the default port', 'https://client.example:443/cb'],
        ['http', 'http://client.example/cb'],
        ['another query', 'https://client.example/cb?tenant=1&x=2'],
        ['another query', 'https://client.example/cb?tenant=2'],
        ['a fragment', 'https://client.example/cb#x'],
        ['a user', 'https://client.example@evil.example/cb'],
        ['a trailing space', 'https://client.example/cb '],
        ['path traversal', 'https://client.example/x/../cb'],
        ['an encoded slash', 'https://client.example%2fcb'],
        ['a script', 'javascript:alert(1)//https://client.example/cb'],
        ['data', 'data:text/html,x'],
        ['a longer private-use path', 'com.example.app:/callback/more'],
        ['another private-use scheme', 'com.example.evil:/callback'],
      ])('for a redirect URI that is %s are a page', async (_title, redirectUri) => {
        verifies('rfc6749-3.1.2.4-no-redirect', 'rfc9700-2.1-exact', 'rfc9700-4.11-no-open-redirector');
        await expectPage(redirectUri);
      });

      test.each([
        ['another loopback path', 'http://127.0.0.1:7000/other'],
        ['another loopback host', 'http://localhost:7000/callback'],
        ['loopback over https', 'https://127.0.0.1:7000/callback'],
        ['loopback with a user', 'http://127.0.0.1:7000@evil.example/callback'],
        ['loopback with a long port', 'http://127.0.0.1:99999/callback'],
        ['loopback with a port of letters', 'http://127.0.0.1:x/callback'],
        ['loopback as the start of a host name', 'http://127.0.0.1.evil.example/callback'],
        ['loopback with a backslash', 'http://127.0.0.1\\@evil.example/callback'],
        ['loopback with another query', 'http://localhost:9/callback?from=elsewhere'],
        ['loopback without its path', 'http://127.0.0.1:7000'],
        ['a slash that is not registered', 'http://localhost:7000/'],
        ['no slash, although one is registered', 'http://[::1]:7000'],
        ['another address of this machine', 'http://127.0.0.2:7000/callback'],
      ])('for a redirect URI that is %s are a page', async (_title, redirectUri) => {
        verifies('rfc8252-7.3-rest');
        await expectPage(redirectUri);
      });
    });

    describe('redirect URIs (RFC 8252 §7.3, RFC 9700 §2.1)', () => {
      test.each([
        ...REGISTERED,
        'http://127.0.0.1:51234/callback',
        'http://127.0.0.1/callback',
        'http://localhost:3118/callback?from=gateway',
        'http://[::1]:9/',
        'http://localhost:1',
        'http://localhost',
      ])('%s matches a registered one', async (redirectUri) => {
        verifies('rfc8252-7.3-any-port', 'rfc8252-7.3-addresses');
        expect((await open({ redirect_uri: redirectUri })).status).toBe(200);
      });
    });

    describe('errors by redirect', () => {
      test.each<[string, Request, string, RequirementId]>([
        ['no response type', { response_type: undefined }, 'invalid_request', 'rfc6749-3.1.1-response-type'],
        [
          'another response type',
          { response_type: 'token' },
          'unsupported_response_type',
          'rfc6749-3.1.1-response-type',
        ],
        [
          'two response types',
          { response_type: 'code token' },
          'unsupported_response_type',
          'rfc6749-3.1.1-response-type',
        ],
        ['another response mode', { response_mode: 'fragment' }, 'invalid_request', 'rfc6749-4.1.2.1-errors'],
        ['no code challenge', { code_challenge: undefined }, 'invalid_request', 'rfc7636-4.3-required'],
        ['a short code challenge', { code_challenge: 'x'.repeat(42) }, 'invalid_request', 'rfc7636-4.2-form'],
        ['a padded code challenge', { code_challenge: `${'x'.repeat(43)}=` }, 'invalid_request', 'rfc7636-4.2-form'],
        ['no challenge method', { code_challenge_method: undefined }, 'invalid_request', 'rfc7636-4.2-s256'],
        ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request', 'rfc7636-4.2-s256'],
        ['a foreign resource', { resource: 'https://other.example/' }, 'invalid_target', 'rfc8707-2-foreign'],
        [
          'a foreign resource next to ours',
          { resource: [RESOURCE, 'https://other.example/'] },
          'invalid_target',
          'rfc8707-2-repeated',
        ],
        ['our resource with a fragment', { resource: `${RESOURCE}#x` }, 'invalid_target', 'rfc8707-2-fragment'],
        ['a resource that is not a URL', { resource: 'gateway' }, 'invalid_target', 'rfc8707-2-foreign'],
        ['many resources', { resource: Array<string>(50).fill(RESOURCE) }, 'invalid_target', 'rfc8707-2-repeated'],
        ['a scope twice', { scope: ['tools:read', 'tools:read'] }, 'invalid_request', 'rfc6749-3.1-repeated'],
        ['a scope twice, once empty', { scope: ['', 'tools:read'] }, 'invalid_request', 'rfc6749-3.1-repeated'],
        ['a challenge twice', { code_challenge: ['x', 'y'] }, 'invalid_request', 'rfc7636-4.4.1-error'],
      ])('for %s', async (_title, changes, error, requirement) => {
        verifies(
          'rfc6749-4.1.2.1-errors',
          'rfc6749-4.1.2.1-description',
          'rfc6749-4.1.2-state',
          'rfc9207-2-error',
          requirement,
        );
        const answer = await open(changes);
        expect(answer.status).toBe(303);
        const { to, parameters } = locationOf(answer);
        expect(to).toBe('http://127.0.0.1:7000/callback');
        expect(parameters).toEqual({
          error,
          error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
          state: 'state-1',
          iss: PUBLIC_URL,
        });
      });

      test.each([
        ['is repeated', { state: ['a', 'b'] }],
        ['is too long', { state: 'x'.repeat(4097) }],
        ['has a line break', { state: 'a\nb' }],
        ['is not ASCII', { state: 'ä' }],
      ])('do not return a state that %s', async (_title, changes) => {
        const { parameters } = locationOf(await open(changes));
        expect(parameters.error).toBe('invalid_request');
        expect(parameters).not.toHaveProperty('state');
        expect(parameters.iss).toBe(PUBLIC_URL);
      });

      test('keep the query of the redirect URI', async () => {
        verifies('rfc6749-3.1.2-query-kept');
        const answer = await open({ redirect_uri: 'https://client.example/cb?tenant=1', response_type: 'token' });
        expect(answer.headers.get('Location')).toMatch(/^https:\/\/client\.example\/cb\?tenant=1&error=unsupported/);
      });

      test('reach a private-use scheme', async () => {
        verifies('rfc8252-7.1-private-use');
        const answer = await open({ redirect_uri: 'com.example.app:/callback', response_type: 'token' });
        expect(answer.headers.get('Location')).toMatch(/^com\.example\.app:\/callback\?error=unsupported/);
      });

      test('are not cached', async () => {
        verifies('rfc9700-4.2.4-not-kept');
        expect((await open({ response_type: 'token' })).headers.get('Cache-Control')).toBe('no-store');
      });
    });

    describe('the page', () => {
      const policyOf = async (redirectUri: string) => {
        const { headers } = await open({ redirect_uri: redirectUri });
        return new Map(
          headers
            .get('Content-Security-Policy')!
            .split('; ')
            .map((directive) => [directive.split(' ')[0]!, directive.split(' ').slice(1).join(' ')]),
        );
      };

      test('cannot be framed or cached, and sends no referrer', async () => {
        verifies('rfc6749-10.13-clickjacking', 'rfc9700-4.2.4-referrer', 'rfc9700-4.2.4-not-kept');
        const { headers } = await open();
        expect(headers.get('X-Frame-Options')).toBe('DENY');
        expect(headers.get('Cache-Control')).toBe('no-store');
        expect(headers.get('Referrer-Policy')).toBe('no-referrer');
        expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
        const policy = await policyOf('https://client.example/cb');
        expect(policy.get('default-src')).toBe("'none'");
        expect(policy.get('frame-ancestors')).toBe("'none'");
        expect(policy.get('base-uri')).toBe("'none'");
        expect(policy.has('script-src')).toBe(false);
        expect(policy.get('style-src')).toMatch(/^'sha256-[A-Za-z0-9+/]{43}='$/);
      });

      test.each([
        ['https://client.example/cb', "'self' https:"],
        ['http://127.0.0.1:51234/callback', "'self' http://127.0.0.1:51234 https:"],
        ['http://[::1]:7000/', "'self' http: https:"],
        ['com.example.app:/callback', "'self' com.example.app: https:"],
      ])('allows its form to redirect to %s', async (redirectUri, sources) => {
        expect((await policyOf(redirectUri)).get('form-action')).toBe(sources);
      });

      test('has no script, and loads nothing', async () => {
        verifies('rfc9700-4.2.4-referrer');
        const { body } = await open();
        expect(body).not.toMatch(/<script|javascript:|\son[a-z]+=|@import|url\(|src=/i);
        expect([...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['data:,', '#end']);
      });

      test('sets one cookie, for this browser only', async () => {
        const answer = await open();
        expect(answer.headers.getSetCookie()).toEqual([
          expect.stringMatching(/^utg_browser=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
        ]);
        expect((await open()).headers.getSetCookie()).toEqual([]);
      });

      test('reveals nothing of its sealed state', async () => {
        const { body } = await open({ state: 'state-in-clear' });
        expect(body).not.toContain('state-in-clear');
        expect(body).not.toContain(clientId);
      });
    });
  },
  { limits: limitsWithout('registrations', 'consent-pages') },
);

describeOAuth('requests to the authorization endpoint', (given) => {
  test('are limited per address, with an error page', async () => {
    const visitor = createVisitor(given);
    const statuses: number[] = [];
    for (let i = 0; i < 600; i += 1) statuses.push((await visitor.open({})).status);
    expect(new Set(statuses)).toEqual(new Set([400]));
    const refused = await visitor.open({});
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(refused.body).toContain('<h1>');
  });
});
