import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GatewayContext } from '../../../../server/base/http/state.ts';
import { accentStyle, type Brand, markOf, serviceMarkOf } from '../../../../server/base/pages/brand.ts';
import { contrastOf, edgeOn, textOn } from '../../../../server/base/pages/contrast.ts';
import { html } from '../../../../server/base/pages/html.ts';
import { sendPage } from '../../../../server/base/pages/page.ts';
import { GROUNDS, hashSource, STYLE } from '../../../../server/base/pages/style.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { numRuns } from '../../../support/num-runs.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const { light, dark } = GROUNDS;
const grounds = [
  [light.card, light.page],
  [dark.card, dark.page],
] as const;

const hash = '0123456789abcdef0123456789abcdef';
const plain: Brand = {
  clientId: 'acme',
  accentColor: null,
  logoHash: null,
  logoText: null,
  suspendedAt: null,
  realm: 'live',
  footer: true,
};

describe('contrast (WCAG 2.2)', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#0a66c2', '#ffffff', 5.69],
  ])('of %s with %s is %d', (one, other, ratio) => {
    expect(contrastOf(one, other)).toBeCloseTo(ratio, 2);
    expect(contrastOf(other, one)).toBe(contrastOf(one, other));
  });

  test('of the text on any colour suffices for text', () => {
    fc.assert(
      fc.property(color, (accent) => contrastOf(accent, textOn(accent)) >= 4.5),
      { numRuns: numRuns(2000) },
    );
  });

  test('of any colour’s edge suffices for edges on every background, in light and dark', () => {
    fc.assert(
      fc.property(color, fc.constantFrom(...grounds), (accent, [card, page]) => {
        const edge = edgeOn(accent, [card, page]);
        return [card, page].every((ground) => contrastOf(edge, ground) >= 3);
      }),
      { numRuns: numRuns(2000) },
    );
  });

  test('of any colour as a link suffices for text on every background', () => {
    fc.assert(
      fc.property(color, fc.constantFrom(...grounds), (accent, [card, page]) => {
        const link = edgeOn(accent, [card, page], 5.5);
        return [card, page].every((ground) => contrastOf(link, ground) >= 4.5);
      }),
      { numRuns: numRuns(2000) },
    );
  });

  test('that suffices leaves the colour unchanged', () => {
    expect(edgeOn('#0a66c2', [light.card, light.page])).toBe('#0a66c2');
    expect(edgeOn('#ffee00', [dark.card, dark.page])).toBe('#ffee00');
    expect(edgeOn('#ffee00', [light.card, light.page])).not.toBe('#ffee00');
  });
});

test('the style sheet has the grounds that accents are measured against', () => {
  for (const { page, card } of [light, dark]) {
    expect(STYLE).toContain(`--page:${page};`);
    expect(STYLE).toContain(`--card:${card};`);
  }
});

describe('the mark of a service', () => {
  test.each([
    ['Data Link', 'DL'],
    ['Affinity', 'Af'],
    ['<b>', 'b'],
  ])('%s without a logo is the monogram %s', (title, letters) => {
    const mark = String(serviceMarkOf({ name: 'crm', title }));
    expect(mark).toContain(`>${letters}</text>`);
    expect(contrastOf(/fill="(#\w+)"/.exec(mark)![1]!, '#ffffff')).toBeGreaterThanOrEqual(4.5);
  });
});

test('bundled services have different colours', async () => {
  const fills = (await loadConnectors()).map(
    (connector) => /fill="(#\w+)"/.exec(String(serviceMarkOf(connector)))?.[1],
  );
  expect(new Set(fills).size).toBe(fills.length);
});

describe('the mark of a partner', () => {
  test('is its logo, else its initials, else nothing', () => {
    expect(String(markOf({ ...plain, logoHash: hash, logoText: 'A' }))).toBe(
      `<img class="logo" src="/brand/acme/${hash}" alt="" width="40" height="40">`,
    );
    expect(String(markOf({ ...plain, logoText: '<A' }))).toBe(
      '<span class="logo" data-length="2" aria-hidden="true">&lt;A</span>',
    );
    expect(markOf(plain)).toBeNull();
  });

  test('is not its logo while the partner is suspended', () => {
    expect(String(markOf({ ...plain, logoHash: hash, logoText: 'A', suspendedAt: 1 }))).toContain('<span');
  });
});

describe('a page about a partner', () => {
  function send(brand?: Brand) {
    const headers: Record<string, string> = {};
    const ctx = { set: (fields: Record<string, string>) => Object.assign(headers, fields), body: '', state: {} };
    const mark = brand === undefined ? null : markOf(brand);
    const page = { title: 'Title', content: html`<h1>${mark}Title</h1>`, ...(brand === undefined ? {} : { brand }) };
    sendPage(ctx as unknown as GatewayContext, 200, page);
    const [, sheet = ''] = /<style>([\s\S]*?)<\/style>/.exec(ctx.body) ?? [];
    return { policy: headers['Content-Security-Policy'] ?? '', sheet };
  }

  test('has the accent colour in a second style sheet that its policy allows', () => {
    const { policy, sheet } = send({ ...plain, accentColor: '#ffee00' });
    expect(sheet).toContain('--brand: #ffee00; --brand-text: #000000;');
    expect(policy).toContain(`style-src 'self' ${hashSource(sheet)};`);
  });

  test('may load images of the gateway only if it shows a logo', () => {
    const imagesOf = (brand?: Brand) => /img-src [^;]*/.exec(send(brand).policy)?.[0];
    expect(imagesOf()).toBe('img-src data:');
    expect(imagesOf(plain)).toBe('img-src data:');
    expect(imagesOf({ ...plain, logoHash: hash, suspendedAt: 1 })).toBe('img-src data:');
    expect(imagesOf({ ...plain, logoHash: hash })).toBe("img-src data: 'self'");
    expect(imagesOf({ ...plain, logoText: '<img src="/x">' })).toBe('img-src data:');
  });

  test.each(['red', '#FFEE00', '#fe0', '#ffee00;}', '</style>'])('refuses an accent such as %s', (accentColor) => {
    expect(accentStyle(accentColor)).toBe('');
  });
});
