import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { givenConsentInBrowser } from '../support/consent-in-browser.ts';
import { findPageProblems } from '../support/page-problems.ts';

const LONG_HOST = 'a-name-without-end-that-goes-on-and-on.customers.eu-central-1.hosting.example';

describe.skipIf(!hasBrowser())('the consent page in Chromium', () => {
  const given = givenConsentInBrowser();

  describe('with a screen reader', () => {
    test('the first step has the expected accessibility tree', async () => {
      await given.page.goto(await given.urlFor());
      expect(await given.page.title()).toBe('Connect Claude · Unified Tool Gateway');
      expect(await given.page.locator('main').ariaSnapshot()).toBe(
        [
          '- main:',
          '  - heading "Connect Claude" [level=1]',
          '  - paragraph: It asks to use the services that you have connected.',
          '  - paragraph:',
          '    - text: Unverified name. Sends you back to',
          `    - strong: ${new URL(given.client.origin).host}`,
          '    - text: ", a program on this computer."',
          '  - text: Connection code',
          '  - textbox "Connection code":',
          '    - /placeholder: XXXX-XXXX-XXXX',
          '  - paragraph: The application in which you connected your services shows you this code. Capitals, spaces and hyphens do not matter.',
          '  - button "Continue"',
          '  - button "Cancel"',
        ].join('\n'),
      );
    });

    test('a wrong code is announced first, and the field is marked invalid', async () => {
      await given.page.goto(await given.urlFor());
      await given.type('0000-0000-0000');
      expect(await given.page.title()).toBe('Error: Connect Claude · Unified Tool Gateway');
      expect(await given.page.getByRole('alert').textContent()).toContain('This code is not valid');
      const field = given.page.getByRole('textbox', { name: 'Connection code' });
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

    test('the second step has the expected accessibility tree', async () => {
      await given.page.goto(await given.urlFor());
      await given.type(await given.mint());
      expect(await given.page.locator('main').ariaSnapshot()).toBe(
        [
          '- main:',
          '  - heading "Allow Claude?" [level=1]',
          `  - paragraph: "If you allow it, it can use these services for you. Everything is ticked, also tools that write, delete and overwrite: untick what it does not need."`,
          '  - note:',
          '    - strong: A program on this computer asks',
          '    - paragraph:',
          '      - text: Unverified name. Sends you back to',
          `      - strong: ${new URL(given.client.origin).host}`,
          '      - text: . Continue only if you have just started it yourself.',
          '  - group "Services in test":',
          '    - text: Services in test',
          '    - checkbox "City Archive No tool that it could use." [checked]',
          '    - text: City Archive No tool that it could use.',
          '    - checkbox "Library 1 read-only tool, 1 that changes data, 1 that deletes or overwrites." [checked]',
          '    - text: Library 1 read-only tool, 1 that changes data, 1 that deletes or overwrites.',
          '    - group: Tools of Library',
          '  - group "Access":',
          '    - text: Access',
          '    - radio "Read, write, delete and overwrite It can also create, change, delete and overwrite what is in these services, on your behalf." [checked]',
          '    - text: Read, write, delete and overwrite It can also create, change, delete and overwrite what is in these services, on your behalf.',
          '    - radio "Read and write Without the tools that can delete or overwrite."',
          '    - text: Read and write Without the tools that can delete or overwrite.',
          '    - radio "Read only It can look things up, but change nothing."',
          '    - text: Read only It can look things up, but change nothing.',
          '  - group: Details and future access',
          '  - button "Allow"',
          '  - button "Deny"',
          '  - button "See your clients and services in a new tab"',
        ].join('\n'),
      );
      await given.page.getByText('Details and future access').click();
      expect(await given.page.locator('main').ariaSnapshot()).toContain(
        [
          '  - group:',
          '    - text: Details and future access',
          '    - term: Connected through',
          '    - definition: test',
          '    - term: Signed in as',
          '    - definition: ada',
          '    - group "Later":',
          '      - text: Later',
          '      - radio "Stay current Services that you connect later are included, and so are new tools that only read. A tool that becomes riskier, for example by writing, is blocked until you allow it." [checked]',
          '      - text: Stay current Services that you connect later are included, and so are new tools that only read. A tool that becomes riskier, for example by writing, is blocked until you allow it.',
          '      - radio "Freeze Only the tools that exist now. Later ones are not included."',
          '      - text: Freeze Only the tools that exist now. Later ones are not included.',
        ].join('\n'),
      );
    });
  });

  describe('on a screen', () => {
    async function states(look: (state: string) => Promise<void>): Promise<void> {
      await given.page.goto(await given.urlFor({ name: 'N'.repeat(80), redirectUri: `https://${LONG_HOST}/callback` }));
      await look('first step');
      await given.type('0000-0000-0000');
      await look('wrong code');
      await given.type(await given.mint());
      await look('second step');
      await given.page.getByText('Tools of Library').click();
      await given.page.getByText('Details and future access').click();
      await look('second step, with its tools and details');
      await given.page.goto(`${given.origin}/api/mcp/oauth/authorize`);
      await look('error');
    }

    test.each([320, 390, 1280])('fits a width of %i pixels', async (width) => {
      await given.visit({ viewport: { width, height: 800 } });
      await states(async (state) => {
        const needed = await given.page.evaluate(() => document.documentElement.scrollWidth);
        expect([state, needed]).toEqual([state, width]);
      });
    });

    test.each(['light', 'dark'] as const)(
      'axe finds no problem in %s mode',
      async (colorScheme) => {
        await given.visit({ colorScheme });
        await states(async (state) => {
          expect([state, await findPageProblems(given.page)]).toEqual([state, []]);
        });
        const ground = await given.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(ground).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(13, 15, 20)');
      },
      60_000,
    );

    test('weighs at most 60 KiB', async () => {
      await states(async (state) => {
        const bytes = Buffer.byteLength(await given.page.content());
        expect([state, bytes <= 60 * 1024]).toEqual([state, true]);
      });
    });

    test('buttons are large enough to touch (WCAG 2.5.8)', async () => {
      await given.visit({ viewport: { width: 320, height: 640 } });
      await states(async (state) => {
        for (const button of await given.page.getByRole('button').all()) {
          expect([state, (await button.boundingBox())!.height >= 44]).toEqual([state, true]);
        }
      });
    });
  });
});
