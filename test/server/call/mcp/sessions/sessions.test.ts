import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { revokeGrant } from '../../../../../server/base/store/repositories/oauth-grants.ts';
import { describeStore } from '../../../base/store/dialects.ts';
import {
  ADD,
  BURN,
  CONNECT_PAGE,
  FIND,
  type NodesUnderTest,
  outcomeOf,
  RawClient,
  settle,
  startNodes,
} from './support.ts';

vi.setConfig({ testTimeout: 30_000 });

const BOTH = { form: {}, url: {} };
const URL_ONLY = { url: {} };
const FACTS = { hash: 'old', facts: JSON.stringify({ [ADD]: 'reads library.example' }), created_at: 1 };

describeStore('a 2025 client that declares elicitation', (given) => {
  let nodes: NodesUnderTest;
  const start = async (env: Record<string, string> = {}) => {
    nodes = await startNodes(given, { APPROVALS: 'write', ...env });
  };
  beforeEach(() => start());
  afterEach(() => nodes.close());
  const restart = async (env: Record<string, string>) => {
    await nodes.close();
    await start(env);
  };

  async function clientOf(token: string, elicitation: unknown = URL_ONLY): Promise<RawClient> {
    const client = new RawClient(nodes, token);
    await client.initialize(elicitation);
    return client;
  }

  test('is sent to the connect page, answers at another node, and its call goes on once the service is connected', async () => {
    const user = await nodes.user('ada', { isConnected: false });
    const client = await clientOf(user.token);
    const call = await client.call(FIND);
    const asked = await call.next();
    expect([call.status, call.type]).toEqual([200, 'text/event-stream']);
    expect(asked).toMatchObject({
      method: 'elicitation/create',
      params: {
        mode: 'url',
        elicitationId: asked.id,
        url: `${CONNECT_PAGE}?service=library`,
        message: 'Library is not connected. Connect Library, then continue.',
      },
    });
    expect(await client.answer(asked, 'accept', 1)).toBe(202);
    await nodes.connect(user);
    expect(await call.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/elicitation/complete',
      params: { elicitationId: asked.id },
    });
    expect(await call.next()).toMatchObject({ id: 1, result: { structuredContent: { title: 'Ada' } } });
  });

  test('is sent to the page that allows a tool, and its call goes on once the user has allowed it there', async () => {
    await restart({ APPROVALS: '' });
    await given.store.db.insertInto('tool_facts').values(FACTS).execute();
    const user = await nodes.user('ada', { permission: '{"seen":"old"}' });
    const client = await clientOf(user.token);
    const call = await client.call(ADD);
    const asked = await call.next();
    expect(asked.params?.url).toMatch(/\/me\/allow\?request=/);
    expect(await client.answer(asked, 'accept')).toBe(202);
    await settle();
    expect(nodes.writes()).toBe(0);
    await nodes.allow(user, ADD);
    expect((await call.next()).method).toBe('notifications/elicitation/complete');
    expect(outcomeOf(await call.next())).toBe('ok');
    expect(nodes.writes()).toBe(1);
  });

  test('is sent to the page of an approval: that it was opened approves nothing, and the approved call is made once', async () => {
    const client = await clientOf((await nodes.user('ada')).token);
    const call = await client.call(BURN, { _meta: { progressToken: 7 } });
    const asked = await call.next();
    const [row] = await nodes.waiting();
    expect(asked.params?.url).toBe(`http://127.0.0.1:3000/me/approvals/${row?.id}`);
    await client.answer(asked, 'accept', 1);
    await settle();
    await settle();
    expect(nodes.writes()).toBe(0);
    await nodes.decide(true);
    expect((await call.next()).method).toBe('notifications/elicitation/complete');
    expect(outcomeOf(await call.next())).toBe('ok');
    expect(call.progress).toContain('Waiting for the user.');
    expect(nodes.writes()).toBe(1);
    expect((await (await client.call(BURN)).next()).method).toBe('elicitation/create');
    expect(nodes.writes()).toBe(1);
  });

  test('hears at once that the user approved or denied elsewhere, and its question is withdrawn', async () => {
    const client = await clientOf((await nodes.user('ada')).token, BOTH);
    const approved = await client.call(BURN);
    const asked = await approved.next();
    await nodes.decide(true);
    expect(await approved.next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: asked.id } });
    expect((await approved.next()).method).toBe('notifications/elicitation/complete');
    expect(outcomeOf(await approved.next())).toBe('ok');
    const denied = await client.call(ADD);
    await denied.next();
    await nodes.decide(false);
    const messages = [await denied.next(), await denied.next(), await denied.next()];
    expect(outcomeOf(messages[2]!)).toBe('denied_by_user');
    expect(nodes.writes()).toBe(1);
  });

  describe('where the client itself may approve', () => {
    beforeEach(() => restart({ APPROVAL_CHANNELS: 'page,client' }));

    test('approves once by a form; a second answer changes nothing', async () => {
      const client = await clientOf((await nodes.user('ada')).token, {});
      const call = await client.call(ADD);
      const asked = await call.next();
      expect(asked.params).toEqual({
        message: expect.any(String),
        requestedSchema: { type: 'object', properties: {} },
      });
      expect(await client.answer(asked, 'accept', 1)).toBe(202);
      expect(await client.answer(asked, 'decline', 0)).toBe(202);
      expect(outcomeOf(await call.next())).toBe('ok');
      expect(await client.answer(asked, 'accept', 1)).toBe(202);
      await settle();
      expect(nodes.writes()).toBe(1);
    });

    test('denies by declining', async () => {
      const client = await clientOf((await nodes.user('ada')).token, BOTH);
      const call = await client.call(ADD);
      await client.answer(await call.next(), 'decline');
      expect(outcomeOf(await call.next())).toBe('denied_by_user');
      expect(outcomeOf(await (await client.call(ADD)).next())).toBe('denied_by_user');
      expect(nodes.writes()).toBe(0);
    });

    test('gets text after it cancels or answers with an error, and the call can still be approved', async () => {
      const client = await clientOf((await nodes.user('ada')).token, BOTH);
      const call = await client.call(ADD);
      await client.answer(await call.next(), 'cancel');
      const ended = await call.next();
      expect(outcomeOf(ended)).toBe('awaiting_approval');
      expect(ended.result?.content[0]?.text).toContain('The user does that at http://127.0.0.1:3000/me/approvals/');
      const again = await client.call(ADD);
      const { id } = await again.next();
      await client.post(1, { id, error: { code: -1, message: 'no window' } });
      expect(outcomeOf(await again.next())).toBe('awaiting_approval');
      await nodes.decide(true);
      expect(outcomeOf(await (await client.call(ADD)).next())).toBe('ok');
      expect(nodes.writes()).toBe(1);
    });

    test('is not answered for by a row that someone writes into the store', async () => {
      const { db } = given.store;
      const client = await clientOf((await nodes.user('ada')).token, BOTH);
      const call = await client.call(ADD);
      const asked = await call.next();
      await client.answer(asked, 'decline');
      await db
        .updateTable('single_use_codes')
        .set({ payload: '"accept"' })
        .where('purpose', '=', 'elicitation')
        .execute();
      await settle();
      expect(nodes.writes()).toBe(0);
      nodes.skipMs += 600_000;
      await call.next();
      expect(outcomeOf(await call.next())).toBe('awaiting_approval');
    });

    test('is asked by no form for a call that destroys', async () => {
      const client = await clientOf((await nodes.user('ada')).token, {});
      const call = await client.call(BURN);
      expect([call.type, outcomeOf(await call.next())]).toEqual(['application/json', 'awaiting_approval']);
      const page = await (await clientOf(client.token, BOTH)).call(BURN);
      expect((await page.next()).params?.mode).toBe('url');
    });
  });

  test('is asked by no form where clients may not approve', async () => {
    const client = await clientOf((await nodes.user('ada')).token, {});
    expect(outcomeOf(await (await client.call(ADD)).next())).toBe('awaiting_approval');
  });

  test.each(['decline', 'cancel'])(
    'gets text after it answers %s to a page, though the user approves later',
    async (action) => {
      const client = await clientOf((await nodes.user('ada')).token);
      const call = await client.call(BURN);
      await client.answer(await call.next(), action);
      expect(outcomeOf(await call.next())).toBe('awaiting_approval');
      await nodes.decide(true);
      await settle();
      expect(nodes.writes()).toBe(0);
    },
  );

  test('gets text when the time is over, and its question is withdrawn', async () => {
    const client = await clientOf((await nodes.user('ada')).token);
    const call = await client.call(BURN);
    const asked = await call.next();
    nodes.skipMs += 600_000;
    expect(await call.next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: asked.id } });
    expect(outcomeOf(await call.next())).toBe('awaiting_approval');
    expect(await client.answer(asked, 'accept')).toBe(400);
  });

  test('that has gone has nothing executed; the approval serves its next call', async () => {
    const client = await clientOf((await nodes.user('ada')).token);
    const call = await client.call(BURN);
    await client.answer(await call.next(), 'accept');
    call.leave();
    await settle();
    await nodes.decide(true);
    await settle();
    expect(nodes.writes()).toBe(0);
    expect(outcomeOf(await (await client.call(BURN, { node: 1 })).next())).toBe('ok');
    expect(nodes.writes()).toBe(1);
  });

  test.each([0, 1])(
    'that cancels its call at node %i has nothing executed, whichever session has the same ids',
    async (node) => {
      const { token } = await nodes.user('ada');
      const [client, other] = [await clientOf(token), await clientOf(token)];
      const call = await client.call(BURN);
      await call.next();
      const kept = await other.call(ADD);
      await kept.next();
      await client.cancel(1, node);
      expect((await call.next()).method).toBe('notifications/cancelled');
      expect(outcomeOf(await call.next())).toBe('awaiting_approval');
      await nodes.decide(true);
      await settle();
      expect(nodes.writes()).toBe(1);
      const rest = [await kept.next(), await kept.next(), await kept.next()];
      expect(outcomeOf(rest[2]!)).toBe('ok');
    },
  );

  test('whose grant is revoked meanwhile has nothing executed', async () => {
    const user = await nodes.user('ada');
    const client = await clientOf(user.token);
    const call = await client.call(BURN);
    await client.answer(await call.next(), 'accept');
    await nodes.decide(true);
    await given.store.db
      .transaction()
      .execute((transaction) =>
        revokeGrant(transaction, user.grantId, { reason: 'revoked-by-client', now: Date.now() }),
      );
    expect(outcomeOf(await call.next())).toBe('awaiting_approval');
    expect(nodes.writes()).toBe(0);
  });

  test('cannot be answered for by another user, nor with an invented or changed id', async () => {
    const client = await clientOf((await nodes.user('ada')).token, BOTH);
    const thief = await clientOf((await nodes.user('eve')).token, BOTH);
    const call = await client.call(BURN);
    const asked = await call.next();
    const id = String(asked.id);
    const refused = await (await thief.post(0, { id: 'invented', result: { action: 'accept' } })).text();
    for (const forged of [id, id.toUpperCase(), `${id}x`, id.replace(/^v1/, 'v2'), client.session, 7]) {
      const response = await thief.post(1, { id: forged, result: { action: 'cancel' } });
      expect([response.status, await response.text()]).toEqual([400, refused]);
    }
    await settle();
    await nodes.decide(true);
    await call.next();
    await call.next();
    expect(outcomeOf(await call.next())).toBe('ok');
  });

  test('is not asked with the session id of another user', async () => {
    const ada = await clientOf((await nodes.user('ada')).token);
    const eve = new RawClient(nodes, (await nodes.user('eve')).token);
    eve.session = ada.session;
    const call = await eve.call(BURN);
    expect([call.type, outcomeOf(await call.next())]).toEqual(['application/json', 'awaiting_approval']);
  });

  test('has five calls that wait at a node; the next one gets text at once', async () => {
    const client = await clientOf((await nodes.user('ada')).token);
    const open = await Promise.all([1, 2, 3, 4, 5].map((id) => client.call(BURN, { id, args: { id: `${id}` } })));
    for (const call of open) expect((await call.next()).method).toBe('elicitation/create');
    const sixth = await client.call(BURN, { id: 6, args: { id: '6' } });
    expect(outcomeOf(await sixth.next())).toBe('awaiting_approval');
    open[0]!.leave();
    await settle();
    const seventh = await client.call(BURN, { id: 7, args: { id: '7' } });
    expect((await seventh.next()).method).toBe('elicitation/create');
  });

  test('gets text from a node that stops', async () => {
    const client = await clientOf((await nodes.user('ada')).token);
    const call = await client.call(BURN);
    await call.next();
    nodes.beginStop(0);
    expect((await call.next()).method).toBe('notifications/cancelled');
    expect(outcomeOf(await call.next())).toBe('awaiting_approval');
  });
});

describeStore('a 2025 client whose revision or declaration has no such elicitation', (given) => {
  let nodes: NodesUnderTest;
  let token: string;
  beforeEach(async () => {
    nodes = await startNodes(given, { APPROVALS: 'write' });
    ({ token } = await nodes.user('ada'));
  });
  afterEach(() => nodes.close());

  test('gets no session and the same bytes as any other', async () => {
    const client = new RawClient(nodes, token);
    const plain = await client.initialize(undefined);
    for (const [elicitation, version] of [
      [undefined, '2025-11-25'],
      ['yes', '2025-11-25'],
      [{ other: {} }, '2025-11-25'],
      [{ url: {} }, '2025-06-18'],
      [{ form: {}, url: {} }, '2025-03-26'],
    ] as const) {
      const text = await client.initialize(elicitation, version);
      expect(client.session).toBeNull();
      if (version === '2025-11-25' && elicitation !== 'yes') expect(JSON.parse(text)).toEqual(JSON.parse(plain));
    }
    const call = await client.call(BURN);
    expect([call.type, outcomeOf(await call.next())]).toEqual(['application/json', 'awaiting_approval']);
  });

  test('gets a session also where the SDK answers its message', async () => {
    const client = new RawClient(nodes, token);
    const params = {
      ...{ protocolVersion: '2025-11-25', clientInfo: { name: 'raw', version: '1' } },
      capabilities: { elicitation: { url: {} }, tasks: { list: {} } },
    };
    const response = await client.post(0, { id: 0, method: 'initialize', params });
    client.session = response.headers.get('mcp-session-id');
    expect(response.headers.get('access-control-expose-headers')).toBe('Mcp-Session-Id');
    const call = await client.call(BURN);
    expect((await call.next()).method).toBe('elicitation/create');
    call.leave();
  });

  test('of 2025-06-18 declares forms alone', async () => {
    const client = new RawClient(nodes, token);
    await client.initialize({ form: {}, url: {} }, '2025-06-18');
    expect(client.session).not.toBeNull();
    expect(outcomeOf(await (await client.call(BURN)).next())).toBe('awaiting_approval');
  });
});
