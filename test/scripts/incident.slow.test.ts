import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../server/base/store/index.ts';
import { insertClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../server/base/store/repositories/oauth-grants.ts';
import { updatePartner } from '../../server/base/store/repositories/partners.ts';
import { changeMembers, findTeam, insertShare, putTeam } from '../../server/base/store/repositories/teams.ts';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import { issueAccessToken } from '../../server/identity/grants/access-token.ts';
import { addPartner } from '../../server/identity/partners/manage.ts';
import { authenticatePartner } from '../../server/identity/partners/secrets.ts';
import { connect } from '../server/base/store/fixtures.ts';
import { createSqliteDatabase } from '../server/base/store/sqlite-database.ts';
import { openListeningStore } from '../support/listening.ts';
import { runScript } from '../support/run-script.ts';

let database: Awaited<ReturnType<typeof createSqliteDatabase>>;
let store: Store;
let partnerId: string;
let credentials: { clientId: string; clientSecret: string };

beforeEach(async () => {
  database = await createSqliteDatabase();
  store = await openListeningStore({ url: database.url });
  const now = Date.now();
  const added = await store.db
    .transaction()
    .execute((transaction) => addPartner(transaction, { clientId: 'acme', name: 'Acme' }, { now }));
  partnerId = added.partner.id;
  credentials = { clientId: 'acme', clientSecret: added.secret };
  for (const externalUserId of ['ada', 'bob']) {
    const { id: userId } = await ensureUser(store.db, { partnerId, externalUserId, now });
    await connect(store, { userId, service: externalUserId === 'ada' ? 'crm' : 'mailer' });
    const grant = { userId, scopes: ['tools:read'] as const, services: null, resource: 'r', now };
    await insertGrant(store.db, { ...grant, clientId: null, expiresAt: now + 3_600_000 });
    await issueAccessToken(store.db, grant);
  }
});
afterEach(async () => {
  await store.close();
  await database.remove();
});

const run = (command: string, ...args: string[]) => runWith({}, command, ...args);

async function runWith(
  env: Record<string, string>,
  command: string,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const script = runScript('scripts/utg.ts', [command, ...args], { DATABASE_URL: database.url, ...env });
  return { code: await script.ended(), output: script.output() };
}

async function events(): Promise<string[]> {
  const rows = await store.db.selectFrom('audit_events').select('type').orderBy('id').execute();
  return rows.map(({ type }) => type);
}

describe('npm run utg -- partner', () => {
  test('suspends a partner and resumes it', async () => {
    expect(await run('partner', 'suspend', '--client-id', 'acme')).toEqual({
      code: 0,
      output: '"acme" is suspended.\n',
    });
    await expect(authenticatePartner(store.db, credentials)).rejects.toMatchObject({ code: 'partner_suspended' });
    expect((await run('partner', 'list')).output).toContain('suspended');
    expect((await run('partner', 'resume', '--client-id', 'acme')).output).toBe('"acme" is resumed.\n');
    expect(await authenticatePartner(store.db, credentials)).toBeDefined();
    expect(await events()).toEqual(['partner_added', 'partner_suspended', 'partner_resumed']);
  });

  test('removes a partner even if upstreams cannot be reached, and says so', async () => {
    const settings = { CRM_BASE_URL: 'nowhere' };
    const asked = await runWith(settings, 'partner', 'remove', '--client-id', 'acme', '--dry-run');
    expect(asked.output).toMatch(/would not be revoked at their upstreams: .*CRM_BASE_URL/s);
    const removed = await runWith(settings, 'partner', 'remove', '--client-id', 'acme', '--yes');
    expect(removed.code).toBe(0);
    expect(removed.output).toMatch(/were not revoked at their upstreams: .*CRM_BASE_URL/s);
    expect(await store.db.selectFrom('users').selectAll().execute()).toEqual([]);
  });

  test('removes a partner and all data of its users, once confirmed', async () => {
    const asked = await run('partner', 'remove', '--client-id', 'acme');
    expect(asked.code).toBe(2);
    expect(asked.output).toContain('Would remove "acme" with its users: 2.');
    expect(asked.output).toContain('Tokens of OAuth connections would be revoked at their upstreams.');
    expect(await run('partner', 'remove', '--client-id', 'acme', '--dry-run')).toMatchObject({ code: 0 });
    expect(await store.db.selectFrom('users').selectAll().execute()).toHaveLength(2);

    const removed = await run('partner', 'remove', '--client-id', 'acme', '--yes');
    expect(removed).toMatchObject({ code: 0, output: expect.stringContaining('Users removed with it: 2') });
    expect(removed.output).toContain('No connection had tokens that an upstream revokes.');
    for (const table of [
      'partners',
      'partner_secrets',
      'users',
      'connections',
      'oauth_grants',
      'access_tokens',
    ] as const) {
      expect(await store.db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect((await events()).sort()).toEqual(['partner_added', 'partner_removed', 'partner_suspended']);
    const event = await store.db
      .selectFrom('audit_events')
      .selectAll()
      .where('type', '=', 'partner_removed')
      .executeTakeFirst();
    expect(event?.partner_id).toBe(partnerId);
    expect(JSON.parse(event?.details ?? '')).toEqual({ clientId: 'acme', name: 'Acme', users: 2 });
  });
});

describe('npm run utg -- grants', () => {
  test('lists the clients with access', async () => {
    const { code, output } = await run('grants', 'list', '--partner', 'acme');
    expect(code).toBe(0);
    expect(output).toMatch(/^grants: 2, minted tokens: 2, connection codes: 0\n/);
    expect(output).toMatch(/user: bob of Acme {2}held by: Acme itself {2}services: all/);
    expect((await run('grants', 'list', '--user', 'ada', '--limit', '0')).output).toBe(
      'grants: 1, minted tokens: 1, connection codes: 0\n',
    );
  });

  test('names a client as unverified, with the id that selects it, whatever it calls itself', async () => {
    const client = {
      clientId: 'client-eve',
      clientName: 'minted token',
      redirectUris: [],
      applicationType: 'web',
    } as const;
    const now = Date.now();
    await insertClient(store.db, { ...client, secretHash: null, authenticationMethod: 'none', now });
    const { id: userId } = await ensureUser(store.db, { partnerId, externalUserId: 'bob', now });
    const grant = { clientId: 'client-eve', userId, scopes: ['tools:read'], services: null, resource: 'r', now };
    await insertGrant(store.db, { ...grant, expiresAt: now + 3_600_000 });
    const { output } = await run('grants', 'list', '--client', 'client-eve');
    expect(output).toContain('held by: “minted token” (unverified name), client-eve  ');
  });

  test('revokes the selected grants, once confirmed', async () => {
    const selected = ['grants', 'revoke', '--service', 'crm'] as const;
    const asked = await run(...selected);
    expect(asked).toMatchObject({ code: 2, output: expect.stringContaining('Add --yes') });
    expect((await run(...selected, '--dry-run')).output).toContain('Would revoke: grants: 1, minted tokens: 1');
    expect((await run(...selected, '--yes')).output).toContain('Revoked: grants: 1, minted tokens: 1');
    expect((await run(...selected, '--yes')).output).toContain('Revoked: grants: 0, minted tokens: 0');
    expect((await run('grants', 'revoke', '--all', '--yes')).output).toContain('Revoked: grants: 1, minted tokens: 1');
    expect(await events()).toEqual(['partner_added', 'grants_revoked', 'grants_revoked']);
  });

  test.each([
    [['revoke', '--yes'], 'or everything with --all'],
    [['revoke', '--all', '--user', 'ada', '--yes'], 'or everything with --all'],
    [['revoke', '--user', 'eve', '--yes'], 'There is no user "eve". Known: ada, bob.'],
    [['revoke', '--client', 'nobody', '--yes'], 'There is no client "nobody".'],
    [['list', '--partner', 'nobody'], 'There is no partner "nobody". Known: acme.'],
    [['revoke', '--service', 'CRM', '--yes'], 'No one has connected a service "CRM".'],
  ])('%j is wrong usage', async (args, said) => {
    const { code, output } = await run('grants', ...args);
    expect([code, await events()]).toEqual([2, ['partner_added']]);
    expect(output).toContain(said);
  });
});

describe('npm run utg -- token', () => {
  test('names the services that teams share with the user, and leaves out those that the partner may not offer', async () => {
    const key = { partnerId, externalTeamId: 'sales' };
    const now = Date.now();
    const { id: bob } = await ensureUser(store.db, { partnerId, externalUserId: 'bob', now });
    await store.db.transaction().execute(async (transaction) => {
      await putTeam(transaction, { ...key, name: 'Sales', now });
      const { id: teamId } = (await findTeam(transaction, key))!;
      await changeMembers(transaction, { id: teamId, add: [bob], remove: [], now });
      const crm = await transaction
        .selectFrom('connections')
        .select('id')
        .where('service', '=', 'crm')
        .executeTakeFirstOrThrow();
      await insertShare(transaction, { teamId, connectionId: crm.id, service: 'crm', readOnly: true, now });
    });
    expect((await run('token', '--user', 'bob')).output).toContain('Services: mailer, crm\n');
    await updatePartner(store.db, partnerId, { services: ['crm'] });
    expect((await run('token', '--user', 'bob')).output).toContain('Services: crm\n');
    expect((await run('token', '--user', 'ada', '--services', 'mailer')).output).toContain('Services: none');
  });
});
