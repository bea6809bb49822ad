import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { describeConnect } from '../../../connect/support.ts';
import { until } from '../delivery/receiver.ts';
import { ENDPOINTS, givenPartnerEvents } from './partner-events.ts';

describeConnect('the partner API for events', (given) => {
  const { fixture, send, add, connect } = givenPartnerEvents(given);
  const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);

  test('lists the events of a connection in order, without secrets and texts of the service', async () => {
    const { body: tokens } = await connect();
    given.accepted.clear();
    await given.call(tokens.access_token, 'library_list');
    given.accepted.add('good-key-1');
    await connect();
    await connect();
    await send('DELETE', '/api/partner/users/alice/connections/library');
    await send('DELETE', '/api/partner/users/alice');
    const { body, text } = await send('GET', '/api/partner/events');
    const { events } = body;
    expect(typesOf(events)).toEqual([
      'connection.created',
      'grant.created',
      'connection.attention',
      'connection.recovered',
      'grant.created',
      'grant.created',
      'connection.removed',
      'user.removed',
    ]);
    const [created, granted, attention, , , , removed, gone] = events;
    expect(created).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'connection.created',
      timestamp: new Date(given.now).toISOString(),
      data: { user_id: 'alice', service: 'library', connection_id: expect.any(String) },
    });
    expect(granted.data).toEqual({ user_id: 'alice', grant_id: expect.any(String), client_id: null });
    expect(attention.data).toEqual({ ...created.data, reason: 'credential_refused' });
    expect(removed.data).toEqual({ ...created.data, by: 'partner' });
    expect(gone.data).toEqual({ user_id: 'alice' });
    expect(text).not.toMatch(/good-key|No such key|utg_/);
  });

  test('continues after a cursor, and shows a partner only its own events', async () => {
    await connect();
    const first = (await send('GET', '/api/partner/events?limit=1')).body;
    expect(first).toMatchObject({ events: [{ type: 'connection.created' }], has_more: true });
    const second = (await send('GET', `/api/partner/events?after=${first.cursor}`)).body;
    expect(second).toMatchObject({ events: [{ type: 'grant.created' }], has_more: false });
    const end = (await send('GET', `/api/partner/events?after=${second.cursor}`)).body;
    expect(end).toEqual({ events: [], cursor: second.cursor, has_more: false });
    const other = await given.add('other');
    const foreign = await send('GET', '/api/partner/events', undefined, { id: 'other', secret: other.secret });
    expect(foreign.body.events).toEqual([]);
    for (const query of ['after=x', 'after=-1', 'limit=0', 'limit=201', 'limit=x']) {
      expect((await send('GET', `/api/partner/events?${query}`)).status).toBe(400);
    }
    expect((await given.send('/api/partner/events')).status).toBe(401);
  });

  test('adds, shows, changes and removes endpoints, and shows a secret once', async () => {
    const { secret, ...added } = await add();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(added).toMatchObject({
      url: `${fixture.receiver.origin}/hook`,
      types: null,
      enabled: true,
      disabled_reason: null,
    });
    const path = `${ENDPOINTS}/${added.id}`;
    expect((await send('GET', path)).body).toEqual(added);
    expect((await send('GET', ENDPOINTS)).body).toEqual({ webhook_endpoints: [added] });
    const changed = await send('PATCH', path, { enabled: false, types: ['user.removed'] });
    expect(changed.body).toMatchObject({ enabled: false, disabled_reason: 'by-partner', types: ['user.removed'] });
    const rotated = await send('POST', `${path}/secret`, { previous_expires_in: 60 });
    expect(rotated.body.previous_expires_at).toBe(new Date(given.now + 60_000).toISOString());
    expect(rotated.body.secret).not.toBe(secret);
    const other = await given.add('other');
    for (const method of ['GET', 'DELETE']) {
      expect((await send(method, path, undefined, { id: 'other', secret: other.secret })).status).toBe(404);
    }
    const stored = JSON.stringify(await given.store.db.selectFrom('webhook_endpoints').selectAll().execute());
    expect(stored).not.toContain(secret.slice(6));
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
    expect(given.lines.join('')).not.toContain('whsec_');
  });

  test('adds at most ten endpoints, also at once, and keeps the secret of another rotation at once', async () => {
    given.now = Date.now();
    const url = `${fixture.receiver.origin}/hook`;
    const answers = await Promise.all(Array.from({ length: 14 }, () => send('POST', ENDPOINTS, { url })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(4).fill(409)]);
    const { id } = answers.find(({ status }) => status === 201)!.body;
    const rotate = async () => (await send('POST', `${ENDPOINTS}/${id}/secret`)).body.secret as string;
    const rotated = await Promise.all([rotate(), rotate()]);
    await send('POST', `${ENDPOINTS}/${id}/test`);
    await until(() => fixture.receiver.received.length === 1);
    const { headers, body } = fixture.receiver.received[0]!;
    for (const secret of rotated) expect(new Webhook(secret).verify(body, headers as never)).toBeTruthy();
  });

  test.each([
    [{}],
    [{ url: 'http://acme.example/hook' }],
    [{ url: 'https://user@acme.example/' }],
    [{ url: 'https://acme.example/#part' }],
    [{ url: 'https://acme.example:22/hook' }],
    [{ url: 'https://93.184.216.34:6379/' }],
    [{ url: 'https://169.254.169.254/latest' }],
    [{ url: 'https://10.0.0.7/hook' }],
    [{ url: 'https://[fd00::1]/hook' }],
    [{ url: 'ftp://acme.example/' }],
    [{ url: 'https://acme.example/', types: ['all'] }],
    [{ url: 'https://acme.example/', types: [] }],
  ])('refuses the endpoint %j', async (body) => {
    expect((await send('POST', ENDPOINTS, body)).body).toMatchObject({ error: 'invalid_request' });
  });
});
