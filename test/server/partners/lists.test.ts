import { expect, test } from 'vitest';
import { ensureUser, findUserById } from '../../../server/base/store/repositories/users.ts';
import { connect } from '../base/store/fixtures.ts';
import { describeUserPage } from '../modules/me/support.ts';

const DAY_MS = 86_400_000;

describeUserPage('the lists of the partner API', (given) => {
  const get = async (path: string, as = { id: 'acme', secret: given.secret }) => {
    const headers = { Authorization: `Basic ${Buffer.from(`${as.id}:${as.secret}`).toString('base64')}` };
    return given.send(`/api/partner/${path}`, { headers });
  };
  const other = () => ({ id: 'other', secret: given.other.secret });
  const partnerId = async () => (await findUserById(given.store.db, given.userId))!.partnerId;
  const insertCalls = async (calls: readonly { at: number; outcome?: string; userId?: string; tool?: string }[]) => {
    const of = {
      partnerId: await partnerId(),
      tokenId: 't',
      service: 'library',
      upstreamCode: null,
      upstreamStatus: 200,
    };
    const sizes = { durationMs: 30, requestBytes: 2, responseBytes: 3, requestId: 'request-1' };
    await given.store.insertCallRecords(
      calls.map(({ at, outcome = 'ok', userId = given.userId, tool = 'library_find' }) => ({
        ...{ ...of, ...sizes, createdAt: at, outcome, userId, tool },
      })),
    );
  };

  test('name the services that the partner may offer, with their tools', async () => {
    await given.store.db
      .updateTable('partners')
      .set({ services: 'library,museum' })
      .where('client_id', '=', 'acme')
      .execute();
    const { body } = await get('services');
    expect(body.services.map(({ service }: { service: string }) => service)).toEqual(['library', 'museum']);
    expect(body.next).toBeNull();
    expect(body.services[0]).toEqual({
      service: 'library',
      title: 'Library',
      description: 'The Library.',
      logo_text: 'Li',
      logo_url: null,
      categories: [],
      credentials: [{ label: '', type: 'none', help: '', url: null, scopes: null }],
      tools: [
        {
          name: 'library_find',
          title: 'Find <books>',
          description: 'Calls GET /things.',
          hints: { read_only: true, destructive: false, idempotent: true, open_world: true },
          scopes: [],
        },
        expect.objectContaining({ name: 'library_lend' }),
        expect.objectContaining({ name: 'library_burn', hints: expect.objectContaining({ destructive: true }) }),
      ],
    });
    const first = (await get('services?limit=1', other())).body;
    expect(first.services[0].service).toBe('archive');
    expect((await get(`services?limit=9&cursor=${first.next}`, other())).body).toMatchObject({
      services: [{ service: 'library' }, { service: 'museum' }],
      next: null,
    });
  });

  test('name the users of the partner, newest first, with their connections by status', async () => {
    const id = await partnerId();
    const bob = await ensureUser(given.store.db, { partnerId: id, externalUserId: 'bob', now: given.now + 1 });
    await connect(given.store, { userId: bob.id, service: 'museum', status: 'attention' });
    const first = (await get('users?limit=1')).body;
    expect(first).toEqual({
      users: [{ user_id: 'bob', created_at: '2030-01-15T12:00:00.001Z', connections: { active: 0, attention: 1 } }],
      next: expect.any(String),
    });
    expect((await get(`users?cursor=${first.next}`)).body).toMatchObject({
      users: [{ user_id: 'alice', connections: { active: 2, attention: 0 } }],
      next: null,
    });
    expect((await get('users', other())).body.users).toHaveLength(1);
  });

  test('name the clients that users allowed, and none of another partner', async () => {
    await given.allow('Claude');
    await given.allow('Foreign', { userId: given.other.userId });
    expect((await get('clients')).body).toEqual({
      clients: [
        {
          client_id: expect.stringMatching(/^client-/),
          client_name: 'Claude',
          redirect_uris: ['http://127.0.0.1:7000/callback', 'https://client.example/callback'],
          grants: 1,
          users: 1,
          allowed_at: '2030-01-15T12:00:00.001Z',
        },
      ],
      next: null,
    });
  });

  test('name single calls, newest first, and none of another partner', async () => {
    const removed = 'a-user-that-is-gone';
    await insertCalls([
      { at: given.now },
      { at: given.now + 1, outcome: 'not_found' },
      { at: given.now - DAY_MS, userId: removed },
    ]);
    const { body } = await get('calls?limit=2');
    expect(body.calls[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      called_at: '2030-01-15T12:00:00.001Z',
      user_id: 'alice',
      grant: null,
      service: 'library',
      tool: 'library_find',
      outcome: 'not_found',
      upstream_status: 200,
      upstream_code: null,
      duration_ms: 30,
      request_bytes: 2,
      response_bytes: 3,
      request_id: 'request-1',
    });
    expect((await get(`calls?cursor=${body.next}`)).body).toMatchObject({ calls: [{ user_id: null }], next: null });
    expect((await get('calls?user_id=alice&outcome=ok')).body.calls).toHaveLength(1);
    expect((await get('calls?since=2030-01-15T12:00:00.001Z')).body.calls).toHaveLength(1);
    expect((await get('calls?until=2030-01-15')).body.calls).toHaveLength(1);
    expect((await get('calls?service=crm')).body.calls).toEqual([]);
    expect((await get('calls?user_id=nobody')).status).toBe(404);
    expect((await get('calls', other())).body).toEqual({ calls: [], next: null });
  });

  test('continue calls by a cursor that says nothing, and that no other partner can use', async () => {
    await insertCalls([{ at: given.now }, { at: given.now + 1 }]);
    const { calls, next } = (await get('calls?limit=1')).body;
    const shown = [
      next,
      ...String(next)
        .split('.')
        .map((part) => Buffer.from(part, 'base64url').toString('latin1')),
    ];
    for (const fact of [calls[0].id, String(given.now), String(given.now + 1)])
      expect(shown.filter((text) => text.includes(fact))).toEqual([]);
    expect((await get(`calls?cursor=${next}`)).body).toMatchObject({ calls: [{ tool: 'library_find' }], next: null });
    expect((await get(`calls?cursor=${next}`, other())).status).toBe(400);
    given.now += 2 * DAY_MS;
    expect((await get(`calls?cursor=${next}`)).status).toBe(400);
  });

  test('sum up calls by day and other requested fields', async () => {
    await insertCalls([
      { at: given.now },
      { at: given.now, outcome: 'not_found' },
      { at: given.now, outcome: 'awaiting_approval' },
      { at: given.now - DAY_MS },
    ]);
    expect((await get('usage')).body).toEqual({
      since: '2029-12-17',
      until: '2030-01-16',
      usage: [
        { day: '2030-01-14', calls: 1, errors: 0, failed: 0, waiting: 0, p50_ms: 35, p95_ms: 40 },
        { day: '2030-01-15', calls: 3, errors: 2, failed: 1, waiting: 1, p50_ms: 35, p95_ms: 40 },
      ],
      next: null,
    });
    const first = (await get('usage?by=outcome,tool&limit=2')).body;
    expect(first.usage).toMatchObject([{ outcome: 'awaiting_approval' }, { outcome: 'not_found', calls: 1 }]);
    const rest = (await get(`usage?by=outcome,tool&cursor=${first.next}`)).body;
    expect(rest).toMatchObject({ usage: [{ tool: 'library_find', outcome: 'ok', calls: 2 }], next: null });
    expect((await get('usage?since=2030-01-15&until=2030-01-16&outcome=ok')).body.usage).toHaveLength(1);
    expect((await get('usage', other())).body.usage).toEqual([]);
    expect((await get(`usage?cursor=${first.next}`)).status).toBe(400);
  });

  test.each([
    ['users?limit=0', 'limit must be a number from 1 to 200.'],
    ['clients?limit=201', 'limit must be a number from 1 to 200.'],
    ['calls?cursor=x', 'cursor must be the `next` of the previous page.'],
    ['calls?since=yesterday', 'since must be a day or an RFC 3339 time, such as 2026-01-31T12:00:00Z.'],
    ['calls?since=2026-01-02&until=2026-01-01', 'since must be before until.'],
    ['calls?outcome=bad', /^outcome must be one of ok, /],
    ['usage?by=user', 'by must list some of day, service, tool, outcome, separated by commas.'],
    ['usage?since=2026-01-01T00:00:00Z', 'since must be a day, such as 2026-01-31.'],
    ['usage?since=2026-01-01&until=2026-06-01', 'since and until must not be more than 92 days apart.'],
    [
      `usage?cursor=${Buffer.from('["\\u0000"]').toString('base64url')}&by=tool`,
      'cursor must come from a page with the same `by`.',
    ],
    [`usage?cursor=${Buffer.from('[1.5]').toString('base64url')}`, 'cursor must come from a page with the same `by`.'],
  ])('refuse %s', async (path, description) => {
    const { status, body } = await get(path);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.error_description).toMatch(description);
  });
});
