import { expect, test } from 'vitest';
import { hashSource } from '../../../../server/base/pages/style.ts';
import { readPermission, writePermission } from '../../../../server/base/principal/permission.ts';
import { createSecret, hashSecret } from '../../../../server/base/principal/secrets.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { listConnections } from '../../../../server/base/store/repositories/connections.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { findGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertRefreshToken } from '../../../../server/base/store/repositories/refresh-tokens.ts';
import { connect } from '../../base/store/fixtures.ts';
import { type Answer, describeUserPage, fieldOf } from './support.ts';

const textOf = ({ text }: Answer) =>
  text
    .replace(/^[\s\S]*<body>/, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describeUserPage('a user’s own page', (given) => {
  const narrow = async (grantId: string, ...fields: (readonly [string, string])[]) =>
    (await given.entered()).submit('/me', `/me/clients/${grantId}/narrow`, fields);

  test('shows the user, the connections, and what each client may do and did last', async () => {
    const { grantId } = await given.allow('Claude <Code>');
    const { now, userId } = given;
    const call = { partnerId: 'p', userId, tokenId: 't', service: 'library', upstreamCode: null, upstreamStatus: 200 };
    const sizes = { durationMs: 1, requestBytes: 2, responseBytes: 2, requestId: 'r' };
    await given.store.insertCallRecords([
      { ...call, ...sizes, createdAt: now + 60_000, tool: 'library_find', outcome: 'ok', grantId },
      { ...call, ...sizes, createdAt: now + 120_000, tool: 'library_lend', outcome: 'rate_limited', grantId },
      { ...call, ...sizes, createdAt: now + 180_000, tool: 'library_burn', outcome: 'ok' },
    ]);
    await insertRefreshToken(given.store.db, { tokenHash: 'h', grantId, now: now + 1000, expiresAt: now + 9e8 });
    const answer = await (await given.entered()).get('/me');
    const text = textOf(answer);
    expect(text).toContain('Signed in as alice from Acme &amp; Sons .');
    expect(text).toContain('City Archive Connected 1 Jan 1970');
    expect(text).toContain('Claude &lt;Code&gt; unverified name Used today , expires 14 Feb');
    expect(text).toContain('It sends you back to a program on your computer , client.example .');
    expect(text).toContain(
      'May use City Archive: 1 read-only tool Library: 1 read-only tool, 1 that changes data, 1 that deletes or overwrites',
    );
    expect(text).toContain('Services that you connect later are included.');
    expect(text).toContain('Allowed just now Last action');
    expect(answer.text).toContain('<time datetime="2030-01-15 12:02:00Z" title="2030-01-15 12:02:00 UTC">today</time>');
    expect(text).toMatch(/Last action [^,]*lend[^,]* , failed \(rate limited\), in 2 minutes/i);
  });

  test('names the website through which a client identifies itself', async () => {
    const clientId = 'https://app.client.example/metadata.json';
    await insertClient(given.store.db, {
      clientId,
      clientName: 'Bank',
      redirectUris: ['https://app.client.example/callback'],
      applicationType: 'web',
      secretHash: null,
      authenticationMethod: 'none',
      document: { fetchedAt: given.now, expiresAt: given.now + 1000 },
      now: given.now,
    });
    await given.allow('Claude', { clientId });
    expect(textOf(await (await given.entered()).get('/me'))).toContain(
      'It identifies itself through app.client.example . Unverified name.',
    );
  });

  test('shows what a client may not do', async () => {
    await given.allow('Claude', {
      scopes: ['tools:read'],
      services: ['library'],
      permission: writePermission({
        ...readPermission(null),
        without: ['library_find'],
        only: ['library_find'],
        pins: { archive: { brandId: 7 } },
      }),
    });
    const text = textOf(await (await given.entered()).get('/me'));
    expect(text).toContain(
      'May use Nothing of what is connected now It can only read. Tools that are added later are not included. Left out: 1 tool.',
    );
    expect(text).toContain('Set by Acme &amp; Sons City Archive: brandId is always 7');
    expect(text).toContain('Never used, expires');
    expect(text).toContain('Last action None on record');
  });

  test('shows the access of the partner itself, and none that was revoked or has expired', async () => {
    await given.allow(null, { clientId: null, service: 'library' });
    await given.allow('Gone', { expiresAt: given.now + 1 });
    await given.allow('Ended', { endsAt: given.now + 1 });
    const { grantId } = await given.allow('Revoked');
    await given.api('DELETE', `alice/grants/${grantId}`);
    given.now += 10;
    const text = textOf(await (await given.entered()).get('/me'));
    expect(text).toContain('The application in which you connected Library.');
    expect(text).not.toMatch(/Gone|Ended|Revoked/);
  });

  test('shows the grants of the partner itself as one, and revokes them together', async () => {
    const day = 86_400_000;
    const scopes = ['tools:read'];
    const earlier = await given.allow(null, { clientId: null, service: 'library', scopes });
    const expiresAt = given.now + 40 * day;
    const later = await given.allow(null, { clientId: null, service: 'archive', services: ['archive'], expiresAt });
    const { token } = await given.allow('Claude', { endsAt: given.now + 90 * day });
    const browser = await given.entered();
    const text = textOf(await browser.get('/me'));
    expect(text.match(/The application in which you connected/g)).toHaveLength(1);
    expect(text).toContain('It has 2 grants, one for each time that you connected something.');
    expect(text).toContain('May use City Archive: 1 read-only tool Library: 1 read-only tool Services that');
    expect(text).toContain('Acme &amp; Sons Never used, expires 24 Feb');
    expect(text).toContain('Claude unverified name Never used, expires 14 Feb');
    expect(text).toContain('Expires at the latest 15 Apr');
    for (const { grantId } of [earlier, later])
      expect(await browser.get(`/me/clients/${grantId}`)).toMatchObject({ status: 200 });

    const answer = await browser.submit('/me', '/me/partner/revoke');
    expect(answer.headers.get('location')).toBe('/me?done=revoked');
    expect([await given.tools(earlier.token), await given.tools(later.token)]).toEqual([401, 401]);
    expect(await given.tools(token)).toHaveLength(4);
    expect(textOf(await browser.get('/me'))).not.toContain('The application in which you connected');
    expect(await given.auditOf('grants_revoked')).toEqual([
      { user_id: given.userId, details: { by: 'user', codes: 0, grants: 2, tokens: 0 }, address: expect.any(String) },
    ]);
  });

  test('shows twenty clients per page', async () => {
    for (let index = 0; index < 21; index += 1) await given.allow(`Client ${index}.`);
    const browser = await given.entered();
    const first = await browser.get('/me');
    expect(textOf(first)).toContain('Client 20.');
    expect(textOf(first)).not.toContain('Client 0.');
    const [, next] = /href="(\/me\?before=[^"]+)"/.exec(first.text)!;
    const second = textOf(await browser.get(next!));
    expect(second).toContain('Client 0.');
    expect(second).not.toContain('Client 1.');
    expect(second).toContain('Newest clients');
  });

  test('loads nothing but its style sheet, runs only its own script, and cannot be framed', async () => {
    const { headers, text } = await (await given.entered()).get('/me');
    expect(text).not.toMatch(/<img|<iframe|style="| src=/);
    const scripts = [...text.matchAll(/<script>([^<]*)<\/script>/g)].map(([, script = '']) => hashSource(script));
    expect([scripts.length, text.match(/<script/g)?.length]).toEqual([1, 1]);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none';.*form-action 'self'; frame-ancestors 'none'/);
    expect(policy).toContain(`script-src ${scripts[0]};`);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('revokes a client at once', async () => {
    const [one, other] = [await given.allow('One'), await given.allow('Other')];
    const browser = await given.entered();
    const answer = await browser.submit('/me', `/me/clients/${one.grantId}/revoke`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me?done=revoked']);
    expect(textOf(await browser.get('/me?done=revoked'))).toContain('The client has lost its access.');
    expect(await given.tools(one.token)).toBe(401);
    expect(await given.tools(other.token)).toHaveLength(4);
    expect(await given.auditOf('grant_revoked')).toEqual([
      { user_id: given.userId, details: { by: 'user' }, address: expect.any(String) },
    ]);
    const { revoked_reason } = await given.store.db
      .selectFrom('oauth_grants')
      .select('revoked_reason')
      .where('id', '=', one.grantId)
      .executeTakeFirstOrThrow();
    expect(revoked_reason).toBe('revoked-by-user');
  });

  test('revokes the access tokens that an operator created', async () => {
    const { token: ofClient } = await given.allow('Claude');
    const browser = await given.entered();
    expect(textOf(await browser.get('/me'))).not.toContain('The operator of this gateway');
    const token = createSecret('accessToken');
    await insertAccessToken(given.store.db, {
      tokenHash: hashSecret(given.store.db, token),
      userId: given.userId,
      scopes: ['tools:read'],
      services: null,
      resource: `${given.origin}/api/mcp/unified`,
      now: given.now,
      expiresAt: given.now + 60_000,
    });
    expect(await given.tools(token)).toContain('archive_read');
    expect(textOf(await browser.get('/me'))).toContain('Has 1 access token for your account');
    const answer = await browser.submit('/me', '/me/tokens/revoke');
    expect(answer.headers.get('location')).toBe('/me?done=tokens');
    expect(await given.tools(token)).toBe(401);
    expect(await given.tools(ofClient)).toHaveLength(4);
    expect(textOf(await browser.get('/me'))).not.toContain('The operator of this gateway');
  });

  test('removes a connection with its credential', async () => {
    const { token } = await given.allow('Claude');
    const answer = await (await given.entered()).submit('/me', '/me/connections/library/remove');
    expect(answer.headers.get('location')).toBe('/me?done=removed');
    expect((await listConnections(given.store.db, given.userId)).map(({ service }) => service)).toEqual(['archive']);
    expect(await given.tools(token)).toEqual(['archive_read']);
    expect(await given.auditOf('connection_removed')).toEqual([
      { user_id: given.userId, details: { service: 'library', by: 'user' }, address: expect.any(String) },
    ]);
  });

  test.each([
    ['a service', [['service', 'library']], ['archive_read'], { without: ['library/*'] }],
    [
      'a service and later ones',
      [
        ['service', 'library'],
        ['later', 'yes'],
      ],
      ['archive_read'],
      { services: ['archive'] },
    ],
    ['later services', [['later', 'yes']], 4, { services: ['archive', 'library'] }],
    ['writing', [['writing', 'yes']], ['archive_read', 'library_find'], { readOnly: true }],
    ['destroying', [['destructive', 'yes']], ['archive_read', 'library_find', 'library_lend'], { destructive: false }],
    [
      'a tool',
      [['tool', 'library_find']],
      ['archive_read', 'library_burn', 'library_lend'],
      { without: ['library_find'] },
    ],
    [
      'several at once',
      [
        ['service', 'archive'],
        ['writing', 'yes'],
        ['tool', 'library_burn'],
      ],
      ['library_find'],
      { readOnly: true, without: ['archive/*', 'library_burn'] },
    ],
  ] as const)('removes %s from the next call on', async (_, fields, left, details) => {
    const { grantId, token } = await given.allow('Claude');
    expect(await given.tools(token)).toHaveLength(4);
    const answer = await narrow(grantId, ...fields);
    expect(answer.headers.get('location')).toBe('/me?done=narrowed');
    const tools = await given.tools(token);
    if (typeof left === 'number') expect(tools).toHaveLength(left);
    else expect(tools).toEqual(left);
    expect(await given.auditOf('grant_narrowed')).toEqual([
      { user_id: given.userId, details: { by: 'user', ...details }, address: expect.any(String) },
    ]);
  });

  test('refuses a call of a removed tool', async () => {
    const { grantId, token } = await given.allow('Claude');
    expect((await given.call(token, 'library_burn')).body.result.isError).toBeUndefined();
    await narrow(grantId, ['destructive', 'yes']);
    const { body } = await given.call(token, 'library_burn');
    expect(body.result.isError).toBe(true);
    expect(JSON.stringify(body)).toContain('not_allowed');
    expect((await given.call(token, 'library_lend')).body.result.isError).toBeUndefined();
  });

  test('removes in addition to what was removed before', async () => {
    const { grantId, token } = await given.allow('Claude');
    await narrow(grantId, ['tool', 'library_find']);
    await narrow(grantId, ['tool', 'library_lend']);
    await narrow(grantId, ['service', 'archive']);
    expect(await given.tools(token)).toEqual(['library_burn']);
  });

  test('keeps later services for a client that lost one', async () => {
    const { grantId, token } = await given.allow('Claude');
    await narrow(grantId, ['service', 'library']);
    await connect(given.store, { userId: given.userId, service: 'museum' });
    expect(await given.tools(token)).toEqual(['archive_read', 'museum_visit']);
    expect((await findGrant(given.store.db, grantId))?.services).toBeNull();
  });

  test('keeps both of two concurrent narrowings', async () => {
    const { grantId, token } = await given.allow('Claude');
    const browser = await given.entered();
    const csrf = ['csrf', fieldOf((await browser.get('/me')).text, 'csrf')] as const;
    const tools = ['library_find', 'library_lend', 'library_burn'];
    await Promise.all(tools.map((tool) => browser.post(`/me/clients/${grantId}/narrow`, [csrf, ['tool', tool]])));
    expect(await given.tools(token)).toEqual(['archive_read']);
    expect(await given.auditOf('grant_narrowed')).toHaveLength(3);
  });

  test('never widens a grant, whatever is sent', async () => {
    const permission = writePermission({ ...readPermission(null), destructive: false, without: ['library_find'] });
    const changes = { scopes: ['tools:read'], services: ['library'], permission };
    const { grantId, token } = await given.allow('Claude', changes);
    expect(await given.tools(token)).toEqual([]);
    const attempts: (readonly [string, string])[][] = [
      [['writing', 'no']],
      [['read_only', 'false']],
      [['destructive', 'no']],
      [['services', 'archive']],
      [['service', 'archive']],
      [['without', '']],
      [['tool', 'archive_read']],
      [['tool', 'no_such_tool']],
      [['later', 'no']],
      [['permission', 'null']],
    ];
    for (const fields of attempts) await narrow(grantId, ...fields);
    const grant = await findGrant(given.store.db, grantId);
    expect(grant).toMatchObject({ scopes: ['tools:read'], services: ['library'] });
    expect(readPermission(grant!.permission)).toMatchObject({ destructive: false });
    expect(readPermission(grant!.permission).without).toContain('library_find');
    expect(await given.tools(token)).toEqual([]);
  });

  test('asks to revoke instead of leaving nothing, and to select something', async () => {
    const { grantId } = await given.allow('Claude', { services: ['library'] });
    const nothing = await narrow(grantId, ['service', 'library']);
    expect([nothing.status, textOf(nothing).includes('Revoke the client instead.')]).toEqual([400, true]);
    expect(nothing.text).toContain('<title>Error: ');
    const unticked = await narrow(grantId);
    expect([unticked.status, textOf(unticked).includes('Select what to remove first.')]).toEqual([400, true]);
  });

  test('lists the tools of a service, to leave out one by one', async () => {
    const { grantId } = await given.allow('Claude');
    await narrow(grantId, ['tool', 'library_lend']);
    const browser = await given.entered();
    const text = textOf(await browser.get(`/me/clients/${grantId}/tools/library`));
    expect(text).toContain('Find &lt;books&gt; library_find: reads');
    expect(text).toContain('library_burn: deletes or overwrites');
    expect(text).not.toContain('library_lend');
    expect((await browser.get(`/me/clients/${grantId}/tools/nothing`)).status).toBe(404);
    expect(textOf(await browser.get(`/me/clients/${grantId}/tools/museum`))).toContain('There is no tool of Museum');
  });

  test('changes nothing of another user', async () => {
    const theirs = await given.allow('Theirs', { userId: given.other.userId });
    const browser = await given.entered();
    expect((await browser.get(`/me/clients/${theirs.grantId}`)).status).toBe(404);
    expect((await browser.get(`/me/clients/${theirs.grantId}/tools/library`)).status).toBe(404);
    await browser.submit('/me', `/me/clients/${theirs.grantId}/revoke`);
    const narrowed = await browser.submit('/me', `/me/clients/${theirs.grantId}/narrow`, [['writing', 'yes']]);
    expect(narrowed.status).toBe(404);
    expect(await findGrant(given.store.db, theirs.grantId)).toMatchObject({
      revokedAt: null,
      scopes: ['tools:read', 'tools:write'],
    });
  });

  test('accepts only forms of its own session', async () => {
    const { grantId, token } = await given.allow('Claude');
    const [mine, foreign] = [await given.entered(), await given.entered()];
    const path = `/me/clients/${grantId}/revoke`;
    const csrf = ['csrf', fieldOf((await foreign.get('/me')).text, 'csrf')] as const;
    expect((await mine.post(path, [csrf])).status).toBe(403);
    expect((await mine.post(path, [])).status).toBe(403);
    const own = ['csrf', fieldOf((await mine.get('/me')).text, 'csrf')] as const;
    expect((await mine.post(path, [own], { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await mine.post(path, [own], { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await mine.get(path)).status).toBe(404);
    expect(await given.tools(token)).toHaveLength(4);
    expect((await mine.post(path, [own])).status).toBe(303);
  });

  test('has no other subpages', async () => {
    const browser = await given.entered();
    const other = await browser.get('/me/other');
    expect([other.status, other.text]).toEqual([404, expect.stringContaining('<a href="/me">Open your page</a>')]);
    expect((await browser.get('/me/clients/%00')).status).toBe(404);
    expect((await given.send('/meadow')).headers.get('content-type')).toContain('application/json');
  });
});
