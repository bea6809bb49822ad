import { expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { consumeConnectionCode, mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { type Answer, type Browser, describeUserPage, fieldOf, type UserPageUnderTest } from './support.ts';

const BURN = 'library_burn';
const ONLY_READS = { permission: JSON.stringify({ agreed: { writes: [], destroys: [] } }), scopes: ['tools:read'] };

function textOf({ body }: Answer): string {
  return body.result.content[0].text;
}

function codeOf({ body }: Answer): string {
  const { isError, content } = body.result;
  return isError === true ? JSON.parse(content[1].text).code : 'ok';
}

/** Path and query of the page that an answer names. */
function pageOf(given: UserPageUnderTest, answer: Answer): string {
  return /http\S+\/me\/\S+/.exec(textOf(answer))![0].slice(given.origin.length);
}

/** Signs a browser in by a link of the partner that leads to a page. */
async function linkTo(given: UserPageUnderTest, target: string): Promise<{ browser: Browser; answer: Answer }> {
  const { body } = await given.api('POST', 'alice/links', { target });
  const browser = given.browser();
  return { browser, answer: await browser.enter(body.url.slice(given.origin.length)) };
}

async function setConnectUri(given: UserPageUnderTest, connect_uri: string | null): Promise<void> {
  await given.store.db.updateTable('partners').set({ connect_uri }).where('client_id', '=', 'acme').execute();
}

function partnerLinks(text: string): string[] {
  return [...text.matchAll(/href="(https:\/\/acme[^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
}

describeUserPage(
  'signing in to the user’s own pages',
  (given) => {
    test.each(['/me/approvals', '/me/activity?before=x', '/me'])(
      'by a link of the partner leads to the page that the link is for: %s',
      async (page) => {
        for (const target of [page, given.origin + page]) {
          const { answer } = await linkTo(given, target);
          expect([answer.status, answer.headers.get('location')]).toEqual([303, page]);
        }
      },
    );

    test.each([
      'https://evil.example/me',
      '//evil.example/me',
      '/admin',
      '/mechanic',
      '/me/../admin',
      'javascript:alert(1)',
      `/me/${'a'.repeat(5000)}`,
    ])('by a link leads nowhere else: %s', async (target) => {
      const { status, body } = await given.api('POST', 'alice/links', { target });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    });

    test('is skipped by a link for the user of the session that is open, and by no other link', async () => {
      const { browser } = await linkTo(given, '/me');
      const { body } = await given.api('POST', 'alice/links', { target: '/me/approvals' });
      const link = body.url.slice(given.origin.length);
      const { status, headers } = await browser.get(link);
      expect([status, headers.get('location')]).toEqual([303, '/me/approvals']);
      const foreign = await given.api('POST', 'alice/links', undefined, { id: 'other', secret: given.other.secret });
      expect((await browser.get(foreign.body.url.slice(given.origin.length))).status).toBe(200);
      expect((await given.browser().enter(foreign.body.url.slice(given.origin.length))).status).toBe(303);
      const again = await given.browser().enter(link);
      expect([again.status, again.text.includes('This link is no longer valid')]).toEqual([400, true]);
    });

    test('stays valid where the browser of an open session only prefetches it', async () => {
      const { browser } = await linkTo(given, '/me');
      const { body } = await given.api('POST', 'alice/links', { target: '/me/approvals' });
      const link = body.url.slice(given.origin.length);
      expect((await browser.get(link, { 'Sec-Purpose': 'prefetch;prerender' })).status).toBe(303);
      expect((await browser.get(link)).headers.get('location')).toBe('/me/approvals');
      expect((await given.browser().enter(link)).status).toBe(400);
    });

    test('of a call that waits names the partner, whose own sign-in gets the address of the page', async () => {
      await setConnectUri(given, 'https://acme.example/connections?lang=en');
      const { token } = await given.allow('Cursor');
      const page = pageOf(given, await given.call(token, BURN, { id: '1' }));
      const { status, text } = await given.browser().get(page);
      expect(status).toBe(401);
      expect(text).toContain('A call waits for your approval.');
      const [address] = partnerLinks(text);
      expect(new URL(address!).searchParams.get('target')).toBe(given.origin + page);
      expect(new URL(address!).searchParams.get('lang')).toBe('en');
      const { answer, browser } = await linkTo(given, new URL(address!).searchParams.get('target')!);
      expect(answer.headers.get('location')).toBe(page);
      expect((await browser.get(page)).text).toContain('Burn a book');
    });

    test('names no partner where the address is of no call, and none that has no page', async () => {
      await setConnectUri(given, 'https://acme.example/connections');
      for (const page of [
        '/me',
        '/me/approvals/019a0000-0000-7000-8000-000000000000',
        '/me/approvals/%00',
        '/me/allow?request=x',
      ]) {
        const { status, text } = await given.browser().get(page);
        expect([page, status, /acme/i.test(text)]).toEqual([page, 401, false]);
      }
      await setConnectUri(given, null);
      const { token } = await given.allow('Cursor');
      const { text } = await given.browser().get(pageOf(given, await given.call(token, BURN, { id: '1' })));
      expect(text).not.toContain('Continue with');
    });

    test('by a connection code leads to the page that was asked for, uses the code up, and approves there', async () => {
      const { token } = await given.allow('Cursor');
      const page = pageOf(given, await given.call(token, BURN, { id: '1' }));
      const browser = given.browser();
      const { text } = await browser.get(page);
      const code = await mintConnectionCode(given.store.db, {
        userId: given.userId,
        limits: WHOLE_LIMITS,
        now: given.now,
      });
      const submit = (connection_code: string) =>
        browser.post('/me/sign-in', [
          ['page_state', fieldOf(text, 'page_state')],
          ['connection_code', connection_code],
        ]);
      const wrong = await submit('0000-0000-0000');
      expect([wrong.status, wrong.text.includes('This code is not valid')]).toEqual([400, true]);
      const entered = await submit(code);
      expect([entered.status, entered.headers.get('location')]).toEqual([303, page]);
      const { text: shown } = await browser.get(page);
      await browser.post('/me/approvals/decide', [
        ['csrf', fieldOf(shown, 'csrf')],
        ['call', fieldOf(shown, 'call')],
        ['decision', 'approve'],
      ]);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('ok');
      expect((await submit(code)).status).toBe(400);
      expect(await given.auditOf('user_page_entered')).toHaveLength(1);
    });

    test.each([
      ['services', { services: ['library'] }],
      ['reading', { readOnly: true }],
      ['tools', { permission: { ...FULL_PERMISSION, only: [BURN] } }],
      ['all but some tools', { permission: { ...FULL_PERMISSION, without: [BURN] } }],
      ['tools that destroy nothing', { permission: { ...FULL_PERMISSION, destructive: false } }],
      ['arguments', { permission: { ...FULL_PERMISSION, pins: { library: { shelf: 'a' } } } }],
      ['an account', { permission: { ...FULL_PERMISSION, accounts: { library: 'id' } } }],
    ])('by a code that is narrowed to %s is refused, and leaves the code', async (_title, narrowing) => {
      const browser = given.browser();
      const { text } = await browser.get('/me/approvals');
      const limits = { ...WHOLE_LIMITS, ...narrowing };
      const code = await mintConnectionCode(given.store.db, { userId: given.userId, limits, now: given.now });
      const { status, text: refusal } = await browser.post('/me/sign-in', [
        ['page_state', fieldOf(text, 'page_state')],
        ['connection_code', code],
      ]);
      expect([status, refusal.includes('This code does not open your page')]).toEqual([400, true]);
      expect((await browser.get('/me/approvals')).status).toBe(401);
      expect(await consumeConnectionCode(given.store.db, code, given.now)).toMatchObject({ userId: given.userId });
    });

    test('by a code that only sets how tools are shown opens the page', async () => {
      const browser = given.browser();
      const { text } = await browser.get('/me');
      const permission = { ...FULL_PERMISSION, catalogue: 'search' as const, resultTokens: 5000 };
      const limits = { ...WHOLE_LIMITS, permission, grantSeconds: 3600 };
      const code = await mintConnectionCode(given.store.db, { userId: given.userId, limits, now: given.now });
      const entered = await browser.post('/me/sign-in', [
        ['page_state', fieldOf(text, 'page_state')],
        ['connection_code', code],
      ]);
      expect(entered.status).toBe(303);
    });

    test('by a code is refused to another site, and after too many guesses', async () => {
      const browser = given.browser();
      const state = fieldOf((await browser.get('/me')).text, 'page_state');
      const fields = [
        ['page_state', state],
        ['connection_code', '0000-0000-0000'],
      ] as const;
      expect((await browser.post('/me/sign-in', fields, { Origin: 'https://evil.example' })).status).toBe(403);
      for (let guess = 0; guess < 5; guess += 1) expect((await browser.post('/me/sign-in', fields)).status).toBe(400);
      expect((await browser.post('/me/sign-in', fields)).status).toBe(429);
    });
  },
  { APPROVALS: 'destroy', CONSENT: 'need' },
);

describeUserPage(
  'a tool that the user has not allowed',
  (given) => {
    const LEND = 'library_lend';

    test('is allowed on one page by an open session, without a code', async () => {
      const { token, grantId } = await given.allow('Cursor', ONLY_READS);
      const first = await given.call(token, LEND);
      expect(codeOf(first)).toBe('needs_approval');
      const page = pageOf(given, first);
      expect(page).toMatch(/^\/me\/allow\?request=/);
      const browser = await given.entered();
      const { status, text } = await browser.get(page);
      expect([status, text.includes('Connection code')]).toEqual([200, false]);
      expect(text).toContain('It writes things there.');
      const done = await browser.post('/me/allow', [
        ['csrf', fieldOf(text, 'csrf')],
        ['request', fieldOf(text, 'request')],
      ]);
      expect(done.text).toContain('The tool is allowed');
      expect(codeOf(await given.call(token, LEND))).toBe('ok');
      expect(await given.auditOf('tool_allowed')).toMatchObject([{ details: { tool: LEND, by: 'user' } }]);
      expect((await browser.get(page)).text).toContain('The tool is allowed');
      await given.store.db.deleteFrom('oauth_grants').where('id', '=', grantId).execute();
      expect((await browser.get(page)).status).toBe(410);
    });

    test('is allowed by no session of another user, and by none that a code began', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      const page = pageOf(given, await given.call(token, LEND));
      const request = page.split('=')[1]!;
      const { body } = await given.api('POST', 'alice/links', undefined, { id: 'other', secret: given.other.secret });
      const foreigner = given.browser();
      await foreigner.enter(body.url.slice(given.origin.length));
      const byCode = given.browser();
      const code = await mintConnectionCode(given.store.db, {
        userId: given.userId,
        limits: WHOLE_LIMITS,
        now: given.now,
      });
      const { text: signIn } = await byCode.get('/me');
      await byCode.post('/me/sign-in', [
        ['page_state', fieldOf(signIn, 'page_state')],
        ['connection_code', code],
      ]);
      for (const browser of [foreigner, byCode]) {
        const { status, headers } = await browser.get(page);
        expect([status, headers.get('location')]).toEqual([303, `/api/mcp/oauth/allow?request=${request}`]);
        const { text } = await browser.get('/me');
        expect(
          (
            await browser.post('/me/allow', [
              ['csrf', fieldOf(text, 'csrf')],
              ['request', request],
            ])
          ).status,
        ).toBe(410);
      }
      expect(codeOf(await given.call(token, LEND))).toBe('needs_approval');
    });

    test('leads a browser without a session to the page that asks for a code', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      const page = pageOf(given, await given.call(token, LEND));
      const { status, text } = await given.browser().get(page);
      expect(status).toBe(401);
      expect(text).toContain(`href="/api/mcp/oauth/allow?${page.split('?')[1]}"`);
    });

    test('is allowed and its exact call approved by one decision, and the call is then made once', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      const first = await given.call(token, BURN, { id: '1' });
      expect(codeOf(first)).toBe('needs_approval');
      expect(JSON.parse(first.body.result.content[1].text).details).toMatchObject({
        tool: BURN,
        approval: expect.any(String),
      });
      const page = pageOf(given, first);
      expect(page).toMatch(/^\/me\/approvals\/[0-9a-f-]{36}$/);
      expect(pageOf(given, await given.call(token, BURN, { id: '1' }))).toBe(page);
      const { browser } = await linkTo(given, page);
      expect((await browser.get('/me/approvals')).text).toContain('Allow the tool and decide');
      const { text } = await browser.get(page);
      for (const shown of ['Burn a book', '&quot;1&quot;', 'Now it asks for', 'Allow the tool and approve this call']) {
        expect(text).toContain(shown);
      }
      expect(given.writes).toBe(0);
      const answer = await browser.post('/me/approvals/decide', [
        ...(['csrf', 'call', 'facts'] as const).map((name) => [name, fieldOf(text, name)] as const),
        ['decision', 'approve'],
      ]);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me/approvals?done=allowed']);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('ok');
      expect(given.writes).toBe(1);
      expect(codeOf(await given.call(token, BURN, { id: '2' }))).toBe('awaiting_approval');
      expect(await given.auditOf('tool_allowed')).toHaveLength(1);
      expect(await given.auditOf('approval_decided')).toHaveLength(1);
    });

    test('stays blocked after a denial, and after an approval that did not allow it', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      const denied = await linkTo(given, pageOf(given, await given.call(token, BURN, { id: '1' })));
      const decide = async ({ browser, answer }: typeof denied, decision: string, names: readonly string[]) => {
        const { text } = await browser.get(answer.headers.get('location')!);
        const fields = names.map((name) => [name, fieldOf(text, name)] as const);
        await browser.post('/me/approvals/decide', [...fields, ['decision', decision]]);
      };
      await decide(denied, 'deny', ['csrf', 'call', 'facts']);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('denied_by_user');
      const approved = await linkTo(given, pageOf(given, await given.call(token, BURN, { id: '2' })));
      await decide(approved, 'approve', ['csrf', 'call']);
      const again = await given.call(token, BURN, { id: '2' });
      expect([codeOf(again), pageOf(given, again)]).toEqual([
        'needs_approval',
        expect.stringMatching(/^\/me\/allow\?/),
      ]);
      expect(await given.auditOf('tool_allowed')).toEqual([]);
      expect(given.writes).toBe(0);
    });

    test('is neither allowed nor is its call approved by a form that shows something else', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      const { browser, answer } = await linkTo(given, pageOf(given, await given.call(token, BURN, { id: '1' })));
      const { text } = await browser.get(answer.headers.get('location')!);
      const [csrf, call, facts] = ['csrf', 'call', 'facts'].map((name) => fieldOf(text, name)) as [
        string,
        string,
        string,
      ];
      const [id] = call.split('.');
      const forms = [
        [
          ['call', call],
          ['facts', 'writes library.example'],
        ],
        [
          ['call', `${id}.other`],
          ['facts', facts],
        ],
        [
          ['call', `${id}.\0`],
          ['facts', facts],
        ],
        [
          ['call', `${id}.other`],
          ['call', call],
          ['facts', facts],
        ],
      ] as const;
      for (const form of forms) {
        const page = await browser.post('/me/approvals/decide', [['csrf', csrf], ...form, ['decision', 'approve']]);
        expect([page.status, page.text.includes('Nothing was allowed')]).toEqual([400, true]);
      }
      expect(await given.auditOf('tool_allowed')).toEqual([]);
      expect(await given.auditOf('approval_decided')).toEqual([]);
      await given.store.db
        .updateTable('oauth_grants')
        .set({ permission: JSON.stringify({ agreed: { writes: [], destroys: [] }, without: [BURN] }) })
        .execute();
      await browser.post('/me/approvals/decide', [
        ['csrf', csrf],
        ['call', call],
        ['facts', facts],
        ['decision', 'approve'],
      ]);
      expect(await given.auditOf('tool_allowed')).toEqual([]);
    });

    test('is not allowed while the partner is suspended, by a session that is open', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      const page = pageOf(given, await given.call(token, LEND));
      const browser = await given.entered();
      const { text } = await browser.get(page);
      await given.store.db.updateTable('partners').set({ suspended_at: given.now }).execute();
      const fields = [
        ['csrf', fieldOf(text, 'csrf')],
        ['request', fieldOf(text, 'request')],
      ] as const;
      expect([(await browser.get(page)).status, (await browser.post('/me/allow', fields)).status]).toEqual([403, 403]);
      expect(await given.auditOf('tool_allowed')).toEqual([]);
    });

    test('of a client that registered for reading waits for nobody', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      await given.store.db.updateTable('oauth_clients').set({ scopes: 'tools:read' }).execute();
      const refused = await given.call(token, BURN, { id: '1' });
      expect([codeOf(refused), pageOf(given, refused)]).toEqual([
        'needs_approval',
        expect.stringMatching(/^\/me\/allow\?/),
      ]);
      expect(await given.store.db.selectFrom('approvals').selectAll().execute()).toEqual([]);
    });

    test('has at most twenty calls that wait, also of those that are made at once', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      await Promise.all(Array.from({ length: 60 }, (_, id) => given.call(token, BURN, { id: String(id) })));
      expect((await given.store.db.selectFrom('approvals').selectAll().execute()).length).toBeLessThanOrEqual(20);
    });

    test('can be decided behind a hundred other calls that wait', async () => {
      for (let client = 0; client < 5; client += 1) {
        const { token } = await given.allow(`Client ${client}`, ONLY_READS);
        for (let id = 0; id < 20; id += 1) await given.call(token, BURN, { id: String(id) });
      }
      const { token } = await given.allow('Cursor');
      const { browser, answer } = await linkTo(given, pageOf(given, await given.call(token, BURN, { id: '1' })));
      const { text } = await browser.get(answer.headers.get('location')!);
      await browser.post('/me/approvals/decide', [
        ['csrf', fieldOf(text, 'csrf')],
        ['call', fieldOf(text, 'call')],
        ['decision', 'approve'],
      ]);
      expect(codeOf(await given.call(token, BURN, { id: '1' }))).toBe('ok');
    });

    test('is not allowed with the call where the session began by a code', async () => {
      const { token } = await given.allow('Cursor', ONLY_READS);
      const page = pageOf(given, await given.call(token, BURN, { id: '1' }));
      const browser = given.browser();
      const { text } = await browser.get(page);
      const code = await mintConnectionCode(given.store.db, {
        userId: given.userId,
        limits: WHOLE_LIMITS,
        now: given.now,
      });
      await browser.post('/me/sign-in', [
        ['page_state', fieldOf(text, 'page_state')],
        ['connection_code', code],
      ]);
      const { text: shown } = await browser.get(page);
      expect(shown).toContain('Allow the tool with a connection code');
      expect(shown).not.toContain('name="decision"');
    });
  },
  { APPROVALS: 'destroy', CONSENT: 'need' },
);
