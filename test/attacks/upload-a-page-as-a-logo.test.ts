import { expect, test } from 'vitest';
import { suspendPartner } from '../../server/identity/partners/lifecycle.ts';
import { describeConnect, requestOf } from '../server/connect/support.ts';
import { jpegHeadOf, pngChunk, pngOf } from '../support/images.ts';

const SCRIPT = '<script>alert(document.domain)</script>';
const PATH = '/api/partner/branding';

describeConnect('a partner that uploads a page as its logo', (given) => {
  const headers = (secret = given.secret, id = 'acme') => ({
    Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  const upload = (bytes: Buffer, type = 'image/png', more = headers()) =>
    given.send(`${PATH}/logo`, {
      method: 'PUT',
      headers: { ...more, 'Content-Type': type },
      body: new Uint8Array(bytes),
    });
  const color = (accent: unknown) =>
    given.send(PATH, {
      method: 'PUT',
      headers: { ...headers(), 'Content-Type': 'application/json' },
      body: JSON.stringify({ accent_color: accent }),
    });
  const page = () => given.visitor().open('library', requestOf());
  const logoOf = (text: string) => /<img class="logo" src="([^"]+)"/.exec(text)?.[1];

  test('has its logo shown next to its name, as an image that browsers cache', async () => {
    const bytes = pngOf(8, 8);
    const { status, body } = await upload(bytes);
    expect([status, body]).toEqual([
      200,
      {
        name: 'Acme & Sons',
        logo_text: null,
        logo_url: expect.stringContaining('/brand/acme/'),
        accent_color: null,
        footer: true,
      },
    ]);
    const shown = await page();
    expect(shown.text).toMatch(/<img class="logo" [^>]*alt=""[^>]*>.* in <bdi>Acme &amp; Sons<\/bdi>/s);
    expect(shown.headers.get('Content-Security-Policy')).toContain("img-src data: 'self';");
    const image = await fetch(body.logo_url);
    expect(Buffer.from(await image.arrayBuffer())).toEqual(bytes);
    expect(image.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect((await given.send(PATH, { headers: headers() })).body).toEqual(body);
  });

  test('cannot upload a page or an image with scripts, under any media type', async () => {
    const page = Buffer.from(`<!doctype html>${SCRIPT}`);
    const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`);
    for (const [bytes, type, status] of [
      [page, 'image/png', 400],
      [page, 'text/html', 415],
      [svg, 'image/svg+xml', 415],
      [svg, 'image/png', 400],
      [pngOf(1, 1), 'image/jpeg', 400],
      [jpegHeadOf(1, 1), 'image/webp', 400],
      [pngOf(1025, 1), 'image/png', 400],
      [Buffer.alloc(65_537), 'image/png', 413],
    ] as const) {
      const answer = await upload(bytes, type);
      expect([type, answer.status, answer.body.error_description]).toEqual([type, status, expect.any(String)]);
    }
    expect((await given.send(PATH, { headers: headers() })).body.logo_url).toBeNull();
  });

  test('has an image that contains a page served as an image that runs nothing', async () => {
    const both = pngOf(8, 8, { more: [pngChunk('tEXt', Buffer.from(`Comment\0${SCRIPT}`))] });
    const { body } = await upload(both);
    const { headers: served, status } = await fetch(body.logo_url);
    expect([status, served.get('Content-Type')]).toEqual([200, 'image/png']);
    expect(served.get('X-Content-Type-Options')).toBe('nosniff');
    expect(served.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'");
    expect(served.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
  });

  test('finds no logo at any URL but the exact one', async () => {
    const { body } = await upload(pngOf(8, 8));
    const { pathname } = new URL(body.logo_url);
    await given.add('other');
    const addresses = [
      pathname.slice(0, -1),
      pathname.toUpperCase().replace('/BRAND/ACME', '/brand/acme'),
      pathname.replace('/acme/', '/other/'),
      pathname.replace('/acme/', '/a%00b/'),
      pathname.replace('/acme/', '/..%2facme/'),
      `${pathname}/more`,
    ];
    for (const path of addresses) expect([path, (await given.send(path)).status]).toEqual([path, 404]);
    expect((await given.send(pathname)).status).toBe(200);
  });

  test('loses the URL when it removes the logo or is suspended', async () => {
    const first = new URL((await upload(pngOf(8, 8))).body.logo_url).pathname;
    const second = new URL((await upload(pngOf(8, 9))).body.logo_url).pathname;
    expect([(await given.send(first)).status, (await given.send(second)).status]).toEqual([404, 200]);
    const remove = () => given.send(`${PATH}/logo`, { method: 'DELETE', headers: headers() });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    expect((await given.send(second)).status).toBe(404);
    expect(logoOf((await page()).text)).toBeUndefined();

    await upload(pngOf(8, 9));
    await given.store.db
      .transaction()
      .execute((transaction) => suspendPartner(transaction, given.partnerId, { now: given.now }));
    expect((await given.send(second)).status).toBe(404);
    expect([(await upload(pngOf(8, 8))).status, (await color('#000000')).status]).toEqual([403, 403]);
  });

  test('is shown under its own name with the logo of another partner', async () => {
    const bytes = pngOf(8, 8);
    await upload(bytes);
    const redirectUri = 'https://evil.example/back';
    const { secret } = await given.add('evil', { name: 'Evil', redirectUris: [redirectUri] });
    const copied = await upload(bytes, 'image/png', headers(secret, 'evil'));
    expect(copied.body.logo_url).toContain('/brand/evil/');
    const shown = await given.visitor().open('library', requestOf({ client_id: 'evil', redirect_uri: redirectUri }));
    expect(shown.text).toMatch(/<img class="logo" [^>]*>.* in <bdi>Evil<\/bdi>/s);
    expect(shown.text).toContain('evil.example');
  });

  test('cannot write styles or markup with its accent colour', async () => {
    for (const accent of ['red', '#12', '#0a66c2}body{display:none', '</style>', '', 7, undefined]) {
      expect([accent, (await color(accent)).status]).toEqual([accent, 400]);
    }
    expect((await color('#0A7')).body.accent_color).toBe('#00aa77');
    expect((await page()).text).toContain('--brand: #00aa77;');
    expect((await color(null)).body.accent_color).toBeNull();
    expect((await page()).text).not.toContain('--brand:');
  });

  test('is recorded in the audit trail', async () => {
    await color('#0a66c2');
    given.now += 1000;
    await upload(pngOf(8, 8));
    const rows = await given.store.db
      .selectFrom('audit_events')
      .select('details')
      .where('type', '=', 'partner_changed')
      .orderBy('id')
      .execute();
    expect(rows.map(({ details }) => JSON.parse(details ?? ''))).toEqual([
      { changed: ['accentColor'] },
      { changed: ['logo'] },
    ]);
  });
});
