import { expect, test } from 'vitest';
import { emit } from '../../../../server/base/store/events.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { insertPartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { ADMIN_EVENTS } from '../../../../server/modules/admin/events.ts';
import { type Answer, givenDashboard, insertCalls, insertHelper, insertTeam, linksOf, rowsOf } from './support.ts';

const given = givenDashboard();

const toolsOf = ({ text }: Answer) => rowsOf(text).map(([, , tool]) => tool);
const isoOf = (time: number) => new Date(time).toISOString();

test.each([
  ['the tool', 'tool=library_burn', ['library_burn']],
  ['the service', 'service=gone', ['gone_find']],
  ['the outcome', 'outcome=not_found', ['library_burn']],
  ['failure', 'outcome=failed', ['library_burn', 'gone_find']],
  ['the request', 'request=request-2', ['gone_find']],
  ['live traffic', 'realm=live&outcome=gone', ['gone_find']],
  ['test mode', 'realm=test', []],
  ['the name of the user', 'name=alice&outcome=ok', ['library_find']],
  ['the time', 'from=2030-01-15T11:59:59.998&to=2030-01-15T11:59:59.999', ['gone_find']],
  ['a day', 'to=2030-01-15', []],
])('calls are found by %s', async (_, query, tools) => {
  await insertCalls(given, [
    {},
    { tool: 'library_burn', outcome: 'not_found' },
    { tool: 'gone_find', service: 'gone', outcome: 'gone', userId: 'removed' },
  ]);
  expect(toolsOf(await (await given.operator()).get(`/admin/calls?${query}`))).toEqual(tools);
});

test('the operator chooses between users of the same name, and gets a search for an unknown one', async () => {
  const other = await insertPartner(given.store.db, { clientId: 'other', name: 'Other', now: given.now });
  const namesake = await ensureUser(given.store.db, { partnerId: other.id, externalUserId: 'alice', now: given.now });
  await insertCalls(given, [{ userId: namesake.id, tool: 'library_burn' }, {}]);
  const operator = await given.operator();
  const { text } = await operator.get('/admin/calls?name=alice&outcome=ok');
  const link = linksOf(text).find((to) => to.includes(namesake.id));
  expect([rowsOf(text), text.includes('>alice</bdi> of <bdi>Other</bdi>')]).toEqual([[], true]);
  expect(toolsOf(await operator.get(link ?? ''))).toEqual(['library_burn']);
  expect(linksOf((await operator.get('/admin/calls?name=bob')).text)).toContain('/admin/users?q=bob');
});

test('the list shows time, user, tool, outcome, duration and client', async () => {
  const client = {
    clientId: 'helper',
    clientName: 'Helper',
    redirectUris: [],
    applicationType: 'web',
  } as const;
  await insertClient(given.store.db, { ...client, secretHash: null, authenticationMethod: 'none', now: given.now });
  const grant = { clientId: 'helper', userId: given.userId, scopes: [], services: null, resource: 'r' };
  const grantId = await insertGrant(given.store.db, { ...grant, now: given.now, expiresAt: given.now + 1000 });
  await insertCalls(given, [
    { grantId, durationMs: 12_345 },
    { outcome: 'upstream_error', upstreamStatus: 500, userId: 'removed' },
  ]);
  expect(rowsOf((await (await given.operator()).get('/admin/calls')).text)).toEqual([
    ['just now', 'alice', 'library_find', 'ok', '12,345 ms', 'Helper'],
    ['just now', 'removed', 'library_find', 'upstream_error upstream 500', '45 ms', 'none'],
  ]);
});

test('a call with invalid arguments says which, in the list and on its own page', async () => {
  const [id] = await insertCalls(given, [
    { outcome: 'invalid_arguments', upstreamStatus: null, upstreamCode: 'bookId' },
  ]);
  const operator = await given.operator();
  expect(rowsOf((await operator.get('/admin/calls')).text)[0]?.[3]).toBe('invalid_arguments bookId');
  const { text } = await operator.get(`/admin/calls/${id}`);
  expect(text).toContain('Arguments that are not valid');
  expect(text).not.toContain('Upstream code');
});

test('a call links to its user at that time, its tool, client and request, and never shows arguments', async () => {
  const [id] = await insertCalls(given, [{ requestId: 'request-a', upstreamCode: 'E17', definition: 'abc' }]);
  await emit(given.store.db, { type: 'consent_given', now: given.now, userId: given.userId });
  await insertCalls(given, [{ createdAt: given.now + 5, tool: 'library_burn', requestId: 'request-b' }]);
  const operator = await given.operator();
  const [address] = linksOf((await operator.get('/admin/calls?request=request-a')).text).filter((to) =>
    to.includes(`${id}`),
  );
  const { text } = await operator.get(address ?? '');
  for (const shown of [
    'E17',
    'abc',
    '10 bytes',
    '20 bytes',
    '45 ms',
    'request-a',
    'Arguments and answers are not kept.',
  ]) {
    expect(text).toContain(shown);
  }
  const links = linksOf(text);
  expect(links).toEqual(
    expect.arrayContaining([
      `/admin/users/${given.userId}`,
      `/admin/partners/${given.partnerId}`,
      '/admin/tools/library_find',
      '/admin/calls?request=request-a',
      '/admin/audit?q=request-a',
    ]),
  );
  const moment = links.find((to) => to.endsWith('#timeline')) ?? '';
  const timeline = (await operator.get(moment.replace('#timeline', ''))).text;
  expect([timeline.includes('Called library_find'), timeline.includes('Called library_burn')]).toEqual([true, false]);
  expect(linksOf(timeline)).toContain(`/admin/calls/${id}`);
  expect((await operator.get('/admin/calls/nothing')).status).toBe(404);
});

test('a call leads to the form of its tool, with its user and no values, for those who may act', async () => {
  const [id, ofRemoved, ofGoneTool] = await insertCalls(given, [
    {},
    { userId: 'removed' },
    { tool: 'gone_find', service: 'gone' },
  ]);
  const again = `/admin/tools/library_find?user=${given.userId}&values=none`;
  const operator = await given.operator();
  const linkOf = async (call: string | undefined, visitor = operator) =>
    linksOf((await visitor.get(`/admin/calls/${call}`)).text).filter((to) => to.includes('values='));
  expect(await linkOf(id)).toEqual([again]);
  expect([await linkOf(ofRemoved), await linkOf(ofGoneTool)]).toEqual([[], []]);
  expect(await linkOf(id, await given.operator({ name: 'ada', role: 'look' }))).toEqual([]);
  const filled = (await operator.get(again.replace('&values=none', ''))).text;
  const empty = (await operator.get(again)).text;
  expect(filled).toMatch(/name="arg\.words"[^>]* value="[^"]+"/);
  expect(empty).toMatch(/name="arg\.words"[^>]* value=""/);
  expect(empty).toContain('<code>words</code> <span class="quiet">string, required</span>');
  expect(empty).toContain(`<option value="${given.userId}" selected>`);
});

test('the audit trail finds the calls of a request, and its events link to them', async () => {
  await insertCalls(given, [{ requestId: 'request-a' }, { requestId: 'request-a', tool: 'library_burn' }]);
  await ADMIN_EVENTS.emit(given.store.db, { type: 'tool_tried', now: given.now, requestId: 'request-a' });
  const operator = await given.operator();
  const { text } = await operator.get('/admin/audit?q=request-a');
  expect(text).toContain('<a href="/admin/calls?request=request-a">2 tool calls</a>');
  expect(linksOf((await operator.get('/admin/audit')).text)).toContain('/admin/calls?request=request-a');
  expect((await operator.get('/admin/audit?q=request-b')).text).not.toContain('tool call</a>');
});

test('the list refreshes without a script, until it is stopped or ten minutes have passed', async () => {
  const operator = await given.operator();
  const plain = await operator.get('/admin/calls?tool=library_find');
  expect([plain.headers.get('refresh'), linksOf(plain.text)]).toEqual([
    null,
    expect.arrayContaining(['/admin/calls?tool=library_find&live=1']),
  ]);
  const live = await operator.get('/admin/calls?tool=library_find&live=1');
  const end = given.now + 600_000;
  const again = `/admin/calls?tool=library_find&live=${end}`;
  expect(live.headers.get('refresh')).toBe(`10; url=${again}`);
  expect(live.text).toContain(`<a href="/admin/calls?tool=library_find">Stop</a>`);
  expect(live.text).toContain(isoOf(end));
  given.now += 60_000;
  await insertCalls(given, [{}]);
  const next = await operator.get(again);
  expect([next.headers.get('refresh'), toolsOf(next)]).toEqual([`10; url=${again}`, ['library_find']]);
  given.now = end;
  expect((await operator.get(again)).headers.get('refresh')).toBeNull();
  const forged = await operator.get(`/admin/calls?live=${given.now * 2}`);
  expect(forged.headers.get('refresh')).toBe(`10; url=/admin/calls?live=${given.now + 600_000}`);
});

test.each(['before=%00', 'before=1.2.3', 'after=x', 'live=x', 'from=yesterday', 'user=%00&tool=%00'])(
  'an invalid filter is not a server error: %s',
  async (query) => {
    expect((await (await given.operator()).get(`/admin/calls?${query}`)).status).toBe(200);
  },
);

const factsOf = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<dt>([^<]*)<\/dt><dd>([\s\S]*?)<\/dd>/g)].map(([, term = '', value = '']) => [
      term,
      value.replaceAll(/<[^>]+>/g, '').trim(),
    ]),
  );

test.each([
  [
    { outcome: 'credential_refused', upstreamStatus: 401 },
    {
      'What happened': 'The service does not accept the connection&#39;s credential, also when asked again.',
      Fix: 'The user connects it in the partner&#39;s application again.',
      'Who can fix it': 'the user',
      'Upstream status': '401',
    },
  ],
  [
    { outcome: 'partner_suspended', upstreamStatus: null },
    {
      'What happened': 'The operator suspended the user&#39;s partner.',
      Fix: 'utg partner resume --client-id acme',
      'Who can fix it': 'you, the operator',
      'Upstream status': 'none: nothing was sent',
    },
  ],
  [
    { outcome: 'upstream_timeout', upstreamStatus: null },
    {
      'What happened': 'No answer within UPSTREAM_TIMEOUT_MS, or the service answered 408.',
      Fix: 'Call again if the tool is idempotent; otherwise read the current state first.',
      'Upstream status': 'none: no answer',
    },
  ],
  [
    { outcome: 'awaiting_approval', upstreamStatus: null },
    {
      'What happened': 'This one call needs the approval of its user.',
    },
  ],
])('a call says what happened and the fix: %o', async (call, expected) => {
  const [id] = await insertCalls(given, [call]);
  expect(factsOf((await (await given.operator()).get(`/admin/calls/${id}`)).text)).toMatchObject(expected);
});

test('a call without a problem, and one of an outcome of another version, need no explanation', async () => {
  const operator = await given.operator();
  for (const outcome of ['ok', 'of_the_future']) {
    const [id] = await insertCalls(given, [{ outcome, requestId: `request-${outcome}` }]);
    expect(factsOf((await operator.get(`/admin/calls/${id}`)).text)).not.toHaveProperty('What happened');
  }
});

test('a call that the gateway refused leads to the check of what its client may do now', async () => {
  const [grantId = ''] = await insertHelper(given, { users: [given.userId] });
  const [id] = await insertCalls(given, [{ grantId, outcome: 'not_allowed', upstreamStatus: null }]);
  const operator = await given.operator();
  const why = `/admin/users/${given.userId}/why?tool=library_find&client=helper`;
  expect(linksOf((await operator.get(`/admin/calls/${id}`)).text)).toContain(why);
  expect((await operator.get(why)).status).toBe(200);
});

test('a call shows the connection that it used, as it is today', async () => {
  const { db } = given.store;
  await db.updateTable('connections').set({ account: 'maya@harbor.example' }).execute();
  const [id, other] = await insertCalls(given, [{}, { service: 'gone', requestId: 'request-gone' }]);
  const operator = await given.operator();
  const { text } = await operator.get(`/admin/calls/${id}`);
  expect(factsOf(text).Connection).toBe('Library, signed in as maya@harbor.example connected');
  expect(linksOf(text)).toContain(`/admin/users/${given.userId}#connections`);
  expect(factsOf((await operator.get(`/admin/calls/${other}`)).text).Connection).toBe('gone: not connected now');
});

test('a call with the account that a team shares shows that account and its owner', async () => {
  const key = { partnerId: given.partnerId, externalUserId: 'bob', now: given.now };
  const { id: bob } = await ensureUser(given.store.db, key);
  const { team } = await insertTeam(given, [bob]);
  const { id: connectionId } = await given.store.db.selectFrom('connections').select('id').executeTakeFirstOrThrow();
  const [id] = await insertCalls(given, [{ userId: bob, connectionId }]);
  const operator = await given.operator();
  const { text } = await operator.get(`/admin/calls/${id}`);
  expect(factsOf(text).Connection).toBe('Library of alice, shared by a team connected');
  expect(linksOf(text)).toContain(`/admin/users/${given.userId}#connections`);
  await operator.confirm(`/admin/teams/${team}`, `/admin/users/${given.userId}/connections/library/remove`);
  expect(factsOf((await operator.get(`/admin/calls/${id}`)).text).Connection).toBe('Library: not connected now');
});

test('a call that waits for its user has not failed, in counts, filters and the timeline', async () => {
  await insertCalls(given, [{ outcome: 'awaiting_approval' }, { outcome: 'needs_approval' }, { outcome: 'not_found' }]);
  const operator = await given.operator();
  const outcomesOf = async (query: string) =>
    rowsOf((await operator.get(`/admin/calls?${query}`)).text).map(([, , , outcome]) => outcome?.split(' ')[0]);
  expect(await outcomesOf('outcome=waiting')).toEqual(['awaiting_approval', 'needs_approval']);
  expect(await outcomesOf('outcome=failed')).toEqual(['not_found']);
  const { text } = await operator.get('/admin');
  expect(text).toMatch(/<dt>Failed<\/dt><dd><a [^>]*>1<\/a> <small>33.3 %<\/small> <small>1 more than before<\/small>/);
  expect(text).toMatch(/<dt>Waiting for users<\/dt><dd><a [^>]*>2<\/a>/);
  expect(text).not.toContain('outcome=awaiting_approval');
  const timeline = (await operator.get(`/admin/users/${given.userId}`)).text;
  expect(timeline.match(/badge warn">call<\/span> <bdi>Called library_find: \w+_approval/g)).toHaveLength(2);
});
