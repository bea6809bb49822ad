import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  FULL_PERMISSION,
  type Permission,
  SCOPES,
  type Scope,
  writePermission,
} from '../../../server/base/principal/permission.ts';
import { insertGrant } from '../../../server/base/store/repositories/oauth-grants.ts';
import { findPartnerByClientId } from '../../../server/base/store/repositories/partners.ts';
import { ensureUser, findUser } from '../../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { issueAccessToken } from '../../../server/identity/grants/access-token.ts';
import { searchAuditEvents } from '../../../server/modules/audit/search.ts';
import { CREDENTIAL, type DryRunSetting, startDryRuns } from './setting.ts';

const TOOL = 'mailer_create_list';
const ARGUMENTS = { brandId: 'd7abd0cd-4ae9-4db7-8676-e986a4ebd8dc', name: 'Friends' };

let setting: DryRunSetting;
beforeAll(async () => {
  setting = await startDryRuns((await loadConnectors()).filter(({ name }) => name === 'mailer' || name === 'crm'));
});
afterAll(async () => {
  await setting?.close();
});

const dryRun: DryRunSetting['dryRun'] = async (...asked) => {
  const answer = await setting.dryRun(...asked);
  expect(answer.text).not.toContain(CREDENTIAL);
  expect(setting.sandbox.requests()).toEqual([]);
  return answer;
};

const owner = async () => {
  const { db } = setting.gateway.store;
  const { id: partnerId } = (await findPartnerByClientId(db, 'test'))!;
  return { db, partnerId, user: (await findUser(db, { partnerId, externalUserId: 'ada' }))! };
};

/** A grant of the user for the partner itself, whose token is needed to know what it may. */
async function grantOf(permission: Partial<Permission>, scopes: readonly Scope[] = SCOPES) {
  const { db, user } = await owner();
  const now = Date.now();
  const of = { userId: user.id, scopes, services: null, resource: `${setting.gateway.listensAt}${MCP_PATH}`, now };
  const expiresAt = now + 3_600_000;
  const grantId = await insertGrant(db, {
    ...of,
    clientId: null,
    expiresAt,
    permission: writePermission({ ...FULL_PERMISSION, ...permission }),
  });
  await issueAccessToken(db, { ...of, grantId });
  return grantId;
}

const codeOf = ({ body }: Awaited<ReturnType<typeof dryRun>>) =>
  (JSON.parse(body.result?.content[1]?.text ?? '{}') as { code?: string }).code;

describe('a dry run of the partner API', () => {
  test('leaves no record of a call, no event of the audit trail and no used key', async () => {
    const { db } = await owner();
    const countRows = () =>
      Promise.all(
        (['call_records', 'call_tallies', 'calls_made_once', 'approvals'] as const).map(
          async (table) => (await db.selectFrom(table).selectAll().execute()).length,
        ),
      );
    const before = [await countRows(), await searchAuditEvents(db, {}, 100)];
    const { body } = await dryRun(TOOL, { arguments: ARGUMENTS });
    expect(body.request).toMatchObject({ method: 'POST', body: { text: '{"name":"Friends"}' } });
    expect([await countRows(), await searchAuditEvents(db, {}, 100)]).toEqual(before);
  });

  test('does not know the user of another partner, and takes no wrong secret', async () => {
    expect((await dryRun(TOOL, { arguments: ARGUMENTS }, { partner: 'other' })).status).toBe(404);
    expect((await dryRun(TOOL, { arguments: ARGUMENTS }, { user: 'nobody' })).status).toBe(404);
    expect((await dryRun(TOOL, { arguments: ARGUMENTS }, { secret: 'utg_ps_wrong' })).status).toBe(401);
  });

  test('does not know the grant of another user', async () => {
    const grant = await grantOf({});
    const { db } = await owner();
    const other = (await findPartnerByClientId(db, 'other'))!;
    await ensureUser(db, { partnerId: other.id, externalUserId: 'ada', now: Date.now() });
    expect((await dryRun(TOOL, { arguments: ARGUMENTS, grant })).status).toBe(200);
    expect((await dryRun(TOOL, { arguments: ARGUMENTS, grant }, { partner: 'other' })).status).toBe(404);
    expect((await dryRun(TOOL, { arguments: ARGUMENTS, grant: 'no-such-grant' })).status).toBe(404);
  });

  test('does not use a service that this user has not connected, even where another one has', async () => {
    expect(codeOf(await dryRun(TOOL, { arguments: ARGUMENTS }, { partner: 'other' }))).toBe('not_connected');
  });

  test('allows a grant no more than its calls may, and sets what is fixed for it', async () => {
    const without = await grantOf({ without: [TOOL] });
    expect(codeOf(await dryRun(TOOL, { arguments: ARGUMENTS, grant: without }))).toBe('not_allowed');
    const reading = await grantOf({}, ['tools:read']);
    expect(codeOf(await dryRun(TOOL, { arguments: ARGUMENTS, grant: reading }))).toBe('insufficient_scope');
    const pinned = await grantOf({ pins: { mailer: { brandId: 'brand-1' } } });
    expect(codeOf(await dryRun(TOOL, { arguments: ARGUMENTS, grant: pinned }))).toBe('not_allowed');
    const { body } = await dryRun(TOOL, { arguments: { name: 'Friends' }, grant: pinned });
    expect(new URL(body.request.url).pathname).toBe('/mailer/v1/brands/brand-1/lists');
  });

  test('refuses a service that the partner may not offer, and a suspended partner', async () => {
    const { db, partnerId } = await owner();
    const set = (changes: { services?: string | null; suspended_at?: number | null }) =>
      db.updateTable('partners').set(changes).where('id', '=', partnerId).execute();
    await set({ services: 'crm' });
    expect(codeOf(await dryRun(TOOL, { arguments: ARGUMENTS }))).toBe('not_offered');
    await set({ services: null, suspended_at: Date.now() });
    expect((await dryRun(TOOL, { arguments: ARGUMENTS })).status).toBe(403);
    await set({ suspended_at: null });
  });

  test('redacts a credential that the arguments repeat', async () => {
    const { body } = await dryRun(TOOL, { arguments: { brandId: CREDENTIAL, name: `x ${CREDENTIAL}` } });
    expect(new URL(body.request.url).pathname).toContain('[redacted]');
    expect(body.request.body?.text).toBe('{"name":"x [redacted]"}');
  });

  test.each([
    [{ arguments: ['x'] }, 400],
    [{ arguments: {}, grant: 7 }, 400],
    [{ arguments: {}, approve: true }, 400],
    [{ arguments: { name: 'x'.repeat(1_100_000) } }, 413],
  ])('refuses a body that is not valid', async (body, status) => {
    expect((await dryRun(TOOL, body)).status).toBe(status);
  });

  test.each(['mailer_lose_list', 'search_tools', 'call_writing_tool', '..', '%00'])(
    'does not know the tool %s',
    async (tool) => {
      expect((await dryRun(tool, {})).status).toBe(404);
    },
  );
});
