import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { FULL_PERMISSION, type Permission, writePermission } from '../../../../server/base/principal/permission.ts';
import { deleteConnection, NEW_ACCOUNT } from '../../../../server/base/store/repositories/connections.ts';
import { insertGrant, revokeGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { setPartnerSuspended, updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { setWritingStopped } from '../../../../server/base/store/repositories/switches.ts';
import { findTeam } from '../../../../server/base/store/repositories/teams.ts';
import {
  ensureUser,
  findUsersByExternalId,
  setAllowance,
  type User,
} from '../../../../server/base/store/repositories/users.ts';
import { definitionsOf } from '../../../../server/call/tools/catalogue/provenance.ts';
import type { CompleteToolResult } from '../../../../server/call/tools/provider.ts';
import { errorCodeOf } from '../../../../server/call/tools/results/errors.ts';
import type { Reason } from '../../../../server/call/tools/results/why-texts.ts';
import type { Connector } from '../../../../server/contract/index.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { saveTeam, setMembers, shareConnection } from '../../../../server/identity/partners/teams.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';
import { postRpc } from '../../../support/post-rpc.ts';
import { runScript } from '../../../support/run-script.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { findConnection, insertAttempt } from '../../base/store/fixtures.ts';
import { Visitor } from '../../modules/admin/support.ts';
import { answering, type Host, startHost } from '../upstream/support.ts';

const SECRET = 'the-secret-of-the-operator';
const REVIEWED = join(tmpdir(), `why-${process.pid}.json`);
const HOUR_MS = 3_600_000;

const BURN = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const library = fakeConnector({
  parts: [{ id: 'key', type: 'bearer', label: 'Key' }],
  tools: [
    fakeTool({ name: 'library_find' }),
    fakeTool({ name: 'library_read', path: '/shelves/{shelf}' }),
    fakeTool({ name: 'library_add', method: 'POST' }),
    fakeTool({ name: 'library_burn', method: 'DELETE', more: { annotations: BURN } }),
    fakeTool({ name: 'library.bad' }),
  ],
});
const server = '{desk_base_url}';
const desk: Connector = {
  ...fakeConnector({ name: 'desk', title: 'Desk', parts: [oauth2Part('https://desk.example')], tools: [] }),
  tools: [
    fakeTool({
      name: 'desk_admin',
      more: { scopes: [['admin']], operation: { id: 'admin', method: 'GET', path: '/things', server } },
    }),
  ],
  servers: [
    {
      url: server,
      variables: [{ name: 'desk_base_url', env: 'DESK_BASE_URL', default: 'https://desk.example', derive: null }],
    },
  ],
};

let upstream: Host;
let gateway: RunningGateway;
let user: User;
let grantId: string;
let token: string;

beforeAll(async () => {
  upstream = await startHost(answering(200, {}));
});
afterEach(() => gateway.close());
afterAll(async () => {
  await upstream.close();
  rmSync(REVIEWED, { force: true });
});

interface Row {
  readonly tool?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly scopes?: readonly string[];
  readonly services?: readonly string[];
  readonly permission?: Partial<Permission>;
  readonly arrange?: () => Promise<unknown>;
  readonly call: string | RegExp;
  readonly listed: boolean;
  readonly says: RegExp;
}

const db = () => gateway.store.db;
const disconnect = async () => deleteConnection(db(), user.id, (await findConnection(db(), user.id, 'library'))!.id);
const set = (table: 'connections' | 'access_tokens', values: object) => db().updateTable(table).set(values).execute();

async function start({ env = {}, scopes, services = null!, permission = {} }: Partial<Row>): Promise<void> {
  const address = upstream.origin;
  gateway = await startGateway({
    connectors: [library, desk],
    env: { ADMIN_SECRET: SECRET, LIBRARY_BASE_URL: address, DESK_BASE_URL: address, ...env },
    secretOf: () => 'secret',
  });
  [user] = (await findUsersByExternalId(db(), 'ada')) as [User];
  const fields = { 'oauth.access_token': 'at', 'oauth.scope': 'read' };
  await saveConnection(db(), await vaultBeside(gateway.store), {
    userId: user.id,
    service: 'desk',
    fields,
    now: Date.now(),
  });
  await db().deleteFrom('access_tokens').execute();
  const register = { client_name: 'Helper', redirect_uris: ['http://127.0.0.1/back'] };
  const registered = await fetch(`${gateway.listensAt}/api/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(register),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const access = {
    ...{ userId: user.id, clientId, resource: gateway.url, now: Date.now(), services },
    scopes: (scopes ?? ['tools:read', 'tools:write']) as ('tools:read' | 'tools:write')[],
  };
  grantId = await db()
    .transaction()
    .execute((transaction) =>
      insertGrant(transaction, {
        ...access,
        permission: writePermission({ ...FULL_PERMISSION, ...permission }),
        expiresAt: Date.now() + 24 * HOUR_MS,
      }),
    );
  ({ token } = await issueAccessToken(db(), { ...access, grantId }));
}

interface Body {
  readonly result?: CompleteToolResult & { readonly tools?: readonly { readonly name: string }[] };
  readonly error?: { readonly message: string };
}

async function post(method: string, params: object): Promise<{ status: number; body: Body }> {
  const response = await postRpc({ url: gateway.url, token }, method, params);
  return { status: response.status, body: await response.json() };
}

async function call(tool: string): Promise<string> {
  const { status, body } = await post('tools/call', { name: tool, arguments: {} });
  if (status !== 200) return `${status}`;
  return body.error?.message ?? (body.result && errorCodeOf(body.result)) ?? 'ok';
}

async function list(): Promise<readonly string[]> {
  const { body } = await post('tools/list', {});
  return (body.result?.tools ?? []).map(({ name }) => name);
}

async function askDashboard(tool: string): Promise<string> {
  const visitor = new Visitor(
    () => gateway.listensAt,
    () => {},
  );
  await visitor.signIn(SECRET);
  const { status, text } = await visitor.get(`/admin/users/${user.id}/why?tool=${tool}`);
  expect(status).toBe(200);
  return /<h2>([\s\S]*)<\/main>/.exec(text)?.[1]?.replaceAll(/<[^>]+>/g, ' ') ?? text;
}

async function askCommand(tool: string, ...options: string[]): Promise<string> {
  const script = runScript('scripts/utg.ts', ['why', 'ada', tool, ...options], {
    DATABASE_URL: gateway.databaseUrl,
    ENCRYPTION_KEYS: gateway.encryptionKeys,
    PUBLIC_URL: gateway.listensAt,
  });
  await script.ended();
  return script.output();
}

const partnerId = () => user.partnerId;
const pinned = { pins: { library: { shelf: 'a' } } };

async function shareFromAnother(): Promise<void> {
  const connection = (await findConnection(db(), user.id, 'library'))!;
  const owner = await ensureUser(db(), { partnerId: partnerId(), externalUserId: 'bob', now: Date.now() });
  await db().updateTable('connections').set({ user_id: owner.id }).where('id', '=', connection.id).execute();
  const key = { partnerId: partnerId(), externalTeamId: 'sales' };
  await db()
    .transaction()
    .execute(async (transaction) => {
      await saveTeam(transaction, { ...key, name: 'Sales' }, { now: Date.now() });
      const team = (await findTeam(transaction, key))!;
      await setMembers(transaction, team, { add: ['ada'] }, { most: 10, now: Date.now() });
      const sharing = { team, owner, connection: { ...connection, userId: owner.id }, readOnly: true };
      await shareConnection(transaction, sharing, { by: 'partner', now: Date.now() });
    });
}

const ROWS: Record<Reason, Row> = {
  no_token: {
    arrange: () => revokeGrant(db(), grantId, { reason: 'revoked-by-user', now: Date.now() } as never),
    ...{ call: '401', listed: false, says: /unknown or was revoked/ },
  },
  unknown_tool: {
    tool: 'library_fimd',
    ...{ call: 'Unknown tool: library_fimd. Did you mean library_find?', listed: false, says: /mean library_find/ },
  },
  not_reviewed: {
    env: { REQUIRE_REVIEWED: REVIEWED },
    ...{ call: 'Unknown tool: library_find', listed: false, says: /no review approved/ },
  },
  not_served: { tool: 'library.bad', call: 'Unknown tool: library.bad', listed: false, says: /1 to 64 letters/ },
  too_many_calls: {
    env: { TOOL_CALLS_PER_MINUTE: '1' },
    arrange: () => call('library_find'),
    ...{ call: 'too_many_calls', listed: false, says: /too many tool calls/ },
  },
  partner_suspended: {
    arrange: () => setPartnerSuspended(db(), partnerId(), Date.now()),
    ...{ call: 'partner_suspended', listed: false, says: /utg partner resume --client-id test/ },
  },
  not_offered: {
    arrange: () => updatePartner(db(), partnerId(), { services: ['desk'] }),
    ...{ call: 'not_offered', listed: false, says: /utg partner set --client-id test/ },
  },
  narrowed: {
    services: ['desk'],
    call: /^not_(connected|allowed)$/,
    listed: false,
    says: /narrowed this client .*: desk/,
  },
  allowance: {
    arrange: () => setAllowance(db(), user.id, { allowance: null, until: 1 }),
    call: 'not_allowed',
    listed: false,
    says: /partner does not allow this tool/,
  },
  not_redeemed: {
    arrange: async () => {
      await disconnect();
      const attempt = { id: 'a', partnerId: partnerId(), externalUserId: 'ada', service: 'library' };
      await insertAttempt(gateway.store, attempt);
    },
    ...{ call: 'not_connected', listed: false, says: /POST \/api\/oauth\/token/ },
  },
  not_connected: {
    arrange: () => disconnect(),
    ...{ call: 'not_connected', listed: false, says: /Library is not connected/ },
  },
  frozen: { permission: { only: ['library_read'] }, call: 'not_allowed', listed: false, says: /of that time/ },
  destructive: {
    tool: 'library_burn',
    permission: { destructive: false },
    ...{ call: 'not_allowed', listed: false, says: /delete or overwrite/ },
  },
  left_out: { permission: { without: ['library_find'] }, call: 'not_allowed', listed: false, says: /unticked/ },
  account_removed: {
    permission: { accounts: { library: 'gone' } },
    ...{ call: 'not_allowed', listed: false, says: /this client may use is not connected any more/ },
  },
  unpinnable: { permission: pinned, call: 'not_allowed', listed: false, says: /fixes shelf to a/ },
  insufficient_scope: {
    tool: 'library_add',
    scopes: ['tools:read'],
    ...{ call: '403', listed: true, says: /may only read/ },
  },
  writing_stopped: {
    tool: 'library_add',
    arrange: () =>
      db()
        .transaction()
        .execute((transaction) => setWritingStopped(transaction, true, { now: Date.now() })),
    ...{ call: 'writing_stopped', listed: true, says: /utg writes resume/ },
  },
  needs_approval: {
    tool: 'library_burn',
    permission: { seen: 'older' },
    ...{ call: 'needs_approval', listed: true, says: /riskier than what was allowed/ },
  },
  connection_needs_attention: {
    arrange: () => set('connections', { status: 'attention' }),
    ...{ call: 'connection_needs_attention', listed: true, says: /no longer accepts the credential/ },
  },
  credential_unreadable: {
    arrange: () => set('connections', { sealed_credential: 'v2.lost.abc.def' }),
    ...{ call: 'credential_unreadable', listed: true, says: /cannot read the credential/ },
  },
  scope_not_granted: { tool: 'desk_admin', call: 'scope_not_granted', listed: true, says: /not granted: admin/ },
  call_limit_reached: {
    env: { CALL_LIMITS: 'tool:library_find 1/day/user' },
    arrange: () => call('library_find'),
    call: 'call_limit_reached',
    listed: true,
    says: /1 of 1 calls are used: tool:library_find 1\/day\/user/,
  },
  read_only_share: {
    tool: 'library_add',
    arrange: () => shareFromAnother(),
    call: 'not_allowed',
    listed: true,
    says: /&quot;Sales&quot; of Library[\s\S]*PUT \/api\/partner\/teams/,
  },
  upstream_circuit_open: {
    env: { LIBRARY_BASE_URL: 'http://127.0.0.1:1' },
    arrange: async () => {
      for (let time = 0; time < 5; time += 1) await call('library_find');
    },
    ...{ call: 'upstream_circuit_open', listed: true, says: /admin\/upstreams/ },
  },
  not_listed: {
    permission: { catalogue: 'search' },
    call: 'ok',
    listed: false,
    says: /the mode of the list is search/,
  },
  pinned: { tool: 'library_read', permission: pinned, call: 'ok', listed: true, says: /fixes shelf to a/ },
  approval: {
    tool: 'library_burn',
    env: { APPROVALS: 'destroy' },
    ...{ call: 'awaiting_approval', listed: true, says: /waits until the user has approved it/ },
  },
  ok: { call: 'ok', listed: true, says: /listed, and a call is made/ },
};

describe('why a client lacks a tool', () => {
  test.each(Object.keys(ROWS) as Reason[])('says %s where a call and a list of that client say so', async (reason) => {
    const { tool = 'library_find', arrange, says, ...row } = ROWS[reason];
    const reviewed = [...definitionsOf(library), ...definitionsOf(desk)].filter(([name]) => name !== 'library_find');
    writeFileSync(REVIEWED, JSON.stringify({ tools: Object.fromEntries(reviewed) }));
    await start(row);
    await arrange?.();
    const answer = await askDashboard(tool);
    expect(answer).toMatch(new RegExp(`Helper” \\(unverified name\\)\\s+${reason}\\s`));
    expect(answer).toMatch(says);
    expect(await call(tool)).toMatch(row.call);
    expect((await list()).includes(tool)).toBe(row.listed);
  });

  test('names the account that needs its user, of several', async () => {
    await start({});
    const connection = {
      userId: user.id,
      service: 'library',
      account: NEW_ACCOUNT,
      fields: { key: 'a' },
      now: Date.now(),
    };
    const id = await saveConnection(db(), await vaultBeside(gateway.store), connection);
    expect(await askDashboard('library_find')).toMatch(/Helper” \(unverified name\)\s+ok\s/);
    await db().updateTable('connections').set({ status: 'attention' }).where('id', '=', id).execute();
    expect(await askDashboard('library_find')).toMatch(
      /Helper” \(unverified name\)\s+connection_needs_attention\s[\s\S]*Library \(account &quot;account-2&quot;\) no longer accepts/,
    );
  });

  test('names an allowance that keeps a tool from all of the accounts, or from none that is needed', async () => {
    await start({});
    const allow = { services: null, effects: ['reads'], tools: null, accounts: {} };
    const limitTo = (account: string) =>
      setAllowance(db(), user.id, {
        allowance: JSON.stringify({
          allows: [allow, { ...allow, effects: ['reads', 'writes'], accounts: { library: [account] } }],
          approvals: [],
          catalogue: null,
        }),
        until: null,
      });
    await limitTo('private');
    expect(await call('library_add')).toBe('not_allowed');
    expect(await askDashboard('library_add')).toMatch(/Helper” \(unverified name\)\s+allowance\s/);
    await shareFromAnother();
    const connection = {
      userId: user.id,
      service: 'library',
      account: NEW_ACCOUNT,
      fields: { key: 'a' },
      now: Date.now(),
    };
    await saveConnection(db(), await vaultBeside(gateway.store), connection);
    await limitTo('account-1');
    expect(await askDashboard('library_add')).toMatch(/Helper” \(unverified name\)\s+ok\s/);
  });

  test('follows an expired token that its client can renew', async () => {
    await start({ permission: { without: ['library_find'] } });
    await set('access_tokens', { expires_at: Date.now() - 1 });
    expect(await askDashboard('library_find')).toMatch(/Helper” \(unverified name\)\s+left_out\s/);
  });

  test('is asked next to the gateway, which alone knows limits and circuits', async () => {
    await start({});
    await saveConnection(db(), await vaultBeside(gateway.store), {
      userId: user.id,
      service: 'retrieval',
      fields: { key: 'a' },
      now: Date.now(),
    });
    const [has, unknown, other] = await Promise.all([
      askCommand('retrieval_retrieve', '--client', 'Helper'),
      askCommand('retrieval_retreive'),
      askCommand('retrieval_retrieve', '--client', 'Other'),
    ]);
    expect(has).toMatch(
      /^“Helper” \(unverified name\): ok\n.*\n {2}Unknown: Only the running gateway knows its limits and circuits/m,
    );
    expect(unknown).toMatch(/^“Helper” \(unverified name\): unknown_tool\n.*retrieval_retrieve/m);
    expect(other).toMatch(/^Other: no_token\n/m);
  });
});
