import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSandbox } from '../../sandbox/index.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import { STYLE } from '../../server/base/pages/style.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import { findPageProblems } from '../support/page-problems.ts';
import { createWalker } from '../support/walker.ts';
import { callApi, signIn, startCalendar } from './oauth-support.ts';
import { ask, startBookshop } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startBookshop();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  sandbox.behave();
  sandbox.clearRequests();
});

const page = async () => (await fetch(`${sandbox.origin}/`)).text();

function postFault(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(`${sandbox.origin}/__sandbox/fault`, { method: 'POST', body, headers, redirect: 'manual' });
}

describe('the page at the sandbox’s root', () => {
  test('names the services, and shows their requests, newest first and escaped', async () => {
    await ask(sandbox, '/books');
    await ask(sandbox, '/nothing?q=<script>');
    const text = await page();
    expect(text).toContain('<code>/bookshop</code>');
    expect(text).not.toContain('<script>');
    expect(text.indexOf('/nothing')).toBeLessThan(text.indexOf('GET /bookshop/api/v2/books'));
    expect(text).toContain('<strong>200</strong>');
  });

  test('looks like the pages of the gateway', async () => {
    const tokens = [...(await page()).matchAll(/(--[a-z-]+): (#[0-9a-f]{6})/g)];
    expect(tokens.length).toBeGreaterThan(15);
    expect(tokens.filter(([, name, color]) => !STYLE.includes(`${name}:${color}`))).toEqual([]);
  });

  test('shows fifty requests at most', async () => {
    for (let count = 0; count < 60; count += 1) await ask(sandbox, `/books?limit=${count}`);
    expect((await page()).match(/<li><code>/g)).toHaveLength(50);
  });

  test.each([
    ['rate-limited', 429],
    ['server-error', 500],
    ['unavailable', 503],
    ['expired-credential', 401],
  ])('%s makes only the next call answer %i', async (fault, status) => {
    const walker = createWalker();
    const planned = await walker.press(await walker.open(sandbox.origin), 'Make it fail', { fault, times: '1' });
    expect(planned.text).toContain('Planned:');
    expect(planned.text).toContain(`<option value="${fault}" selected>`);
    expect([(await ask(sandbox, '/books')).status, (await ask(sandbox, '/books')).status]).toEqual([status, 200]);
  });

  test('makes every call fail until it is cleared', async () => {
    const walker = createWalker();
    const fields = { fault: 'server-error', times: '1000000' };
    const planned = await walker.press(await walker.open(sandbox.origin), 'Make it fail', fields);
    for (let count = 0; count < 7; count += 1) expect((await ask(sandbox, '/books')).status).toBe(500);
    await walker.press(planned, 'Clear them');
    expect((await ask(sandbox, '/books')).status).toBe(200);
  });

  test('clears the failures of one service, and keeps those of others', async () => {
    sandbox.misbehave({ kind: 'server-error' });
    await postFault({ fault: 'unavailable', service: 'bookshop' });
    await postFault({ fault: 'none', service: 'bookshop' });
    expect([(await ask(sandbox, '/books')).status, (await ask(sandbox, '/books')).status]).toEqual([500, 200]);
  });

  test('revokes the grants of users if an OAuth credential expires', async () => {
    const calendar = await startCalendar();
    const { body } = await signIn(calendar);
    const before = await callApi(calendar, body.access_token);
    const form = new URLSearchParams({ fault: 'expired-credential' });
    await fetch(`${calendar.origin}/__sandbox/fault`, { method: 'POST', body: form, redirect: 'manual' });
    const after = await callApi(calendar, body.access_token);
    await calendar.close();
    expect([before.status, after.status]).toEqual([200, 401]);
  });

  test.each([[{ fault: 'none-such' }], [{ fault: 'slow', service: 'library' }], [{ fault: 'slow', times: '2' }]])(
    'refuses %j',
    async (fields) => {
      expect((await postFault(fields as Record<string, string>)).status).toBe(400);
    },
  );
});

describe('requests that change the sandbox', () => {
  test.each([
    ['another site', 'https://elsewhere.example'],
    ['another port of this machine', 'http://127.0.0.1:9'],
    ['a page without an origin', 'null'],
  ])('are refused from %s', async (_, origin) => {
    expect((await postFault({ fault: 'server-error' }, { Origin: origin })).status).toBe(403);
    const planned = { method: 'POST', body: '{"kind": "server-error"}', headers: { Origin: origin } };
    expect((await fetch(`${sandbox.origin}/__sandbox/misbehave`, planned)).status).toBe(403);
    const forgets = { method: 'DELETE', headers: { Origin: origin } };
    expect((await fetch(`${sandbox.origin}/__sandbox/requests`, forgets)).status).toBe(403);
    expect((await ask(sandbox, '/books')).status).toBe(200);
  });

  test('are refused if another host name resolves here', async () => {
    const headers = { Host: 'sandbox.example', Origin: 'http://sandbox.example' };
    const status = await new Promise((resolve) => {
      const { port } = new URL(sandbox.origin);
      const sent = request({ port, path: '/__sandbox/fault', method: 'POST', headers }, (answer) => {
        resolve(answer.resume().statusCode);
      });
      sent.end('fault=server-error');
    });
    expect(status).toBe(403);
  });

  test('are accepted from its own page, and from programs', async () => {
    expect((await postFault({ fault: 'slow' }, { Origin: sandbox.origin })).status).toBe(303);
    expect((await postFault({ fault: 'slow' })).status).toBe(303);
  });
});

describe.skipIf(!hasBrowser())('the page in Chromium', () => {
  test('is accessible, and its form makes a service fail', async () => {
    await ask(sandbox, '/books');
    const browser = await launchBrowser();
    const tab = await (await browser.newContext({ viewport: { width: 390, height: 800 } })).newPage();
    await tab.goto(sandbox.origin);
    expect(await findPageProblems(tab)).toEqual([]);
    await tab.getByLabel('Service').selectOption('bookshop');
    await tab.getByLabel('What happens').selectOption('server-error');
    await tab.getByRole('button', { name: 'Make it fail' }).click();
    await tab.getByText('bookshop: server-error, 1 to go').waitFor();
    expect(await tab.getByLabel('Service').inputValue()).toBe('bookshop');
    await browser.close();
    expect((await ask(sandbox, '/books')).status).toBe(500);
  });
});

test('the page calls a service of a connector by the connector’s title', async () => {
  const opened = await openSandbox({ root: join(import.meta.dirname, '../..'), services: ['billing'] });
  const text = await (await fetch(opened.origin)).text();
  await opened.close();
  expect(text).toContain('<td>Metronome</td>');
});
