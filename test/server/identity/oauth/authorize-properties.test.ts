import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { limitsWithout } from '../../../support/oauth-router.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { createVisitor, requestOf } from './page-visitor.ts';
import { type Answer, describeOAuth } from './support.ts';

const AUTHORIZE = '/api/mcp/oauth/authorize';
const REGISTERED = [
  'http://127.0.0.1:7000/callback',
  'https://client.example/cb?tenant=1',
  'com.example.app:/callback',
];
const HOSTILE = [
  '<script>planted()</script>',
  '"><img src=x onerror=planted()>',
  "' autofocus onfocus=planted() x='",
  'javascript:planted()',
  'https://evil.example/',
  '//evil.example',
  'http://127.0.0.1:7000/callback@evil.example',
  'http://127.0.0.1:7000\\@evil.example/callback',
  'a\r\nLocation: https://evil.example/\r\n\r\n',
  'a\0b',
  '%00%0d%0a',
  '%ff%fe',
  '{{7*7}}#{7*7}',
  '__proto__',
  "' or 1=1 --",
  '\u202e\ud800',
  'x'.repeat(3000),
];
const PARAMETERS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'resource',
  'code_challenge',
  'code_challenge_method',
  'page_state',
  'decision',
  'access',
  'connection_code',
  'constructor',
];

const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 40 }), fc.webUrl());
const pair = fc.tuple(
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...PARAMETERS) }, { weight: 1, arbitrary: text }),
  text,
);
const chance = { numRuns: numRuns(150) };

describeOAuth(
  'any request to the authorization endpoint',
  (given) => {
    let clientId: string;
    beforeEach(async () => {
      const metadata = { client_name: 'Claude', redirect_uris: REGISTERED, token_endpoint_auth_method: 'none' };
      clientId = (await given.register(metadata)).body.client_id;
    });
    afterEach(() => {
      expect(given.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    });

    test('may have any value of any parameter', async () => {
      const changed = fc.uniqueArray(pair, { maxLength: 4, selector: ([name]) => name });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...REGISTERED), changed, async (redirectUri, pairs) => {
          const visitor = createVisitor(given);
          const request = requestOf(clientId, { redirect_uri: redirectUri, ...Object.fromEntries(pairs) });
          checkAnswer(await visitor.open(request));
        }),
        chance,
      );
    });

    test('may repeat parameters, omit them, leave them empty, and encode them in any way', async () => {
      const written = fc.oneof(
        text.map((value) => encodeURIComponent(value.toWellFormed())),
        fc.constantFrom('%', '%zz', '+', '&&', '=', '%ff'),
      );
      const query = fc.array(fc.tuple(fc.constantFrom(...PARAMETERS, '%', ''), written), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(query, fc.boolean(), async (pairs, known) => {
          const good = known ? `client_id=${clientId}&redirect_uri=${encodeURIComponent(REGISTERED[0]!)}&` : '';
          const path = `${AUTHORIZE}?${good}${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`;
          checkAnswer(await given.send(path, { redirect: 'manual' }));
        }),
        chance,
      );
    });

    test('may be a form with any content, with or without the page', async () => {
      const visitor = createVisitor(given);
      await visitor.open(requestOf(clientId));
      const first = visitor.pageState;
      const code = { userId: given.userId, limits: WHOLE_LIMITS, now: given.now };
      await visitor.submit({ connection_code: await mintConnectionCode(given.store.db, code) });
      const second = visitor.pageState;
      const pageState = fc.oneof(fc.constantFrom(first, second, first.slice(0, -1), `${second}A`, ''), text);
      const cookie = fc.oneof(
        fc.constantFrom(visitor.cookie!, ''),
        fc.base64String().map((value) => `utg_browser=${value}`),
      );
      await fc.assert(
        fc.asyncProperty(pageState, cookie, fc.array(pair, { maxLength: 6 }), async (sealed, sent, pairs) => {
          const body = new URLSearchParams([...pairs, ['page_state', sealed]] as [string, string][]);
          const init = { method: 'POST', redirect: 'manual', headers: { Cookie: sent }, body } as const;
          checkAnswer(await given.send(AUTHORIZE, init));
        }),
        chance,
      );
      const grants = await given.store.db.selectFrom('oauth_grants').selectAll().execute();
      expect(grants.length).toBeLessThanOrEqual(1);
    });

    test('may have any bytes of any type as its body', async () => {
      const type = fc.constantFrom(
        'application/x-www-form-urlencoded',
        'text/plain',
        'application/json',
        'multipart/form-data',
      );
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), type, async (bytes, contentType) => {
          const headers = { 'Content-Type': contentType };
          checkAnswer(
            await given.send(AUTHORIZE, { method: 'POST', redirect: 'manual', headers, body: Buffer.from(bytes) }),
          );
        }),
        chance,
      );
    });

    test('may be of a client with any name, on both steps', async () => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(text, text, async (name, user) => {
          count += 1;
          const client = `client-${count}`;
          const clientName = name.replaceAll('\0', '').toWellFormed();
          await insertClient(given.store.db, {
            clientId: client,
            clientName,
            redirectUris: REGISTERED,
            applicationType: 'native',
            secretHash: null,
            authenticationMethod: 'none',
            now: given.now,
          });
          const externalUserId = `${count}${user.replaceAll('\0', '').toWellFormed()}`;
          await given.store.db.updateTable('users').set({ external_user_id: externalUserId }).execute();
          await given.store.db.updateTable('partners').set({ name: clientName }).execute();
          const visitor = createVisitor(given);
          checkAnswer(await visitor.open(requestOf(client)), 200);
          const code = { userId: given.userId, limits: WHOLE_LIMITS, now: given.now };
          const connectionCode = await mintConnectionCode(given.store.db, code);
          checkAnswer(await visitor.submit({ connection_code: connectionCode }), 200);
        }),
        chance,
      );
    });
  },
  { limits: limitsWithout('registrations', 'consent-pages') },
);

const TAGS = new Set(
  'html head meta title link style body main header footer svg path rect circle text span h1 p div strong form label input button dl dt dd small bdi ul li fieldset legend details summary'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'lang charset name content rel href class role id method action type value required autofocus autocomplete autocapitalize autocorrect spellcheck maxlength placeholder aria-describedby aria-invalid aria-hidden viewBox cx cy r width height fill d x y text-anchor for formnovalidate formtarget checked blocking hidden'.split(
    ' ',
  ),
);

function checkAnswer(answer: Answer, want?: number): void {
  expect([200, 303, 400, 403, 413, 415, 429]).toContain(answer.status);
  if (want !== undefined) expect(answer.status).toBe(want);
  const location = answer.headers.get('Location');
  expect(location === null).toBe(answer.status !== 303);
  if (location !== null) {
    checkLocation(location);
    return;
  }
  expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  checkMarkup(answer.body);
}

function checkLocation(location: string): void {
  expect(location).toMatch(/^[\x21-\x7e]+$/);
  if (/^\/api\/mcp\/oauth\/consent\?page_state=[\w.-]+$/.test(location)) return;
  const answer = /[?&](code|error)=[^&]+.*&iss=http%3A%2F%2F127\.0\.0\.1%3A3000$/;
  const started = REGISTERED.filter((uri) => location.startsWith(uri)).length === 1;
  const loopback = /^http:\/\/127\.0\.0\.1(:\d{1,5})?\/callback\?/.test(location);
  expect([location, started || loopback, answer.test(location)]).toEqual([location, true, true]);
}

function checkMarkup(markup: string): void {
  expect(markup.startsWith('<!doctype html>')).toBe(true);
  const rest = markup
    .slice('<!doctype html>'.length)
    .replaceAll(/<(\/?)([a-z0-9]+)((?:\s+[a-zB-]+(?:="[^"<>]*")?)*)\/?>/g, (tag, _end, name, attributes) => {
      expect([tag, TAGS.has(name)]).toEqual([tag, true]);
      for (const [, attribute] of String(attributes).matchAll(/\s([a-zB-]+)(?:="[^"]*")?/g)) {
        expect([tag, ATTRIBUTES.has(attribute!)]).toEqual([tag, true]);
      }
      return '';
    });
  expect(rest).not.toMatch(/[<>"]/);
}
