import { beforeEach, expect, test, vi } from 'vitest';
import { saveConnection } from '../../server/base/credentials/save-connection.ts';
import { readPrincipal } from '../../server/base/http/authenticate.ts';
import { readPermission, writePermission } from '../../server/base/principal/permission.ts';
import { hashSecret } from '../../server/base/principal/secrets.ts';
import { listAccounts } from '../../server/base/store/repositories/connections.ts';
import { ensureUser, findUserById } from '../../server/base/store/repositories/users.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { accessOf } from '../../server/modules/tasks/state.ts';
import { connect } from '../server/base/store/fixtures.ts';
import { type Answer, CONNECTORS, describeUserPage } from '../server/modules/me/support.ts';
import { keyBytes } from '../support/keys.ts';
import { vaultBeside } from '../support/vault-beside.ts';

vi.setConfig({ testTimeout: 60_000 });

const textsOf = ({ body }: Answer): string => JSON.stringify(body);

describeUserPage(
  'a member of a team, with a connection that it shares for reading',
  (given) => {
    let bob: string;
    const teams = async (method: string, path: string, body?: unknown) =>
      expect((await given.api(method, `../teams/sales${path}`, body)).status).toBe(204);
    const leave = () => teams('DELETE', '/members/bob');
    const allow = (mode: 'code' | null = null) =>
      given.allow('Claude', {
        userId: bob,
        permission: writePermission({ ...readPermission(null), catalogue: mode }),
      });

    beforeEach(async () => {
      const { partnerId } = (await findUserById(given.store.db, given.userId))!;
      bob = (await ensureUser(given.store.db, { partnerId, externalUserId: 'bob', now: given.now })).id;
      await connect(given.store, { userId: bob, service: 'library' });
      await teams('PUT', '', { name: 'Team Sales' });
      await teams('PUT', '/members', { user_ids: ['alice', 'bob'] });
      await teams('PUT', '/shares/library', { user_id: 'alice' });
    });

    test('cannot write with it in a batch or in a program', async () => {
      const { token } = await allow();
      const batch = { account: 'Team Sales', id: '1', also: ['2'], count: 2 };
      expect(textsOf(await given.call(token, 'library_burn', batch))).toContain('reading only');
      const program = `await library.burn({ account: 'Team Sales', id: '1' })`;
      const ran = await given.call((await allow('code')).token, 'run_code', { code: program });
      expect(textsOf(ran)).toContain('reading only');
      expect(given.writes).toBe(0);
    });

    test('reads no kept result of a program after leaving', async () => {
      const { token } = await allow('code');
      const code = `return [await library.find({ account: 'Team Sales' }), 'x'.repeat(100000)]`;
      const [handle] = /kept_[\w-]{22}/.exec(textsOf(await given.call(token, 'run_code', { code }))) ?? [];
      const read = async () => textsOf(await given.call(token, 'read_kept', { handle }));
      expect(await read()).toContain('done');
      await leave();
      expect(await read()).toContain('Nothing is kept under this handle');
    });

    const losesTheAccount: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['leaving', leave],
      ['its owner may not use it', () => given.api('PUT', 'alice/allowance', { allows: [{ services: ['archive'] }] })],
    ];
    test.each(losesTheAccount)('reads no result of a task after %s', async (_title, lose) => {
      const { db } = given.store;
      const { token } = await allow();
      const access = async () => {
        const found = readPrincipal(
          await given.store.findAccessToken(hashSecret(db, token)),
          given.origin + MCP_PATH,
          given.now,
        );
        if (typeof found === 'string') throw new Error(found);
        const [connector] = CONNECTORS;
        return accessOf(found, { connector, tool: connector!.tools[0] } as never, []);
      };
      const before = await access();
      await lose();
      expect(await access()).not.toBe(before);
    });

    test('approves a call as the team, and cannot use the approval after the end or for the own account', async () => {
      await teams('PUT', '/shares/library', { user_id: 'alice', read_only: false });
      const { token } = await allow();
      const lend = async (account: string) => textsOf(await given.call(token, 'library_lend', { account }));
      expect(await lend('Team Sales')).toContain('awaiting_approval');
      const link = (await given.api('POST', 'bob/links')).body.url.slice(given.origin.length);
      const page = given.browser();
      await page.enter(link);
      const [{ id, digest }] = (await given.api('GET', '../approvals')).body.approvals;
      const { text } = await page.get(`/me/approvals/${id}`);
      expect(text).toContain('Team Sales, shared by a team');
      expect(text).not.toContain('alice');
      const decided = await given.api('POST', `../approvals/${id}/decision`, { decision: 'approve', digest });
      expect(decided.status).toBe(200);
      expect(await lend('account-1')).toContain('awaiting_approval');
      await leave();
      expect(await lend('Team Sales')).not.toContain('"isError":false');
      expect(given.writes).toBe(0);
    });

    test('cannot use an approval for the connection that the team shares in its place', async () => {
      const { db } = given.store;
      await teams('PUT', '/shares/library', { user_id: 'alice', read_only: false });
      const { token } = await allow();
      const lend = async () => textsOf(await given.call(token, 'library_lend', { account: 'Team Sales' }));
      expect(await lend()).toContain('awaiting_approval');
      const [{ id, digest }] = (await given.api('GET', '../approvals')).body.approvals;
      await given.api('POST', `../approvals/${id}/decision`, { decision: 'approve', digest });
      const { partnerId } = (await findUserById(db, bob))!;
      const carol = await ensureUser(db, { partnerId, externalUserId: 'carol', now: given.now });
      await connect(given.store, { userId: carol.id, service: 'library' });
      await teams('PUT', '/shares/library', { user_id: 'carol', read_only: false });
      expect(await lend()).toContain('awaiting_approval');
      expect(given.writes).toBe(0);
      await teams('PUT', '/shares/library', { user_id: 'alice', read_only: true });
      expect(await lend()).toContain('reading only');
      const link = (await given.api('POST', 'bob/links')).body.url.slice(given.origin.length);
      const page = given.browser();
      await page.enter(link);
      const waiting = (await given.api('GET', '../approvals')).body.approvals;
      for (const each of waiting) {
        const { text } = await page.get(`/me/approvals/${each.id}`);
        expect(text).not.toMatch(/alice|carol/);
      }
      expect(given.writes).toBe(0);
    });

    test.each([
      ['may not use the service', { allows: [{ services: ['archive'] }] }, {}],
      ['may use another account', { allows: [{ accounts: { library: ['work'] } }] }, {}],
      ['is no longer confirmed', { allows: null, expires_in: 60 }, { after: 60_000 }],
    ] as const)(
      'cannot use it from the call on at which its owner %s',
      async (_title, allowance, { after = 0 }: { after?: number }) => {
        const { token } = await allow();
        const find = async (account: string) => textsOf(await given.call(token, 'library_find', { account }));
        const { token: programs } = await allow('code');
        const code = `return [await library.find({ account: 'Team Sales' }), 'x'.repeat(100000)]`;
        const [handle] = /kept_[\w-]{22}/.exec(textsOf(await given.call(programs, 'run_code', { code }))) ?? [];
        expect(await find('Team Sales')).toContain('done');
        expect((await given.api('PUT', 'alice/allowance', allowance)).status).toBe(200);
        given.now += after;
        const refused = await find('Team Sales');
        expect(refused).toContain(
          'The account \\"Team Sales\\" of Library cannot be used with its team any more: Acme & Sons does not allow it to its owner.',
        );
        expect(refused).toContain('not_allowed');
        expect(refused).not.toContain('alice');
        const page = given.browser();
        await page.enter((await given.api('POST', 'bob/links')).body.url.slice(given.origin.length));
        expect((await page.get('/me')).text).toContain('not allowed to its owner now');
        expect(textsOf(await given.call(programs, 'read_kept', { handle }))).toContain('Nothing is kept');
        expect(await find('account-1')).toContain('done');
        await given.api('PUT', 'alice/allowance', { allows: null });
        expect(await find('Team Sales')).toContain('done');
      },
    );

    test('loses it when its owner connects another account in its place', async () => {
      const { db } = given.store;
      const vault = await vaultBeside(given.store, [{ id: 'k1', key: keyBytes(1) }]);
      const save = async (identity: string | null) =>
        saveConnection(db, vault, { userId: given.userId, service: 'library', identity, fields: null, now: given.now });
      const shared = async () => (await db.selectFrom('team_shares').selectAll().execute()).length;
      await db.updateTable('connections').set({ account_identity: 'work', status: 'attention' }).execute();
      await save('work');
      expect([await shared(), (await listAccounts(db, given.userId, 'library')).length]).toEqual([1, 1]);
      await save('private');
      expect(await shared()).toBe(0);
      const events = await db.selectFrom('partner_events').select(['type', 'user_id']).execute();
      expect(events.filter(({ type }) => type.startsWith('connection.share'))).toEqual([
        { type: 'connection.shared', user_id: given.userId },
        { type: 'connection.share_ended', user_id: given.userId },
      ]);
    });
  },
  { APPROVALS: 'write', APPROVAL_CHANNELS: 'page,partner' },
);
