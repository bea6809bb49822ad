import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../server/base/principal/secrets.ts';
import { emit } from '../../../../server/base/store/events.ts';
import { insertConnectionAttempt } from '../../../../server/base/store/repositories/connection-attempts.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { findGrant, insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { findPartner, findPartnerByClientId } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser, findUserById } from '../../../../server/base/store/repositories/users.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { authenticatePartner } from '../../../../server/identity/partners/secrets.ts';
import { LIVE_SCRIPT } from '../../../../server/modules/admin/view/live-script.ts';
import { SCRIPT } from '../../../../server/modules/admin/view/script.ts';
import { searchAuditEvents } from '../../../../server/modules/audit/search.ts';
import { findConnection } from '../../base/store/fixtures.ts';
import { givenDashboard } from './support.ts';

const given = givenDashboard();

const latestEvent = async () => (await searchAuditEvents(given.store.db, {}, 1))[0]!;

async function insertGrantOfClient(names: { clientId?: string; clientName?: string; redirectUri?: string } = {}) {
  const { clientId = 'client-1', clientName = 'Helper', redirectUri = 'https://helper.example/back' } = names;
  await insertClient(given.store.db, {
    clientId,
    clientName,
    redirectUris: [redirectUri],
    applicationType: 'web',
    secretHash: null,
    authenticationMethod: 'none',
    now: given.now,
  });
  const of = { userId: given.userId, scopes: ['tools:read'], services: null, resource: 'r', now: given.now };
  const grantId = await insertGrant(given.store.db, { clientId, ...of, expiresAt: given.now + 1000 });
  const { token, id: tokenId } = await issueAccessToken(given.store.db, { ...of, scopes: ['tools:read'], grantId });
  return { grantId, token, tokenId, clientId };
}

const isGood = async (token: string) =>
  (await given.store.findAccessToken(hashSecret(given.store.db, token))) !== undefined;

describe('partners', () => {
  test('are added with a secret that is shown once and works', async () => {
    const operator = await given.operator();
    const { text } = await operator.submit('/admin/partners', '/admin/partners', { name: 'New "Partner" Ltd' });
    const [secret] = /utg_ps_[A-Za-z0-9_-]{43}/.exec(text)!;
    expect(text).toContain(`<code data-copy="secret">${secret}</code>`);
    const credentials = { clientId: 'new-partner-ltd', clientSecret: secret };
    const partner = (await authenticatePartner(given.store.db, credentials))!;
    expect(partner.name).toBe('New "Partner" Ltd');
    for (const path of ['/admin/partners', `/admin/partners/${partner.id}`, '/admin/audit']) {
      expect((await operator.get(path)).text).not.toContain(secret);
    }
    expect(await latestEvent()).toMatchObject({ type: 'partner_added', partnerId: partner.id, address: '127.0.0.1' });
  });

  test.each([
    [{ name: 'Other', client_id: 'acme' }, 'There is a partner with this client_id already.'],
    [{ name: 'Other', client_id: 'a b' }, 'The client_id must be'],
    [{ name: ' ' }, 'The name is missing'],
    [{ name: '例え' }, 'The client_id must be'],
  ])('are refused as %o', async (fields, problem) => {
    const operator = await given.operator();
    const { status, text } = await operator.submit('/admin/partners', '/admin/partners', fields);
    expect(status).toBe(400);
    expect(text).toContain(problem);
  });

  test('have settings that can be changed', async () => {
    const operator = await given.operator();
    const path = `/admin/partners/${given.partnerId}`;
    const fields = {
      name: 'Acme 2',
      logo_text: 'A2',
      redirect_uris: 'https://acme.example/back\nhttp://localhost:4000/back',
      connect_uri: 'https://acme.example/connect',
      services: 'library',
    };
    const answer = await operator.submit(path, path, fields);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${path}?done=changed`]);
    expect(await findPartner(given.store.db, given.partnerId)).toMatchObject({
      name: 'Acme 2',
      logoText: 'A2',
      redirectUris: ['https://acme.example/back', 'http://localhost:4000/back'],
      connectUri: 'https://acme.example/connect',
      services: ['library'],
      plainLinks: false,
    });
    await operator.submit(path, path, { ...fields, all_services: 'yes', plain_links: 'yes' });
    expect(await findPartner(given.store.db, given.partnerId)).toMatchObject({ services: null, plainLinks: true });
  });

  test.each([
    { redirect_uris: 'http://evil.example/' },
    { redirect_uris: 'javascript:alert(1)' },
    { connect_uri: 'https://user@acme.example/' },
    { logo_text: 'too long' },
    { services: 'nothing-of-that-name' },
    { name: '' },
  ])('keep their settings if one is invalid: %o', async (wrong) => {
    const operator = await given.operator();
    const path = `/admin/partners/${given.partnerId}`;
    const { status, text } = await operator.submit(path, path, { name: 'Changed', ...wrong });
    expect(status).toBe(400);
    expect(text).toContain('Nothing was changed');
    expect((await findPartner(given.store.db, given.partnerId))!.name).toBe('Acme');
  });

  test('get a test partner with their first test secret, which shows whose settings it has', async () => {
    const operator = await given.operator();
    const path = `/admin/partners/${given.partnerId}`;
    const { text } = await operator.submit(path, `${path}/test-secret`);
    const [clientSecret] = /utg_test_[A-Za-z0-9_-]{43}/.exec(text)!;
    const test = (await authenticatePartner(given.store.db, { clientId: 'acme', clientSecret }))!;
    expect(test).toMatchObject({ clientId: 'acme~test', realm: 'test' });
    expect((await operator.get(path)).text).toContain(`<a href="/admin/partners/${test.id}">Its test partner</a>`);
    const own = `/admin/partners/${test.id}`;
    expect((await operator.submit('/admin/partners', `${path}/test-secret`)).headers.get('Location')).toBe(own);
    const page = await operator.get(own);
    expect(page.text).toContain(`<a href="${path}">the live partner</a>`);
    expect(page.text).not.toContain('name="redirect_uris"');
    const another = await operator.submit(own, `${own}/secrets`);
    expect(another.text).toMatch(/utg_test_[A-Za-z0-9_-]{43}/);
    expect((await operator.get('/admin/partners')).text).toMatch(/class="badge[^"]*">test</);
  });

  test('have at most two valid secrets, and each can be revoked', async () => {
    const operator = await given.operator();
    const path = `/admin/partners/${given.partnerId}`;
    const secrets: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { text } = await (count < 2
        ? operator.submit(path, `${path}/secrets`)
        : operator.confirm(path, `${path}/secrets`));
      secrets.push(/utg_ps_[A-Za-z0-9_-]{43}/.exec(text)![0]);
    }
    const good = async () => {
      const found = secrets.map((clientSecret) =>
        authenticatePartner(given.store.db, { clientId: 'acme', clientSecret }),
      );
      return (await Promise.all(found)).map((partner) => partner !== undefined);
    };
    expect(await good()).toEqual([false, true, true]);
    const [, newest] = /secrets\/([^/"]+)\/revoke/.exec((await operator.get(path)).text)!;
    await operator.confirm(path, `${path}/secrets/${newest}/revoke`);
    expect(await good()).toEqual([false, true, false]);
    expect((await latestEvent()).type).toBe('partner_secret_revoked');
    const [, last] = /secrets\/([^/"]+)\/revoke/.exec((await operator.get(path)).text)!;
    await operator.confirm(path, `${path}/secrets/${last}/revoke`);
    const partner = given.store.db.selectFrom('partners').select('suspended_at').where('id', '=', given.partnerId);
    expect((await partner.executeTakeFirstOrThrow()).suspended_at).not.toBeNull();
    expect((await operator.get(path)).text).toContain('Suspended since');
  });
});

describe('users', () => {
  test('are found by part of their name', async () => {
    await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: 'bob', now: given.now });
    const operator = await given.operator();
    const { text } = await operator.get('/admin/users?q=LIC');
    expect([text.includes('alice'), text.includes('>bob<')]).toEqual([true, false]);
    expect((await operator.get('/admin/users?q=%25')).text).toContain('No user matches');
  });

  test('are listed after they connect a service, before the partner redeems the code', async () => {
    await insertConnectionAttempt(given.store.db, {
      id: 'a',
      codeHash: 'h',
      partnerId: given.partnerId,
      externalUserId: 'carol<i>',
      service: 'library',
      redirectUri: 'https://acme.example/back',
      sessionId: null,
      sealedCredential: null,
      now: given.now,
      expiresAt: given.now + 120_000,
    });
    const { text } = await (await given.operator()).get('/admin/users');
    expect(text).toContain('carol&lt;i&gt;');
    expect(text).toContain('expires in 2 minutes');
  });

  test('are shown with who is signed in at each service, such as the tenant, as text', async () => {
    const connections = given.store.db.updateTable('connections').where('user_id', '=', given.userId);
    await connections.set({ account: 'Ada <b>, acme' }).execute();
    const { text } = await (await given.operator()).get(`/admin/users/${given.userId}`);
    expect(text).toContain('Signed in as');
    expect(text).toContain('<bdi>Ada &lt;b&gt;, acme</bdi>');
  });

  test('get a test token that is shown once, works, and can be revoked', async () => {
    const operator = await given.operator();
    const path = `/admin/users/${given.userId}`;
    const { text } = await operator.submit(path, `${path}/tokens`, { services: 'library', read_only: 'yes' });
    const [token] = /utg_at_[A-Za-z0-9_-]{43}/.exec(text)!;
    const found = await given.store.findAccessToken(hashSecret(given.store.db, token));
    expect(found).toMatchObject({
      userId: given.userId,
      scopes: ['tools:read'],
      expiresAt: given.now + 3_600_000,
    });
    expect([...(found?.connections.keys() ?? [])]).toEqual(['library']);
    const page = await operator.get(path);
    expect(page.text).not.toContain(token);
    expect((await latestEvent()).type).toBe('access_token_minted');
    const [, id] = /tokens\/([^/"]+)\/revoke/.exec(page.text)!;
    await operator.submit(path, `${path}/tokens/${id}/revoke`);
    expect(await isGood(token)).toBe(false);
    expect(await latestEvent()).toMatchObject({ type: 'access_token_revoked', details: { tokenId: id } });
  });

  test('keep a token that is revoked under another user', async () => {
    const other = await ensureUser(given.store.db, {
      partnerId: given.partnerId,
      externalUserId: 'bob',
      now: given.now,
    });
    const { grantId, token } = await insertGrantOfClient();
    const { id } = (await given.store.findAccessToken(hashSecret(given.store.db, token)))!;
    const operator = await given.operator();
    const path = `/admin/users/${other.id}`;
    await operator.submit(path, `${path}/tokens/${id}/revoke`);
    await operator.confirm(path, `${path}/grants/${grantId}/revoke`);
    expect(await isGood(token)).toBe(true);
  });

  test('lose a client that they allowed, with its tokens', async () => {
    const { grantId, token } = await insertGrantOfClient();
    const operator = await given.operator();
    const path = `/admin/users/${given.userId}`;
    await operator.confirm(path, `${path}/grants/${grantId}/revoke`);
    expect(await isGood(token)).toBe(false);
    expect((await findGrant(given.store.db, grantId))!.revokedAt).toBe(given.now);
    expect((await operator.get(path)).text).toContain('revoked-by-operator');
  });

  test('lose a connection', async () => {
    const operator = await given.operator();
    const path = `/admin/users/${given.userId}`;
    await operator.confirm(path, `${path}/connections/library/remove`);
    expect(await findConnection(given.store.db, given.userId, 'library')).toBeUndefined();
    expect(await latestEvent()).toMatchObject({ type: 'connection_removed', details: { service: 'library' } });
  });

  test('are removed with their name', async () => {
    const operator = await given.operator();
    const path = `/admin/users/${given.userId}`;
    await emit(given.store.db, { type: 'consent_given', now: given.now, userId: given.userId });
    await operator.confirm(path, `${path}/remove`);
    expect(await findUserById(given.store.db, given.userId)).toBeUndefined();
    const events = await searchAuditEvents(given.store.db, {}, 50);
    expect(JSON.stringify(events)).not.toContain(given.userId);
    const gone = await operator.get(path);
    expect(gone.status).toBe(404);
    expect(gone.text).toContain('<a href="/admin/users">list of users</a>');
  });
});

describe('tools', () => {
  const path = '/admin/tools/library_find';

  test('run as the chosen user, with the arguments of the form', async () => {
    const operator = await given.operator();
    const { status, text } = await operator.submit(path, path, {
      user: given.userId,
      'arg.words': 'big brother',
      'arg.limit': '2',
      'arg.exact': 'true',
      'arg.order': '',
      'arg.filter': '{"year": 1984}',
    });
    expect(status).toBe(200);
    expect(text).toContain('&lt;b&gt;1984&lt;/b&gt;');
    const [principal, name, args] = given.calls[0]!;
    expect(principal).toMatchObject({ userId: given.userId, externalUserId: 'alice', services: ['library'] });
    expect([name, args]).toEqual([
      'library_find',
      { words: 'big brother', limit: 2, exact: true, filter: { year: 1984 } },
    ]);
    expect(await latestEvent()).toMatchObject({ type: 'tool_tried', details: { tool: 'library_find' } });
    expect(JSON.stringify(await latestEvent())).not.toContain('big brother');
  });

  test('take their arguments as JSON as well', async () => {
    const operator = await given.operator();
    await operator.submit(path, path, { user: given.userId, 'arg.words': 'no', arguments: '{"words":"yes"}' });
    expect(given.calls[0]![2]).toEqual({ words: 'yes' });
  });

  test.each([
    [{ user: '' }, 'Choose a user first.'],
    [{ user: 'nobody' }, 'Choose a user first.'],
    [{ 'arg.filter': '{' }, 'filter must be JSON'],
    [{ arguments: '[]' }, 'The arguments must be a JSON object.'],
  ])('do not run with %o', async (fields, problem) => {
    const operator = await given.operator();
    const { status, text } = await operator.submit(path, path, { user: given.userId, 'arg.words': 'kept', ...fields });
    expect([status, given.calls.length]).toEqual([400, 0]);
    expect(text).toContain(problem);
    expect(text).toContain('value="kept"');
  });

  test('that write run if the box is ticked', async () => {
    const operator = await given.operator();
    const burn = '/admin/tools/library_burn';
    const { status } = await operator.submit(burn, burn, { user: given.userId });
    expect([status, given.calls.length]).toEqual([400, 0]);
    await operator.submit(burn, burn, { user: given.userId, sure: 'yes' });
    expect(given.calls).toHaveLength(1);
  });
});

describe('clients', () => {
  test('are removed with their grants and tokens', async () => {
    const { clientId, token } = await insertGrantOfClient();
    const operator = await given.operator();
    expect((await operator.get('/admin/clients')).text).toContain('client-1');
    await operator.confirm('/admin/clients', `/admin/clients/${clientId}/remove`);
    expect(await isGood(token)).toBe(false);
    expect(await latestEvent()).toMatchObject({ type: 'client_removed', clientId });
    expect((await operator.get('/admin/clients')).text).not.toContain('client-1');
  });
});

describe('the audit trail', () => {
  test('says in the row what was decided', async () => {
    const details = { tool: 'library_burn', decision: 'denied' };
    await emit(given.store.db, { type: 'approval_decided', now: given.now, details } as never);
    expect((await (await given.operator()).get('/admin/audit')).text).toContain('Approval decided: denied');
  });

  test('is searched by type, text and day, and pages to older events', async () => {
    for (let count = 0; count < 51; count += 1) {
      const details = { number: `n${count}.` };
      await emit(given.store.db, { type: 'tokens_issued', now: given.now - 200 + count, details });
    }
    const operator = await given.operator();
    const { text } = await operator.get('/admin/audit?type=tokens_issued');
    expect([text.includes('n50.'), text.includes('n0.')]).toEqual([true, false]);
    const [, older] = /<a href="([^"]+)" rel="next">/.exec(text)!;
    expect((await operator.get(older!.replaceAll('&amp;', '&'))).text).toContain('n0.');
    expect((await operator.get('/admin/audit?q=N42.')).text).toContain('n42.');
    expect((await operator.get('/admin/audit?type=tokens_issued&to=2030-01-14')).text).toContain('No event matches');
    expect((await operator.get('/admin/audit?type=tokens_issued&from=2030-01-15&to=2030-01-15')).text).toContain(
      'n50.',
    );
  });
});

describe('a list without a row', () => {
  test.each([
    ['/admin/calls', 'No call yet', false],
    ['/admin/calls?tool=library_find', 'No call matches', true],
    ['/admin/audit?q=nothing-like-this', 'No event matches', true],
  ])('%s says: %s, and speaks of filters only if one is set: %s', async (path, title, hasFilter) => {
    const { text } = await (await given.operator()).get(path);
    expect([text.includes(title), text.includes('Remove a filter')]).toEqual([true, hasFilter]);
  });
});

describe('hostile input', () => {
  const HOSTILE = `"'><img src=x onerror=alert(1)></textarea><script>alert(2)</script>`;

  test('is escaped on every page that shows it', async () => {
    const operator = await given.operator();
    const partner = (await findPartnerByClientId(given.store.db, 'acme'))!;
    await given.store.db
      .updateTable('partners')
      .set({ name: HOSTILE, logo_text: HOSTILE, connect_uri: HOSTILE })
      .execute();
    await given.store.db.updateTable('users').set({ external_user_id: HOSTILE }).execute();
    const { clientId, tokenId } = await insertGrantOfClient({
      clientId: HOSTILE,
      clientName: HOSTILE,
      redirectUri: HOSTILE,
    });
    await emit(given.store.db, {
      type: HOSTILE as 'consent_given',
      now: given.now,
      userId: given.userId,
      partnerId: partner.id,
      clientId,
      address: HOSTILE,
      requestId: HOSTILE,
      details: { [HOSTILE]: HOSTILE },
    });
    const call = {
      ...{
        createdAt: given.now,
        partnerId: partner.id,
        userId: given.userId,
        upstreamStatus: null,
        upstreamCode: null,
        durationMs: 1,
      },
      ...{ requestBytes: 1, responseBytes: 1, service: HOSTILE, outcome: HOSTILE, requestId: HOSTILE },
    };
    await given.store.insertCallRecords([
      { ...call, tokenId: 't', tool: HOSTILE },
      { ...call, tokenId, tool: 'library_delete' },
    ]);
    const calls = await given.store.db.selectFrom('call_records').select('id').where('tool', '=', HOSTILE).execute();
    const query = encodeURIComponent(HOSTILE);
    for (const path of [
      '',
      `?range=${query}`,
      '/partners',
      `/partners/${partner.id}`,
      '/users',
      `/users?q=${query}&partner=${query}`,
      `/users/${given.userId}`,
      `/users/${given.userId}?done=${query}`,
      `/tools?user=${query}`,
      `/tools/library_find?user=${query}`,
      `/tools/library_find?user=${given.userId}`,
      '/aliases',
      `/aliases?name=${query}`,
      '/clients',
      `/clients?q=${query}`,
      '/grants',
      `/grants?user=${query}&partner=${query}&client=${query}&service=${query}&done=revoked&grants=${query}`,
      `/grants?user=${given.userId}`,
      '/audit',
      `/audit?q=${query}&type=${query}&partner=${query}&user=${query}&client=${query}&from=${query}&to=${query}`,
      '/calls',
      `/calls?name=${query}&tool=${query}&service=${query}&outcome=${query}&request=${query}&from=${query}`,
      `/calls?user=${query}&partner=${query}&live=${query}`,
      `/calls?name=${query}`,
      `/calls/${calls[0]?.id}`,
      '/usage?by=user&and=client',
      `/usage?by=tool&partner=${query}&user=${query}&client=${query}&service=${query}&tool=${query}&from=${query}`,
      `/usage?by=${query}&and=${query}&days=${query}&realm=${query}`,
      `/connections?service=${query}&status=${query}&partner=${query}&to=${query}`,
      `/tools?q=${query}&service=${query}&effect=${query}`,
      `/search?q=${query}`,
      `/${query}`,
    ]) {
      const { text } = await operator.get(`/admin${path}`);
      const foreign = text.replace(SCRIPT, '').replace(LIVE_SCRIPT, '').replace('<script></script>', '');
      expect([path, /<img|<script|onerror=alert\(1\)>/.exec(foreign)?.[0]]).toEqual([path, undefined]);
    }
    for (const path of [
      `/clients/${query}/remove`,
      `/partners/${partner.id}/remove`,
      `/users/${given.userId}/remove`,
    ]) {
      const { text } = await operator.submit('/admin', `/admin${path}`);
      const foreign = text.replace(SCRIPT, '').replace(LIVE_SCRIPT, '').replace('<script></script>', '');
      expect([path, text.includes('Nothing has changed yet'), /<img|<script/.test(foreign)]).toEqual([
        path,
        true,
        false,
      ]);
    }
    const typed = await operator.submit('/admin/partners', '/admin/partners', { name: HOSTILE, client_id: HOSTILE });
    expect(typed.text.replace(SCRIPT, '').replace(LIVE_SCRIPT, '').replace('<script></script>', '')).not.toMatch(
      /<img|<script/,
    );
  });

  test.each([
    '/users?q=%00',
    '/audit?q=%00&type=%00',
    '/clients?before=x',
    '/clients?after=x%00',
    '/connections?before=%00&to=x',
    '/users?waiting-after=%00',
    '/partners?before=%00',
    '/tools?from=x',
    '/users?before=%00',
    '/grants?before=%00&user=%00&service=%00',
    '/tools/%00',
    '/partners/%00',
  ])('is not a server error at /admin%s', async (path) => {
    expect((await (await given.operator()).get(`/admin${path}`)).status).toBeLessThan(500);
  });
});
