import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { givenConsentInBrowser, startSite, stopSite } from '../support/consent-in-browser.ts';

const HAS_IPV6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

describe.skipIf(!hasBrowser())('the consent page in Chromium', () => {
  const given = givenConsentInBrowser();

  describe('from the first step to the client', () => {
    test.each([
      ['with scripts', true],
      ['without scripts', false],
    ])('ends at the client with a valid code, %s and with the keyboard only', async (_title, scripts) => {
      await given.visit({ javaScriptEnabled: scripts });
      const authorizeUrl = await given.urlFor();
      await given.page.goto(authorizeUrl);
      await given.page.locator('#connection_code:focus').waitFor();
      await given.page.keyboard.type((await given.mint()).toLowerCase().replaceAll('-', ' '));
      await given.page.keyboard.press('Enter');
      await given.page.getByRole('heading', { name: 'Allow Claude?' }).waitFor();
      await given.tabTo('button[value=allow]', 8);
      await given.page.keyboard.press('Enter');
      await given.page.waitForURL(`${given.client.origin}/callback**`);

      const callback = new URL(given.client.requests[0]!, given.client.origin).searchParams;
      expect([callback.get('state'), callback.get('iss')]).toEqual(['state-1', given.origin]);
      const tokens = await fetch(`${given.origin}/api/mcp/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: callback.get('code')!,
          redirect_uri: `${given.client.origin}/callback`,
          client_id: new URL(authorizeUrl).searchParams.get('client_id')!,
          code_verifier: given.verifier,
        }),
      });
      expect(await tokens.json()).toMatchObject({ token_type: 'Bearer', scope: 'tools:read tools:write' });
    });

    test('Read only grants only read access', async () => {
      await given.page.goto(await given.urlFor());
      await given.type(await given.mint());
      await given.page.getByRole('radio', { name: 'Read only' }).check();
      await given.press('Allow');
      await given.page.waitForURL(`${given.client.origin}/callback**`);
      const grants = await given.gateway.store.db.selectFrom('oauth_grants').select('scopes').orderBy('id').execute();
      expect(grants.at(-1)!.scopes).toBe('tools:read');
    });

    test.each([
      ['Cancel', async () => undefined],
      ['Deny', async () => given.type(await given.mint())],
    ])('%s ends at the client with access_denied', async (button, before) => {
      await given.page.goto(await given.urlFor());
      await before();
      await given.press(button);
      await given.page.waitForURL(`${given.client.origin}/callback**`);
      expect(given.client.requests[0]).toContain('error=access_denied');
    });

    test('a client may redirect to another of its pages', async () => {
      given.client.pages.set('/callback', { location: '/done' });
      await given.page.goto(await given.urlFor());
      await given.type(await given.mint());
      await given.press('Allow');
      await given.page.waitForURL(`${given.client.origin}/done`);
    });

    test.skipIf(!HAS_IPV6)('a redirect URI that a policy cannot express is still reached', async () => {
      const site = await startSite('::1');
      // After the browser is done with it: it still asks for the page's icon.
      onTestFinished(() => stopSite(site));
      await given.page.goto(await given.urlFor({ redirectUri: `${site.origin}/callback` }));
      await given.type(await given.mint());
      await given.press('Allow');
      await given.page.waitForURL(`${site.origin}/callback**`);
    });

    test('a private-use scheme receives the answer', async () => {
      await given.page.goto(await given.urlFor({ redirectUri: 'com.example.app:/callback' }));
      await given.type(await given.mint());
      await given.page.getByRole('heading', { name: 'Allow Claude?' }).waitFor();
      const answer = given.page.waitForResponse((response) => response.status() === 303);
      await given.page.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true });
      expect((await answer).headers().location).toMatch(/^com\.example\.app:\/callback\?code=utg_ac_/);
    });

    test('a window that a client opened can still message that client at the end', async () => {
      const authorizeUrl = await given.urlFor();
      given.client.pages.set('/app', {
        body: `<title>waiting</title><script>
          onmessage = ({ data }) => { document.title = data; };
          window.open(${JSON.stringify(authorizeUrl)});
        </script>`,
      });
      given.client.pages.set('/callback', { body: '<script>opener.postMessage("connected", "*")</script>' });
      const opened = given.context.waitForEvent('page');
      await given.page.goto(`${given.client.origin}/app`);
      const app = given.page;
      given.page = await opened;
      await given.type(await given.mint());
      await given.press('Allow');
      await app.waitForFunction(() => document.title === 'connected');
    });

    test('two windows of one browser do not interfere', async () => {
      await given.page.goto(await given.urlFor());
      const first = given.page;
      given.page = await given.context.newPage();
      await given.page.goto(await given.urlFor({ name: 'Another' }));
      await given.type(await given.mint());
      given.page = first;
      await given.type(await given.mint());
      await given.press('Allow');
      await given.page.waitForURL(`${given.client.origin}/callback**`);
    });

    test.each([
      ['Allow', true],
      ['Deny', true],
      ['Allow', false],
    ])(
      'Back after %s shows that the request has been answered, with scripts: %s',
      { retry: 2 },
      async (button, scripts) => {
        await given.visit({ javaScriptEnabled: scripts });
        await given.page.goto(await given.urlFor());
        await given.type('0000-0000-0000');
        await given.type(await given.mint());
        await given.press(button);
        await given.page.waitForURL(`${given.client.origin}/callback**`);
        await given.page.goBack();
        await given.page.getByRole('heading', { name: 'This request has been answered' }).waitFor();
        expect(await given.page.getByRole('button').count()).toBe(0);
        await given.page.goBack();
        await given.page.getByText('This request has been answered').waitFor();
        await given.page.goBack();
        await given.page.getByRole('heading', { name: 'Connect Claude' }).waitFor();
        expect(given.client.requests.filter((path) => path.startsWith('/callback'))).toHaveLength(1);
      },
    );

    test('services, tools and access can be chosen with the keyboard and without scripts', async () => {
      await given.visit({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } });
      await given.page.goto(await given.urlFor());
      await given.type(await given.mint());
      await given.page.getByRole('checkbox', { name: 'City Archive' }).focus();
      await given.page.keyboard.press('Space');
      for (const key of ['Tab', 'Tab', 'Enter', 'Tab', 'Space']) await given.page.keyboard.press(key);
      expect(await given.page.getByRole('checkbox', { checked: false }).count()).toBe(2);
      await given.press('Allow');
      await given.page.waitForURL(`${given.client.origin}/callback**`);
      const { db } = given.gateway.store;
      const grants = await db.selectFrom('oauth_grants').select('permission').orderBy('id').execute();
      expect(JSON.parse(grants.at(-1)!.permission!).without).toEqual(['archive/*', 'library_list_books']);
    });
  });

  describe('other sites', () => {
    test('cannot frame the page', async () => {
      given.client.pages.set('/frame', {
        body: `<iframe src="${(await given.urlFor()).replaceAll('&', '&amp;')}"></iframe>`,
      });
      await given.page.goto(`${given.client.origin}/frame`);
      await given.page.waitForTimeout(300);
      expect(given.page.frames()[1]!.url()).toMatch(/^chrome-error:/);
      expect(given.problems.splice(0)).toEqual([expect.stringMatching(/frame-ancestors|X-Frame-Options/)]);
    });

    test('cannot submit the form, whatever they know', async () => {
      await given.page.goto(await given.urlFor());
      await given.type(await given.mint());
      const pageState = await given.page.locator('input[name=page_state]').getAttribute('value');
      given.client.pages.set('/attack', {
        body: `<form method="post" action="${given.origin}/api/mcp/oauth/authorize">
          <input name="page_state" value="${pageState}"><input name="decision" value="allow"></form>
          <script>document.forms[0].submit()</script>`,
      });
      await given.page.goto(`${given.client.origin.replace('127.0.0.1', 'localhost')}/attack`);
      await given.page.getByRole('heading', { name: 'Sent from another site' }).waitFor();
      expect(given.client.requests.some((path) => path.startsWith('/callback'))).toBe(false);
    });

    test('learn nothing from a Referer', async () => {
      const referers: (string | undefined)[] = [];
      given.client.server.prependListener('request', (request) => referers.push(request.headers.referer));
      await given.page.goto(await given.urlFor());
      await given.type(await given.mint());
      await given.press('Allow');
      await given.page.waitForURL(`${given.client.origin}/callback**`);
      expect(referers[0]).toBeUndefined();
    });

    test('cannot put markup in their names', async () => {
      await given.page.goto(await given.urlFor({ name: '</h1><img src=x onerror="document.title=1"><h1>' }));
      await given.type(await given.mint());
      expect(await given.page.locator('img').count()).toBe(0);
      expect(await given.page.getByRole('heading', { level: 1 }).textContent()).toContain('<img src=x');
    });
  });
});
