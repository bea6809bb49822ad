import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { findConnectionCode, normalizeConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { addPartnerSecret } from '../../../../server/identity/partners/secrets.ts';
import { connect } from '../../base/store/fixtures.ts';
import { describeOAuth, signIn, toForm } from './support.ts';

const PATH = '/api/mcp/oauth/sessions';

describeOAuth('connection sessions', (given) => {
  const find = (code: string) => findConnectionCode(given.store.db, code, given.now);

  test('a partner gets a code that is easy to type, for ten minutes', async () => {
    const answer = await given.session();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      session_token: expect.stringMatching(/^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/),
      expires_in: 600,
    });
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(await find(answer.body.session_token)).toEqual({
      userId: given.userId,
      partner: expect.objectContaining({ id: given.partnerId, clientId: 'acme', name: 'Acme', suspendedAt: null }),
      signedInAt: [],
      externalUserId: 'alice',
      services: ['crm', 'retrieval'],
      accounts: new Map(),
      limits: { services: null, readOnly: false, permission: FULL_PERMISSION, grantSeconds: null },
    });
    given.now += 599_999;
    expect(await find(answer.body.session_token)).toBeDefined();
    given.now += 1;
    expect(await find(answer.body.session_token)).toBeUndefined();
    expect(await given.events()).toEqual(['connection_code_minted']);
  });

  test('only the hash of the code is stored', async () => {
    const { session_token } = (await given.session()).body;
    const kept = [
      await given.store.db.selectFrom('single_use_codes').selectAll().execute(),
      await given.store.db.selectFrom('audit_events').selectAll().execute(),
      given.lines,
    ];
    for (const form of [session_token, normalizeConnectionCode(session_token)!]) {
      expect(JSON.stringify(kept)).not.toContain(form);
    }
  });

  describe('the display of tools and results', () => {
    const whole = { ...FULL_PERMISSION, catalogue: 'search', resultTokens: 5000 };

    test('is stored with the code, from JSON and from a form', async () => {
      const members = { user_id: 'alice', catalogue: 'search', result_tokens: 5000 };
      const credentials = { client_id: 'acme', client_secret: given.partnerSecret };
      const form = toForm({ ...credentials, ...members, result_tokens: '5000' });
      for (const answer of [await given.session(members), await given.send(PATH, { method: 'POST', body: form })]) {
        expect(answer.status).toBe(200);
        expect((await find(answer.body.session_token))?.limits.permission).toEqual(whole);
      }
    });

    test.each([
      [{ catalogue: 'short' }, 'catalogue must be one of lean, full, compact, search, code.'],
      [{ result_tokens: 10 }, 'result_tokens must be a whole number of tokens from 1000 to 1000000.'],
    ])('is refused if it is invalid: %j', async (more, error_description) => {
      const answer = await given.session({ user_id: 'alice', ...more });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', error_description } });
    });
  });

  describe('pins', () => {
    const mint = (pins: object) => given.session({ user_id: 'alice', services: ['crm', 'shop'], ...pins });

    test('are stored with the code, and the answer names the tools that they withhold', async () => {
      const pins = {
        tools: ['shop_list_goods', 'crm_list'],
        arguments: { shop: { brandId: 'b1' } },
        grant_expires_in: 3600,
      };
      const { body } = await mint(pins);
      expect(body.withheld_tools).toEqual(['shop_find', 'shop_list_brands']);
      expect(await find(body.session_token)).toMatchObject({
        limits: {
          permission: { only: ['crm_list', 'shop_list_goods'], pins: { shop: { brandId: 'b1' } } },
          grantSeconds: 3600,
        },
      });
    });

    test('keep the digits of a number that is sent as text, and are refused as a number that would be rounded', async () => {
      const limit = '725653563933458433';
      const { body } = await mint({ arguments: { shop: { limit } } });
      expect(await find(body.session_token)).toMatchObject({ limits: { permission: { pins: { shop: { limit } } } } });
      const send = (text: string) =>
        given.send(PATH, {
          method: 'POST',
          headers: {
            Authorization: `Basic ${Buffer.from(`acme:${given.partnerSecret}`).toString('base64')}`,
            'Content-Type': 'application/json',
          },
          body: `{"user_id":"alice","arguments":{"shop":{"limit":${text}}}}`,
        });
      expect(await send(limit)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(await send('1e400')).toMatchObject({
        status: 400,
        body: { error_description: 'The number at "arguments.shop.limit" is not finite.' },
      });
    });

    test('are accepted in a form too', async () => {
      const form = {
        user_id: 'alice',
        tools: 'crm_list',
        arguments: '{"shop":{"limit":5}}',
        grant_expires_in: '60',
      };
      const { body } = await given.send(PATH, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(`acme:${given.partnerSecret}`).toString('base64')}` },
        body: toForm(form),
      });
      expect(await find(body.session_token)).toMatchObject({
        limits: { permission: { only: ['crm_list'], pins: { shop: { limit: 5 } } }, grantSeconds: 60 },
      });
    });

    test.each([
      [{ tools: ['crm_fly'] }, 'There is no tool "crm_fly".'],
      [{ tools: ['crm_list'], services: ['shop'] }, 'The tool "crm_list" belongs to crm, which services leaves out.'],
      [{ tools: [] }, 'tools must be a list of tool names.'],
      [{ arguments: { nobody: { a: 'b' } } }, 'There is no service "nobody".'],
      [{ arguments: { shop: {} } }, 'arguments names no argument of shop.'],
      [{ arguments: { shop: { shelf: 'A' } } }, 'No tool of shop can be kept to "shelf".'],
      [{ arguments: { shop: { limit: 'many' } } }, 'arguments.shop.limit must be integer.'],
      [{ arguments: { shop: { limit: 1 } }, services: ['mailer'] }, 'arguments names shop, which services leaves out.'],
      [{ arguments: { crm: { limit: null } } }, /^arguments must be an object such as/],
      [{ arguments: 'crm' }, /^arguments must be an object such as/],
      [{ grant_expires_in: 59 }, 'grant_expires_in must be a whole number of seconds from 60 to 31622400.'],
    ])('%j are refused', async (pins, description) => {
      const answer = await mint(pins);
      expect(answer.status).toBe(400);
      expect(answer.body.error_description).toEqual(
        typeof description === 'string' ? description : expect.stringMatching(description),
      );
    });
  });

  test.each([
    [{ service: ['crm'] }, 'There is no member "service". Did you mean services?'],
    [{ readonly: true }, 'There is no member "readonly". Did you mean read_only?'],
    [{ expires_in: 60 }, 'There is no member "expires_in". Did you mean grant_expires_in?'],
    [
      { pins: { shop: {} } },
      'There is no member "pins". Members: user_id, services, read_only, tools, arguments, accounts, catalogue, result_tokens, grant_expires_in.',
    ],
  ])('a misspelt member is refused rather than ignored, in JSON and in a form: %j', async (more, error_description) => {
    const members = { user_id: 'alice', ...more };
    const credentials = { client_id: 'acme', client_secret: given.partnerSecret };
    const texts = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
    const form = toForm({ ...credentials, ...texts, user_id: 'alice' });
    for (const answer of [await given.session(members), await given.send(PATH, { method: 'POST', body: form })]) {
      expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_request', error_description }]);
    }
    expect(await given.events()).toEqual([]);
  });

  test('a narrowing in the address is refused rather than ignored', async () => {
    const body = JSON.stringify({ client_id: 'acme', client_secret: given.partnerSecret, user_id: 'alice' });
    const answer = await given.send(`${PATH}?read_only=true`, {
      ...{ method: 'POST', body },
      headers: { 'Content-Type': 'application/json' },
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  test('services and read_only narrow what the code can grant', async () => {
    const { body } = await given.session({ user_id: 'alice', services: ['crm', 'mailer', 'crm'], read_only: true });
    expect(await find(body.session_token)).toMatchObject({
      services: ['crm'],
      limits: { services: ['crm', 'mailer'], readOnly: true },
    });
  });

  test.each([
    ['commas', 'crm,mailer'],
    ['blanks', 'crm mailer'],
    ['both', ' crm, mailer '],
    ['repetition', ['crm', 'mailer']],
  ])('a form may list services with %s', async (_title, services) => {
    const { status, body } = await given.send(PATH, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`acme:${given.partnerSecret}`).toString('base64')}` },
      body: toForm({ user_id: 'alice', services, read_only: 'true' }),
    });
    expect(status).toBe(200);
    expect(await find(body.session_token)).toMatchObject({
      limits: { services: ['crm', 'mailer'], readOnly: true },
    });
  });

  test('the credentials may be in the form', async () => {
    const form = toForm({ client_id: 'acme', client_secret: given.partnerSecret, user_id: 'alice' });
    expect((await given.send(PATH, { method: 'POST', body: form })).status).toBe(200);
  });

  test.each([
    ['an unknown user', { user_id: 'nobody' }],
    ['a user of another partner', { user_id: 'bob' }],
  ])('%s is refused, with what to do', async (_title, body) => {
    const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: 1 });
    await ensureUser(given.store.db, { partnerId: other.id, externalUserId: 'bob', now: 1 });
    const answer = await given.session(body);
    expect([answer.status, answer.body.error]).toEqual([400, 'user_not_connected']);
    expect(answer.body.error_description).toContain('/connect/<service>');
    expect(await given.events()).toEqual([]);
  });

  test.each([
    ['a user who has connected nothing', { user_id: 'carol' }, null],
    ['a user who is connected to none of the services', { user_id: 'alice', services: ['billing'] }, ['billing']],
  ])('%s gets a code for services that are connected later', async (_title, body, limited) => {
    await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: 'carol', now: 1 });
    const answer = await given.session(body);
    expect(answer.status).toBe(200);
    expect(await find(answer.body.session_token)).toMatchObject({
      services: [],
      limits: { services: limited },
    });
  });

  test('a code of a user without connections signs in, and tools appear when a service is connected', async () => {
    const carol = await ensureUser(given.store.db, { partnerId: given.partnerId, externalUserId: 'carol', now: 1 });
    const connectionCodeText = (await given.session({ user_id: 'carol' })).body.session_token;
    expect(await find(connectionCodeText)).toMatchObject({ userId: carol.id });
    const { accessToken } = await signIn(Object.assign({}, given, { userId: carol.id, now: given.now }));
    const services = async () => {
      const headers = { Authorization: `Bearer ${accessToken}` };
      return (await given.send('/api/mcp/unified', { headers })).body.services;
    };
    expect(await services()).toEqual([]);
    await connect(given.store, { userId: carol.id, service: 'crm', status: 'active' });
    expect(await services()).toEqual(['crm']);
  });

  test.each([
    ['no user', {}],
    ['a user that is a number', { user_id: 7 }],
    ['an empty user', { user_id: '' }],
    ['a user with a NUL', { user_id: 'a\0b' }],
    ['a user that is too long', { user_id: 'a'.repeat(513) }],
    ['services that are a text', { user_id: 'alice', services: 'crm' }],
    ['no service', { user_id: 'alice', services: [] }],
    ['an unknown service', { user_id: 'alice', services: ['crm', 'CRM'] }],
    ['read_only that is a text', { user_id: 'alice', read_only: 'true' }],
  ])('%s is 400 invalid_request', async (_title, body) => {
    const answer = await given.session(body);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  test.each([
    ['another secret', { client_secret: 'utg_ps_wrong' }],
    ['no secret', { client_secret: null }],
    ['an empty secret', { client_secret: '' }],
    ['an unknown partner', { client_id: 'unknown' }],
    ['a partner with a NUL', { client_id: 'ac\0me' }],
    ['a partner in another case', { client_id: 'ACME' }],
    ['no partner', { client_id: undefined }],
  ])('%s is 401 invalid_client', async (_title, credentials) => {
    const answer = await given.session({ user_id: 'alice', ...credentials });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.headers.get('WWW-Authenticate')).toBeNull();
  });

  test('a wrong secret in the header is challenged', async () => {
    const answer = await given.send(PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('acme:wrong')}` },
      body: '{"user_id":"alice"}',
    });
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Basic realm="Unified Tool Gateway", charset="UTF-8"',
    ]);
  });

  test('two secrets are valid at a time, and a third revokes the oldest', async () => {
    const rotate = (endOthers = false) =>
      given.store.db
        .transaction()
        .execute((transaction) =>
          addPartnerSecret(transaction, { partnerId: given.partnerId, now: given.now, endOthers }),
        );
    const statusOf = async (client_secret: string) => (await given.session({ user_id: 'alice', client_secret })).status;
    const first = given.partnerSecret;
    const second = await rotate();
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    given.now += 1;
    const third = await rotate();
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 200, 200]);
    given.now += 1;
    const fourth = await rotate(true);
    expect([await statusOf(third), await statusOf(fourth)]).toEqual([401, 200]);
  });

  test('a page of another origin cannot read the answer', async () => {
    const answer = await given.send(PATH, { method: 'POST', headers: { Origin: 'https://evil.example.com' } });
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
  });
});
