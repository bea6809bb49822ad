import { expect, test } from 'vitest';
import { describeConnect, locationOf, REDIRECT_URI, requestOf } from './support.ts';

const GOOD = { 'credential-0': 'good-key-1' };
const EVIL = 'https://evil.example/back';
const MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'';

describeConnect('an attacker', (given) => {
  const redeem = (code: string, changes = {}) =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice', ...changes });

  test("cannot have an answer sent to another partner's redirect URI", async () => {
    await given.add('evil', { redirectUris: [EVIL] });
    const answer = await given.visitor().open('library', requestOf({ redirect_uri: EVIL }));
    expect(answer.status).toBe(400);
    const reverse = await given.visitor().open('library', requestOf({ client_id: 'evil' }));
    expect(reverse.status).toBe(400);
  });

  test('cannot redeem a stolen code as another partner, nor without the secret', async () => {
    const evil = await given.add('evil', { redirectUris: [EVIL, REDIRECT_URI] });
    const code = await given.connect('library', 'alice', GOOD);
    const asEvil = await redeem(code, { client_id: 'evil', client_secret: evil.secret });
    expect(asEvil.body.error).toBe('invalid_grant');
    expect((await redeem(code, { client_secret: 'utg_ps_guess' })).body.error).toBe('invalid_client');
    expect((await redeem(code)).status).toBe(200);
  });

  test('cannot attach an account to another user_id without the partner', async () => {
    given.accepted.add('attackers-key');
    const victim = (await given.connected('library', 'victim', GOOD)).body;
    const code = await given.connect('library', 'victim', { 'credential-0': 'attackers-key' });
    expect(code).toMatch(/^utg_cc_/);
    given.accepted.delete('attackers-key');
    const stillMine = await given.call(victim.access_token, 'library_list');
    expect(stillMine.body.result.isError).not.toBe(true);
    given.now += 300_001;
    expect((await redeem(code, { user_id: 'victim' })).body.error).toBe('invalid_grant');
  });

  test('cannot pass off a code as that of another user, because the partner names the user', async () => {
    const code = await given.connect('library', 'mallory', GOOD);
    expect((await redeem(code, { user_id: 'victim' })).body.error).toBe('invalid_grant');
    expect((await redeem(code, { user_id: 'mallory' })).body.user_id).toBe('mallory');
  });

  test('gains nothing by replaying a code, and revokes its tokens', async () => {
    const code = await given.connect('library', 'alice', GOOD);
    const { body } = await redeem(code);
    expect((await redeem(code)).body.error).toBe('invalid_grant');
    expect((await given.call(body.access_token, 'library_list')).status).toBe(401);
  });

  test('revokes the tokens even by replaying an expired code', async () => {
    const code = await given.connect('library', 'alice', GOOD);
    const { body } = await redeem(code);
    given.now += 600_000;
    expect((await redeem(code)).body.error).toBe('invalid_grant');
    expect((await given.call(body.access_token, 'library_list')).status).toBe(401);
  });

  test('cannot send the form from another site', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    const form = { decision: 'connect', ...GOOD };
    expect((await visitor.submit('library', form, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await visitor.submit('library', form, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await visitor.submit('library', form, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(303);
  });

  test('cannot have a victim finish a flow that the attacker began', async () => {
    const attacker = given.visitor();
    await attacker.open('library', requestOf({ user_id: 'mallory' }));
    const victim = given.visitor();
    await victim.open('library', requestOf({ user_id: 'victim' }));
    victim.pageState = attacker.pageState;
    const answer = await victim.submit('library', { decision: 'connect', ...GOOD });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('This page is too old');
    const withoutCookie = given.visitor();
    withoutCookie.pageState = attacker.pageState;
    expect((await withoutCookie.submit('library', { decision: 'connect', ...GOOD })).status).toBe(400);
  });

  test('cannot fix the browser cookie to a chosen value', async () => {
    const visitor = given.visitor();
    visitor.cookie = 'utg_browser=chosen-by-the-attacker';
    const answer = await visitor.open('library');
    expect(answer.headers.getSetCookie()[0]).toMatch(/^utg_browser=[A-Za-z0-9_-]{43};/);
  });

  test('cannot change the form, keep it for an hour, or send it to another service', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    const { pageState } = visitor;
    const form = { decision: 'connect', ...GOOD };
    visitor.pageState = `${pageState.slice(0, -3)}abc`;
    expect((await visitor.submit('library', form)).status).toBe(400);
    visitor.pageState = pageState;
    expect((await visitor.submit('silent', form)).status).toBe(400);
    given.now += 3_600_001;
    expect((await visitor.submit('library', form)).status).toBe(400);
  });

  test('cannot use a redirect URI that was removed while the page was open', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    await given.store.db.updateTable('partners').set({ redirect_uris: '[]' }).execute();
    const answer = await visitor.submit('library', { decision: 'decline' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('Location')).toBeNull();
  });

  test.each([
    'https://acme.example/back@evil.example',
    'https://acme.example.evil.example/back',
    'https://acme.example/back/../../evil',
    'https://ACME.example/back',
    'https://acme.example:443/back',
    'https://acme.example/back#',
    'https://acme.example/back%2f',
    'javascript:alert(1)',
    '//evil.example',
  ])('is not redirected to %s', async (redirect_uri) => {
    const answer = await given.visitor().open('library', requestOf({ redirect_uri }));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('Location')).toBeNull();
  });

  test('gets no markup into the page by any parameter', async () => {
    await given.add('markup', {
      name: MARKUP,
      logoText: '<b>',
      redirectUris: [REDIRECT_URI],
    });
    const visitor = given.visitor();
    const opened = await visitor.open('library', requestOf({ client_id: 'markup', user_id: MARKUP, state: MARKUP }));
    given.broken = { status: 401, body: JSON.stringify({ message: MARKUP }) };
    const refused = await visitor.submit('library', { decision: 'connect', 'credential-0': MARKUP });
    const unknown = await given.visitor().open(encodeURIComponent(MARKUP), requestOf({ client_id: MARKUP }));
    for (const { text } of [opened, refused, unknown]) {
      expect(text).not.toContain('<script>alert');
      expect(text.match(/<script/g) ?? []).toHaveLength(text.includes('data-busy') ? 1 : 0);
      expect(text).not.toContain('<img');
      expect(text).not.toContain('<b>');
    }
    expect(opened.text).toContain('&lt;script&gt;');
  });

  test('gets the state back unchanged, and nothing else into the URL', async () => {
    const state = 'a&code=forged#x=1';
    const visitor = given.visitor();
    await visitor.open('library', requestOf({ state }));
    const answer = await visitor.submit('library', { decision: 'connect', ...GOOD });
    const { to, parameters } = locationOf(answer);
    expect(to).toBe(REDIRECT_URI);
    expect(parameters).toEqual({ code: expect.stringMatching(/^utg_cc_/), state });
  });

  test("cannot use a partner's refresh token as an MCP client, nor a client's as the partner", async () => {
    const { body } = await given.connected('library', 'alice', GOOD);
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: body.refresh_token });
    const registered = await given.send('/api/mcp/oauth/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://c.example/'], token_endpoint_auth_method: 'none' }),
    });
    form.set('client_id', registered.body.client_id);
    const asClient = await given.send('/api/mcp/oauth/token', { method: 'POST', body: form });
    expect(asClient.body.error).toBe('invalid_grant');
    const other = await given.add('other');
    const stolen = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    const asOther = await given.token({ ...stolen, client_id: 'other', client_secret: other.secret });
    expect(asOther.body.error).toBe('invalid_grant');
    expect((await given.token(stolen)).status).toBe(200);
  });
});
