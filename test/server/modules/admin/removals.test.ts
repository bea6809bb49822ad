import { beforeEach, expect, test } from 'vitest';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartnerSecret } from '../../../../server/base/store/repositories/partner-secrets.ts';
import { updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { saveIssuer } from '../../../../server/modules/identity-assertions/stored-issuers.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { addReceiver } from '../notify/webhooks/support.ts';
import { givenDashboard, insertTeam, type Visitor } from './support.ts';

const given = givenDashboard();

/** Forms that remove nothing, and why each of the others may act at once. */
const DIRECT: Readonly<Record<string, string>> = {
  '/admin/partners': 'adds',
  '/admin/partners/:id/test-secret': 'adds',
  '/admin/partners/:id': 'changes settings, which are shown',
  '/admin/partners/:id/resume': 'gives back',
  '/admin/partners/:id/webhooks/:endpoint/test': 'sends',
  '/admin/partners/:id/webhooks/:endpoint/deliveries/:delivery/repeat': 'sends',
  '/admin/users/:id/tokens': 'adds',
  '/admin/users/:id/tokens/:token/revoke':
    'a client gets another token with its refresh token, and an operator mints one',
  '/admin/tools/:name': 'asks with a box of its own',
  '/admin/sign-in': 'signs in',
  '/admin/sign-out': 'ends the session that presses it',
};

let operator: Visitor;
let ids: Readonly<Record<string, string>>;

beforeEach(async () => {
  const { store, now, userId, partnerId } = given;
  const { db } = store;
  await insertClient(db, {
    ...{ clientId: 'helper', clientName: 'Helper', redirectUris: [], applicationType: 'web', secretHash: null },
    ...{ authenticationMethod: 'none', now },
  });
  const of = { userId, scopes: ['tools:read'] as const, services: null, resource: 'r', now };
  const grant = await insertGrant(db, { clientId: 'helper', ...of, expiresAt: now + 60_000 });
  await issueAccessToken(db, { ...of, grantId: grant });
  await issueAccessToken(db, of);
  await mintConnectionCode(db, { userId, limits: WHOLE_LIMITS, now });
  await db
    .transaction()
    .execute((transaction) => insertPartnerSecret(transaction, { partnerId, secretHash: 'h', now }));
  await updatePartner(db, partnerId, { approvals: ['destroy', 'write'] });
  const { id: endpoint } = await addReceiver(store, { partnerId, url: 'https://acme.example/hook' });
  const keys = { jwksUri: 'https://idp.example/keys', jwks: null, subjectClaim: 'sub' };
  const issuer = await saveIssuer(db, { partnerId, issuer: 'https://idp.example', tenant: '', ...keys, now });
  operator = await given.operator();
  await given.operator({ name: 'ada', role: 'act' });
  const secret = await db.selectFrom('partner_secrets').select('id').executeTakeFirstOrThrow();
  const session = await db
    .selectFrom('operator_sessions')
    .select('id')
    .where('name', '=', 'ada')
    .executeTakeFirstOrThrow();
  const { team, share } = await insertTeam(given);
  ids = {
    grant,
    endpoint,
    secret: secret.id,
    session: session.id,
    service: 'library',
    issuer: issuer!.id,
    team,
    share,
  };
});

/** All stored data whose loss matters. */
async function everything(): Promise<unknown> {
  const { db } = given.store;
  const tables = [
    'partners',
    'partner_secrets',
    'users',
    'connections',
    'oauth_clients',
    'oauth_grants',
    'access_tokens',
    'team_shares',
  ];
  const more = ['identity_issuers', 'single_use_codes', 'webhook_endpoints', 'audit_events'];
  const rows: unknown[] = [];
  for (const table of [...tables, ...more] as 'users'[]) rows.push(await db.selectFrom(table).selectAll().execute());
  return [rows, await db.selectFrom('operator_sessions').select(['id', 'name']).execute()];
}

function addressOf(pattern: string): string {
  const [, folder] = pattern.split('/').filter((part) => part !== '');
  const byFolder: Readonly<Record<string, string | undefined>> = {
    partners: given.partnerId,
    clients: 'helper',
    teams: ids.team,
  };
  const id = byFolder[folder ?? ''] ?? given.userId;
  return pattern.replace(/:(\w+)/g, (_, name: string) => (name === 'id' ? id : (ids[name] ?? '')));
}

function pageOf(address: string): string {
  return (
    (/^\/admin\/(?:users|partners|clients|teams)\/[^/]+/.exec(address) ?? /^\/admin\/\w+/.exec(address))?.[0] ?? ''
  );
}

/** Forms that remove something, and the fields that they are sent with. */
const REMOVALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/admin/partners/:id/secrets': { end_others: 'yes' },
  '/admin/partners/:id/secrets/:secret/revoke': {},
  '/admin/partners/:id/approvals': { approvals: 'destroy' },
  '/admin/partners/:id/suspend': {},
  '/admin/partners/:id/remove': {},
  '/admin/partners/:id/webhooks/:endpoint/switch': {},
  '/admin/partners/:id/issuers/:issuer/approve': {},
  '/admin/partners/:id/issuers/:issuer/remove': {},
  '/admin/users/:id/grants/:grant/revoke': {},
  '/admin/users/:id/connections/:service/remove': {},
  '/admin/users/:id/remove': {},
  '/admin/clients/:id/cut-off': {},
  '/admin/clients/:id/remove': {},
  '/admin/grants/revoke': { client: 'helper' },
  '/admin/operators/sessions/end-others': {},
  '/admin/operators/sessions/:session/end': {},
  '/admin/teams/:id/shares/:share/end': {},
};

test('every form of the dashboard is listed as removing something or not', () => {
  expect([...Object.keys(REMOVALS), ...Object.keys(DIRECT)].toSorted()).toEqual(given.routes.POST.toSorted());
});

test.each(Object.entries(REMOVALS))(
  '%s asks first and says what it removes; the second press does it',
  async (pattern, fields) => {
    const address = addressOf(pattern);
    const page = pageOf(address);
    const before = await everything();
    const { status, text } = await operator.submit(page, address, fields);
    expect([status, /<h1>([^<]*\?)<\/h1>/.test(text)]).toEqual([200, true]);
    expect([/<li>[\s\S]*<\/li>/.test(text), text.includes('>Cancel</a>')]).toEqual([true, true]);
    expect(await everything()).toEqual(before);
    const done = await operator.confirm(page, address, fields);
    expect(done.status).toBeLessThan(400);
    expect(await everything()).not.toEqual(before);
  },
);

test('another secret asks only if it replaces one', async () => {
  const path = `/admin/partners/${given.partnerId}`;
  expect((await operator.submit(path, `${path}/secrets`)).text).toContain('client_secret');
  expect((await operator.submit(path, `${path}/secrets`)).text).toContain('1 secret of');
});

test('counts what it removes', async () => {
  const partner = await operator.submit(
    pageOf(`/admin/partners/${given.partnerId}`),
    `/admin/partners/${given.partnerId}/remove`,
  );
  for (const words of ['1 user', '1 connection', '1 live grant, 1 minted token and 1 connection code']) {
    expect(partner.text).toContain(words);
  }
  const client = await operator.submit('/admin/clients', '/admin/clients/helper/remove');
  expect(client.text).toContain('<a href="/admin/clients/helper#grants">1 live grant</a>');
  const sessions = await operator.submit('/admin/operators', '/admin/operators/sessions/end-others');
  expect(sessions.text).toContain('1 session of 1 operator');
});

test.each(['connections/library/remove', 'remove'])(
  '%s of a user names the teams that lose what the user shares',
  async (action) => {
    const path = `/admin/users/${given.userId}`;
    const { text } = await operator.submit(path, `${path}/${action}`);
    expect(text).toContain('<li>Members of these teams lose what the user shares: <bdi>Sales</bdi>.</li>');
  },
);

test('the confirmation carries the fields of the form, and no other site can send it', async () => {
  const { text } = await operator.submit('/admin/grants', '/admin/grants/revoke', { client: 'helper' });
  expect(text).toContain('<input type="hidden" name="client" value="helper">');
  const answer = await operator.post('/admin/grants/revoke', { client: 'helper', sure: 'yes' });
  expect(answer.status).toBe(403);
});
