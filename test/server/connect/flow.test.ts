import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { describeConnect, locationOf, REDIRECT_URI, requestOf } from './support.ts';

const GOOD = { 'credential-0': 'good-key-1' };

describeConnect('the connect page', (given) => {
  test('names partner, service and user, asks for the credential, and cannot be framed or cached', async () => {
    const { status, text, headers } = await given.visitor().open('library');
    expect(status).toBe(200);
    expect(text).toContain('<h1>Connect The library</h1>');
    expect(text).toContain('<bdi>Acme &amp; Sons</bdi>');
    expect(text).toContain('<bdi>alice</bdi>');
    expect(text).toContain('Assistants you allow can use The library in <bdi>Acme &amp; Sons</bdi>.');
    expect(text).toContain('We check the key with The library, then encrypt it. No assistant sees it.');
    expect(text).toMatch(/Signed in as.*<bdi>alice<\/bdi>.*acme\.example.*<details><summary>Details<\/summary>/s);
    expect(text).toContain('>API key</label>');
    expect(text).toMatch(/<input type="password"[^>]*name="credential-0"/);
    expect(text).toContain('Open the settings &lt;there&gt;.');
    expect(text).toContain('href="https://keys.example/settings?a=1&amp;b=2"');
    const policy = headers.get('Content-Security-Policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https:");
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Lax/);
  });

  test('asks for each part of a key pair, for user and password, and for nothing for an open service', async () => {
    expect((await given.visitor().open('pair')).text).toContain('name="credential-1"');
    const desk = (await given.visitor().open('desk')).text;
    expect(desk).toMatch(/<input type="text"[^>]*name="credential-0"/);
    expect(desk).toMatch(/<input type="password"[^>]*name="credential-1"/);
    expect((await given.visitor().open('open')).text).not.toContain('credential-0');
  });

  test('asks once for a secret that goes into a path and a body, verifies it there, and never shows it', async () => {
    const visitor = given.visitor();
    const { text } = await visitor.open('bot');
    expect(text.match(/name="credential-\d"/g)).toEqual(['name="credential-0"']);
    expect(text).toContain('>Bot token</label>');
    const refused = await visitor.submit('bot', { decision: 'connect', 'credential-0': 'wrong-key-1' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('No such key: [redacted]');
    const strange = await visitor.submit('bot', { decision: 'connect', 'credential-0': '../good-key-1' });
    expect(strange.text).toContain('This cannot be right');
    expect((await visitor.submit('bot', { decision: 'connect', ...GOOD })).status).toBe(303);
    expect(given.lines.join('')).not.toMatch(/wrong-key-1|good-key-1/);
  });

  test("shows the upstream's message about a refused credential, and never the credential", async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    const answer = await visitor.submit('library', { decision: 'connect', 'credential-0': 'wrong-key-1' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('The library rejected this key');
    expect(answer.text).toContain(
      'It says: “No such key: [redacted]. &lt;b&gt;Look&lt;/b&gt; into the settings”. Copy the whole key again, and paste it here. Nothing was saved.',
    );
    expect(answer.text).not.toContain('wrong-key-1');
    expect(await given.store.db.selectFrom('connection_attempts').selectAll().execute()).toEqual([]);
    const again = await visitor.submit('library', { decision: 'connect', ...GOOD });
    expect(again.status).toBe(303);
  });

  test('describes no OAuth client where no service uses OAuth', async () => {
    const answer = await fetch(`${given.origin}/connect/client-metadata.json`);
    expect(answer.status).toBe(404);
  });

  test('says that a service is unavailable, or that a credential cannot be sent', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    given.broken = { status: 503, body: '{"message":"Down for maintenance"}' };
    const away = await visitor.submit('library', { decision: 'connect', ...GOOD });
    expect(away.status).toBe(502);
    expect(away.text).toContain('Down for maintenance');
    given.broken = null;
    const strange = await visitor.submit('library', { decision: 'connect', 'credential-0': 'kéy\u200b' });
    expect(strange.status).toBe(400);
    expect(strange.text).toContain('This cannot be right');
    const long = await visitor.submit('library', { decision: 'connect', 'credential-0': 'x'.repeat(5000) });
    expect(long.text).toContain('This cannot be right');
    const missing = await visitor.submit('library', { decision: 'connect', 'credential-0': '  ' });
    expect(missing.text).toContain('Something is missing');
  });

  test('accepts no more credentials after ten refused ones', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    for (let n = 0; n < 10; n += 1) {
      const answer = await visitor.submit('library', { decision: 'connect', 'credential-0': `wrong-${n}` });
      expect(answer.status).toBe(400);
    }
    const answer = await visitor.submit('library', { decision: 'connect', ...GOOD });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('Retry-After')).toBe('600');
  });

  test('reports to the partner that the user declined', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    const answer = await visitor.submit('library', { decision: 'decline' });
    expect(answer.status).toBe(303);
    expect(locationOf(answer)).toEqual({
      to: REDIRECT_URI,
      parameters: {
        error: 'access_denied',
        error_description: 'You did not connect the service.',
        state: 'state-1',
      },
    });
  });

  test.each([
    ['library', { 'credential-0': 'good-key-1' }],
    ['pair', { 'credential-0': 'good-key-1', 'credential-1': 'other' }],
    ['desk', { 'credential-0': 'ada', 'credential-1': 'secret-word' }],
    ['desk', { 'credential-0': 'key-as-name', 'credential-1': '' }],
    ['open', {}],
    ['silent', { 'credential-0': 'never-looked-at' }],
  ])('connects %s with %o', async (service, fields) => {
    given.accepted.add('ada:secret-word').add('key-as-name:');
    const answer = await given.connected(service, 'alice', fields);
    expect(answer.status).toBe(200);
    expect(await given.tools(answer.body.access_token)).toEqual([`${service}_list`]);
  });
});

describeConnect('a connect request', (given) => {
  test.each([
    ['no client_id', { client_id: undefined }],
    ['an unknown client_id', { client_id: 'nobody' }],
    ['two client_ids', { client_id: ['acme', 'acme'] }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['a redirect_uri with another slash', { redirect_uri: `${REDIRECT_URI}/` }],
    ['a redirect_uri with another query', { redirect_uri: `${REDIRECT_URI}?a=b` }],
    ['a redirect_uri of another host', { redirect_uri: 'https://evil.example/back' }],
    ['two redirect_uris', { redirect_uri: [REDIRECT_URI, 'https://evil.example/'] }],
  ])('with %s shows an error page and does not redirect', async (_, changes) => {
    const answer = await given.visitor().open('library', requestOf(changes));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('Location')).toBeNull();
    expect(answer.headers.get('Content-Type')).toContain('text/html');
    expect(answer.text).not.toContain('evil.example');
  });

  test.each([
    ['library', 'no state', { state: undefined }, 'invalid_request'],
    ['library', 'a state of two lines', { state: 'a\nb' }, 'invalid_request'],
    ['library', 'a state that is too long', { state: 'x'.repeat(1025) }, 'invalid_request'],
    ['library', 'two states', { state: ['a', 'b'] }, 'invalid_request'],
    ['library', 'no user_id', { user_id: undefined }, 'invalid_request'],
    ['library', 'a user_id with a NUL', { user_id: 'a\0' }, 'invalid_request'],
    ['library', 'a user_id that is too long', { user_id: 'x'.repeat(513) }, 'invalid_request'],
    ['library', 'two user_ids', { user_id: ['a', 'b'] }, 'invalid_request'],
    ['nothing', 'an unknown service', {}, 'invalid_request'],
  ])('for %s with %s is answered at the redirect URI', async (service, _, changes, error) => {
    const answer = await given.visitor().open(service, requestOf(changes));
    expect(answer.status).toBe(303);
    expect(locationOf(answer)).toMatchObject({ to: REDIRECT_URI, parameters: { error } });
  });

  test('for a service that the partner may not offer is answered at the redirect URI', async () => {
    await given.add('narrow', { redirectUris: [REDIRECT_URI], services: ['pair'] });
    const request = requestOf({ client_id: 'narrow' });
    const refused = await given.visitor().open('library', request);
    expect(locationOf(refused).parameters).toMatchObject({ error: 'unauthorized_client', state: 'state-1' });
    expect((await given.visitor().open('pair', request)).status).toBe(200);
  });
});

describeConnect('POST /api/oauth/token', (given) => {
  test('activates the connection, and answers with tokens, user_id and service', async () => {
    const code = await given.connect('library', 'alice', GOOD);
    expect(await given.store.db.selectFrom('users').selectAll().execute()).toEqual([]);
    const answer = await given.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      user_id: 'alice',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^utg_at_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^utg_rt_/),
      scope: 'tools:read tools:write',
      user_id: 'alice',
      service: 'library',
      services: ['library'],
    });
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    const called = await given.call(answer.body.access_token, 'library_list');
    expect(called.body.result.structuredContent ?? called.body.result.content).toBeDefined();
    expect(called.body.result.isError).not.toBe(true);
  });

  test('accepts the credentials of the Authorization header', async () => {
    const code = await given.connect('library', 'alice', GOOD);
    const basic = `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}`;
    const answer = await given.token(
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT_URI,
        user_id: 'alice',
        client_id: undefined,
        client_secret: undefined,
      },
      { Authorization: basic },
    );
    expect(answer.status).toBe(200);
  });

  test('issues tokens to one of a hundred concurrent redemptions, and revokes them on a replay', async () => {
    const code = await given.connect('library', 'alice', GOOD);
    const redeem = () =>
      given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
    const answers = await Promise.all(Array.from({ length: 30 }, redeem));
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(29);
    expect((await given.call(good[0]!.body.access_token, 'library_list')).status).toBe(401);
  });

  test.each([
    ['another redirect_uri', { redirect_uri: `${REDIRECT_URI}/` }, 400, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
    ['another user_id', { user_id: 'mallory' }, 400, 'invalid_grant'],
    ['no user_id', { user_id: undefined }, 400, 'invalid_request'],
    ['an unknown code', { code: 'utg_cc_x' }, 400, 'invalid_grant'],
    ['no code', { code: undefined }, 400, 'invalid_request'],
    ['a wrong secret', { client_secret: 'utg_ps_x' }, 401, 'invalid_client'],
    ['no secret', { client_secret: undefined }, 401, 'invalid_client'],
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('refuses %s, and leaves the code unused', async (_, changes, status, error) => {
    const code = await given.connect('library', 'alice', GOOD);
    const rightly = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' };
    const answer = await given.token({ ...rightly, ...changes });
    expect(answer.status).toBe(status);
    expect(answer.body.error).toBe(error);
    expect((await given.token(rightly)).status).toBe(200);
  });

  test('refuses a code after five minutes, and connects nothing', async () => {
    const code = await given.connect('library', 'alice', GOOD);
    given.now += 300_000;
    const answer = await given.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      user_id: 'alice',
    });
    expect(answer.body.error).toBe('invalid_grant');
    expect(await given.store.db.selectFrom('connections').selectAll().execute()).toEqual([]);
  });

  test('rotates the refresh token, and repeats user_id and service', async () => {
    const first = (await given.connected('library', 'alice', GOOD)).body;
    const refresh = (refresh_token: string) => given.token({ grant_type: 'refresh_token', refresh_token });
    const second = await refresh(first.refresh_token);
    expect(second.body).toMatchObject({ user_id: 'alice', service: 'library', expires_in: 3600 });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect((await refresh(first.refresh_token)).body.error).toBe('temporarily_unavailable');
    expect((await refresh(second.body.refresh_token)).status).toBe(200);
  });

  test("accepts the partner's refresh token at the token endpoint of clients too", async () => {
    const { body } = await given.connected('library', 'alice', GOOD);
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: body.refresh_token });
    const refresh = (more: Record<string, string>) =>
      given.send('/api/mcp/oauth/token', {
        method: 'POST',
        body: new URLSearchParams([...form, ...Object.entries(more)]),
      });
    expect((await refresh({ client_id: 'acme' })).body.error).toBe('invalid_client');
    const renewed = await refresh({ client_id: 'acme', client_secret: given.secret });
    expect(renewed.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect((await given.call(renewed.body.access_token, 'library_list')).body.result.isError).not.toBe(true);
    const next = await given.token({ grant_type: 'refresh_token', refresh_token: renewed.body.refresh_token });
    expect(next.body).toMatchObject({ user_id: 'alice', service: 'library' });
  });

  test("revokes the partner's tokens only with its credentials", async () => {
    verifies('rfc7009-2.1-confidential');
    const { access_token: token } = (await given.connected('library', 'alice', GOOD)).body;
    const revoke = (more: Record<string, string>) =>
      given.send('/api/mcp/oauth/revoke', { method: 'POST', body: new URLSearchParams({ token, ...more }) });
    expect((await revoke({})).status).toBe(401);
    expect((await given.call(token, 'library_list')).status).toBe(200);
    expect((await revoke({ client_id: 'acme', client_secret: given.secret })).status).toBe(200);
    expect((await given.call(token, 'library_list')).status).toBe(401);
  });

  test('replaces the credential without a gap on connecting again', async () => {
    const { access_token } = (await given.connected('library', 'alice', GOOD)).body;
    given.accepted.add('good-key-2');
    const code = await given.connect('library', 'alice', { 'credential-0': 'good-key-2' });
    expect((await given.call(access_token, 'library_list')).body.result.isError).not.toBe(true);
    given.accepted.delete('good-key-1');
    await given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
    expect((await given.call(access_token, 'library_list')).body.result.isError).not.toBe(true);
    expect(await given.store.db.selectFrom('connections').selectAll().execute()).toHaveLength(1);
  });
});
