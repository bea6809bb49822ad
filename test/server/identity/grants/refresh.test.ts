import { expect, test } from 'vitest';
import { verifies } from '../../../requirements/verifies.ts';
import { describeOAuth, KEYS, signIn } from '../oauth/support.ts';
import { createGate, useNodes } from './refresh-support.ts';

const NEXT_KEY = { id: 'next', key: Buffer.alloc(32, 2) };
const ABANDONED_MS = 10_001;

describeOAuth('parallel refreshes', (given) => {
  const nodes = useNodes(given);
  const rowsOf = (table: 'refresh_tokens' | 'access_tokens') =>
    given.store.db
      .selectFrom(table as 'refresh_tokens')
      .select('id')
      .execute();
  const events = () =>
    given.store.db
      .selectFrom('audit_events')
      .select(['type', 'details'])
      .where('type', 'like', '%refresh%')
      .orderBy('created_at')
      .execute();
  const seeds = async () => {
    const rows = await given.store.db.selectFrom('refresh_tokens').select('sealed_seed').execute();
    return rows.flatMap(({ sealed_seed }) => (sealed_seed === null ? [] : [sealed_seed]));
  };

  test.each([2, 5, 20])('%i concurrent requests on two nodes are one use, and get the same pair', async (count) => {
    verifies('rfc9700-4.14.2-parallel');
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given, count);
    const both = [await nodes.start(clientId, gate), await nodes.start(clientId, gate)] as const;
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => both[index % 2 === 0 ? 0 : 1].refresh(refreshToken)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect([await rowsOf('refresh_tokens'), await rowsOf('access_tokens')].map((rows) => rows.length)).toEqual([2, 2]);
    const [event, ...others] = await events();
    expect([event?.type, others]).toEqual(['tokens_refreshed', []]);
    expect([Math.floor(count / 2), Math.ceil(count / 2)]).toContain(JSON.parse(event?.details ?? '').requests);
    const { body } = answers[0]!;
    expect(await given.use(body.access_token)).toBe(200);
    expect((await both[1].refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
    expect((await both[0].refresh(body.refresh_token)).status).toBe(200);
  });

  test('the event names who sent it on any node, and another tells that their networks differ', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given, 4);
    const both = [await nodes.start(clientId, gate), await nodes.start(clientId, gate)] as const;
    const answers = await Promise.all(
      ['127.0.0.1', '127.0.0.2', '127.9.0.1', '127.0.0.1'].map((from, index) =>
        both[index % 2 === 0 ? 0 : 1].refresh(refreshToken, {}, undefined, from),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.access_token}`)).size).toBe(1);
    const found = await events();
    expect(found.map(({ type }) => type).sort()).toEqual(['refresh_token_shared', 'tokens_refreshed']);
    for (const { details } of found) {
      expect(JSON.parse(details ?? '').senders.sort()).toEqual(['127.0.0.1', '127.0.0.2', '127.9.0.1']);
    }
    const told = await given.store.db
      .selectFrom('partner_events' as never)
      .select('type' as never)
      .execute();
    expect(told).toContainEqual({ type: 'grant.attention' });
  });

  test('neighbours of one network are named, and no one is warned', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId, createGate(given, 2));
    await Promise.all(['127.0.0.1', '127.0.0.2'].map((from) => node.refresh(refreshToken, {}, undefined, from)));
    const [event, ...others] = await events();
    expect(JSON.parse(event?.details ?? '').senders.sort()).toEqual(['127.0.0.1', '127.0.0.2']);
    expect(others).toEqual([]);
  });

  test('a lost answer that is repeated in another network is told', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId, { ...createGate(given, 1), retryMs: 10_000 });
    await node.refresh(refreshToken);
    expect((await node.refresh(refreshToken, {}, undefined, '127.9.0.1')).status).toBe(200);
    expect((await events()).map(({ type }) => type)).toContain('refresh_token_shared');
  });

  test('a replay after the grace period still revokes the tokens of all of them', async () => {
    verifies('rfc9700-4.14.2-replay');
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId, createGate(given, 2));
    const [first] = await Promise.all([node.refresh(refreshToken), node.refresh(refreshToken)]);
    given.now += 10_001;
    expect((await node.refresh(refreshToken)).body.error).toBe('invalid_grant');
    expect(await given.use(first.body.access_token)).toBe(401);
  });

  test('the old token works until the new pair is issued, which a late request does at once', async () => {
    verifies('rfc9700-4.14.2-rotation');
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const slow = await nodes.start(clientId, gate);
    const quick = await nodes.start(clientId, { waitUntil: () => Promise.reject(new Error('nobody waits here')) });
    const held = slow.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    expect(await rowsOf('refresh_tokens')).toHaveLength(1);
    given.now += 1000;
    const late = await quick.refresh(refreshToken);
    expect(late.status).toBe(200);
    expect((await quick.refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
    gate.open();
    expect((await held).body).toEqual(late.body);
  });

  test('a clock that is far behind holds no request longer than the hold', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const waits: number[] = [];
    const gate = createGate(given);
    const ahead = await nodes.start(clientId, gate);
    const behind = await nodes.start(clientId, {
      waitUntil: async (time, { now }) => void waits.push(time - now),
    });
    const held = ahead.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    given.now -= 5000;
    expect((await behind.refresh(refreshToken)).status).toBe(200);
    expect(waits).toEqual([1000]);
    gate.open();
    expect((await held).status).toBe(200);
  });

  test('a narrower scope gets another access token and the same refresh token', async () => {
    verifies('rfc6749-6-scope');
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId, createGate(given, 4));
    const narrow = { scope: 'tools:read' };
    const answers = await Promise.all([
      node.refresh(refreshToken),
      node.refresh(refreshToken, narrow),
      node.refresh(refreshToken, narrow),
      node.refresh(refreshToken),
    ]);
    const [all, less, lessAgain, allAgain] = answers.map(({ body }) => body);
    expect([less, all]).toEqual([lessAgain, allAgain]);
    expect([all.scope, less.scope]).toEqual(['tools:read tools:write', 'tools:read']);
    expect(less.refresh_token).toBe(all.refresh_token);
    expect(less.access_token).not.toBe(all.access_token);
    expect(await Promise.all([all, less].map(({ access_token }) => given.use(access_token)))).toEqual([200, 200]);
    expect(await rowsOf('access_tokens')).toHaveLength(3);
  });

  test('a refused request does not take part in the use', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const node = await nodes.start(clientId, gate);
    const refused = await node.refresh(refreshToken, { resource: 'https://other.example.com/mcp' });
    expect(refused.body.error).toBe('invalid_target');
    expect(await seeds()).toEqual([]);
    const held = node.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    const other = await node.refresh(refreshToken, { resource: 'https://other.example.com/mcp' });
    expect(other.body.error).toBe('invalid_target');
    gate.open();
    expect((await held).status).toBe(200);
  });

  test('a client that disconnects leaves the token unused', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const node = await nodes.start(clientId, gate);
    const leaving = new AbortController();
    const left = node.refresh(refreshToken, {}, leaving.signal);
    await expect.poll(() => gate.held()).toBe(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => gate.held()).toBe(0);
    expect([await rowsOf('refresh_tokens'), await events()].map((rows) => rows.length)).toEqual([1, 0]);
    given.now += 60_000;
    const other = await nodes.start(clientId, createGate(given, 1));
    expect((await other.refresh(refreshToken)).status).toBe(200);
  });

  test('the first of two may disconnect: the second gets its tokens, and only it is counted', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const node = await nodes.start(clientId, gate);
    const leaving = new AbortController();
    const left = node.refresh(refreshToken, {}, leaving.signal);
    await expect.poll(() => gate.held()).toBe(1);
    const stays = node.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(2);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => gate.held()).toBe(1);
    gate.open();
    expect((await stays).status).toBe(200);
    expect(await events()).toEqual([{ type: 'tokens_refreshed', details: '{"requests":1,"senders":["127.0.0.1"]}' }]);
  });

  test('an unfinished use is replaced after ten seconds, and its requests get no other tokens', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const stuck = await nodes.start(clientId, gate);
    const held = stuck.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    const [abandoned] = await seeds();
    given.now += 1000 + ABANDONED_MS;
    const second = createGate(given);
    const node = await nodes.start(clientId, second);
    const next = node.refresh(refreshToken);
    await expect.poll(() => second.held()).toBe(1);
    expect(await seeds()).not.toEqual([abandoned]);
    gate.open();
    expect((await held).body.error).toBe('temporarily_unavailable');
    second.open();
    expect((await next).status).toBe(200);
  });

  test('beyond the number of requests that a node holds, none waits, and all get the same pair', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const node = await nodes.start(clientId, { ...gate, maxHeld: 1 });
    const held = node.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    const second = await node.refresh(refreshToken);
    expect(second.status).toBe(200);
    gate.open();
    expect((await held).body).toEqual({ ...second.body, expires_in: 3599 });
  });

  test('a grant that is revoked while its refresh is held gets no tokens', async () => {
    verifies('rfc7009-2.1-immediate');
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const node = await nodes.start(clientId, gate);
    const held = node.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    await given.revoke({ token: refreshToken });
    gate.open();
    expect((await held).body.error).toBe('invalid_grant');
    expect(await rowsOf('refresh_tokens')).toHaveLength(1);
  });

  test('the seed is sealed, and deleted when the tokens are issued', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const node = await nodes.start(clientId, gate);
    const held = node.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    expect(await seeds()).toEqual([expect.stringMatching(/^v1\.test\.[A-Za-z0-9_-]+$/)]);
    gate.open();
    await held;
    expect(await seeds()).toEqual([]);
  });

  test.each([
    ['sealed with the old key', [...KEYS], [NEXT_KEY, ...KEYS]],
    ['sealed with the new key', [NEXT_KEY, ...KEYS], [...KEYS, NEXT_KEY]],
  ])('keys may rotate between two requests of a use whose seed is %s', async (_title, firstKeys, secondKeys) => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given, 2);
    const first = await nodes.start(clientId, { ...gate, keys: firstKeys });
    const second = await nodes.start(clientId, { ...gate, keys: secondKeys });
    const held = first.refresh(refreshToken);
    await expect.poll(() => gate.held()).toBe(1);
    const joined = await second.refresh(refreshToken);
    expect([joined.status, (await held).body]).toEqual([200, joined.body]);
  });

  test('a node without the key of a seed revokes nothing, and starts another use after that one is abandoned', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const gate = createGate(given);
    const newer = await nodes.start(clientId, { ...gate, keys: [NEXT_KEY] });
    const older = await nodes.start(clientId, createGate(given, 1));
    const leaving = new AbortController();
    const left = newer.refresh(refreshToken, {}, leaving.signal);
    await expect.poll(() => gate.held()).toBe(1);
    expect((await older.refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
    leaving.abort();
    await expect(left).rejects.toThrow();
    given.now += 1000 + ABANDONED_MS;
    expect((await older.refresh(refreshToken)).status).toBe(200);
  });
});

describeOAuth('lost answers of refreshes', (given) => {
  const nodes = useNodes(given);

  async function refreshed(retrySeconds: number) {
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId, { holdMs: 0, retryMs: retrySeconds * 1000 });
    const { body } = await node.refresh(refreshToken);
    return { node, refreshToken, body, again: () => node.refresh(refreshToken) };
  }

  test('are repeated while their tokens are unused, with the remaining lifetime', async () => {
    const { body, again, node } = await refreshed(60);
    given.now += 60_000;
    const repeated = await again();
    expect([repeated.status, repeated.body]).toEqual([200, { ...body, expires_in: 3540 }]);
    expect((await again()).status).toBe(200);
    expect(await given.events()).toContain('tokens_refreshed');
    expect(await given.anonymousEvents()).toHaveProperty('refresh_answer_repeated');
    expect((await node.refresh(body.refresh_token)).status).toBe(200);
  });

  test('are not repeated by default', async () => {
    const { again } = await refreshed(0);
    expect((await again()).body.error).toBe('temporarily_unavailable');
    given.now += 10_001;
    expect((await again()).body.error).toBe('invalid_grant');
  });

  test('are not repeated after that time, when a replay revokes the grant', async () => {
    const { again, body } = await refreshed(30);
    given.now += 30_001;
    expect((await again()).body.error).toBe('invalid_grant');
    expect(await given.use(body.access_token)).toBe(401);
  });

  test('are not repeated after the refresh token was used', async () => {
    const { again, node, body } = await refreshed(60);
    expect((await node.refresh(body.refresh_token)).status).toBe(200);
    expect((await again()).body.error).toBe('temporarily_unavailable');
  });

  test('are not repeated with other scopes', async () => {
    const { node, refreshToken } = await refreshed(60);
    const narrow = await node.refresh(refreshToken, { scope: 'tools:read' });
    expect(narrow.body.error).toBe('temporarily_unavailable');
  });

  test('are not repeated after the access token was used', async () => {
    const { again, body } = await refreshed(60);
    const { db } = given.store;
    await db.updateTable('access_tokens').set({ first_used_at: given.now }).where('revoked_at', 'is', null).execute();
    given.now += 10_001;
    expect((await again()).body.error).toBe('invalid_grant');
    expect(await given.use(body.access_token)).toBe(401);
  });
});
