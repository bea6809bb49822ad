import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CookieBrowser } from '../../support/browser-with-cookies.ts';
import { type CompanyProvider, providerOf, startCompanyProvider } from '../../support/company-provider.ts';
import { DATABASES } from '../../support/migrated-database.ts';
import { type PortalWorld, type RunningPortal, startPortalWorld } from '../../support/portal.ts';
import { createPostgresDatabase } from '../../support/postgres-database.ts';

const EVERYTHING = ['library_burn', 'library_find', 'library_lend'];
const SERVER = process.env.TEST_DATABASE_URL;

let world: PortalWorld;
let provider: CompanyProvider;
let portal: RunningPortal;
let second: RunningPortal | null;
let remove: () => Promise<void>;
let databaseUrl: string;
let now = 0;

async function openPortals(kind: 'sqlite' | 'postgres', count: 1 | 2): Promise<void> {
  now = Date.now();
  second = null;
  world = await startPortalWorld();
  provider = await startCompanyProvider();
  const places = [await world.listen(), ...(count === 2 ? [await world.listen()] : [])];
  provider.serve(places.map(({ origin }) => origin));
  provider.people.set('ada', { name: 'Ada', groups: ['writers'] });
  if (kind === 'postgres') {
    const database = await createPostgresDatabase(SERVER!);
    databaseUrl = database.url;
    remove = database.remove;
  } else {
    const folder = await mkdtemp(join(DATABASES, 'portal-'));
    databaseUrl = `sqlite:${join(folder, 'portal.sqlite')}`;
    remove = () => rm(folder, { recursive: true });
  }
  const config = { databaseUrl, provider: providerOf(provider) };
  portal = await world.open(places[0]!, config, { now: () => now });
  if (places[1] !== undefined) second = await world.open(places[1], config, { now: () => now });
}

async function signIn(
  sub = 'ada',
  at = portal,
  next = '/',
): Promise<{ browser: CookieBrowser; status: number; text: string; url: URL }> {
  const browser = new CookieBrowser();
  const login = await browser.open(`${at.origin}/sign-in?next=${encodeURIComponent(next)}`);
  const consent = await browser.submit(login, { login: sub, password: 'any' });
  const { status, text, url } = await browser.submit(consent, {});
  return { browser, status, text, url };
}

async function check(seconds = 600): Promise<void> {
  now += seconds * 1000;
  for (const each of [portal, second]) await each?.portal.checkPeople();
}

const logOut = (token: string, at = portal) =>
  fetch(`${at.origin}/back-channel-logout`, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });

const isSignedIn = async (browser: CookieBrowser, at = portal) =>
  (await browser.open(`${at.origin}/`, { stopAt: /sign-in/ })).status === 200;

afterEach(async () => {
  await portal.close();
  await second?.close();
  await provider.close();
  await world.close();
  await remove();
});

for (const kind of ['sqlite', 'postgres'] as const) {
  describe.skipIf(kind === 'postgres' && SERVER === undefined)(`a portal with a provider, on ${kind}`, () => {
    beforeEach(() => openPortals(kind, 1));

    test('signs a person in, who may use what the rules for their groups say', async () => {
      await check(0);
      expect(await world.tools()).toEqual([]);
      const { browser, status, text, url } = await signIn('ada', portal, '/?tab=1');
      expect([status, url.href, text.includes('Ada')]).toEqual([200, `${portal.origin}/?tab=1`, true]);
      expect(await isSignedIn(browser)).toBe(true);
      expect(await world.tools()).toEqual(['library_find', 'library_lend']);
    });

    test('takes access within the check interval when a group is left, and gives it back', async () => {
      await signIn();
      provider.people.set('ada', { name: 'Ada', groups: ['staff'] });
      await check(599);
      expect(await world.tools()).toEqual(['library_find', 'library_lend']);
      await check(1);
      expect(await world.tools()).toEqual(['library_find']);
      expect(await world.call('library_lend')).toContain('does not allow this user to call library_lend');
      provider.people.set('ada', { name: 'Ada', groups: ['staff', 'admins'] });
      await check();
      expect(await world.tools()).toEqual(EVERYTHING);
      provider.people.set('ada', { name: 'Ada' });
      await check();
      expect(await world.tools()).toEqual([]);
    });

    test('ends the access of a person who is disabled, and revokes the grants a week later', async () => {
      const { browser } = await signIn();
      provider.people.delete('ada');
      await check();
      expect(await isSignedIn(browser)).toBe(false);
      expect(await world.tools()).toEqual([]);
      expect(await world.call('library_find')).toContain('does not allow this user to call library_find');
      await check(7 * 86_400 - 1);
      expect(await world.call('library_find')).toContain('does not allow this user to call library_find');
      await check(1);
      expect(await world.call('library_find')).toContain('invalid_token');
    });

    test('gives access back at a sign-in after the answer with the next refresh token was lost', async () => {
      await signIn();
      provider.losesTokenAnswers = true;
      await check();
      expect(await world.tools()).toEqual(['library_find', 'library_lend']);
      provider.losesTokenAnswers = false;
      await check();
      expect(await world.tools()).toEqual([]);
      await signIn();
      expect(await world.tools()).toEqual(['library_find', 'library_lend']);
      await check(8 * 86_400);
      expect(await world.call('library_find')).not.toContain('invalid_token');
    });

    test('keeps access while the provider is down, until the grace ends, and gives it back after that', async () => {
      const { browser } = await signIn();
      provider.isUp = false;
      await check();
      expect([await world.tools(), await isSignedIn(browser)]).toEqual([['library_find', 'library_lend'], true]);
      await check(3600);
      expect([await world.tools(), (await browser.open(`${portal.origin}/`)).status]).toEqual([[], 502]);
      provider.isUp = true;
      await check();
      expect(await world.tools()).toEqual(['library_find', 'library_lend']);
    });

    test('ends sessions by back-channel logout, and checks the person at once', async () => {
      const { browser } = await signIn();
      const token = await provider.signLogout({ sub: 'ada' });
      expect((await logOut(token)).status).toBe(200);
      expect(await isSignedIn(browser)).toBe(false);
      await check(0);
      expect(await world.tools()).toEqual(['library_find', 'library_lend']);
      provider.people.delete('ada');
      expect((await logOut(await provider.signLogout({ sub: 'ada' }))).status).toBe(200);
      await check(0);
      expect(await world.tools()).toEqual([]);
    });
  });
}

describe('attacks on the portal', () => {
  beforeEach(() => openPortals('sqlite', 1));

  test('a logout token that is replayed, forged, for another client, or no logout token, ends nothing', async () => {
    const { browser } = await signIn();
    const { browser: other } = await signIn();
    const used = await provider.signLogout({ sub: 'nobody' });
    expect([(await logOut(used)).status, (await logOut(used)).status]).toEqual([200, 400]);
    const otherCompany = await startCompanyProvider();
    const seconds = Math.floor(Date.now() / 1000);
    const refused = [
      otherCompany.signLogout({ iss: provider.issuer, sub: 'ada' }),
      provider.signLogout({ sub: 'ada', aud: 'another-client' }),
      provider.signLogout({ sub: 'ada', iss: otherCompany.issuer }),
      provider.signLogout({ sub: 'ada', nonce: 'n' }),
      provider.signLogout({ sub: 'ada', events: {} }),
      provider.signLogout({ sub: 'ada', jti: undefined as never }),
      provider.signLogout({ sub: 'ada', iat: seconds - 4000, exp: seconds + 4000 }),
      provider.signLogout({ sub: 'ada', exp: seconds - 4000 }),
      provider.signLogout({}),
      Promise.resolve(
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await provider.signLogout({ sub: 'ada' })).split('.')[1]}.`,
      ),
      Promise.resolve(''),
    ];
    const statuses = await Promise.all(refused.map(async (token) => (await logOut(await token)).status));
    expect(statuses).toEqual(refused.map(() => 400));
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, true]);
    await otherCompany.close();
  });

  test('a logout token that cannot be read is refused without an error of the portal', async () => {
    const [header, ...rest] = (await provider.signLogout({ sub: 'ada' })).split('.');
    const { alg, kid } = JSON.parse(Buffer.from(header ?? '', 'base64url').toString());
    const critical = Buffer.from(JSON.stringify({ alg, kid, crit: ['x'], x: 1 })).toString('base64url');
    expect((await logOut([critical, ...rest].join('.'))).status).toBe(400);
  });

  test('a logout that could not be stored counts when the provider sends it again', async () => {
    const { browser } = await signIn();
    const store = new Database(databaseUrl.replace('sqlite:', ''));
    store.exec("create trigger broken before delete on portal_sessions begin select raise(abort, 'disk'); end");
    const token = await provider.signLogout({ sub: 'ada' });
    expect((await logOut(token)).status).toBe(500);
    store.exec('drop trigger broken');
    store.close();
    expect((await logOut(token)).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('the session and the started sign-in of another browser are of no use', async () => {
    const { browser } = await signIn();
    const page = await browser.open(`${portal.origin}/`);
    expect(page.text).not.toContain('utg_portal');
    const victim = new CookieBrowser();
    const login = await new CookieBrowser().open(`${portal.origin}/sign-in`, { stopAt: /^http:\/\/localhost/ });
    const state = login.url.searchParams.get('state') ?? '';
    const injected = await victim.open(
      `${portal.origin}/sign-in/callback?code=x&state=${state}&iss=${provider.issuer}`,
    );
    expect([injected.status, await isSignedIn(victim)]).toEqual([400, false]);
    const csrf = new URLSearchParams({ csrf: 'of-another-session' });
    expect((await browser.open(`${portal.origin}/sign-out`, { body: csrf })).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('groups in the signed ID token win over those in UserInfo', async () => {
    provider.people.set('ada', { name: 'Ada', groups: ['staff'] });
    provider.userInfo.set('ada', { groups: ['admins'] });
    await signIn();
    expect(await world.tools()).toEqual(['library_find']);
    await check();
    expect(await world.tools()).toEqual(['library_find']);
  });

  test('a sign-in never leads to another site', async () => {
    for (const next of ['//evil.example', 'https://evil.example/', '/\\evil.example']) {
      expect((await signIn('ada', portal, next)).url.href).toBe(`${portal.origin}/`);
    }
  });

  test('a sign-in gets a session of its own name, and a spent code gives no second one', async () => {
    const browser = new CookieBrowser();
    const fixed = await fetch(`${portal.origin}/`, {
      headers: { Cookie: `utg_portal=${'A'.repeat(43)}` },
      redirect: 'manual',
    });
    expect(fixed.status).toBe(303);
    const login = await browser.open(`${portal.origin}/sign-in`);
    const consent = await browser.submit(login, { login: 'ada', password: 'any' });
    const callback = await browser.submit(consent, {}, { stopAt: /callback/ });
    expect((await browser.open(callback.url)).status).toBe(200);
    expect((await browser.open(callback.url)).status).toBe(502);
  });
});

test('a portal asks a gateway that does not know required allowances once a minute', async () => {
  await openPortals('sqlite', 1);
  const asked: (string | undefined)[] = [];
  const older = await world.listen();
  older.server.on('request', ({ url }, response) => {
    asked.push(url);
    response.statusCode = 404;
    response.end('{}');
  });
  const folder = await mkdtemp(join(DATABASES, 'portal-'));
  const removeFirst = remove;
  remove = () => Promise.all([removeFirst(), rm(folder, { recursive: true })]).then(() => {});
  const database = { databaseUrl: `sqlite:${join(folder, 'portal.sqlite')}`, provider: providerOf(provider) };
  const gateway = { url: older.origin, clientId: 'test', clientSecret: 'x' };
  second = await world.open(await world.listen(), { ...database, gateway }, { now: () => now });
  for (const seconds of [0, 1, 30]) await check(seconds);
  expect(asked).toEqual(['/api/partner/allowances']);
  await check(60);
  expect(asked).toHaveLength(2);
  older.server.close();
});

describe.skipIf(SERVER === undefined)('two portals on PostgreSQL', () => {
  beforeEach(() => openPortals('postgres', 2));

  test('share sessions and logouts, and check a person once', async () => {
    const { browser } = await signIn();
    expect(await isSignedIn(browser, second!)).toBe(true);
    provider.tokenRequests = 0;
    now += 600_000;
    await Promise.all([portal.portal.checkPeople(), second?.portal.checkPeople()]);
    expect(provider.tokenRequests).toBe(1);
    now -= 600_000;
    const token = await provider.signLogout({ sub: 'ada' });
    expect((await logOut(token, second!)).status).toBe(200);
    expect((await logOut(token)).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
  });
});
