import { expect, test } from 'vitest';
import { describeUserPage } from '../modules/me/support.ts';

describeUserPage('the partner API for the grants of a user', (given) => {
  const grantsOf = async (user = 'alice', query = '') => (await given.api('GET', `${user}/grants${query}`)).body;

  test('shows what each client may do, when it was allowed, and what it did last', async () => {
    const { grantId } = await given.allow('Claude Code');
    await given.call((await given.allow('Other')).token, 'library_find');
    const { now: createdAt, userId } = given;
    const of = { partnerId: 'p', userId, tokenId: 't', service: 'library', tool: 'library_find', outcome: 'not_found' };
    const sizes = { upstreamCode: null, upstreamStatus: 404, durationMs: 1, requestBytes: 2, responseBytes: 2 };
    await given.store.insertCallRecords([{ ...of, ...sizes, createdAt, requestId: 'r', grantId }]);
    const { user_id, grants, next } = await grantsOf();
    expect([user_id, grants.length, next]).toEqual(['alice', 2, null]);
    expect(grants[1]).toEqual({
      id: grantId,
      client: {
        client_id: expect.stringMatching(/^client-/),
        client_name: 'Claude Code',
        redirect_uris: ['http://127.0.0.1:7000/callback', 'https://client.example/callback'],
      },
      allowed_at: '2030-01-15T12:00:00.001Z',
      last_used_at: '2030-01-15T12:00:00.002Z',
      expires_at: '2030-02-14T12:00:00.001Z',
      services: null,
      read_only: false,
      destructive: true,
      without: [],
      only: null,
      pins: {},
      accounts: {},
      may: [
        { service: 'archive', title: 'City Archive', reading: 1, writing: 0, destructive: 0, asking: 0 },
        { service: 'library', title: 'Library', reading: 1, writing: 1, destructive: 1, asking: 0 },
      ],
      last_call: {
        service: 'library',
        tool: 'library_find',
        outcome: 'not_found',
        called_at: '2030-01-15T12:00:00.002Z',
      },
    });
  });

  test('returns fifty grants per page', async () => {
    for (let index = 0; index < 51; index += 1) await given.allow(`Client ${index}`);
    const first = await grantsOf();
    expect(first.grants).toHaveLength(50);
    expect((await grantsOf('alice', '?limit=51')).next).toBeNull();
    const second = await grantsOf('alice', `?cursor=${first.next}`);
    expect(second.grants.map(({ client }: { client: { client_name: string } }) => client.client_name)).toEqual([
      'Client 0',
    ]);
    expect(second.next).toBeNull();
    expect((await grantsOf('alice', '?cursor=x')).error).toBe('invalid_request');
  });

  test('narrows a grant from the next call on', async () => {
    const { grantId, token } = await given.allow('Claude');
    const path = `alice/grants/${grantId}`;
    const narrowing = { services: ['library'], destructive: false, without: ['library_find'] };
    const { status, body } = await given.api('PATCH', path, narrowing);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: grantId, ...narrowing, read_only: false });
    expect(await given.tools(token)).toEqual(['library_lend']);
    expect((await given.api('PATCH', path, { read_only: true })).body).toMatchObject({ read_only: true, may: [] });
    expect(await given.tools(token)).toEqual([]);
    expect((await given.auditOf('grant_narrowed')).map(({ details }) => details)).toEqual([
      { by: 'partner', ...narrowing },
      { by: 'partner', readOnly: true },
    ]);
  });

  test('writes no event for a narrowing that changes nothing', async () => {
    const { grantId } = await given.allow('Claude');
    const unchanged = { destructive: true, read_only: false, without: [], services: null };
    expect((await given.api('PATCH', `alice/grants/${grantId}`, unchanged)).status).toBe(200);
    expect(await given.auditOf('grant_narrowed')).toEqual([]);
  });

  test.each([
    ['services', { services: ['library', 'archive'] }, 'services: this grant does not include "archive"'],
    ['writing', { read_only: false, destructive: false }, 'read_only: this grant only reads'],
    ['destroying', { destructive: true }, 'destructive: this grant has no tools'],
    ['tools', { without: ['library_lend'] }, 'without: this grant leaves "library_find" out'],
  ])('refuses to widen %s, and changes nothing', async (_, wanted, reason) => {
    const { grantId } = await given.allow('Claude');
    const path = `alice/grants/${grantId}`;
    const narrowing = { services: ['library'], read_only: true, destructive: false, without: ['library_find'] };
    const before = await given.api('PATCH', path, narrowing);
    const { status, body } = await given.api('PATCH', path, wanted);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.error_description).toContain(reason);
    expect((await grantsOf()).grants).toEqual([before.body]);
  });

  test.each([
    [{}, 'Name at least one of services, read_only, destructive, without.'],
    [{ services: null }, 'Name at least one of'],
    [{ services: 'library' }, 'services must be a list'],
    [{ read_only: 'yes' }, 'read_only must be true or false.'],
    [{ scopes: ['tools:write'] }, 'There is no member "scopes". Members: services, read_only, destructive, without.'],
    [{ service: ['library'] }, 'There is no member "service". Did you mean services?'],
    [['library'], 'The body must be a JSON object with some of'],
    [{ services: [] }, 'revoke the grant instead'],
  ])('refuses %j', async (wanted, reason) => {
    const { grantId } = await given.allow('Claude');
    const { status, body } = await given.api('PATCH', `alice/grants/${grantId}`, wanted);
    expect(status).toBe(400);
    expect(body.error_description).toContain(reason);
  });

  test('revokes a grant at once', async () => {
    const { grantId, token } = await given.allow('Claude');
    expect((await given.api('DELETE', `alice/grants/${grantId}`)).status).toBe(204);
    expect(await given.tools(token)).toBe(401);
    expect((await given.api('DELETE', `alice/grants/${grantId}`)).status).toBe(404);
    expect((await given.api('PATCH', `alice/grants/${grantId}`, { read_only: true })).status).toBe(404);
    expect((await given.auditOf('grant_revoked')).map(({ details }) => details)).toEqual([{ by: 'partner' }]);
  });

  test('reaches only the partner’s own users and their grants', async () => {
    const { grantId, token } = await given.allow('Claude');
    const other = { id: 'other', secret: given.other.secret };
    expect((await given.api('GET', 'alice/grants', undefined, other)).body.grants).toEqual([]);
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { read_only: true }],
    ] as const) {
      expect((await given.api(method, `alice/grants/${grantId}`, body, other)).status).toBe(404);
      expect((await given.api(method, `nobody/grants/${grantId}`, body)).status).toBe(404);
      expect((await given.api(method, 'alice/grants/%00', body)).status).toBe(404);
      expect((await given.send(`/api/partner/users/alice/grants/${grantId}`, { method })).status).toBe(401);
    }
    expect((await given.api('GET', 'nobody/grants')).body.error).toBe('not_found');
    expect(await given.tools(token)).toHaveLength(4);
  });
});
