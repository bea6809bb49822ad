import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { mintConnectionCode } from '../../../server/oauth/connection-codes.ts';
import { CODE_CHALLENGE, createVisitor, locationOf, type Request, requestOf, type Visitor } from './page-visitor.ts';
import { type Answer, describeOAuth, PUBLIC_URL, REDIRECT_URI, RESOURCE } from './support.ts';

const MINUTE_MS = 60_000;
const NO_LIMIT = { authorizationLimit: { consume: async () => null } };
const WRONG = '0000-0000-0000';

describeOAuth(
  'the consent page',
  (given) => {
    let visitor: Visitor;
    let clientId: string;
    beforeEach(async () => {
      const metadata = { client_name: 'Claude', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
      clientId = (await given.register(metadata)).body.client_id;
      visitor = createVisitor(given);
    });

    const mint = (limits: { services?: string[]; readOnly?: boolean } = {}) =>
      mintConnectionCode(given.store.db, {
        userId: given.userId,
        limits: { services: null, readOnly: false, ...limits },
        now: given.now,
      });
    const open = (changes: Request = {}) => visitor.open(requestOf(clientId, changes));
    const type = (code: string) => visitor.submit({ connection_code: code, decision: 'continue' });
    const reachConsent = async (limits = {}, changes: Request = {}): Promise<Answer> => {
      await open(changes);
      return type(await mint(limits));
    };
    const eventsOf = (kind: string) =>
      given.store.db.selectFrom('audit_events').selectAll().where('type', '=', kind).execute();
    const grantsOf = () => given.store.db.selectFrom('oauth_grants').selectAll().execute();

    describe('first step: the connection code', () => {
      test.each([
        ['as it is shown', (code: string) => code],
        ['in small letters', (code: string) => code.toLowerCase()],
        ['with spaces', (code: string) => ` ${code.replaceAll('-', ' ')} `],
        ['in one piece', (code: string) => code.replaceAll('-', '')],
        ['with other dashes', (code: string) => code.replaceAll('-', '–')],
        ['with letters for digits', (code: string) => code.replaceAll('0', 'o').replaceAll('1', 'l')],
      ])('is taken %s', async (_title, retype) => {
        await open();
        const answer = await type(retype(await mint()));
        expect([answer.status, answer.body.includes('value="allow"')]).toEqual([200, true]);
      });

      test('a wrong one leaves the page as it was, with the reason first', async () => {
        await open();
        const answer = await type('wrong "one" <b>');
        expect(answer.status).toBe(400);
        expect(answer.body).toContain('<title>Error: Connect Claude');
        expect(answer.body).toContain('role="alert"');
        expect(answer.body).toContain('aria-invalid="true"');
        expect(answer.body).toContain('aria-describedby="code-problem code-help"');
        expect(answer.body).toContain('value="wrong &quot;one&quot; &lt;b&gt;"');
        expect((await type(await mint())).status).toBe(200);
      });

      test('an empty one is not counted', async () => {
        await open();
        for (let i = 0; i < 30; i += 1) expect((await type('  ')).status).toBe(400);
        expect((await type(await mint())).status).toBe(200);
      });

      test('the answer is the same for one that is unknown, misspelt, used or expired', async () => {
        const used = await mint();
        await open();
        await type(used);
        await visitor.submit({ decision: 'allow' });
        const old = await mint();
        given.now += 11 * MINUTE_MS;
        const answers: string[] = [];
        for (const code of [WRONG, 'Z', used, old]) {
          await open();
          const { status, body } = await type(code);
          answers.push(`${status} ${body}`.replaceAll(/ value="[^"]*"/g, ''));
        }
        expect(new Set(answers).size).toBe(1);
      });

      test('nothing is used up by looking', async () => {
        const code = await mint();
        for (let i = 0; i < 3; i += 1) {
          await open();
          expect((await type(code)).status).toBe(200);
        }
        await visitor.submit({ decision: 'deny' });
        await open();
        await type(code);
        expect(locationOf(await visitor.submit({ decision: 'allow' })).parameters).toHaveProperty('code');
      });
    });

    describe('wrong codes', () => {
      test('are five in one request', async () => {
        await open();
        const statuses: number[] = [];
        for (let i = 0; i < 5; i += 1) statuses.push((await type(WRONG)).status);
        const sixth = await type(await mint());
        expect([...statuses, sixth.status]).toEqual([400, 400, 400, 400, 400, 429]);
        expect(sixth.body).not.toContain('name="connection_code"');
        expect(locationOf(await visitor.submit({ decision: 'deny' })).parameters.error).toBe('access_denied');
      });

      test('are twenty from one address in ten minutes', async () => {
        const statuses: number[] = [];
        for (let i = 0; i < 20; i += 1) {
          await open();
          statuses.push((await type(WRONG)).status);
        }
        expect(new Set(statuses)).toEqual(new Set([400]));
        await open();
        const refused = await type(await mint());
        expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '600']);
        given.now += 10 * MINUTE_MS;
        await open();
        expect((await type(await mint())).status).toBe(200);
      });

      test('count before they are looked at, so that many at once are no more', async () => {
        await open();
        const answers = await Promise.all(Array.from({ length: 30 }, () => type(WRONG)));
        expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
        expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
        expect(await eventsOf('connection_code_refused')).toHaveLength(5);
      });

      test('are what is counted, not right ones', async () => {
        const code = await mint();
        await open();
        const first = visitor.transaction;
        for (let i = 0; i < 30; i += 1) {
          visitor.transaction = first;
          expect((await type(code)).status).toBe(200);
        }
      });
    });

    describe('second step: what is granted', () => {
      test('says client, destination, partner, user and services, and offers to read only', async () => {
        const { body } = await reachConsent();
        for (const text of ['Allow <bdi>Claude</bdi>?', '127.0.0.1:7000', 'Acme', 'As the user alice']) {
          expect(body).toContain(text);
        }
        expect([...body.matchAll(/<li>([^<]*)<\/li>/g)].map(([, service]) => service)).toEqual(['crm', 'retrieval']);
        expect(body).toContain('And services that you connect later.');
        expect(body).toContain('name="access" id="access-write" value="write" checked');
        expect(body).toContain('name="access" id="access-read" value="read"');
      });

      test('warns of programs on this computer, and of those only', async () => {
        expect((await reachConsent()).body).toContain('A program on this computer asks');
        const redirectUri = 'https://client.example/cb';
        const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
        clientId = (await given.register(metadata)).body.client_id;
        const { body } = await reachConsent({}, { redirect_uri: redirectUri });
        expect(body).not.toContain('A program on this computer asks');
        expect(body).toContain('Allow <bdi>this application</bdi>?');
      });

      test('names the services that the code is narrowed to, and no later ones', async () => {
        const { body } = await reachConsent({ services: ['retrieval', 'billing'] });
        expect([...body.matchAll(/<li>([^<]*)<\/li>/g)].map(([, service]) => service)).toEqual(['retrieval']);
        expect(body).not.toContain('connect later');
      });

      test.each([
        ['the code is', { readOnly: true }, {}, 'Your connection code allows no more.'],
        ['the request is', {}, { scope: 'tools:read' }, 'The application asks for no more.'],
      ])('offers no choice where %s read-only', async (_title, limits, changes, reason) => {
        const { body } = await reachConsent(limits, changes);
        expect(body).not.toContain('name="access"');
        expect(body).toContain(reason);
      });

      test('never holds the connection code in clear', async () => {
        const code = await mint();
        await open();
        const { body } = await type(code);
        expect(body).not.toContain(code);
        expect(body).not.toContain(code.replaceAll('-', ''));
      });
    });

    describe('Allow', () => {
      test('sends a code, the state and the issuer to the client, which gets tokens for it', async () => {
        const codeVerifier = randomBytes(32).toString('base64url');
        const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
        await reachConsent({}, { code_challenge: codeChallenge });
        const answer = await visitor.submit({ decision: 'allow', access: 'write' });
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
          client_id: clientId,
          code_verifier: codeVerifier,
          resource: RESOURCE,
        });
        expect(tokens.body.scope).toBe('tools:read tools:write');
        expect(await given.use(tokens.body.access_token)).toBe(200);
      });

      test.each([
        ['what was asked for', {}, {}, 'write', 'tools:read tools:write'],
        ['reading and writing to who asks to write', {}, { scope: 'tools:write' }, 'write', 'tools:read tools:write'],
        ['reading only, where the user says so', {}, {}, 'read', 'tools:read'],
        ['reading only, where the code says so', { readOnly: true }, {}, 'write', 'tools:read'],
        ['reading only, where the request says so', {}, { scope: 'tools:read' }, 'write', 'tools:read'],
      ])('grants %s', async (_title, limits, changes, access, scopes) => {
        await reachConsent(limits, changes);
        await visitor.submit({ decision: 'allow', access });
        expect(await grantsOf()).toMatchObject([{ scopes, services: null, resource: RESOURCE, client_id: clientId }]);
      });

      test('grants the services that the code is narrowed to', async () => {
        await reachConsent({ services: ['retrieval'] });
        await visitor.submit({ decision: 'allow' });
        expect(await grantsOf()).toMatchObject([{ services: 'retrieval' }]);
      });

      test('is recorded with everybody in it', async () => {
        await reachConsent();
        await visitor.submit({ decision: 'allow' });
        expect(await eventsOf('consent_given')).toMatchObject([
          { partner_id: given.partnerId, user_id: given.userId, client_id: clientId, address: '127.0.0.1' },
        ]);
      });

      test('is won by exactly one of a hundred at once, from as many browsers', async () => {
        const code = await mint();
        const visitors = await Promise.all(
          Array.from({ length: 100 }, async () => {
            const each = createVisitor(given);
            await each.open(requestOf(clientId));
            await each.submit({ connection_code: code });
            return each;
          }),
        );
        const answers = await Promise.all(visitors.map((each) => each.submit({ decision: 'allow' })));
        expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
        const lost = answers.filter(({ status }) => status === 400);
        expect(lost).toHaveLength(99);
        expect(lost.every(({ body }) => body.includes('This code is no longer valid'))).toBe(true);
        expect(await grantsOf()).toHaveLength(1);
        expect(await eventsOf('consent_given')).toHaveLength(1);
      });

      test('after the code was used elsewhere asks for another code, and goes on with that', async () => {
        await reachConsent();
        const late = visitor.transaction;
        await visitor.submit({ decision: 'allow' });
        visitor.transaction = late;
        expect((await visitor.submit({ decision: 'allow' })).status).toBe(400);
        expect((await type(await mint())).status).toBe(200);
        expect((await visitor.submit({ decision: 'allow' })).status).toBe(303);
      });

      test('after the code has expired asks for another code', async () => {
        await reachConsent();
        given.now += 10 * MINUTE_MS;
        const answer = await visitor.submit({ decision: 'allow' });
        expect(answer.status).toBe(400);
        expect(answer.body).toContain('This code is no longer valid');
      });

      test.each([
        ['no decision', {}],
        ['another decision', { decision: 'maybe' }],
        ['the button of the first step', { decision: 'continue' }],
        ['another access', { decision: 'allow', access: 'admin' }],
      ])('is not %s', async (_title, fields) => {
        await reachConsent();
        const answer = await visitor.submit(fields as Record<string, string>);
        expect(answer.status).toBe(400);
        expect(await grantsOf()).toEqual([]);
      });

      test('cannot come before the code', async () => {
        await open();
        expect((await visitor.submit({ decision: 'allow' })).status).toBe(400);
        expect(await grantsOf()).toEqual([]);
      });
    });

    describe('Deny', () => {
      test.each([
        ['in the first step', () => open(), null],
        ['in the second step', () => reachConsent(), 'known'],
      ])('%s tells the client, and is recorded', async (_title, reach, user) => {
        await reach();
        const answer = await visitor.submit({ decision: 'deny' });
        expect(answer.status).toBe(303);
        expect(locationOf(answer)).toEqual({
          to: REDIRECT_URI,
          parameters: {
            error: 'access_denied',
            error_description: 'The user did not allow it.',
            state: 'state-1',
            iss: PUBLIC_URL,
          },
        });
        const userId = user === null ? null : given.userId;
        expect(await eventsOf('consent_denied')).toMatchObject([{ client_id: clientId, user_id: userId }]);
        expect(await grantsOf()).toEqual([]);
      });
    });

    describe('forms that are not the page of this browser', () => {
      test.each([
        ['no cookie', () => Object.assign(visitor, { cookie: null })],
        ['the cookie of another browser', () => Object.assign(visitor, { cookie: `utg_browser=${'x'.repeat(43)}` })],
        ['no transaction', () => Object.assign(visitor, { transaction: '' })],
        ['a changed transaction', () => Object.assign(visitor, { transaction: flip(visitor.transaction) })],
        ['words for a transaction', () => Object.assign(visitor, { transaction: 'v1.test.AAAA' })],
        ['a page that was open for too long', () => Object.assign(given, { now: given.now + 31 * MINUTE_MS })],
      ])('%s: nothing is done', async (_title, spoil) => {
        await reachConsent();
        spoil();
        const answer = await visitor.submit({ decision: 'allow' });
        expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
        expect(await grantsOf()).toEqual([]);
      });

      test.each([
        ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
        ['a neighbour of the site', { 'Sec-Fetch-Site': 'same-site' }],
        ['another origin', { Origin: 'https://evil.example' }],
      ])('a form of %s is 403', async (_title, headers) => {
        await reachConsent();
        expect((await visitor.submit({ decision: 'allow' }, headers)).status).toBe(403);
        expect(await grantsOf()).toEqual([]);
      });

      test.each([
        ['a page without Referer', { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }],
        ['its own origin', { 'Sec-Fetch-Site': 'same-origin', Origin: PUBLIC_URL }],
        ['a reload', { 'Sec-Fetch-Site': 'none' }],
      ])('a form of %s is taken', async (_title, headers) => {
        await reachConsent();
        expect((await visitor.submit({ decision: 'allow' }, headers)).status).toBe(303);
      });

      test('two requests of one browser do not mix', async () => {
        await reachConsent();
        const first = visitor.transaction;
        await open({ redirect_uri: 'http://127.0.0.1:7001/callback' });
        visitor.transaction = first;
        expect(locationOf(await visitor.submit({ decision: 'allow' })).to).toBe(REDIRECT_URI);
      });

      test('a client whose registration ended meanwhile gets nothing', async () => {
        await reachConsent();
        await given.store.db.deleteFrom('oauth_clients').execute();
        const answer = await visitor.submit({ decision: 'allow' });
        expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
      });

      test('a user who is gone meanwhile gets nothing', async () => {
        await reachConsent();
        await given.store.db.deleteFrom('users').execute();
        expect((await visitor.submit({ decision: 'allow' })).status).toBe(400);
      });

      test.each([
        ['JSON', 'application/json', '{}', 415],
        ['too much', 'application/x-www-form-urlencoded', `transaction=${'x'.repeat(70_000)}`, 413],
        ['no text', 'application/x-www-form-urlencoded', Buffer.from([0xff, 0xfe]), 400],
      ])('a body of %s is refused with a page', async (_title, type, body, status) => {
        const init = { method: 'POST', headers: { 'Content-Type': type }, body } as RequestInit;
        const answer = await given.send('/api/mcp/oauth/authorize', init);
        expect(answer.status).toBe(status);
        expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      });
    });

    test('no secret reaches the log or the audit', async () => {
      const code = await mint();
      await open();
      await type(code);
      const { parameters } = locationOf(await visitor.submit({ decision: 'allow' }));
      const written =
        given.lines.join('') + JSON.stringify(await given.store.db.selectFrom('audit_events').selectAll().execute());
      for (const secret of [code, code.replaceAll('-', ''), parameters.code!, CODE_CHALLENGE]) {
        expect(written).not.toContain(secret);
      }
    });
  },
  NO_LIMIT,
);

function flip(sealed: string): string {
  const end = sealed.at(-1) === 'A' ? 'B' : 'A';
  return sealed.slice(0, -2) + end + sealed.slice(-1);
}
