import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { requirePrincipal } from '../../../../server/base/http/authenticate.ts';
import { hashSecret } from '../../../../server/base/principal/secrets.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import { listConnections, NEW_ACCOUNT } from '../../../../server/base/store/repositories/connections.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { endShare, findTeam, listShares, MAX_MEMBERS } from '../../../../server/base/store/repositories/teams.ts';
import { ensureUser, type User } from '../../../../server/base/store/repositories/users.ts';
import { newId } from '../../../../server/base/store/rows.ts';
import type { FoundConnection } from '../../../../server/base/store/token-lookup.ts';
import type { Upstream } from '../../../../server/call/upstream/index.ts';
import { createCredentialOpener, createLeases } from '../../../../server/call/upstream/lease.ts';
import type { UpstreamOAuth } from '../../../../server/call/upstream/oauth/types.ts';
import { removeUserConnection } from '../../../../server/identity/partners/remove-connection.ts';
import { removeTeam, saveTeam, setMembers, shareConnection } from '../../../../server/identity/partners/teams.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { keyBytes } from '../../../support/keys.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';
import { createLocalUpstream } from '../../../support/outgoing.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { createFixture, errorOf, type Fixture } from './support.ts';

const CALLS = Number(process.env.CROSSTALK_CALLS ?? 50_000);
const CALLS_AT_ONCE = 20;
const USERS = 6;
const TEAMS = ['red', 'green', 'blue'];
const TOKEN_LIFE_MS = 400;
const RESOURCE = 'http://127.0.0.1/api/mcp/unified';
const KEYS = [{ id: 'k1', key: keyBytes(1) }];
const INPUT = { properties: { who: { type: 'string' } }, required: ['who'] };
const LIBRARY = fakeConnector({
  tools: [
    fakeTool({ name: 'library_list', input: INPUT }),
    fakeTool({ name: 'library_add', method: 'POST', input: INPUT, request: { query: { who: 'who' } } }),
  ],
  parts: [oauth2Part('http://127.0.0.1:9')],
});

function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface ModelTeam {
  readonly members: Set<string>;
  share: { connectionId: string; owner: string; readOnly: boolean } | null;
}

describeStore('accounts that users share with teams, while members and shares change', (given) => {
  const open = closeAfterEach();

  test(`${CALLS} calls use exactly what a model allows`, { timeout: 3_600_000 }, async () => {
    const seed = Date.now() % 2 ** 31;
    const random = createRandom(seed);
    const { db } = given.store;
    const vault = await vaultBeside(given.store, KEYS);
    let clock = Date.now();
    const now = () => clock;
    const mixed: string[] = [];
    const counts: Record<string, number> = {};
    const count = (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1;
    };
    const renewing = new Set<string>();
    let made = 0;
    const tokensOf = (owner: string) => {
      made += 1;
      return { access: `${owner}|${made}`, refresh: `refresh|${owner}|${made}`, expiresAt: clock + TOKEN_LIFE_MS };
    };
    const oauth = {
      async refresh(_: unknown, { refreshToken }: { refreshToken: string }) {
        const [, owner = ''] = refreshToken.split('|');
        if (renewing.has(owner)) mixed.push(`two renewals of ${owner} at once`);
        renewing.add(owner);
        for (let turns = random(4); turns > 0; turns -= 1) await nextTurn();
        renewing.delete(owner);
        count('renewed');
        const { access, refresh, expiresAt } = tokensOf(owner);
        return { accessToken: access, refreshToken: refresh, expiresAt, scopes: null };
      },
    } as unknown as UpstreamOAuth;
    const client = { id: 'client', service: 'library', clientId: 'gateway', clientSecret: null };
    const clients = { find: async () => client, findById: async () => client };
    const local = createLocalUpstream({
      baseUrls: new Map([['library', new Map([['{library_base_url}', 'http://127.0.0.1:9']])]]),
      timeoutMs: 3000,
      maxResultBytes: 1000,
      userAgent: 'test/1.0',
    });
    open.push(local);
    const upstream: Upstream = {
      ...local,
      async send({ outgoing }, { onSending }) {
        onSending?.();
        const [owner] = String(outgoing.headers.authorization).slice('Bearer '.length).split('|');
        const { searchParams } = new URL(outgoing.target, 'http://x');
        const [expected, right] = (searchParams.get('who') ?? '').split(' ');
        if (owner !== expected) mixed.push(`a call for ${expected} was sent with the credential of ${owner}`);
        if (outgoing.method === 'POST' && right === 'read') mixed.push(`a share of ${owner} for reading wrote`);
        for (let turns = random(3); turns > 0; turns -= 1) await nextTurn();
        const body = Buffer.from(JSON.stringify({ owner }));
        return { status: 200, header: (name) => (name === 'content-type' ? 'application/json' : null), body };
      },
    };
    const nodes = [0, 1].map((): Fixture => {
      const openCredential = createCredentialOpener({ vault });
      const leases = createLeases({ db, vault, openCredential, oauth, clients, now, onProblem: () => {} });
      const node = createFixture({ connectors: [LIBRARY], changes: { upstream, leases, now } });
      open.push({ close: () => leases.close() }, node);
      return node;
    });

    const keyOfConnection = new Map<string, string>();
    const add = async (userId: string): Promise<void> => {
      const owner = `owner-${keyOfConnection.size}-${newId(clock).slice(-6)}`;
      const { access, refresh, expiresAt } = tokensOf(owner);
      const tokens = { 'oauth.access_token': access, 'oauth.refresh_token': refresh };
      const fields = { ...tokens, 'oauth.expires_at': String(expiresAt) };
      const connection = { userId, service: 'library', account: NEW_ACCOUNT, fields, now: clock };
      const id = await db.transaction().execute((transaction) => saveConnection(transaction, vault, connection));
      keyOfConnection.set(id, owner);
    };
    const partner = await insertPartner(db, { clientId: 'acme', name: 'Acme', now: clock });
    const rival = await insertPartner(db, { clientId: 'rival', name: 'Rival', now: clock });
    const users: { user: User; secret: string }[] = [];
    for (let number = 0; number < USERS; number += 1) {
      const partnerId = number === USERS - 1 ? rival.id : partner.id;
      const user = await ensureUser(db, { partnerId, externalUserId: `user-${number}`, now: 1 });
      const token = { scopes: ['tools:read', 'tools:write'] as const, services: null, resource: RESOURCE, now: clock };
      const secret = `secret-${number}`;
      await insertAccessToken(db, { ...token, userId: user.id, tokenHash: hashSecret(db, secret), expiresAt: 1e15 });
      for (let account = 0; account < number % 3; account += 1) await add(user.id);
      users.push({ user, secret });
    }
    const find = requirePrincipal({
      store: given.store,
      resource: RESOURCE,
      now,
      challenges: () => {
        throw new Error('the token is valid');
      },
    });

    const model = new Map<string, ModelTeam>();
    const keyOfTeam = (externalTeamId: string) => ({ partnerId: partner.id, externalTeamId });
    const transact = <Result>(work: Parameters<ReturnType<typeof db.transaction>['execute']>[0]) =>
      db.transaction().execute(work) as Promise<Result>;
    const teamOf = async (name: string) => {
      if (!model.has(name)) {
        const team = { ...keyOfTeam(name), name: `Team ${name}` };
        expect(await transact((transaction) => saveTeam(transaction, team, { now: clock }))).toBe('added');
        model.set(name, { members: new Set(), share: null });
      }
      return { team: (await findTeam(db, keyOfTeam(name)))!, state: model.get(name)! };
    };
    const change = async (): Promise<void> => {
      const name = TEAMS[random(TEAMS.length)]!;
      const { team, state } = await teamOf(name);
      const { user } = users[random(USERS)]!;
      const options = { most: MAX_MEMBERS, now: clock };
      const kind = random(12);
      if (kind < 4) {
        if (user.partnerId !== partner.id) return;
        const isIn = state.members.has(user.id);
        const members = isIn ? { remove: [user.id] } : { add: [user.externalUserId] };
        expect(await transact((transaction) => setMembers(transaction, team, members, options))).toBeNull();
        if (isIn) state.members.delete(user.id);
        else state.members.add(user.id);
        count(isIn ? 'left' : 'joined');
      } else if (kind < 8) {
        const own = await listConnections(db, user.id);
        const connection = own[random(own.length || 1)];
        const readOnly = random(2) === 0;
        if (connection === undefined) return;
        const by = random(2) === 0 ? 'partner' : 'user';
        const sharing = { team, owner: user, connection, readOnly };
        const work = transact<string>((transaction) => shareConnection(transaction, sharing, { by, now: clock }));
        if (user.partnerId !== partner.id) {
          await expect(work).rejects.toThrow('not of this partner');
          return;
        }
        const outcome = await work;
        const isTaken = by === 'user' && state.share !== null && state.share.owner !== user.id;
        const expected = by === 'user' && !state.members.has(user.id) ? 'not_member' : isTaken ? 'taken' : 'shared';
        if (outcome !== expected) mixed.push(`sharing was ${outcome} instead of ${expected}`);
        if (outcome === 'shared') state.share = { connectionId: connection.id, owner: user.id, readOnly };
        count(outcome);
      } else if (kind < 10) {
        const [share] = await listShares(db, { teamId: team.id });
        if ((share === undefined) !== (state.share === null)) mixed.push('the store has another share than the model');
        if (share !== undefined)
          await transact((transaction) => endShare(transaction, share, { by: 'user', now: clock }));
        state.share = null;
        count('ended');
      } else if (kind < 11) {
        await transact((transaction) => removeTeam(transaction, team, { now: clock }));
        model.delete(name);
        count('team removed');
      } else {
        const own = await listConnections(db, user.id);
        const removed = own[random(own.length || 1)];
        if (removed === undefined) return add(user.id);
        const change = { by: 'user', now: clock } as const;
        await transact((transaction) => removeUserConnection(transaction, user, removed, change));
        for (const other of model.values()) if (other.share?.connectionId === removed.id) other.share = null;
        await add(user.id);
        count('connection removed');
      }
    };

    const allowedTo = async (user: User): Promise<Map<string, 'own' | 'read' | 'write'>> => {
      const allowed = new Map<string, 'own' | 'read' | 'write'>();
      for (const { id } of await listConnections(db, user.id)) allowed.set(`${id} own`, 'own');
      for (const [name, { members, share }] of model) {
        if (share === null || share.owner === user.id || !members.has(user.id)) continue;
        allowed.set(`${share.connectionId} Team ${name}`, share.readOnly ? 'read' : 'write');
      }
      return allowed;
    };
    const labelOf = ({ id, name, share }: FoundConnection) => `${id} ${share === undefined ? 'own' : name}`;
    const former: { account: string; who: string }[] = [];
    const callOnce = async (): Promise<void> => {
      const { user, secret } = users[random(USERS)]!;
      const allowed = await allowedTo(user);
      const principal = await find(`Bearer ${secret}`, '', '');
      const first = principal.connections.get('library');
      const accounts = first === undefined ? [] : [first, ...(first.others ?? [])];
      const found = accounts.map(labelOf).sort();
      const expected = [...allowed.keys()].sort();
      if (found.join() !== expected.join()) mixed.push(`${user.externalUserId} has ${found} instead of ${expected}`);
      const tool = random(3) === 0 ? 'library_add' : 'library_list';
      const node = nodes[random(2)]!;
      const stale = former[random(former.length || 1)];
      if (random(10) === 0 && stale !== undefined && accounts.every(({ name }) => name !== stale.account)) {
        const args = { who: stale.who, account: stale.account };
        const result = await node.call(tool, args, { principal });
        if (result.isError !== true) mixed.push(`${stale.account} still works for ${user.externalUserId}`);
        count(`stale ${errorOf(result).code}`);
        return;
      }
      const account = accounts[random(accounts.length || 1)];
      if (account === undefined) return;
      const right = allowed.get(labelOf(account)) ?? 'none';
      const owner = keyOfConnection.get(account.id);
      const who = `${owner} ${right}`;
      if (account.share !== undefined && account.name !== undefined) former.push({ account: account.name, who });
      if (former.length > 50) former.shift();
      const args = accounts.length === 1 ? { who } : { who, account: account.name };
      const result = await node.call(tool, args, { principal });
      const outcome = result.isError === true ? errorOf(result).code : 'ok';
      const wanted = tool === 'library_add' && right === 'read' ? 'not_allowed' : 'ok';
      if (outcome !== wanted) mixed.push(`${tool} with ${right} ended with ${outcome}: ${JSON.stringify(result)}`);
      if (JSON.stringify(result).includes('user-')) mixed.push('an answer names a user');
      count(`${right} ${outcome}`);
    };

    for (let left = CALLS; left > 0 && mixed.length === 0; left -= CALLS_AT_ONCE) {
      clock += 20;
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, callOnce));
      if (random(2) === 0) await change();
    }
    expect(mixed, `seed ${seed}`).toEqual([]);
    for (const event of ['read ok', 'read not_allowed', 'write ok', 'own ok', 'left', 'ended', 'renewed'])
      expect([event, counts[event] ?? 0]).not.toEqual([event, 0]);
  });
});
