import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openUpstreamTokens } from '../../../../../scripts/partner/upstream-tokens.ts';
import { LOOPBACK_NETWORKS } from '../../../../../server/base/guarded-fetch/networks.ts';
import { putConnection } from '../../../../../server/base/store/repositories/connections.ts';
import { insertPartner } from '../../../../../server/base/store/repositories/partners.ts';
import { listIdleConnections } from '../../../../../server/base/store/repositories/upstream/connection-refreshes.ts';
import { ensureUser } from '../../../../../server/base/store/repositories/users.ts';
import { removePartner } from '../../../../../server/identity/partners/lifecycle.ts';
import { startIdleRenewal } from '../../../../../server/modules/idle-renewal/renewal.ts';
import { verifies } from '../../../../requirements/verifies.ts';
import { Visitor } from '../../../modules/admin/support.ts';
import { connectorsFor, describeLease, KEYS, OPERATOR_SECRET } from './support.ts';

const DAY_MS = 86_400_000;
const USER = '/api/partner/users/ada';

describeLease('a connection that no one uses', (given) => {
  test('is renewed in time, once for two gateways, and not where no idle period is set', async () => {
    await given.start(2, { rules: { refreshTokenIdleSeconds: 20 } });
    await given.connect();
    await given.connect({ key: 'a-key' }, 'shelf');
    given.now += 11_000;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(given.upstream.tokenRequests).toEqual([]);
    given.now += 2_000;
    await expect.poll(() => given.upstream.tokenRequests.length, { timeout: 10_000 }).toBe(1);
    await expect.poll(async () => (await given.connection())?.fields['oauth.refresh_token']).toBe('rt-1');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(given.upstream.tokenRequests).toHaveLength(1);
    expect(given.lines.join()).toContain('connections that nobody used were renewed');
  });

  test('is renewed while the service of another user, or the credential of another partner, hangs', async () => {
    const [library] = connectorsFor(given.upstream.origin, { refreshTokenIdleSeconds: 20 }, {});
    const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: 1 });
    const { id: userId } = await ensureUser(given.store.db, { partnerId: other.id, externalUserId: 'bob', now: 1 });
    for (const service of ['hangs', 'library'])
      await putConnection(given.store.db, { userId, service, now: given.now, seal: () => 'sealed' });
    await given.connect();
    await given.store.db.updateTable('connections').set({ refreshed_at: 1 }).where('user_id', '=', userId).execute();
    await given.store.db.updateTable('connections').set({ refreshed_at: 2 }).where('user_id', '!=', userId).execute();
    const asked: string[] = [];
    const { promise: hanging, resolve: answer } = Promise.withResolvers<null>();
    const stop = startIdleRenewal({
      db: given.store.db,
      connectors: [{ ...library!, name: 'hangs' }, library!],
      renewIdle: ({ partnerId, service }) => {
        asked.push(`${partnerId === other.id ? 'other' : 'own'} ${service}`);
        return partnerId === other.id ? hanging : Promise.resolve(null);
      },
      now: () => given.now,
      onRenewed: () => {},
      onError: () => {},
    });
    await expect
      .poll(() => asked.toSorted(), { timeout: 5000 })
      .toEqual(['other hangs', 'other library', 'own library']);
    answer(null);
    await stop();
  });

  test('comes before the hundred of another partner that fail', async () => {
    const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: 1 });
    for (let made = 0; made < 3; made += 1) {
      const { id } = await ensureUser(given.store.db, { partnerId: other.id, externalUserId: `b${made}`, now: 1 });
      await putConnection(given.store.db, { userId: id, service: 'library', now: given.now, seal: () => 'sealed' });
    }
    await given.store.db.updateTable('connections').set({ refreshed_at: 1 }).execute();
    await given.connect();
    await given.store.db.updateTable('connections').set({ refreshed_at: 2 }).where('refreshed_at', '>', 1).execute();
    const due = { service: 'library', idleSince: given.now, now: given.now, limit: 2 };
    const listed = await listIdleConnections(given.store.db, due);
    expect(listed.map(({ partnerId }) => partnerId).toSorted()).toEqual([other.id, given.partnerId].toSorted());
  });

  test('needs no timer where no refresh token expires when idle', async () => {
    const stop = startIdleRenewal({
      db: given.store.db,
      connectors: [],
      renewIdle: async () => null,
      now: () => given.now,
      onRenewed: () => {},
      onError: () => {},
    });
    await stop();
  });
});

describeLease('the tokens of a removed connection (RFC 7009)', (given) => {
  test('are revoked at the upstream after its removal', async () => {
    verifies('rfc7009-2.1-upstream');
    await given.start();
    await given.connect();
    expect((await given.send('DELETE', `${USER}/connections/library`)).status).toBe(204);
    expect(await given.connection()).toBeNull();
    await expect.poll(() => given.upstream.revoked).toEqual(['rt-0', 'at-0']);
  });

  test('are revoked when their user is removed', async () => {
    await given.start();
    await given.connect();
    expect((await given.send('DELETE', USER)).status).toBe(204);
    await expect.poll(() => given.upstream.revoked).toEqual(['rt-0', 'at-0']);
  });

  test('are revoked when their partner is removed in the dashboard', async () => {
    await given.start();
    await given.connect();
    const operator = new Visitor(given.originOf, () => {});
    await operator.signIn(OPERATOR_SECRET);
    const path = `/admin/partners/${given.partnerId}`;
    await operator.submit(path, `${path}/remove`);
    expect(given.upstream.revoked).toEqual([]);
    const removed = await operator.submit(path, `${path}/remove`, { sure: 'yes' });
    expect(removed.headers.get('location')).toBe('/admin/partners?done=removed');
    expect(await given.connection()).toBeNull();
    await expect.poll(() => given.upstream.revoked).toEqual(['rt-0', 'at-0']);
  });

  test.each<[string, string | undefined, string]>([
    ['are revoked', undefined, 'Tokens revoked at upstreams: those of 1 connection.'],
    ['are reported as not revoked where the upstream fails', '/nowhere', 'Could not be revoked: those of 1 (library: '],
  ])('%s when their partner is removed on the command line', async (_title, path, said) => {
    const ways = { outgoingNetworks: LOOPBACK_NETWORKS, outgoingProxy: null };
    const config = { ...ways, baseUrls: new Map(), oauthOrigins: new Map(), testSandboxUrl: null };
    const rules = path === undefined ? {} : { revocationUrl: given.upstream.origin + path };
    const connectors = connectorsFor(given.upstream.origin, rules, {});
    await given.connect();
    const tokens = await openUpstreamTokens(given.store, { config, keys: KEYS, connectors });
    const removal = await removePartner(given.store.db, given.partnerId, { now: given.now }, tokens);
    expect(removal).toEqual({ removed: 1, left: 0 });
    expect(given.upstream.revoked).toEqual(path === undefined ? ['rt-0', 'at-0'] : []);
    expect(tokens.report()).toContain(said);
    expect(tokens.report()).not.toMatch(/rt-0|at-0|client-secret/);
    await tokens.close();
  });

  test('do not block the removal of a partner in the dashboard where the upstream does not answer', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await given.start(1, { rules: { revocationUrl: `http://127.0.0.1:${port}/revoke` } });
    await given.connect();
    const operator = new Visitor(given.originOf, () => {});
    await operator.signIn(OPERATOR_SECRET);
    const path = `/admin/partners/${given.partnerId}`;
    const removed = await operator.submit(path, `${path}/remove`, { sure: 'yes' });
    expect(removed.headers.get('location')).toBe('/admin/partners?done=removed');
    silent.closeAllConnections();
    silent.close();
    await expect.poll(() => given.lines.join()).toContain('tokens were not revoked at their upstream');
  });

  test('are not revoked where nothing was removed, or where the credential is a key', async () => {
    await given.start();
    await given.connect({ key: 'a-key' }, 'shelf');
    expect((await given.send('DELETE', `${USER}/connections/library`)).status).toBe(404);
    expect((await given.send('DELETE', `${USER}/connections/shelf`)).status).toBe(204);
    await given.stop();
    expect(given.upstream.revoked).toEqual([]);
  });

  test('do not block the removal where the upstream fails, and are not logged', async () => {
    await given.start(1, { rules: { revocationUrl: `${given.upstream.origin}/nowhere` } });
    await given.connect();
    expect((await given.send('DELETE', `${USER}/connections/library`)).status).toBe(204);
    await expect.poll(() => given.lines.join()).toContain('tokens were not revoked at their upstream');
    expect(given.lines.join()).not.toMatch(/rt-0|at-0|client-secret/);
    given.now += DAY_MS;
    expect(await given.connection()).toBeNull();
  });
});
