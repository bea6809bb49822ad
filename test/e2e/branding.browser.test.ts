import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findPartnerByClientId, updatePartner } from '../../server/base/store/repositories/partners.ts';
import { findUsersByExternalId } from '../../server/base/store/repositories/users.ts';
import { mintUserLink } from '../../server/identity/partners/user-links.ts';
import { changeLogo, parseLogo } from '../../server/modules/branding/logo.ts';
import { hasBrowser } from '../support/browser.ts';
import { givenConsentInBrowser } from '../support/consent-in-browser.ts';
import { pngOf } from '../support/images.ts';
import { findPageProblems } from '../support/page-problems.ts';

const ACCENTS = ['#ffee00', '#000000', '#0a66c2', '#ff0000', '#ffffff'];
const REDIRECT_URI = 'https://app.example/back';

describe.skipIf(!hasBrowser())('pages of a partner with a logo and an accent colour, in Chromium', () => {
  const given = givenConsentInBrowser();

  async function brand(accentColor: string): Promise<void> {
    const { db } = given.gateway.store;
    const { id } = (await findPartnerByClientId(db, 'test'))!;
    await updatePartner(db, id, { accentColor, redirectUris: [REDIRECT_URI] });
    const logo = parseLogo(pngOf(64, 32, { rgb: [20, 160, 90] }));
    await db.transaction().execute((transaction) => changeLogo(transaction, id, logo, { now: 1 }));
  }

  async function pages(look: (name: string) => Promise<void>): Promise<void> {
    const query = new URLSearchParams({ client_id: 'test', user_id: 'ada', redirect_uri: REDIRECT_URI, state: 's' });
    await given.page.goto(`${given.origin}/connect/library?${query}`);
    await look('connect');
    await given.page.goto(await given.urlFor());
    await given.type(await given.mint());
    await look('consent');
    const { db } = given.gateway.store;
    const [user] = await findUsersByExternalId(db, 'ada');
    const change = { by: 'partner', now: Date.now() } as const;
    await given.page.goto(
      given.origin + (await db.transaction().execute((transaction) => mintUserLink(transaction, user!, change))),
    );
    await given.press('Open my page');
    await look('me');
  }

  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    test.each(ACCENTS)('%s has enough contrast behind text and as a border (WCAG 1.4.3, 1.4.11)', async (accent) => {
      await brand(accent);
      await given.visit({ colorScheme, viewport: { width: 1280, height: 900 } });
      await pages(async (name) => {
        expect([name, await findPageProblems(given.page)]).toEqual([name, []]);
        const { text, edges } = await given.page.evaluate(measure);
        expect([name, text >= 4.5, edges.filter((edge) => edge < 3)]).toEqual([name, true, []]);
      });
    });
  });

  test.each([390, 1280])('the logo loads and is small and next to the name at %i pixels', async (width) => {
    await brand('#0a66c2');
    await given.visit({ viewport: { width, height: 900 } });
    await pages(async (name) => {
      const side = name === 'me' ? 40 : 48;
      const logo = { naturalWidth: 64, width: side, height: side, alt: '' };
      expect([name, await logoOf(given.page)]).toEqual([name, logo]);
      expect(await given.page.getByText('test', { exact: true }).first().isVisible()).toBe(true);
      expect(await given.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    });
  });
});

function logoOf(page: Page) {
  return page.locator('img.logo').evaluate((element) => {
    const { naturalWidth, alt, offsetWidth, offsetHeight } = element as HTMLImageElement;
    return { naturalWidth, width: offsetWidth, height: offsetHeight, alt };
  });
}

/** Runs in the page: contrast of the primary button's text, and of its edge and that of a field with the ground. */
function measure(): { text: number; edges: number[] } {
  const luminance = (color: string) => {
    const [r, g, b] = color
      .match(/[\d.]+/g)!
      .map(Number)
      .map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)) as [
      number,
      number,
      number,
    ];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one: string, other: string) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  const main = getComputedStyle(document.querySelector('main')!);
  const field = document.querySelector('input[type=password]');
  const button = document.querySelector('button.primary');
  const style = button === null ? null : getComputedStyle(button);
  return {
    text: style === null ? 21 : contrast(style.color, style.backgroundColor),
    edges: [
      ...(field === null ? [] : [contrast(getComputedStyle(field).borderTopColor, main.backgroundColor)]),
      ...(style === null ? [] : [contrast(style.borderTopColor, main.backgroundColor)]),
    ],
  };
}
