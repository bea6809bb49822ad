import { expect, test } from 'vitest';
import { clientNameText, isReservedName } from '../../server/base/pages/client-name.ts';
import { describeUserPage } from '../server/modules/me/support.ts';
import { someOf } from '../support/some-of.ts';

const IMITATIONS = [
  'The operator of this gateway',
  'the  OPERATOR of this gateway',
  'The oper\u0430tor of this g\u0430teway',
  'The operator\u200b of this gateway',
  'The 0perator',
  'acme itself',
  'Acme & Sons itself',
  'Unified Tool Gateway',
  'UnifiedT\u043e\u043elGateway',
  'Unlfied Tool Gateway',
  'Approved by Acme',
  'Claude, approved  by your administrator',
  'Ｔｈｅ ｏｐｅｒａｔｏｒ',
  'Verified by2Google',
  'Claude|Verified by|Anthropic',
  'ClaudeVerifiedByAnthropic',
  'Trusted\u2800by\u2800Google',
  'V e r i f i e d b y Google',
  '\u{1f170}dmin',
  '\u{1f1e6}\u{1f1e9}\u{1f1f2}\u{1f1ee}\u{1f1f3}',
  '\u{1f163}he \u{1f15e}perator',
];
const ORDINARY = [
  'Cursor',
  'Claude Code',
  'Visual Studio Code',
  'MCP Inspector',
  'ChatGPT',
  'Zed',
  'Операция',
  'Gateway to Hell',
  'Trusted Bytes',
  'Tour Operator Offers',
  'Verified Bylaws',
  'Distrusted',
];

test.each(IMITATIONS)('the name %s is one of the gateway', (name) => {
  expect(isReservedName(name)).toBe(true);
});

test.each(ORDINARY)('the name %s is free', (name) => {
  expect(isReservedName(name)).toBe(false);
});

test('a name that looks like the partner is described, and any other is marked', () => {
  expect(clientNameText('\u0410cme  \u200b& Sons', 'none', 'Acme & Sons')).toBe(
    'an application that uses the name of Acme & Sons',
  );
  expect(clientNameText('Cursor', 'none', 'Acme & Sons')).toBe('“Cursor” (unverified name)');
});

describeUserPage(
  'a client that speaks in the voice of the gateway',
  (given) => {
    test.each(someOf(IMITATIONS, 3))('is not registered as %s', async (client_name) => {
      const { status, body } = await given.send('/api/mcp/oauth/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ client_name, redirect_uris: ['http://127.0.0.1/callback'] }),
      });
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    });

    test.each([
      ['The operator of this gateway', 'an application with a misleading name'],
      ['Acme & Sons', 'an application that uses the name of Acme &amp; Sons'],
    ])('and is stored as %s is described where it asks for approval', async (name, shown) => {
      const { token } = await given.allow(name);
      await given.call(token, 'library_burn', { id: '1' });
      const browser = await given.entered();
      const { text: list } = await browser.get('/me/approvals');
      const path = /\/me\/approvals\/[0-9a-f-]{36}/.exec(list)?.[0] ?? '';
      for (const page of [list, (await browser.get(path)).text]) {
        expect(page).toContain(shown);
        expect(page).not.toContain('The operator of this gateway');
      }
      expect((await browser.get('/me')).text).toContain(shown.replace('an', 'An'));
      expect((await browser.get('/me')).text).not.toContain('The operator of this gateway');
    });

    test('is marked on every page of the user that names it', async () => {
      const { token, grantId } = await given.allow('Cursor');
      await given.call(token, 'library_burn', { id: '1' });
      const browser = await given.entered();
      for (const path of ['/me', '/me/approvals', `/me/clients/${grantId}`]) {
        const { text } = await browser.get(path);
        expect([path, /[Uu]nverified name/.test(text)]).toEqual([path, true]);
      }
    });
  },
  { APPROVALS: 'destroy' },
);
