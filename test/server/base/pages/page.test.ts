import type { Context } from 'koa';
import { describe, expect, test } from 'vitest';
import { RequestError } from '../../../../server/base/http/errors.ts';
import type { GatewayContext } from '../../../../server/base/http/state.ts';
import { createBrowserIds } from '../../../../server/base/pages/cookie.ts';
import { html } from '../../../../server/base/pages/html.ts';
import { toPublicPage } from '../../../../server/base/pages/page.ts';
import { PageError, pageErrors } from '../../../../server/base/pages/page-errors.ts';
import { STYLE_PATH } from '../../../../server/base/pages/style.ts';
import { verifies } from '../../../requirements/verifies.ts';

describe('a page', () => {
  const { text, headers } = toPublicPage({ title: '<Title>', content: html`<h1>Heading</h1>` });

  test('names its language, its title and its landmark', () => {
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<title>&lt;Title&gt; · Unified Tool Gateway</title>');
    expect(text).toContain('<main>\n<h1>Heading</h1>\n</main>');
    expect(text).toContain('width=device-width');
  });

  test('has only the style sheet that its policy allows', () => {
    expect([...text.matchAll(/<(?:style|link rel="stylesheet")[^>]*>/g)].map(([tag]) => tag)).toEqual([
      `<link rel="stylesheet" href="${STYLE_PATH}">`,
    ]);
    expect(headers['Content-Security-Policy']).toContain("style-src 'self';");
    expect(text).not.toMatch(/ style="/);
  });
});

describe('errors on pages', () => {
  async function answerTo(error: unknown) {
    const logged: unknown[] = [];
    const log = { error: (entry: unknown) => logged.push(entry), debug: () => {} };
    const headers: Record<string, string> = {};
    const ctx = {
      state: { requestId: 'request-42', log },
      set: (fields: Record<string, string>) => Object.assign(headers, fields),
      status: 0,
      type: '',
      body: '',
    };
    await pageErrors()(ctx as unknown as GatewayContext & Context as never, async () => {
      throw error;
    });
    return { status: ctx.status, body: ctx.body, headers, logged };
  }

  test('show title, text and advice', async () => {
    const page = { title: 'A <title>', text: 'A text.', advice: 'An advice.', headers: { 'Retry-After': '5' } };
    const { status, body, headers } = await answerTo(new PageError(418, page));
    expect(status).toBe(418);
    expect(headers['Retry-After']).toBe('5');
    expect(body).toContain(
      '<h1>A &lt;title&gt;</h1>\n<p role="alert">A text.</p></header>\n<p class="advice">An advice.</p>',
    );
  });

  test('of a request show the description that a client gets', async () => {
    const { status, body } = await answerTo(new RequestError(413, 'payload_too_large', 'Too <large>.'));
    expect([status, body.includes('Too &lt;large&gt;.')]).toEqual([413, true]);
  });

  test.each([
    ['an error', new Error('planted detail')],
    ['a RequestError with status 500', new RequestError(500, 'server_error', 'planted detail')],
    ['a thrown string', 'planted detail'],
  ])('that are unexpected reveal only the request id, and are logged: %s', async (_title, error) => {
    const { status, body, logged } = await answerTo(error);
    expect(status).toBe(500);
    expect(body).toContain('request-42');
    expect(body).not.toContain('planted');
    expect(logged).toEqual([{ err: error }]);
  });
});

describe('the cookie of a browser', () => {
  function visit(publicUrl: string, cookies: Record<string, string>) {
    const set: string[] = [];
    const ctx = {
      cookies: { get: (name: string) => cookies[name] },
      append: (_header: string, cookie: string) => set.push(cookie),
    };
    const id = createBrowserIds(publicUrl).ensure(ctx as unknown as GatewayContext);
    return { id, set };
  }

  test('is bound to the host and to https if the gateway has https', () => {
    verifies('mcp-consent-cookie');
    const { id, set } = visit('https://tools.example.com', {});
    expect(set).toEqual([`__Host-utg_browser=${id}; Path=/; HttpOnly; SameSite=Lax; Secure`]);
  });

  test('is plain on localhost', () => {
    const { id, set } = visit('http://127.0.0.1:3000', {});
    expect(set).toEqual([`utg_browser=${id}; Path=/; HttpOnly; SameSite=Lax`]);
  });

  test('is kept if it is valid, so that two tabs work', () => {
    const known = 'x'.repeat(43);
    expect(visit('http://127.0.0.1:3000', { utg_browser: known })).toEqual({ id: known, set: [] });
  });

  test.each(['', 'short', 'x'.repeat(44), `${'x'.repeat(42)};`])('is replaced when it is %j', (value) => {
    expect(visit('http://127.0.0.1:3000', { utg_browser: value }).set).toHaveLength(1);
  });
});
