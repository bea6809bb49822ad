import { expect, test } from 'vitest';
import { purge } from '../../../server/base/store/purge.ts';
import { retentionRules } from '../../../server/base/store/retention.ts';
import { changePartner } from '../../../server/identity/partners/manage.ts';
import { createSessionVisitor, mintSession, visitSession } from './session-steps.ts';
import { describeConnect, locationOf, REDIRECT_URI } from './support.ts';

const GOOD = { 'credential-0': 'good-key-1' };
const DAY_MS = 86_400_000;

describeConnect('a connect session', (given) => {
  const redeem = (code: string, changes: Record<string, string | undefined> = {}) =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice', ...changes });
  const rows = (table: 'connect_sessions' | 'connection_attempts' | 'connections') =>
    given.store.db.selectFrom(table).selectAll().execute();
  const codeOf = (answer: Parameters<typeof locationOf>[0]) => locationOf(answer).parameters.code ?? '';

  test('connects its user when the partner redeems the code, which names the user or the state of the session', async () => {
    const minted = await mintSession(given);
    expect(minted.status).toBe(201);
    expect(minted.body).toEqual({
      connect_url: expect.stringMatching(/\/connect\?token=utg_ct_[A-Za-z0-9_-]{43}$/),
      expires_at: new Date(given.now + 900_000).toISOString(),
    });
    const visitor = createSessionVisitor(given);
    const page = await visitor.open(minted.body.connect_url);
    expect(page.status).toBe(200);
    for (const text of ['Acme &amp; Sons', 'alice', 'The library']) expect(page.text).toContain(text);
    const back = await visitor.submit(GOOD);
    expect(locationOf(back)).toEqual({ to: REDIRECT_URI, parameters: { code: expect.any(String), state: 'state-1' } });
    expect(await rows('connections')).toEqual([]);

    expect((await redeem(codeOf(back), { user_id: 'eve' })).body.error).toBe('invalid_grant');
    expect((await redeem(codeOf(back), { user_id: undefined })).body).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringMatching(/^user_id or state is required/),
    });
    expect((await redeem(codeOf(back), { user_id: undefined, state: 'state-2' })).body.error).toBe('invalid_grant');
    const redeemed = await redeem(codeOf(back), { user_id: undefined, state: 'state-1' });
    expect(redeemed.body).toMatchObject({ user_id: 'alice', service: 'library', services: ['library'] });
    expect((await given.call(redeemed.body.access_token, 'library_list')).body.result.isError ?? false).toBe(false);
  });

  test('has its token in no URL after the first, and stores only its hash', async () => {
    const { connect_url } = (await mintSession(given)).body;
    const token = new URL(connect_url).searchParams.get('token') ?? '';
    const answer = await given.send(connect_url.replace(given.origin, ''));
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      expect.stringMatching(/^\/connect\?session=[0-9a-f-]{36}$/),
    ]);
    expect(answer.headers.get('Cross-Origin-Opener-Policy')).toBe('unsafe-none');
    const cookies = answer.headers.getSetCookie();
    expect(cookies.some((cookie) => /^utg_connect_[0-9a-f-]{36}=.*; HttpOnly; SameSite=Lax$/.test(cookie))).toBe(true);
    expect(JSON.stringify(cookies)).not.toContain(token);
    expect(JSON.stringify(await rows('connect_sessions'))).not.toContain(token);
    expect(given.lines.join('\n')).not.toContain(token);
  });

  test('is not used up by opening it, however often and in however many browsers', async () => {
    const { connect_url } = (await mintSession(given)).body;
    for (let count = 0; count < 3; count += 1) {
      expect((await createSessionVisitor(given).open(connect_url)).status).toBe(200);
    }
    const visitor = createSessionVisitor(given);
    await visitor.open(connect_url);
    expect((await visitor.submit(GOOD)).status).toBe(303);
  });

  test('belongs to the browser that sent its first form, even a refused one', async () => {
    const { connect_url } = (await mintSession(given)).body;
    const [first, second] = [createSessionVisitor(given), createSessionVisitor(given)];
    await first.open(connect_url);
    await second.open(connect_url);
    expect((await first.submit({ 'credential-0': 'wrong' })).status).toBe(400);
    const other = await second.submit(GOOD);
    expect([other.status, other.headers.get('Location')]).toEqual([400, null]);
    expect(other.body).toContain('was used already, or was opened in another browser');
    expect((await createSessionVisitor(given).open(connect_url)).status).toBe(400);
    expect((await first.submit(GOOD)).status).toBe(303);
    expect((await first.open(connect_url)).status).toBe(400);
  });

  test('gives its code to one of several concurrent browsers', async () => {
    const { connect_url } = (await mintSession(given)).body;
    const visitors = Array.from({ length: 8 }, () => createSessionVisitor(given));
    for (const visitor of visitors) await visitor.open(connect_url);
    const answers = await Promise.all(visitors.map((visitor) => visitor.submit(GOOD)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(7);
  });

  test.each([
    ['the token', 900_000],
    ['the page', 3_600_000],
    ['the code', 300_000],
  ])('has expired if %s is too old', async (step, lifetime) => {
    const { connect_url } = (await mintSession(given)).body;
    const visitor = createSessionVisitor(given);
    if (step === 'the token') {
      given.now += lifetime;
      expect((await visitor.open(connect_url)).status).toBe(400);
      return;
    }
    await visitor.open(connect_url);
    await visitor.submit({ 'credential-0': 'wrong' });
    if (step === 'the page') {
      given.now += lifetime;
      expect((await visitor.submit(GOOD)).status).toBe(400);
      return;
    }
    const code = codeOf(await visitor.submit(GOOD));
    given.now += lifetime;
    expect((await redeem(code)).body.error).toBe('invalid_grant');
  });

  test('asks for several services in turn, and issues one code for those that were connected', async () => {
    const { connect_url } = (await mintSession(given, { services: ['library', 'open', 'desk', 'silent'] })).body;
    const visitor = createSessionVisitor(given);
    expect((await visitor.open(connect_url)).text).toContain('Service 1 of 4');
    const second = await visitor.submit(GOOD);
    expect(second.text).toContain('Service 2 of 4, 1 connected');
    expect((await visitor.open('/connect')).status).toBe(400);
    const [{ id = '' } = {}] = await rows('connect_sessions');
    expect((await visitor.open(`/connect?session=${id}`)).text).toContain('Connect The open');
    expect((await visitor.submit({})).text).toContain('Connect The desk');
    expect((await visitor.submit({ decision: 'skip' })).text).toContain('Connect The silent');
    const code = codeOf(await visitor.submit({ 'credential-0': 'any' }));
    const { body } = await redeem(code);
    expect(body.services).toEqual(['library', 'open', 'silent']);
    expect(await given.tools(body.access_token)).toEqual(['library_list', 'open_list', 'silent_list']);
    expect((await redeem(code)).body.error).toBe('invalid_grant');
    expect((await given.call(body.access_token, 'library_list')).status).toBe(401);
  });

  test('is not continued by another one that opens in the same browser meanwhile', async () => {
    const visitor = createSessionVisitor(given);
    await visitor.open((await mintSession(given, { services: ['library', 'open'] })).body.connect_url);
    const own = visitor.pageState;
    const others = await mintSession(given, { user_id: 'mallory', services: ['desk', 'silent'], state: 'other' });
    await visitor.open(others.body.connect_url);
    visitor.pageState = own;
    const next = await visitor.submit(GOOD);
    for (const text of ['alice', 'Connect The open', 'Service 2 of 2']) expect(next.text).toContain(text);
    const redeemed = await redeem(codeOf(await visitor.submit({})));
    expect(redeemed.body).toMatchObject({ user_id: 'alice', services: ['library', 'open'] });
    expect(await rows('connection_attempts')).toHaveLength(2);
  });

  test('moves on to the next service after a form of a service that is done', async () => {
    const { connect_url } = (await mintSession(given, { services: ['open', 'library'] })).body;
    const visitor = createSessionVisitor(given);
    await visitor.open(connect_url);
    const stale = visitor.pageState;
    await visitor.submit({});
    visitor.pageState = stale;
    expect((await visitor.submit({})).text).toContain('Connect The library');
    expect(await rows('connection_attempts')).toHaveLength(1);
  });

  test.each([
    ['cancels after one service', [{}, { decision: 'decline' }]],
    ['skips every service', [{ decision: 'skip' }, { decision: 'skip' }]],
  ])('leaves nothing if its user %s', async (_, steps) => {
    const answer = await visitSession(given, { services: ['open', 'library'] }, steps);
    expect(locationOf(answer).parameters).toMatchObject({ error: 'access_denied', state: 'state-1' });
    expect(await rows('connect_sessions')).toEqual([]);
    expect(await rows('connection_attempts')).toEqual([]);
  });

  test('shows since when a service is connected, and replaces the connection on redemption', async () => {
    await given.connected('library', 'alice', GOOD);
    given.accepted.add('good-key-2');
    const { connect_url } = (await mintSession(given)).body;
    const visitor = createSessionVisitor(given);
    const page = await visitor.open(connect_url);
    expect(page.text).toContain('Already connected.');
    expect(page.text).toContain('2023-11-14 UTC</time>');
    await visitor.submit({ 'credential-0': 'good-key-2' });
    const code = codeOf(await visitor.submit({ decision: 'account', account: 'sole' }));
    given.accepted.delete('good-key-1');
    const { body } = await redeem(code);
    expect((await given.call(body.access_token, 'library_list')).body.result.isError ?? false).toBe(false);
    expect(await rows('connections')).toHaveLength(1);
  });

  test('says so if a service to reconnect refused its key', async () => {
    const { body } = await given.connected('library', 'alice', GOOD);
    given.accepted.clear();
    await given.call(body.access_token, 'library_list');
    const { text } = await createSessionVisitor(given).open((await mintSession(given)).body.connect_url);
    expect(text).toContain('<h1>Reconnect The library</h1>');
    expect(text).toContain('The library no longer accepts the key');
    expect(text).toContain('>Reconnect</button>');
    expect(text).not.toContain('connected already');
  });

  test('works without plain links, and without a state', async () => {
    await given.store.db
      .transaction()
      .execute((transaction) => changePartner(transaction, given.partnerId, { plainLinks: false }, { now: given.now }));
    const answer = await visitSession(given, { state: undefined }, [GOOD]);
    expect(Object.keys(locationOf(answer).parameters)).toEqual(['code']);
    expect((await redeem(codeOf(answer))).status).toBe(200);
  });

  test('is refused to the partner if a service was withdrawn meanwhile', async () => {
    const { connect_url } = (await mintSession(given)).body;
    const visitor = createSessionVisitor(given);
    await visitor.open(connect_url);
    await given.store.db
      .transaction()
      .execute((transaction) =>
        changePartner(transaction, given.partnerId, { services: ['open'] }, { now: given.now }),
      );
    expect(locationOf(await visitor.submit(GOOD)).parameters).toMatchObject({ error: 'unauthorized_client' });
  });

  test.each([
    ['no user_id', { user_id: undefined }, 'user_id is missing'],
    ['a user_id with a line break', { user_id: 'a\nb' }, 'user_id must be 1 to 512 characters'],
    ['a user_id that no path can hold', { user_id: '..' }, 'and neither "." nor ".."'],
    ['no services', { services: [] }, 'services must name a service'],
    ['a service that is not served', { services: ['nothing'] }, 'services names "nothing"'],
    ['a redirect_uri that is not registered', { redirect_uri: `${REDIRECT_URI}/` }, 'redirect_uri is not one'],
    ['a state of other characters', { state: 'ä' }, 'state must be 1 to 1024'],
    ['an invalid locale', { locale: 'not a locale' }, 'locale must be a language tag'],
    ['an origin with a path', { allowed_origins: ['https://acme.example/'] }, 'allowed_origins must be origins'],
    ['an origin without TLS', { allowed_origins: ['http://acme.example'] }, 'allowed_origins must be origins'],
    ['any origin', { allowed_origins: ['*'] }, 'allowed_origins must be origins'],
  ])('is refused with %s', async (_, body, description) => {
    const answer = await mintSession(given, body);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.body.error_description).toContain(description);
  });

  test('is refused for a service that the partner may not offer, and without the secret', async () => {
    await given.store.db
      .transaction()
      .execute((transaction) =>
        changePartner(transaction, given.partnerId, { services: ['open'] }, { now: given.now }),
      );
    expect((await mintSession(given)).body.error).toBe('unauthorized_client');
    given.secret = 'utg_ps_wrong';
    expect((await mintSession(given)).status).toBe(401);
  });

  test('is refused beyond ten thousand open ones of a partner', async () => {
    await mintSession(given);
    const [row] = await rows('connect_sessions');
    if (row === undefined) throw new Error('no session');
    for (let start = 1; start < 10_000; start += 500) {
      const copies = Array.from({ length: Math.min(500, 10_000 - start) }, (_, index) => ({
        ...row,
        id: `copy-${start + index}`,
        token_hash: `copy-${start + index}`,
      }));
      await given.store.db.insertInto('connect_sessions').values(copies).execute();
    }
    const refused = await mintSession(given);
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests']);
    expect(refused.headers.get('Retry-After')).toBe('60');
    given.now += 900_000;
    expect((await mintSession(given)).status).toBe(201);
  });

  test('is purged after it expires, or a day after its code was redeemed', async () => {
    await mintSession(given);
    const { body } = await redeem(codeOf(await visitSession(given, {}, [GOOD])));
    expect(body.user_id).toBe('alice');
    const clean = () => purge(given.store, retentionRules({ callRecordDays: 90 }), { now: given.now });
    given.now += 900_001;
    await clean();
    expect((await rows('connect_sessions')).map(({ redeemed_at }) => redeemed_at)).toEqual([expect.any(Number)]);
    given.now += DAY_MS;
    await clean();
    expect(await rows('connect_sessions')).toEqual([]);
  });

  test('is removed with its user', async () => {
    await redeem(codeOf(await visitSession(given, {}, [GOOD])));
    await mintSession(given);
    const Authorization = `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}`;
    await given.send('/api/partner/users/alice', { method: 'DELETE', headers: { Authorization } });
    expect(await rows('connect_sessions')).toEqual([]);
    expect(await rows('connection_attempts')).toEqual([]);
  });
});
