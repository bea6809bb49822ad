import { expect, test } from 'vitest';
import { createUpstreamClients } from '../../server/base/credentials/upstream-clients.ts';
import { listConnections } from '../../server/base/store/repositories/connections.ts';
import { findTestPartner } from '../../server/base/store/repositories/partners.ts';
import { findUser } from '../../server/base/store/repositories/users.ts';
import { issueTestSecret } from '../../server/identity/partners/test-partner.ts';
import { CookieBrowser } from '../support/browser-with-cookies.ts';
import { keyBytes } from '../support/keys.ts';
import { vaultBeside } from '../support/vault-beside.ts';
import { AWAY, connected, describeRealms, REDIRECT_URI, type TwoRealms } from './two-realms.ts';

const REAL_CLIENT = 'gateway-at-hub';

async function registerRealClient(given: TwoRealms, partnerId: string | null = null): Promise<void> {
  const vault = await vaultBeside(given.store, [{ id: 'k1', key: keyBytes(1) }]);
  const client = { partnerId, service: 'hub', clientId: REAL_CLIENT, clientSecret: 'real-secret' };
  await createUpstreamClients({ db: given.store.db, vault }).put(client, { now: given.now });
}

const ofUsers = (given: TwoRealms) => async (as: string) => (await given.api(as, '/api/partner/users')).body.users;

describeRealms('a test secret', (given) => {
  test('sends nothing of a key to the live service: to verify it, to read its account, or to call', async () => {
    const { access_token: token } = await connected(given, given.testSecret, 'library');
    expect(await given.call(token, 'library_list')).toContain('things of SANDBOX');
    await expect.poll(() => given.sandbox.requests.some((each) => each.startsWith('GET /library/me'))).toBe(true);
    expect(given.sandbox.requests).toContain('GET /library/things typed-key');
    expect(given.live.requests).toEqual([]);
  });

  test('shares no connection of the other realm, and fills no team of it', async () => {
    await connected(given, given.liveSecret, 'library');
    const [live, other] = [`acme:${given.liveSecret}`, `acme:${given.testSecret}`];
    const teams = (as: string, method: string, path: string, body?: object) =>
      given.api(as, `/api/partner/teams/sales${path}`, body, method);
    const members = { user_ids: ['alice', 'bob'] };
    const share = { user_id: 'alice' };
    expect((await teams(live, 'PUT', '', { name: 'Sales' })).status).toBe(204);
    expect((await teams(other, 'PUT', '/members', members)).status).toBe(404);
    expect((await teams(other, 'PUT', '', { name: 'Sales' })).status).toBe(204);
    expect((await teams(other, 'PUT', '/members', members)).status).toBe(204);
    expect((await teams(other, 'PUT', '/shares/library', share)).status).toBe(404);
    expect((await teams(live, 'GET', '/members')).body.members).toEqual([]);
    expect((await teams(live, 'PUT', '/shares/library', share)).status).toBe(204);
    expect((await teams(other, 'GET', '/shares')).body.shares).toEqual([]);
    expect((await teams(other, 'DELETE', '/shares/library')).status).toBe(404);
  });

  test('sends no browser, code, token or client of the gateway to the live authorization server', async () => {
    await registerRealClient(given);
    await registerRealClient(given, given.partnerId);
    const page = await given.open(given.testSecret, ['hub'], new CookieBrowser());
    expect(page.headers.get('Content-Security-Policy')).toContain(`form-action 'self' https: ${given.sandbox.origin}`);
    const { access_token: token } = await connected(given, given.testSecret, 'hub', {});
    expect(await given.call(token, 'hub_list')).toContain('things of SANDBOX');
    given.now += 120_000;
    expect(await given.call(token, 'hub_list')).toContain('things of SANDBOX');
    const renewed = given.sandbox.requests.filter((each) => each.includes('grant_type=refresh_token'));
    expect(renewed).toEqual([expect.stringContaining('SANDBOX-rt-1')]);
    const user = '/api/partner/users/alice/connections/hub';
    expect((await given.api(`acme:${given.testSecret}`, user, undefined, 'DELETE')).status).toBe(204);
    await expect
      .poll(() => given.sandbox.requests.filter((each) => each.startsWith('POST /hub/revoke')).length)
      .toBe(2);
    const said = given.sandbox.requests.join('\n');
    expect(said).not.toContain(REAL_CLIENT);
    expect(said).not.toContain(Buffer.from(`${REAL_CLIENT}:real-secret`).toString('base64'));
    expect(given.live.requests).toEqual([]);
  });

  test('has tokens that nobody uses renewed in the sandbox', async () => {
    await registerRealClient(given);
    await connected(given, given.testSecret, 'hub', {});
    given.now += 30_000;
    const renewed = () => given.sandbox.requests.filter((each) => each.includes('grant_type=refresh_token')).length;
    await expect.poll(renewed, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(given.live.requests).toEqual([]);
  });

  test('reaches no host that its user types', async () => {
    const fields = { 'credential-0': 'typed-key', 'credential-1': 'localhost' };
    const { access_token: token } = await connected(given, given.testSecret, 'office', fields);
    expect(await given.call(token, 'office_list')).toContain('things of SANDBOX');
    expect(given.sandbox.requests).toContain('GET /office/v2/things typed-key');
    expect(given.live.requests).toEqual([]);
  });

  test('follows no redirect of the sandbox to the live service', async () => {
    const { access_token: token } = await connected(given, given.testSecret, 'library');
    given.sandbox.answer = () => ({ status: 302, headers: { Location: `${given.live.origin}/things` } });
    expect(await given.call(token, 'library_list')).toContain('"isError":true');
    expect(given.live.requests).toEqual([]);
  });

  test('opens no circuit for live users, however broken the sandbox is', async () => {
    const live = await connected(given, given.liveSecret, 'library');
    const { access_token: token } = await connected(given, given.testSecret, 'library');
    given.sandbox.answer = () => ({ status: 503 });
    for (let times = 0; times < 40; times += 1) await given.call(token, 'library_list');
    expect(await given.call(live.access_token, 'library_list')).toContain('things of LIVE');
  });

  test('connects by a plain link of the test partner alone, which no live secret can redeem', async () => {
    const browser = new CookieBrowser();
    const query = { user_id: 'alice', redirect_uri: REDIRECT_URI, state: 'state-1' };
    const page = await browser.open(
      `${given.origin}/connect/library?${new URLSearchParams({ client_id: 'acme~test', ...query })}`,
    );
    expect(page.text).toContain('Test mode');
    const seen = await browser.submit(page, { decision: 'connect', 'credential-0': 'k' }, { stopAt: AWAY });
    const code = seen.url.searchParams.get('code') ?? '';
    expect((await given.redeem(given.liveSecret, code)).body.error).toBe('invalid_grant');
    expect((await given.redeem(given.testSecret, code)).status).toBe(200);
    expect(given.live.requests).toEqual([]);
  });

  test('speaks for no one else: neither another partner, nor the live one under any of its names', async () => {
    const other = await given.api(`other:${given.testSecret}`, '/api/partner/users');
    expect([other.status, other.body.error]).toEqual([401, 'invalid_client']);
    const list = ofUsers(given);
    await connected(given, given.liveSecret, 'library');
    expect(await list(`acme:${given.testSecret}`)).toEqual([]);
    expect(await list(`acme~test:${given.testSecret}`)).toEqual([]);
    expect(await list(`acme:${given.liveSecret}`)).toHaveLength(1);
    for (const path of ['/connections', '/grants', '/activity']) {
      const { body } = await given.api(`acme:${given.testSecret}`, `/api/partner/users/alice${path}`);
      expect(JSON.stringify(body)).not.toMatch(/library|"id"/);
    }
    expect((await given.api(`acme:${given.testSecret}`, '/api/partner/users/alice', undefined, 'DELETE')).status).toBe(
      404,
    );
    const code = await given.api(`acme:${given.testSecret}`, '/api/mcp/oauth/sessions', { user_id: 'alice' });
    expect(code.status).not.toBe(200);
    expect((await given.api(`acme:${given.testSecret}`, '/api/partner/events')).body.events).toEqual([]);
  });

  test('changes nothing that live users see', async () => {
    const as = `acme:${given.testSecret}`;
    const answers = [
      await given.api(as, '/api/partner/branding', { accent_color: '#ff0000' }, 'PUT'),
      await given.api(as, '/api/partner/branding/logo', undefined, 'DELETE'),
      await given.api(as, '/api/partner/approval-rule', { approvals: ['each'] }, 'PUT'),
      await given.api(as, '/api/partner/upstream-clients/hub', { client_id: 'x', client_secret: 'y' }, 'PUT'),
    ];
    for (const { status, body } of answers) expect([status, body.error]).toEqual([403, 'live_secret_required']);
    expect((await given.api(`acme:${given.liveSecret}`, '/api/partner/branding')).body.accent_color).toBeNull();
  });

  test('reaches nothing at a gateway that no longer names a sandbox', async () => {
    const { access_token: token } = await connected(given, given.testSecret, 'library');
    await given.restart({});
    given.sandbox.requests.length = 0;
    expect(await given.call(token, 'library_list')).toContain('test mode, which is off');
    const page = await given.open(given.testSecret, ['library'], new CookieBrowser());
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('test mode, which is off')]);
    expect((await given.api(`acme:${given.testSecret}`, '/api/partner/users/alice', undefined, 'DELETE')).status).toBe(
      204,
    );
    expect([...given.live.requests, ...given.sandbox.requests]).toEqual([]);
  });
});

describeRealms('a live secret', (given) => {
  test('sends nothing to the sandbox', async () => {
    await registerRealClient(given);
    const library = await connected(given, given.liveSecret, 'library');
    expect(await given.call(library.access_token, 'library_list')).toContain('things of LIVE');
    const page = await given.open(given.liveSecret, ['hub'], new CookieBrowser());
    expect(page.text).not.toContain('Test mode');
    expect(page.headers.get('Content-Security-Policy')).not.toContain(given.sandbox.origin);
    await connected(given, given.liveSecret, 'hub', {});
    expect(given.live.requests.length).toBeGreaterThan(2);
    expect(given.sandbox.requests).toEqual([]);
  });

  test('neither sees nor removes users of test mode, nor uses their codes and tokens', async () => {
    const live = `acme:${given.liveSecret}`;
    const code = await given.connect(given.testSecret, 'library');
    const { refresh_token: refresh } = await connected(given, given.testSecret, 'library');
    expect(await ofUsers(given)(live)).toEqual([]);
    expect((await given.api(live, '/api/partner/users/alice', undefined, 'DELETE')).status).toBe(404);
    expect((await given.api(`acme~test:${given.liveSecret}`, '/api/partner/users')).status).toBe(401);
    expect((await given.api(live, '/api/partner/events')).body.events).toEqual([]);
    expect((await given.redeem(given.liveSecret, code)).body.error).toBe('invalid_grant');
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refresh });
    expect((await given.api(live, '/api/oauth/token', form)).body.error).toBe('invalid_grant');
    expect((await given.api(`acme:${given.testSecret}`, '/api/oauth/token', form)).status).toBe(200);
  });

  test('has its own user of the same name, whose credential no row of test mode can hold', async () => {
    const live = await connected(given, given.liveSecret, 'library', { 'credential-0': 'live-key' });
    const tests = await connected(given, given.testSecret, 'library');
    const { db } = given.store;
    const test = await findTestPartner(db, given.partnerId);
    const idOf = async (partnerId: string) => (await findUser(db, { partnerId, externalUserId: 'alice' }))?.id ?? '';
    const [ofLive] = await listConnections(db, await idOf(given.partnerId));
    const [ofTest] = await listConnections(db, await idOf(test?.id ?? ''));
    expect(ofLive?.userId).not.toBe(ofTest?.userId);
    given.sandbox.requests.length = 0;
    const sealed = { sealed_credential: ofLive?.sealedCredential ?? '' };
    await db
      .updateTable('connections')
      .set(sealed)
      .where('id', '=', ofTest?.id ?? '')
      .execute();
    expect(await given.call(tests.access_token, 'library_list')).toContain('credential_unreadable');
    expect(given.sandbox.requests.filter((each) => !each.includes('/library/me'))).toEqual([]);
    expect(await given.call(live.access_token, 'library_list')).toContain('things of LIVE');
  });

  test('never gets a test secret of a suspended partner', async () => {
    const { db } = given.store;
    await db.updateTable('partners').set({ suspended_at: 1 }).where('id', '=', given.partnerId).execute();
    const partner = { id: given.partnerId, testOf: null };
    const issued = await db
      .transaction()
      .execute((transaction) => issueTestSecret(transaction, partner, false, { now: 1 }));
    expect(issued).toBeNull();
  });
});
