import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createSessionVisitor, mintSession } from '../server/connect/session-steps.ts';
import { type Answer, describeConnect, REDIRECT_URI } from '../server/connect/support.ts';

const SITE = new URL(REDIRECT_URI).origin;
const OTHER = 'https://evil.example';
const IN_FRAME = { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': 'cross-site' };
const FROM_FRAME = { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': 'same-origin' };
const FROM_WINDOW = { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' };
const ORIGINS = { allowed_origins: [SITE] };

const framersOf = (answer: Answer) =>
  /frame-ancestors ([^;]+)/.exec(answer.headers.get('Content-Security-Policy') ?? '')?.[1];
const resultOf = ({ text }: Answer) => {
  const [, json = '{}'] = /data-result="([^"]*)"/.exec(text) ?? [];
  return JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
};

describeConnect('a frame of the connect page', (given) => {
  const mint = async (body: object = ORIGINS): Promise<string> =>
    (await mintSession(given, { ...body })).body.connect_url.replace(given.origin, '');
  const open = (address: string, origin = SITE, headers: Record<string, string> = IN_FRAME) =>
    given.send(`${address}&frame=${encodeURIComponent(origin)}`, { headers });
  const submit = (page: Answer, fields: Record<string, string>, headers: Record<string, string> = FROM_FRAME) => {
    const [, page_state = ''] = /name="page_state" value="([^"]*)"/.exec(page.text) ?? [];
    const body = new URLSearchParams({ page_state, decision: 'connect', ...fields });
    return given.send('/connect', { method: 'POST', headers, body });
  };

  test('is allowed to the one site that asks, keeps no cookie, and gives the code to that site alone', async () => {
    const page = await open(await mint());
    expect([page.status, framersOf(page), page.headers.get('X-Frame-Options')]).toEqual([200, SITE, null]);
    const wrong = await submit(page, { 'credential-0': 'wrong' });
    expect([wrong.status, framersOf(wrong)]).toEqual([400, SITE]);
    const done = await submit(wrong, { 'credential-0': 'good-key-1' });
    expect([done.status, framersOf(done)]).toEqual([200, SITE]);
    expect(resultOf(done)).toMatchObject({
      origin: SITE,
      message: { type: 'unified-tool-gateway:connect', version: 1, event: 'completed', state: 'state-1' },
    });
    expect([page, wrong, done].flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
    const { code } = resultOf(done).message;
    const redeemed = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' };
    expect((await given.token(redeemed)).status).toBe(200);
  });

  test('asks for several services without a redirect, and says so if the user cancels', async () => {
    const page = await open(await mint({ ...ORIGINS, services: ['library', 'silent'] }));
    const next = await submit(page, { 'credential-0': 'good-key-1' });
    expect([next.status, framersOf(next)]).toEqual([200, SITE]);
    expect(next.text).toContain('Connect The silent');
    const cancelled = await submit(next, { decision: 'decline' });
    expect(resultOf(cancelled).message).toMatchObject({ event: 'error', error: 'access_denied', state: 'state-1' });
  });

  test.each([
    ['another site', OTHER, ORIGINS],
    ['a site that the session does not name', SITE, {}],
    [
      'a site without a redirect URI of the partner, although the session names it',
      OTHER,
      { allowed_origins: [OTHER] },
    ],
    ['a site that would end the directive', `${SITE}; script-src *`, ORIGINS],
    ['the opaque origin', 'null', ORIGINS],
  ])('is refused to %s', async (_, origin, body) => {
    const page = await open(await mint(body), origin);
    expect([page.status, framersOf(page), page.headers.get('X-Frame-Options')]).toEqual([400, "'none'", 'DENY']);
    expect(page.text).not.toContain('page_state');
  });

  test('is refused for the session of one partner to the site of another', async () => {
    const site = 'https://other.example';
    await given.add('other', { redirectUris: [`${site}/back`] });
    const page = await open(await mint({ allowed_origins: [SITE, site] }), site);
    expect([page.status, framersOf(page)]).toEqual([400, "'none'"]);
  });

  test('is refused from the next step on to a site whose redirect URI was removed', async () => {
    const page = await open(await mint());
    await given.store.db
      .updateTable('partners')
      .set({ redirect_uris: JSON.stringify(['https://moved.example/back']) })
      .execute();
    const answer = await submit(page, { 'credential-0': 'good-key-1' });
    expect([answer.status, framersOf(answer)]).toEqual([400, "'none'"]);
  });

  test('is no page of its own, and no frame for browsers that do not say what they load', async () => {
    for (const headers of [{}, FROM_WINDOW]) {
      const page = await open(await mint(), SITE, headers as Record<string, string>);
      expect([page.status, framersOf(page)]).toEqual([400, "'none'"]);
    }
  });

  test('takes its form from pages of the gateway alone, because no cookie comes with it', async () => {
    const page = await open(await mint());
    const fields = { 'credential-0': 'good-key-1' };
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await submit(page, fields, { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': site, Origin: 'null' });
      expect([site, answer.status < 500 && answer.status >= 400]).toEqual([site, true]);
    }
    expect((await submit(page, fields, {})).status).toBe(400);
    expect(given.asked).toEqual([]);
  });

  test('belongs to the page that sent its first form, not to one that opens later or holds the link', async () => {
    const address = await mint();
    const [first, second] = [await open(address), await open(address)];
    await submit(first, { 'credential-0': 'wrong' });
    expect((await submit(second, { 'credential-0': 'good-key-1' })).status).toBe(400);
    expect((await open(address)).status).toBe(400);
    expect((await createSessionVisitor(given).open(address)).status).toBe(400);
  });

  test('shows its errors to the user, in the frame', async () => {
    const page = await open(await mint());
    given.now += 3_600_000;
    const old = await submit(page, { 'credential-0': 'good-key-1' });
    expect(old.status).toBe(400);
    const again = await open(await mint());
    await given.store.db.updateTable('partners').set({ suspended_at: given.now }).execute();
    const suspended = await submit(again, { 'credential-0': 'good-key-1' });
    expect([suspended.status, framersOf(suspended)]).toEqual([403, SITE]);
  });
});

describeConnect('every other page', (given) => {
  test.each([
    ['/'],
    ['/tools'],
    ['/nowhere'],
    ['/connect'],
    ['/connect?token=utg_ct_none'],
    ['/connect?session=00000000-0000-0000-0000-000000000000'],
    [`/connect/library?client_id=acme&user_id=a&state=s&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`],
    ['/connect/library/callback?code=a&state=b'],
    ['/connect.js'],
    ['/api/mcp/oauth/authorize?client_id=a'],
    ['/api/mcp/unified'],
    ['/me'],
    ['/me/approvals'],
    ['/admin'],
    ['/admin/users'],
    ['/api/openapi.yaml'],
    ['/api/partner/users'],
  ])('%s may be framed by no one, whatever the address and the headers say', async (address) => {
    const frame = `${address.includes('?') ? '&' : '?'}frame=${encodeURIComponent(SITE)}`;
    const answer = await given.send(address + frame, { headers: { ...IN_FRAME, Accept: 'text/html' } });
    expect([framersOf(answer), answer.headers.get('X-Frame-Options')]).toEqual(["'none'", 'DENY']);
  });
});

describe('the source', () => {
  test('names who may frame an answer in one place', () => {
    const files = globSync('server/**/*.ts').filter((file) => /state\.framedBy = /.test(readFileSync(file, 'utf8')));
    expect(files).toEqual(['server/connect/visit.ts']);
  });
});
