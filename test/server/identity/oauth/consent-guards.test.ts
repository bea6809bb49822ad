import { describe, expect, test } from 'vitest';
import { verifies } from '../../../requirements/verifies.ts';
import { describeConsent, MINUTE_MS } from './consent-support.ts';
import { CODE_CHALLENGE, locationOf } from './page-visitor.ts';
import { PUBLIC_URL, REDIRECT_URI } from './support.ts';

describeConsent('the guards of the consent page', (given, page) => {
  test('a denial without a connection code is reported to the client, and leaves nothing else', async () => {
    await page.open();
    const answer = locationOf(await page.visitor.submit({ decision: 'deny' }));
    expect(answer.parameters).toMatchObject({ error: 'access_denied' });
    expect(await given.store.db.selectFrom('attempt_counters').selectAll().execute()).toEqual([]);
  });

  describe('forms that are not from the page of this browser', () => {
    test.each([
      ['no cookie', () => Object.assign(page.visitor, { cookie: null })],
      ['the cookie of another browser', () => Object.assign(page.visitor, { cookie: `utg_browser=${'x'.repeat(43)}` })],
      ['no page state', () => Object.assign(page.visitor, { pageState: '' })],
      ['a changed page state', () => Object.assign(page.visitor, { pageState: flip(page.visitor.pageState) })],
      ['text as a page state', () => Object.assign(page.visitor, { pageState: 'v1.test.AAAA' })],
      ['a page that was open for too long', () => Object.assign(given, { now: given.now + 31 * MINUTE_MS })],
    ])('%s: nothing happens', async (_title, spoil) => {
      verifies('rfc6749-10.12-csrf');
      await page.reachConsent();
      spoil();
      const answer = await page.visitor.submit({ decision: 'allow' });
      expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
      expect(await page.grantsOf()).toEqual([]);
    });

    test.each([
      ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
      ['a sibling domain', { 'Sec-Fetch-Site': 'same-site' }],
      ['another origin', { Origin: 'https://evil.example' }],
    ])('a form of %s is 403', async (_title, headers) => {
      verifies('rfc6749-10.12-csrf');
      await page.reachConsent();
      expect((await page.visitor.submit({ decision: 'allow' }, headers)).status).toBe(403);
      expect(await page.grantsOf()).toEqual([]);
    });

    test.each([
      ['a page without Referer', { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }],
      ['its own origin', { 'Sec-Fetch-Site': 'same-origin', Origin: PUBLIC_URL }],
      ['a reload', { 'Sec-Fetch-Site': 'none' }],
    ])('a form of %s is accepted', async (_title, headers) => {
      await page.reachConsent();
      expect((await page.visitor.submit({ decision: 'allow' }, headers)).status).toBe(303);
    });

    test('two requests of one browser do not interfere', async () => {
      verifies('mcp-consent-per-client');
      await page.reachConsent();
      const { pageState, checked } = page.visitor;
      await page.open({ redirect_uri: 'http://127.0.0.1:7001/callback' });
      Object.assign(page.visitor, { pageState, checked });
      expect(locationOf(await page.visitor.submit({ decision: 'allow' })).to).toBe(REDIRECT_URI);
    });

    test('a client whose registration was removed meanwhile gets nothing', async () => {
      await page.reachConsent();
      await given.store.db.deleteFrom('oauth_clients').execute();
      const answer = await page.visitor.submit({ decision: 'allow' });
      expect([answer.status, answer.headers.get('Location')]).toEqual([400, null]);
    });

    test('a user who was removed meanwhile gets nothing', async () => {
      await page.reachConsent();
      await given.store.db.deleteFrom('users').execute();
      expect((await page.visitor.submit({ decision: 'allow' })).status).toBe(400);
    });

    test.each([
      ['JSON', 'application/json', '{}', 415],
      ['too large a size', 'application/x-www-form-urlencoded', `page_state=${'x'.repeat(300_000)}`, 413],
      ['invalid UTF-8', 'application/x-www-form-urlencoded', Buffer.from([0xff, 0xfe]), 400],
    ])('a body of %s is refused with a page', async (_title, type, body, status) => {
      const init = { method: 'POST', headers: { 'Content-Type': type }, body } as RequestInit;
      const answer = await given.send('/api/mcp/oauth/authorize', init);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    });
  });

  test('no secret reaches the log or the audit', async () => {
    const code = await page.mint();
    await page.open();
    await page.type(code);
    const { parameters } = locationOf(await page.visitor.submit({ decision: 'allow' }));
    const written =
      given.lines.join('') + JSON.stringify(await given.store.db.selectFrom('audit_events').selectAll().execute());
    for (const secret of [code, code.replaceAll('-', ''), parameters.code!, CODE_CHALLENGE]) {
      expect(written).not.toContain(secret);
    }
  });
});

function flip(sealed: string): string {
  const other = sealed.at(-2) === 'A' ? 'B' : 'A';
  return sealed.slice(0, -2) + other + sealed.slice(-1);
}
