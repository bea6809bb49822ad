import { beforeEach, describe, expect, test } from 'vitest';
import { STYLE_PATH } from '../../../../server/base/pages/style.ts';
import { markClientUsed } from '../../../../server/base/store/repositories/oauth-clients.ts';
import type { RequirementId } from '../../../requirements/oauth.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { createVisitor, locationOf, type Request, requestOf, type Visitor } from './page-visitor.ts';
import { describeOAuth, PUBLIC_URL } from './support.ts';

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
        expect(body).toContain('Claude &lt;Code&gt; &amp; ’friends’');
        expect(body).not.toContain('<Code>');
        expect(body).toContain('Unverified name.');
      });

      test('shows the host of its redirect URI', async () => {
        verifies('mcp-consent-destination');
        expect((await open({ redirect_uri: 'https://client.example/cb' })).body).toContain('client.example');
        expect((await open({ redirect_uri: 'http://127.0.0.1:51234/callback' })).body).toContain('127.0.0.1:51234');
        expect((await open({ redirect_uri: 'com.example.app:/callback' })).body).toContain('com.example.app:');
      });
    });

    describe('errors without a redirect', () => {
      test.each([
        ['no client', { client_id: undefined }],
        ['an unknown client', { client_id: 'client-unknown' }],
        ['a client of NUL', { client_id: 'a\0b' }],
        ['a client with a lone surrogate', { client_id: '\ud800' }],
        ['two clients', { client_id: ['client-1', 'client-2'] }],
      ])('for %s are a page', async (_title, changes) => {
        verifies('rfc6749-4.1.2.1-client');
        const answer = await open(changes);
        expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
        expect(answer.body).toContain('<h1>Unknown application</h1>');
      });

      test.each<[string, Request['redirect_uri']]>([
        ['none', undefined],
        ['two of them', ['https://client.example/cb', 'https://client.example/cb']],
        ['another host', 'https://evil.example/cb'],
        ['another loopback path', 'http://127.0.0.1:7000/other'],
      ])('for a redirect URI that is %s are a page', async (_title, redirectUri) => {
        verifies('rfc6749-3.1.2.4-no-redirect', 'rfc9700-4.11-no-open-redirector');
        const answer = await open({ redirect_uri: redirectUri, response_type: 'token' });
        expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
        expect(answer.body).toContain('<h1>Unknown return address</h1>');
        expect(answer.body).not.toContain('evil');
      });
    });

    describe('errors by redirect', () => {
      test.each<[string, Request, string, RequirementId]>([
        ['no response type', { response_type: undefined }, 'invalid_request', 'rfc6749-3.1.1-response-type'],
        ['no code challenge', { code_challenge: undefined }, 'invalid_request', 'rfc7636-4.3-required'],
        ['a foreign resource', { resource: 'https://other.example/' }, 'invalid_target', 'rfc8707-2-foreign'],
        ['a scope twice', { scope: ['tools:read', 'tools:read'] }, 'invalid_request', 'rfc6749-3.1-repeated'],
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
        expect(policy.get('style-src')).toBe("'self'");
      });

      test.each([
        ['https://client.example/cb', "'self' https:"],
        ['http://127.0.0.1:51234/callback', "'self' http://127.0.0.1:51234 https:"],
        ['http://[::1]:7000/', "'self' http: https:"],
        ['com.example.app:/callback', "'self' com.example.app: https:"],
      ])('allows its form to redirect to %s', async (redirectUri, sources) => {
        expect((await policyOf(redirectUri)).get('form-action')).toBe(sources);
      });

      test('has no script, and loads nothing but its style sheet', async () => {
        verifies('rfc9700-4.2.4-referrer');
        const { body } = await open();
        expect(body).not.toMatch(/<script|javascript:|\son[a-z]+=|@import|url\(|src=/i);
        expect([...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
          ...['data:,', '#end'],
          STYLE_PATH,
        ]);
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
