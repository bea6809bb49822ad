import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RequirementId } from '../../../requirements/oauth.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { describeConsent, MINUTE_MS } from './consent-support.ts';
import { createVisitor, locationOf, requestOf } from './page-visitor.ts';
import { PUBLIC_URL, REDIRECT_URI, RESOURCE } from './support.ts';

describeConsent('the second step of the consent page', (given, page) => {
  describe('second step: what is granted', () => {
    test('shows client, destination, partner, user and services, and offers read-only access', async () => {
      verifies('mcp-consent-scopes');
      const { body } = await page.reachConsent();
      for (const text of [
        'Allow <bdi>Claude</bdi>?',
        '127.0.0.1:7000',
        'Acme',
        'Signed in as</dt><dd><bdi>alice</bdi>',
      ]) {
        expect(body).toContain(text);
      }
      expect(servicesOf(body)).toEqual(['crm', 'retrieval']);
      expect(body).toContain('Services that you connect later are included');
      expect(body).toContain('name="access" id="access-write" value="write" checked');
      expect(body).toContain('name="access" id="access-read" value="read"');
    });

    test('warns of programs on this computer, and of nothing else', async () => {
      verifies('mcp-consent-loopback');
      expect((await page.reachConsent()).body).toContain('A program on this computer asks');
      const redirectUri = 'https://client.example/cb';
      const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
      page.clientId = (await given.register(metadata)).body.client_id;
      const { body } = await page.reachConsent({}, { redirect_uri: redirectUri });
      expect(body).not.toContain('A program on this computer asks');
      expect(body).toContain('Allow <bdi>this application</bdi>?');
    });

    test('names the services that the code is narrowed to, and none that are connected later', async () => {
      const { body } = await page.reachConsent({ services: ['retrieval', 'billing'] });
      expect(servicesOf(body)).toEqual(['retrieval']);
      expect(body).not.toContain('connect later');
    });

    test.each([
      ['the code is', { readOnly: true }, {}, 'Your connection code allows no more.'],
      ['the request is', {}, { scope: 'tools:read' }, 'The application asks for no more.'],
    ])('offers no choice if %s read-only', async (_title, limits, changes, reason) => {
      const { body } = await page.reachConsent(limits, changes);
      expect(body).not.toContain('name="access"');
      expect(body).toContain(reason);
    });

    test('never contains the connection code in plain text', async () => {
      const code = await page.mint();
      await page.open();
      const { body } = await page.type(code);
      expect(body).not.toContain(code);
      expect(body).not.toContain(code.replaceAll('-', ''));
    });
  });

  describe('Allow', () => {
    test('redirects with a code, the state and the issuer, and the client gets tokens for the code', async () => {
      verifies('rfc6749-4.1.2-state', 'rfc9700-4.12-status', 'rfc9207-2-success');
      const codeVerifier = randomBytes(32).toString('base64url');
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
      await page.reachConsent({}, { code_challenge: codeChallenge });
      const answer = await page.visitor.submit({ decision: 'allow', access: 'write' });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      const { to, parameters } = locationOf(answer);
      expect(to).toBe(REDIRECT_URI);
      expect(parameters).toEqual({
        code: expect.stringMatching(/^utg_ac_/),
        state: 'state-1',
        iss: PUBLIC_URL,
      });
      const tokens = await given.token({
        grant_type: 'authorization_code',
        code: parameters.code,
        redirect_uri: REDIRECT_URI,
        client_id: page.clientId,
        code_verifier: codeVerifier,
        resource: RESOURCE,
      });
      expect(tokens.body.scope).toBe('tools:read tools:write');
      expect(await given.use(tokens.body.access_token)).toBe(200);
    });

    test.each<[string, object, Record<string, string>, 'read' | 'write', string, RequirementId]>([
      ['what the client requested', {}, {}, 'write', 'tools:read tools:write', 'rfc6749-3.3-default'],
      ['only reading, if the user chooses so', {}, {}, 'read', 'tools:read', 'rfc6749-3.3-narrowed'],
      [
        'only reading, if the code allows no more',
        { readOnly: true },
        {},
        'write',
        'tools:read',
        'rfc6749-3.3-narrowed',
      ],
      [
        'the known ones of the named scopes',
        {},
        { scope: 'offline_access tools:read' },
        'write',
        'tools:read',
        'rfc6749-3.3-unknown',
      ],
    ])('grants %s', async (_title, limits, changes, access, scopes, requirement) => {
      verifies(requirement);
      await page.reachConsent(limits, changes);
      await page.visitor.submit({ decision: 'allow', access });
      expect(await page.grantsOf()).toMatchObject([
        { scopes, services: null, resource: RESOURCE, client_id: page.clientId },
      ]);
    });

    test('grants the services that the code is narrowed to', async () => {
      await page.reachConsent({ services: ['retrieval'] });
      await page.visitor.submit({ decision: 'allow' });
      expect(await page.grantsOf()).toMatchObject([{ services: 'retrieval' }]);
    });

    test('is recorded with partner, user and client', async () => {
      await page.reachConsent();
      await page.visitor.submit({ decision: 'allow' });
      expect(await page.eventsOf('consent_given')).toMatchObject([
        { partner_id: given.partnerId, user_id: given.userId, client_id: page.clientId, address: '127.0.0.1' },
      ]);
    });

    test('succeeds for exactly one of twenty concurrent browsers', async () => {
      verifies('mcp-consent-single-use');
      const code = await page.mint();
      const visitors = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const each = createVisitor(given);
          await each.open(requestOf(page.clientId));
          await each.submit({ connection_code: code });
          return each;
        }),
      );
      const answers = await Promise.all(visitors.map((each) => each.submit({ decision: 'allow' })));
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
      const lost = answers.filter(({ status }) => status === 400);
      expect(lost).toHaveLength(19);
      expect(lost.every(({ body }) => body.includes('This code is no longer valid'))).toBe(true);
      expect(await page.grantsOf()).toHaveLength(1);
      expect(await page.eventsOf('consent_given')).toHaveLength(1);
    });

    test('after the code was used elsewhere asks for another code, and continues with it', async () => {
      const code = await page.mint();
      const elsewhere = createVisitor(given);
      for (const visitor of [page.visitor, elsewhere]) {
        await visitor.open(requestOf(page.clientId));
        await visitor.submit({ connection_code: code });
      }
      await elsewhere.submit({ decision: 'allow' });
      expect((await page.visitor.submit({ decision: 'allow' })).status).toBe(400);
      expect((await page.type(await page.mint())).status).toBe(200);
      expect((await page.visitor.submit({ decision: 'allow' })).status).toBe(303);
    });

    test('after the code has expired asks for another code', async () => {
      await page.reachConsent();
      given.now += 10 * MINUTE_MS;
      const answer = await page.visitor.submit({ decision: 'allow' });
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('This code is no longer valid');
    });

    test.each([
      ['no decision', {}],
      ['another decision', { decision: 'maybe' }],
      ['the button of the first step', { decision: 'continue' }],
      ['another access', { decision: 'allow', access: 'admin' }],
    ])('is not assumed for %s', async (_title, fields) => {
      await page.reachConsent();
      const answer = await page.visitor.submit(fields as Record<string, string>);
      expect(answer.status).toBe(400);
      expect(await page.grantsOf()).toEqual([]);
    });

    test('cannot precede the code', async () => {
      await page.open();
      expect((await page.visitor.submit({ decision: 'allow' })).status).toBe(400);
      expect(await page.grantsOf()).toEqual([]);
    });
  });

  describe('Deny', () => {
    test.each([
      ['in the first step', () => page.open(), null],
      ['in the second step', () => page.reachConsent(), 'known'],
    ])('%s is reported to the client, and recorded', async (_title, reach, user) => {
      verifies('rfc6749-4.1.2.1-access-denied', 'rfc9207-2-error');
      await reach();
      const answer = await page.visitor.submit({ decision: 'deny' });
      expect(answer.status).toBe(303);
      expect(locationOf(answer)).toEqual({
        to: REDIRECT_URI,
        parameters: {
          error: 'access_denied',
          error_description: 'The user denied the request.',
          state: 'state-1',
          iss: PUBLIC_URL,
        },
      });
      const event = { client_id: page.clientId, user_id: given.userId };
      expect(await page.eventsOf('consent_denied')).toMatchObject(user === null ? [] : [event]);
      expect((await given.anonymousEvents()).consent_denied).toBe(user === null ? 1 : undefined);
      expect(await page.grantsOf()).toEqual([]);
    });
  });
});

function servicesOf(page: string): string[] {
  return [...page.matchAll(/name="service" id="service-([^"]*)"/g)].map(([, service = '']) => service);
}
