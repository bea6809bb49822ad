import { expect, test } from 'vitest';
import { USER_LINK_TTL_SECONDS } from '../../../../server/identity/partners/user-links.ts';
import { describeUserPage, fieldOf } from './support.ts';

describeUserPage('the link to a user’s own page', (given) => {
  test('is created by the user’s partner, with its lifetime', async () => {
    const { status, body, headers } = await given.api('POST', 'alice/links');
    expect(status).toBe(200);
    expect(body).toEqual({
      url: expect.stringMatching(new RegExp(`^${given.origin}/me\\?link=utg_ul_[A-Za-z0-9_-]{43}$`)),
      expires_in: 300,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await given.auditOf('user_link_minted')).toEqual([
      { user_id: given.userId, details: { by: 'partner' }, address: expect.any(String) },
    ]);
  });

  test('is not created for a user of another partner, or an unknown one', async () => {
    const { userId } = given.other;
    await given.store.db.deleteFrom('users').where('id', '=', userId).execute();
    const other = { id: 'other', secret: given.other.secret };
    expect((await given.api('POST', 'alice/links', undefined, other)).body.error).toBe('not_found');
    expect((await given.api('POST', 'nobody/links')).status).toBe(404);
    expect((await given.send('/api/partner/users/alice/links', { method: 'POST' })).status).toBe(401);
  });

  test('opens the page of the user at that partner', async () => {
    await given.allow('Claude Code');
    const other = { id: 'other', secret: given.other.secret };
    const { body } = await given.api('POST', 'alice/links', undefined, other);
    const browser = given.browser();
    await browser.enter(body.url.slice(given.origin.length));
    const { text } = await browser.get('/me');
    expect(text).toContain('<bdi>Other</bdi>');
    expect(text).not.toContain('Claude Code');
  });

  test('is not used up by opening it, and names no one before the button is pressed', async () => {
    const link = await given.link();
    for (let visit = 0; visit < 3; visit += 1) {
      const { status, text } = await given.browser().get(link);
      expect(status).toBe(200);
      expect(text).not.toMatch(/alice|Acme/);
    }
    await given.send(link, { method: 'HEAD' });
    const entered = await given.browser().enter(link);
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/me']);
  });

  test('sends no referrer, is not cached, and is not in the log', async () => {
    const link = await given.link();
    const browser = given.browser();
    const { headers } = await browser.get(link);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    await browser.enter(link);
    const secret = /utg_ul_[\w-]+/.exec(link)![0];
    expect(given.lines.join('')).toContain('/me');
    expect(given.lines.join('')).not.toContain(secret);
    const stored = await given.store.db.selectFrom('single_use_codes').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test('lets only one of two concurrent browsers in', async () => {
    const link = await given.link();
    const browsers = Array.from({ length: 5 }, () => given.browser());
    const forms = await Promise.all(browsers.map((browser) => browser.get(link)));
    const answers = await Promise.all(
      browsers.map((browser, index) =>
        browser.post('/me', [['page_state', fieldOf(forms[index]!.text, 'page_state')]]),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400]);
    const pages = await Promise.all(browsers.map((browser) => browser.get('/me')));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });

  test('expires after five minutes', async () => {
    const [early, late] = [await given.link(), await given.link()];
    given.now += USER_LINK_TTL_SECONDS * 1000 - 1;
    expect((await given.browser().enter(early)).status).toBe(303);
    given.now += 1;
    const refused = await given.browser().enter(late);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('This link is no longer valid');
  });

  test('opens only in the browser that showed its button, and from this site', async () => {
    const link = await given.link();
    const [mine, foreign] = [given.browser(), given.browser()];
    const { text } = await mine.get(link);
    await foreign.get(link);
    const fields = [['page_state', fieldOf(text, 'page_state')]] as const;
    expect((await foreign.post('/me', fields)).status).toBe(400);
    expect((await mine.post('/me', fields, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await mine.post('/me', fields, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await mine.post('/me', fields)).status).toBe(303);
  });

  test.each(['', 'x', 'utg_ul_x', `utg_ul_${'A'.repeat(43)}%00`, `utg_cc_${'A'.repeat(43)}`])(
    'is refused at once if it is "%s"',
    async (link) => {
      expect((await given.send(`/me?link=${link}`)).status).toBe(400);
    },
  );

  test('is refused if it was never created', async () => {
    expect((await given.browser().enter(`/me?link=utg_ul_${'A'.repeat(43)}`)).status).toBe(400);
  });
});

describeUserPage('the session at a user’s own page', (given) => {
  test('has a cookie that is HttpOnly, same-site and limited to the page', async () => {
    const link = await given.link();
    const browser = given.browser();
    const { headers } = await browser.enter(link);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^utg_me=[A-Za-z0-9_-]{43}; Path=\/me; Max-Age=28800; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('ends after fifteen minutes without use, and not before', async () => {
    const browser = await given.entered();
    for (let visit = 0; visit < 3; visit += 1) {
      given.now += 900_000 - 1;
      expect((await browser.get('/me')).status).toBe(200);
    }
    given.now += 900_000;
    const { status, text } = await browser.get('/me');
    expect(status).toBe(401);
    expect(text).toContain('Sign in to continue');
  });

  test('ends after eight hours, even if it is used', async () => {
    const browser = await given.entered();
    const end = given.now + 8 * 3_600_000;
    while (given.now < end - 600_000) {
      given.now += 600_000;
      expect((await browser.get('/me')).status).toBe(200);
    }
    given.now = end;
    expect((await browser.get('/me')).status).toBe(401);
  });

  test('ends with sign-out, and when the user is removed', async () => {
    const [leaving, staying] = [await given.entered(), await given.entered()];
    const before = new Map(leaving.cookies);
    const left = await leaving.submit('/me', '/me/leave');
    expect([left.status, left.text.includes('You have left your page')]).toEqual([200, true]);
    expect(leaving.cookies.has('utg_me')).toBe(false);
    for (const [name, cookie] of before) leaving.cookies.set(name, cookie);
    expect((await leaving.get('/me')).status).toBe(401);

    expect((await staying.get('/me')).status).toBe(200);
    expect((await given.api('DELETE', 'alice')).status).toBe(204);
    expect((await staying.get('/me')).status).toBe(401);
  });

  test('does not open the dashboard, and an operator’s does not open this page', async () => {
    const browser = await given.entered();
    expect((await browser.get('/admin')).headers.get('location')).toContain('/admin/sign-in');
    const operator = given.browser();
    const { text } = await operator.get('/admin/sign-in');
    const fields = [
      ['page_state', fieldOf(text, 'page_state')],
      ['secret', 'the-secret-of-the-operator'],
    ] as const;
    expect((await operator.post('/admin/sign-in', fields)).status).toBe(303);
    const value = operator.cookies.get('utg_operator')!.value;
    operator.cookies.set('utg_me', { value, path: '/me' });
    expect((await operator.get('/me')).status).toBe(401);
  });

  test('is required for every part of the page', async () => {
    const { grantId } = await given.allow('Claude Code');
    for (const path of ['/me', `/me/clients/${grantId}`, `/me/clients/${grantId}/tools/library`]) {
      expect([path, (await given.send(path)).status]).toEqual([path, 401]);
    }
    const forms = [`/me/clients/${grantId}/revoke`, `/me/clients/${grantId}/narrow`, '/me/connections/library/remove'];
    for (const path of [...forms, '/me/leave']) {
      const init = { method: 'POST', body: new URLSearchParams({ csrf: 'x' }) };
      expect([path, (await given.send(path, init)).status]).toEqual([path, 401]);
    }
    expect(await given.tools((await given.allow('Other')).token)).toHaveLength(4);
  });
});
