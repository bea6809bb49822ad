import { createHash, randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Host, startHost } from '../server/call/upstream/support.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { type Site, startSite, stopSite } from '../support/consent-in-browser.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { findPageProblems } from '../support/page-problems.ts';
import { mintCode, startConsentByNeed } from './consent-by-need.ts';

describe.skipIf(!hasBrowser())('in Chromium', () => {
  let upstream: Host;
  let gateway: RunningGateway;
  let origin: string;
  let browser: Browser;
  let page: Page;
  let client: Site;
  beforeAll(async () => {
    upstream = await startHost((_, response) => response.end('{}'));
    gateway = await startConsentByNeed(upstream.origin);
    origin = new URL(gateway.url).origin;
    [browser, client] = await Promise.all([launchBrowser(), startSite()]);
  });
  afterAll(async () => {
    await browser.close();
    await stopSite(client);
    await gateway.close();
    await upstream.close();
  });
  afterEach(() => page.close());

  async function urlOf(): Promise<string> {
    const redirectUri = `${client.origin}/callback`;
    const answer = await fetch(`${origin}/api/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Claude',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
    });
    return `${origin}/api/mcp/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: ((await answer.json()) as { client_id: string }).client_id,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(randomBytes(8)).digest('base64url'),
      code_challenge_method: 'S256',
    })}`;
  }

  async function focusOrder(): Promise<string[]> {
    const order: string[] = [];
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        return element.id || element.textContent.trim();
      });
      order.push(name);
      if (name === 'Allow') break;
    }
    return order;
  }

  const SHOTS = process.env.CONSENT_SHOTS;

  test.each([390, 1280])(
    'a person of %i px reads, chooses by keyboard, and sees only the difference later',
    async (width) => {
      page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: 'light' });
      const url = await urlOf();
      const reach = async (name: string) => {
        await page.goto(url);
        await page.getByRole('textbox', { name: 'Connection code' }).fill(await mintCode(gateway));
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('heading', { name: 'Allow Claude?' }).waitFor();
        expect(await findPageProblems(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}-${width}.png`, fullPage: true });
      };
      await reach('first');
      expect(await page.locator('main').ariaSnapshot()).toContain(
        [
          '  - group "What it may do":',
          '    - text: What it may do',
          '    - radio "Only read It changes nothing. It asks before doing more." [checked]',
          '    - text: Only read It changes nothing. It asks before doing more.',
          '    - radio "Read and write It creates and changes things in Library. It asks you before it first uses a tool that deletes or overwrites."',
          '    - text: Read and write It creates and changes things in Library. It asks you before it first uses a tool that deletes or overwrites.',
          '    - radio "Read, write and delete It creates, changes, deletes and overwrites things in Library."',
        ].join('\n'),
      );
      expect(await focusOrder()).toEqual([
        'access-read',
        'service-library',
        'Tools of Library',
        'Details and future access',
        'Allow',
      ]);
      await page.locator('#access-read').focus();
      await page.keyboard.press('ArrowDown');
      expect(await page.locator('#access-no-delete').isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(`${client.origin}/**`);

      await reach('difference');
      const snapshot = await page.locator('main').ariaSnapshot();
      expect(snapshot).toContain('You have allowed Claude before. Now it asks for more');
      expect(snapshot).toContain('Library: 1 read-only tool, 2 that change data');
      expect(snapshot).toContain('radio "Nothing more It asks before doing more." [checked]');
      expect(snapshot).toContain('radio "Also delete It deletes and overwrites things in Library."');
      expect(await page.getByRole('checkbox', { name: /^Library/ }).isVisible()).toBe(false);
      expect(await focusOrder()).toEqual([
        'access-read',
        'Change its services and tools',
        'Details and future access',
        'Allow',
      ]);
    },
  );
});
