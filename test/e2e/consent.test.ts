import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mintConnectionCode } from '../../server/oauth/connection-codes.ts';
import { findUsersByExternalId } from '../../server/store/repositories/users.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const REFUSED_STATUS = /Failed to load resource: the server responded with a status of 4\d\d/;
const HAS_IPV6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
const LONG_HOST = 'a-name-without-end-that-goes-on-and-on.customers.eu-central-1.hosting.example';

interface Site {
  readonly origin: string;
  /** Paths and queries that were asked for, without icons. */
  readonly requests: string[];
  /** What the site answers with; by path. */
  readonly pages: Map<string, { body?: string; location?: string }>;
  readonly server: Server;
}

describe.skipIf(!hasBrowser())('the consent page in Chromium', () => {
  let gateway: RunningGateway;
  let origin: string;
  let browser: Browser;
  let client: Site;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  const verifier = randomBytes(32).toString('base64url');

  beforeAll(async () => {
    const tools = [fakeTool({ name: 'library_list_books' }), fakeTool({ name: 'library_add_book', method: 'POST' })];
    gateway = await startGateway({
      connectors: [fakeConnector({ tools }), fakeConnector({ name: 'archive', title: 'City Archive', tools: [] })],
      secretOf: () => 'secret',
      env: { LIBRARY_BASE_URL: 'http://127.0.0.1:9', PRIVATE_USE_REDIRECT_SCHEMES: 'com.example.app' },
    });
    origin = new URL(gateway.url).origin;
    [browser, client] = await Promise.all([launchBrowser(), startSite()]);
  });
  afterAll(async () => {
    await browser.close();
    await stopSite(client);
    await gateway.close();
  });
  beforeEach(async () => {
    client.requests.length = 0;
    client.pages.clear();
    await gateway.store.db.deleteFrom('attempt_counters').execute();
    await visit({});
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  async function visit(options: Parameters<Browser['newContext']>[0]): Promise<void> {
    await context?.close();
    context = await browser.newContext(options);
    page = await context.newPage();
    complaints = [];
    page.on('console', (message) => {
      if (!REFUSED_STATUS.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  }

  async function register(name: string | undefined, redirectUri: string): Promise<string> {
    const answer = await fetch(`${origin}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
    });
    return ((await answer.json()) as { client_id: string }).client_id;
  }

  async function urlFor(options: { name?: string; redirectUri?: string; scope?: string } = {}): Promise<string> {
    const redirectUri = options.redirectUri ?? `${client.origin}/callback`;
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: await register(options.name ?? 'Claude', redirectUri),
      redirect_uri: redirectUri,
      state: 'state-1',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(options.scope === undefined ? {} : { scope: options.scope }),
    });
    return `${origin}/api/mcp/oauth/authorize?${parameters}`;
  }

  async function mint(limits: { services?: string[]; readOnly?: boolean } = {}): Promise<string> {
    const [user] = await findUsersByExternalId(gateway.store.db, 'ada');
    const granted = { services: null, readOnly: false, ...limits };
    return mintConnectionCode(gateway.store.db, { userId: user!.id, limits: granted, now: Date.now() });
  }

  const press = (name: string) => page.getByRole('button', { name }).click();
  const type = async (code: string) => {
    await page.getByRole('textbox', { name: 'Connection code' }).fill(code);
    await press('Continue');
  };

  describe('the way through', () => {
    test.each([
      ['with scripts', true],
      ['without scripts', false],
    ])('%s, by keyboard alone, ends at the client with a code that becomes a token', async (_title, scripts) => {
      await visit({ javaScriptEnabled: scripts });
      const authorizeUrl = await urlFor();
      await page.goto(authorizeUrl);
      await page.keyboard.type((await mint()).toLowerCase().replaceAll('-', ' '));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Allow Claude?' }).waitFor();
      for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
      await page.waitForURL(`${client.origin}/callback**`);

      const callback = new URL(client.requests[0]!, client.origin).searchParams;
      expect([callback.get('state'), callback.get('iss')]).toEqual(['state-1', origin]);
      const tokens = await fetch(`${origin}/api/mcp/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: callback.get('code')!,
          redirect_uri: `${client.origin}/callback`,
          client_id: new URL(authorizeUrl).searchParams.get('client_id')!,
          code_verifier: verifier,
        }),
      });
      expect(await tokens.json()).toMatchObject({ token_type: 'Bearer', scope: 'tools:read tools:write' });
    });

    test('Read only grants reading only', async () => {
      await page.goto(await urlFor());
      await type(await mint());
      await page.getByRole('radio', { name: 'Read only' }).check();
      await press('Allow');
      await page.waitForURL(`${client.origin}/callback**`);
      const grants = await gateway.store.db.selectFrom('oauth_grants').select('scopes').orderBy('id').execute();
      expect(grants.at(-1)!.scopes).toBe('tools:read');
    });

    test.each([
      ['Cancel', async () => undefined],
      ['Deny', async () => type(await mint())],
    ])('%s ends at the client with a refusal', async (button, before) => {
      await page.goto(await urlFor());
      await before();
      await press(button);
      await page.waitForURL(`${client.origin}/callback**`);
      expect(client.requests[0]).toContain('error=access_denied');
    });

    test('a client may lead on to another page of its own', async () => {
      client.pages.set('/callback', { location: '/done' });
      await page.goto(await urlFor());
      await type(await mint());
      await press('Allow');
      await page.waitForURL(`${client.origin}/done`);
    });

    test.skipIf(!HAS_IPV6)('an address that a policy cannot name is reached all the same', async () => {
      const site = await startSite('::1');
      await page.goto(await urlFor({ redirectUri: `${site.origin}/callback` }));
      await type(await mint());
      await press('Allow');
      await page.waitForURL(`${site.origin}/callback**`);
      await stopSite(site);
    });

    test('a private-use scheme gets the answer', async () => {
      await page.goto(await urlFor({ redirectUri: 'com.example.app:/callback' }));
      await type(await mint());
      const answer = page.waitForResponse((response) => response.status() === 303);
      await page.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true });
      expect((await answer).headers().location).toMatch(/^com\.example\.app:\/callback\?code=utg_ac_/);
    });

    test('a window that a client opened can still speak to that client at the end', async () => {
      const authorizeUrl = await urlFor();
      client.pages.set('/app', {
        body: `<title>waiting</title><script>
          onmessage = ({ data }) => { document.title = data; };
          window.open(${JSON.stringify(authorizeUrl)});
        </script>`,
      });
      client.pages.set('/callback', { body: '<script>opener.postMessage("connected", "*")</script>' });
      const opened = context.waitForEvent('page');
      await page.goto(`${client.origin}/app`);
      const app = page;
      page = await opened;
      await type(await mint());
      await press('Allow');
      await app.waitForFunction(() => document.title === 'connected');
    });

    test('two windows of one browser do not get in each other’s way', async () => {
      await page.goto(await urlFor());
      const first = page;
      page = await context.newPage();
      await page.goto(await urlFor({ name: 'Another' }));
      await type(await mint());
      page = first;
      await type(await mint());
      await press('Allow');
      await page.waitForURL(`${client.origin}/callback**`);
    });

    test('Allow does not work twice', async () => {
      await page.goto(await urlFor());
      await type(await mint());
      await press('Allow');
      await page.waitForURL(`${client.origin}/callback**`);
      await page.goBack().catch((error: Error) => expect(error.message).toContain('ERR_CACHE_MISS'));
      expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
      expect(client.requests.filter((path) => path.startsWith('/callback'))).toHaveLength(1);
    });
  });

  describe('strangers', () => {
    test('cannot frame it', async () => {
      client.pages.set('/frame', { body: `<iframe src="${(await urlFor()).replaceAll('&', '&amp;')}"></iframe>` });
      await page.goto(`${client.origin}/frame`);
      await page.waitForTimeout(300);
      expect(page.frames()[1]!.url()).toMatch(/^chrome-error:/);
      expect(complaints.splice(0)).toEqual([expect.stringMatching(/frame-ancestors|X-Frame-Options/)]);
    });

    test('cannot send its form, whatever they know', async () => {
      await page.goto(await urlFor());
      await type(await mint());
      const transaction = await page.locator('input[name=transaction]').getAttribute('value');
      client.pages.set('/attack', {
        body: `<form method="post" action="${origin}/api/mcp/oauth/authorize">
          <input name="transaction" value="${transaction}"><input name="decision" value="allow"></form>
          <script>document.forms[0].submit()</script>`,
      });
      await page.goto(`${client.origin.replace('127.0.0.1', 'localhost')}/attack`);
      await page.getByRole('heading', { name: 'Sent from another site' }).waitFor();
      expect(client.requests.some((path) => path.startsWith('/callback'))).toBe(false);
    });

    test('learn nothing of where it was from a Referer', async () => {
      const referers: (string | undefined)[] = [];
      client.server.prependListener('request', (request) => referers.push(request.headers.referer));
      await page.goto(await urlFor());
      await type(await mint());
      await press('Allow');
      await page.waitForURL(`${client.origin}/callback**`);
      expect(referers[0]).toBeUndefined();
    });

    test('cannot put markup in their names', async () => {
      await page.goto(await urlFor({ name: '</h1><img src=x onerror="document.title=1"><h1>' }));
      await type(await mint());
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('<img src=x');
    });
  });

  describe('for people who listen to it', () => {
    test('the first step is in order', async () => {
      await page.goto(await urlFor());
      expect(await page.title()).toBe('Connect Claude · Unified Tool Gateway');
      expect(await page.locator('main').ariaSnapshot()).toBe(
        [
          '- main:',
          '  - heading "Connect Claude" [level=1]',
          '  - paragraph: It asks to use the services that you have connected.',
          '  - term: Application',
          '  - definition: Claude It gave itself this name; nobody has verified it.',
          '  - term: Sends you back to',
          `  - definition: ${new URL(client.origin).host} A program on this computer.`,
          '  - text: Connection code',
          '  - textbox "Connection code":',
          '    - /placeholder: XXXX-XXXX-XXXX',
          '  - paragraph: The application in which you connected your services shows you this code. Capitals, spaces and hyphens do not matter.',
          '  - button "Continue"',
          '  - button "Cancel"',
        ].join('\n'),
      );
    });

    test('a wrong code is said first, and the field says that it is wrong', async () => {
      await page.goto(await urlFor());
      await type('0000-0000-0000');
      expect(await page.title()).toBe('Error: Connect Claude · Unified Tool Gateway');
      expect(await page.getByRole('alert').textContent()).toContain('This code is not valid');
      const field = page.getByRole('textbox', { name: 'Connection code' });
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const described = await field.evaluate((element) =>
        element
          .getAttribute('aria-describedby')!
          .split(' ')
          .map((id) => document.getElementById(id)!.textContent)
          .join(' '),
      );
      expect(described).toMatch(/^This code is not valid.*Capitals, spaces and hyphens/s);
    });

    test('the second step is in order', async () => {
      await page.goto(await urlFor());
      await type(await mint());
      expect(await page.locator('main').ariaSnapshot()).toBe(
        [
          '- main:',
          '  - heading "Allow Claude?" [level=1]',
          '  - paragraph: It could then use these services in your name.',
          '  - term: Application',
          '  - definition: Claude It gave itself this name; nobody has verified it.',
          '  - term: Sends you back to',
          `  - definition: ${new URL(client.origin).host} A program on this computer.`,
          '  - term: Connected through',
          '  - definition: test As the user ada',
          '  - term: Services',
          '  - definition:',
          '    - list:',
          '      - listitem: City Archive',
          '      - listitem: Library',
          '    - text: And services that you connect later.',
          '  - note:',
          '    - strong: A program on this computer asks',
          '    - paragraph: Any program on this computer can ask under any name. Go on only if you have just started this yourself.',
          '  - group "Access":',
          '    - text: Access',
          '    - radio "Read and write It can also create, change and delete what is in these services, on your behalf." [checked]',
          '    - text: Read and write It can also create, change and delete what is in these services, on your behalf.',
          '    - radio "Read only It can look things up, and change nothing."',
          '    - text: Read only It can look things up, and change nothing.',
          '  - button "Allow"',
          '  - button "Deny"',
        ].join('\n'),
      );
    });
  });

  describe('for people who look at it', () => {
    async function states(look: (state: string) => Promise<void>): Promise<void> {
      await page.goto(await urlFor({ name: 'N'.repeat(80), redirectUri: `https://${LONG_HOST}/callback` }));
      await look('first step');
      await type('0000-0000-0000');
      await look('wrong code');
      await type(await mint());
      await look('second step');
      await page.goto(`${origin}/api/mcp/oauth/authorize`);
      await look('error');
    }

    test.each([320, 390, 1280])('%i pixels are wide enough', async (width) => {
      await visit({ viewport: { width, height: 800 } });
      await states(async (state) => {
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        expect([state, needed]).toEqual([state, width]);
      });
    });

    test.each(['light', 'dark'] as const)(
      'every text is clear on its ground where it is %s (WCAG 1.4.3)',
      async (scheme) => {
        await visit({ colorScheme: scheme });
        await states(async (state) => {
          const weak = await page.evaluate(findWeakTexts);
          expect([state, weak]).toEqual([state, []]);
        });
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(ground).toBe(scheme === 'light' ? 'rgb(243, 244, 246)' : 'rgb(14, 17, 23)');
      },
    );

    test('buttons are large enough for a thumb (WCAG 2.5.8)', async () => {
      await visit({ viewport: { width: 320, height: 640 } });
      await states(async (state) => {
        for (const button of await page.getByRole('button').all()) {
          expect([state, (await button.boundingBox())!.height >= 44]).toEqual([state, true]);
        }
      });
    });
  });
});

async function startSite(host = '127.0.0.1'): Promise<Site> {
  const requests: string[] = [];
  const pages: Site['pages'] = new Map();
  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    if (!url.startsWith('/favicon')) requests.push(url);
    const { body = '<title>client</title>', location } = pages.get(url.split('?')[0]!) ?? {};
    response.setHeader('Content-Type', 'text/html');
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { Location: location });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, requests, pages, server };
}

async function stopSite(site: Site): Promise<void> {
  site.server.closeAllConnections();
  await new Promise((resolve) => site.server.close(resolve));
}

/** Runs in the page: texts whose contrast with what is behind them is below 4.5. */
function findWeakTexts(): string[] {
  const toRgb = (color: string) => color.match(/[\d.]+/g)!.map(Number);
  const luminance = (color: string) => {
    const [r, g, b] = toRgb(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)';
    const color = getComputedStyle(element).backgroundColor;
    return toRgb(color)[3] === 0 ? groundOf(element.parentElement) : color;
  };
  return [...document.querySelectorAll('body *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent!.trim() !== ''))
    .filter((element) => {
      const [one, two] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))];
      return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05) < 4.5;
    })
    .map((element) => `${element.tagName}: ${element.textContent}`);
}
