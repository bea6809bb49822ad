import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { saveConnection } from '../../../../server/base/credentials/save-connection.ts';
import { createValueSealer } from '../../../../server/base/credentials/sealed-value.ts';
import { requirePrincipal } from '../../../../server/base/http/authenticate.ts';
import type { Principal } from '../../../../server/base/principal/principal.ts';
import { hashSecret } from '../../../../server/base/principal/secrets.ts';
import { insertAccessToken } from '../../../../server/base/store/repositories/access-tokens.ts';
import {
  deleteConnection,
  NEW_ACCOUNT,
  renameAccount,
} from '../../../../server/base/store/repositories/connections.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { newId } from '../../../../server/base/store/rows.ts';
import { createCallsMadeOnce } from '../../../../server/call/tools/call/idempotency-keys.ts';
import type { Upstream } from '../../../../server/call/upstream/index.ts';
import { createCredentialOpener, createLeases } from '../../../../server/call/upstream/lease.ts';
import type { UpstreamOAuth } from '../../../../server/call/upstream/oauth/types.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { keyBytes } from '../../../support/keys.ts';
import { numRuns } from '../../../support/num-runs.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';
import { createLocalUpstream } from '../../../support/outgoing.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { createFixture, errorOf, type Fixture } from './support.ts';

/** On each of two dialects. */
const CALLS = Number(process.env.CROSSTALK_CALLS ?? numRuns(2_500));
const CALLERS = 40;
const USERS = 6;
const ACCOUNTS = [1, 2, 3, 3, 4, 5];
const TOKEN_LIFE_MS = 300;
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

/** Pseudo-random numbers from 0 to `below`, the same in every run of a seed (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describeStore('accounts of several users, with calls, renewals, renamings and removals at once', (given) => {
  const open = closeAfterEach();

  test(`no credential and no answer reaches another account in ${CALLS} calls`, { timeout: 900_000 }, async () => {
    const seed = Date.now() % 2 ** 31;
    const random = createRandom(seed);
    const { db } = given.store;
    const vault = await vaultBeside(given.store, KEYS);
    let clock = Date.now();
    const now = () => clock;
    const mixed: string[] = [];
    const counts: Record<string, number> = { sent: 0, renewed: 0, refused: 0, removed: 0, renamed: 0 };
    const renewing = new Set<string>();
    /** Whose each connection is: never changes, because no row id is used again. */
    const owners = new Map<string, string>();
    let made = 0;
    let changes = 0;

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
        counts.renewed! += 1;
        const { access, refresh, expiresAt } = tokensOf(owner);
        return { accessToken: access, refreshToken: refresh, expiresAt, scopes: null };
      },
    } as unknown as UpstreamOAuth;
    const client = { id: 'client', service: 'library', clientId: 'gateway', clientSecret: null };
    const clients = { find: async () => client, findById: async () => client };
    const local = createLocalUpstream({
      baseUrls: new Map([['library', new Map([['{library_base_url}', 'http://127.0.0.1:9']])]]),
      ...{ timeoutMs: 3000, maxResultBytes: 1000, userAgent: 'test/1.0' },
    });
    open.push(local);
    const upstream: Upstream = {
      ...local,
      async send({ outgoing }, { onSending }) {
        onSending?.();
        const [owner] = String(outgoing.headers.authorization).slice('Bearer '.length).split('|');
        const who = new URL(outgoing.target, 'http://x').searchParams.get('who');
        if (owner !== who) mixed.push(`a call for ${who} was sent with the credential of ${owner}`);
        counts.sent! += 1;
        for (let turns = random(3); turns > 0; turns -= 1) await nextTurn();
        const isRefused = random(40) === 0;
        if (isRefused) counts.refused! += 1;
        const body = Buffer.from(JSON.stringify({ owner }));
        return {
          status: isRefused ? 401 : 200,
          header: (name) => (name === 'content-type' ? 'application/json' : null),
          body,
        };
      },
    };

    const nodes = [0, 1].map((): Fixture => {
      const openCredential = createCredentialOpener({ vault });
      const leases = createLeases({ db, vault, openCredential, oauth, clients, now, onProblem: () => {} });
      const sealer = createValueSealer({ keys: KEYS, purpose: 'answers' });
      const once = createCallsMadeOnce({ db, sealer, now, onError: (error) => mixed.push(String(error)) });
      const node = createFixture({ connectors: [LIBRARY], changes: { upstream, leases, once, now } });
      open.push({ close: () => leases.close() }, node);
      return node;
    });

    const add = async (userId: string): Promise<void> => {
      const owner = `owner-${owners.size}-${newId(clock).slice(-6)}`;
      const { access, refresh, expiresAt } = tokensOf(owner);
      const fields = {
        ...{ 'oauth.access_token': access, 'oauth.refresh_token': refresh },
        'oauth.expires_at': String(expiresAt),
      };
      const connection = { userId, service: 'library', account: NEW_ACCOUNT, fields, now: clock };
      const id = await db.transaction().execute(async (transaction) => saveConnection(transaction, vault, connection));
      owners.set(id, owner);
    };
    const partner = await insertPartner(db, { clientId: 'acme', name: 'Acme', now: clock });
    const users: { userId: string; secret: string }[] = [];
    for (let number = 0; number < USERS; number += 1) {
      const { id: userId } = await ensureUser(db, { partnerId: partner.id, externalUserId: `user-${number}`, now: 1 });
      const token = { scopes: ['tools:read', 'tools:write'] as const, services: null, resource: RESOURCE, now: clock };
      const secret = `secret-${number}`;
      await insertAccessToken(db, { ...token, userId, tokenHash: hashSecret(db, secret), expiresAt: 1e15 });
      for (let account = 0; account < (ACCOUNTS[number] ?? 1); account += 1) await add(userId);
      users.push({ userId, secret });
    }
    const find = requirePrincipal({
      ...{ store: given.store, resource: RESOURCE, now },
      challenges: () => {
        throw new Error('the token is valid');
      },
    });

    const change = async (userId: string, { connections }: Principal): Promise<void> => {
      const first = connections.get('library');
      const accounts = first === undefined ? [] : [first, ...(first.others ?? [])];
      const account = accounts[random(accounts.length || 1)];
      if (account === undefined) return;
      changes += 1;
      if (changes % 2 === 0) {
        await deleteConnection(db, userId, account.id);
        await add(userId);
        counts.removed! += 1;
      } else {
        const name = `name-${random(3)}`;
        await db.transaction().execute((transaction) => renameAccount(transaction, { userId, id: account.id, name }));
        counts.renamed! += 1;
      }
    };
    const callOnce = async (): Promise<void> => {
      clock += 1;
      const { userId, secret } = users[random(USERS)]!;
      const principal = await find(`Bearer ${secret}`, '', '');
      if (random(40) === 0) return change(userId, principal);
      const first = principal.connections.get('library');
      if (first === undefined) return;
      const accounts = [first, ...(first.others ?? [])];
      const { id, name } = accounts[random(accounts.length)]!;
      const who = owners.get(id);
      if (who === undefined) return;
      const args = { who, ...(accounts.length === 1 ? {} : { account: name }) };
      const isKeyed = random(15) === 0;
      const tool = isKeyed ? 'library_add' : 'library_list';
      const meta = isKeyed ? { idempotencyKey: `key-${random(5)}` } : {};
      const result = await nodes[random(2)]!.call(tool, args, { principal, meta });
      const outcome = result.isError === true ? errorOf(result).code : 'ok';
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      const owner = (result.structuredContent as { owner?: string } | undefined)?.owner;
      if (outcome === 'ok' && owner !== who) mixed.push(`a call for ${who} got the answer of ${owner}`);
    };

    let left = CALLS;
    const caller = async (): Promise<void> => {
      while (left > 0 && mixed.length === 0) {
        left -= 1;
        await callOnce();
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));

    expect(mixed, `seed ${seed}`).toEqual([]);
    for (const { records, faults } of nodes) {
      expect(faults).toEqual([]);
      expect(records.filter(({ connectionId }) => connectionId != null && !owners.has(connectionId))).toEqual([]);
    }
    expect(counts.ok).toBeGreaterThan(CALLS * 0.8);
    for (const happened of ['renewed', 'refused', 'removed', 'renamed', 'idempotency_key_reused']) {
      expect([happened, counts[happened] ?? 0]).not.toEqual([happened, 0]);
    }
  });
});
