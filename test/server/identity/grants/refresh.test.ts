import { expect, test } from 'vitest';
import { createValueSealer } from '../../../../server/base/credentials/sealed-value.ts';
import { createSeed, openSeed, sealSeed } from '../../../../server/identity/grants/refresh/derive-pair.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { describeOAuth, KEYS, signIn } from '../oauth/support.ts';
import { useNodes } from './refresh-support.ts';

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
  const startTwo = async (clientId: string) => [await nodes.start(clientId), await nodes.start(clientId)] as const;

  test.each([2, 5, 20])('%i concurrent requests on two nodes are one use, and get the same pair', async (count) => {
    verifies('rfc9700-4.14.2-parallel');
    const { clientId, refreshToken } = await signIn(given);
    const both = await startTwo(clientId);
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => both[index % 2 === 0 ? 0 : 1].refresh(refreshToken)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect([await rowsOf('refresh_tokens'), await rowsOf('access_tokens')].map((rows) => rows.length)).toEqual([2, 2]);
    const [event, ...others] = await events();
    expect([event?.type, others]).toEqual(['tokens_refreshed', []]);
    const { body } = answers[0]!;
    expect(await given.use(body.access_token)).toBe(200);
    given.now += 1000;
    expect((await both[1].refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
    expect((await both[0].refresh(body.refresh_token)).status).toBe(200);
  });

  test('a request that comes within the hold gets the pair of the first, although that was used since', async () => {
    verifies('rfc9700-4.14.2-parallel');
    const { clientId, refreshToken } = await signIn(given);
    const both = await startTwo(clientId);
    const { body } = await both[0].refresh(refreshToken);
    expect(await given.use(body.access_token)).toBe(200);
    given.now += 999;
    expect((await both[1].refresh(refreshToken)).body).toEqual(body);
    given.now += 1;
    expect((await both[1].refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
  });

  test('a call that already sends the new token within the hold leaves it to the others', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const both = await startTwo(clientId);
    const { body } = await both[0].refresh(refreshToken);
    const early = await both[1].refresh(body.refresh_token, { scope: 'tools:read' });
    expect([early.status, early.body.refresh_token, early.body.scope]).toEqual([200, body.refresh_token, 'tools:read']);
    expect(await given.use(early.body.access_token)).toBe(200);
    expect((await both[0].refresh(refreshToken)).body).toEqual(body);
    given.now += 1000;
    const later = await both[0].refresh(body.refresh_token);
    expect([later.status, later.body.refresh_token === body.refresh_token]).toEqual([200, false]);
  });

  test('however many calls send the new token within the hold, there is one access token for each choice of scopes', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const both = await startTwo(clientId);
    const { body } = await both[0].refresh(refreshToken);
    const before = (await rowsOf('access_tokens')).length;
    const answers: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const scope = index % 3 === 0 ? 'tools:read' : 'tools:write';
      const answer = await both[index % 2 === 0 ? 0 : 1].refresh(body.refresh_token, { scope });
      answers.push(`${answer.status} ${answer.body.access_token}`);
    }
    expect([new Set(answers).size, (await rowsOf('access_tokens')).length - before]).toEqual([2, 2]);
    expect((await events()).filter(({ type }) => type === 'tokens_refreshed')).toHaveLength(3);
  });

  test('the first token of a grant is replaced at once', async () => {
    verifies('rfc9700-4.14.2-rotation');
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId);
    expect((await node.refresh(refreshToken)).body.refresh_token).not.toBe(refreshToken);
  });

  test('a new token that is revoked within the hold gets no tokens, and neither does the old one', async () => {
    verifies('rfc7009-2.1-immediate');
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId);
    const { body } = await node.refresh(refreshToken);
    await given.revoke({ token: body.refresh_token });
    const answers = [await node.refresh(refreshToken), await node.refresh(body.refresh_token)];
    expect(answers.map((answer) => answer.body.error)).toEqual(['invalid_grant', 'invalid_grant']);
    expect(await rowsOf('access_tokens')).toHaveLength(2);
  });

  test('an event tells that the networks of senders differ, and names them', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const both = await startTwo(clientId);
    const answers = await Promise.all(
      ['127.0.0.1', '127.9.0.1'].map((from, index) =>
        both[index === 0 ? 0 : 1].refresh(refreshToken, {}, undefined, from),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.access_token}`)).size).toBe(1);
    const found = await events();
    expect(found.map(({ type }) => type).sort()).toEqual(['refresh_token_shared', 'tokens_refreshed']);
    const shared = found.find(({ type }) => type === 'refresh_token_shared');
    expect(JSON.parse(shared?.details ?? '').senders.sort()).toEqual(['127.0.0.1', '127.9.0.1']);
    const told = await given.store.db
      .selectFrom('partner_events' as never)
      .select('type' as never)
      .execute();
    expect(told).toContainEqual({ type: 'grant.attention' });
  });

  test('neighbours of one network warn no one', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId);
    await Promise.all(['127.0.0.1', '127.0.0.2'].map((from) => node.refresh(refreshToken, {}, undefined, from)));
    const [event, ...others] = await events();
    expect([JSON.parse(event?.details ?? '').senders.length, others]).toEqual([1, []]);
  });

  test('a lost answer that is repeated in another network is told', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId, { holdMs: 0, retryMs: 10_000 });
    await node.refresh(refreshToken);
    expect((await node.refresh(refreshToken, {}, undefined, '127.9.0.1')).status).toBe(200);
    expect((await events()).map(({ type }) => type)).toContain('refresh_token_shared');
  });

  test('a replay after the grace period still revokes the tokens of all of them', async () => {
    verifies('rfc9700-4.14.2-replay');
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId);
    const [first] = await Promise.all([node.refresh(refreshToken), node.refresh(refreshToken)]);
    given.now += 10_001;
    expect((await node.refresh(refreshToken)).body.error).toBe('invalid_grant');
    expect(await given.use(first.body.access_token)).toBe(401);
  });

  test('a narrower scope gets another access token and the same refresh token', async () => {
    verifies('rfc6749-6-scope');
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId);
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

  test('a refused request does not use the token, and gets nothing of its use', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const node = await nodes.start(clientId);
    const other = { resource: 'https://other.example.com/mcp' };
    expect((await node.refresh(refreshToken, other)).body.error).toBe('invalid_target');
    expect([await seeds(), await events()]).toEqual([[], []]);
    const { body } = await node.refresh(refreshToken);
    expect((await node.refresh(refreshToken, other)).body.error).toBe('invalid_target');
    expect((await node.refresh(body.refresh_token, other)).body.error).toBe('invalid_target');
  });

  test('the seed is sealed, and only stored where an answer can be repeated', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const strict = await nodes.start(clientId, { holdMs: 0 });
    const sharing = await nodes.start(clientId);
    const { body } = await strict.refresh(refreshToken);
    expect(await seeds()).toEqual([]);
    given.now += 1000;
    await sharing.refresh(body.refresh_token);
    expect(await seeds()).toEqual([expect.stringMatching(/^v1\.test\.[A-Za-z0-9_-]+$/)]);
  });

  test.each([
    ['sealed with the old key', [...KEYS], [NEXT_KEY, ...KEYS]],
    ['sealed with the new key', [NEXT_KEY, ...KEYS], [...KEYS, NEXT_KEY]],
  ])('keys may rotate between two requests of a use whose seed is %s', async (_title, firstKeys, secondKeys) => {
    const { clientId, refreshToken } = await signIn(given);
    const first = await nodes.start(clientId, { keys: firstKeys });
    const second = await nodes.start(clientId, { keys: secondKeys });
    const { body } = await first.refresh(refreshToken);
    expect((await second.refresh(refreshToken)).body).toEqual(body);
  });

  test('a node without the key of a seed revokes nothing', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const newer = await nodes.start(clientId, { keys: [NEXT_KEY] });
    const older = await nodes.start(clientId);
    const { body } = await newer.refresh(refreshToken);
    expect((await older.refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
    expect(await given.use(body.access_token)).toBe(200);
  });

  test('a node without the key of an answer that may be repeated revokes nothing in that time', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const newer = await nodes.start(clientId, { keys: [NEXT_KEY], retryMs: 60_000 });
    const older = await nodes.start(clientId, { retryMs: 60_000 });
    const { body } = await newer.refresh(refreshToken);
    given.now += 15_000;
    expect((await older.refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
    expect((await newer.refresh(refreshToken)).body).toEqual({ ...body, expires_in: body.expires_in - 15 });
    given.now += 50_000;
    expect((await older.refresh(refreshToken)).body.error).toBe('invalid_grant');
  });

  async function openAsTheVersionBefore(keys: typeof KEYS) {
    const { db } = given.store;
    const sealer = createValueSealer({ keys, purpose: 'refresh token' });
    const { id } = await db.selectFrom('refresh_tokens').select('id').executeTakeFirstOrThrow();
    const seed = { seed: createSeed(), senders: ['127.0.0.1'] };
    const issues_at = given.now + 1000;
    await db
      .updateTable('refresh_tokens')
      .set({ issues_at, sealed_seed: sealSeed(sealer, seed, id, given.now) })
      .execute();
    const read = async () => {
      const row = await db.selectFrom('refresh_tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      return {
        sharedUntil: row.issues_at,
        seed: openSeed(sealer, { id, sealedSeed: row.sealed_seed }, given.now)?.seed,
      };
    };
    return { read, sharedUntil: issues_at, seed: seed.seed };
  }

  test('an exchange that the version before holds is finished with its seed and its time', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const { read, sharedUntil, seed } = await openAsTheVersionBefore(KEYS);
    const node = await nodes.start(clientId);
    const { status, body } = await node.refresh(refreshToken);
    expect([status, await read()]).toEqual([200, { sharedUntil, seed }]);
    expect((await node.refresh(refreshToken)).body).toEqual(body);
  });

  test('an exchange of the version before that was never finished is replaced after ten seconds', async () => {
    const { clientId, refreshToken } = await signIn(given);
    const { read, seed } = await openAsTheVersionBefore([NEXT_KEY]);
    const node = await nodes.start(clientId);
    expect((await node.refresh(refreshToken)).body.error).toBe('temporarily_unavailable');
    given.now += 1000 + ABANDONED_MS;
    expect((await node.refresh(refreshToken)).status).toBe(200);
    expect((await read()).seed).not.toBe(seed);
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
