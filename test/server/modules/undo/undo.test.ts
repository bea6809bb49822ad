import type { RequestListener } from 'node:http';
import { beforeEach, expect, test, vi } from 'vitest';
import { readPermission, writePermission } from '../../../../server/base/principal/permission.ts';
import type { ToolUndo } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type Answer, type Browser, describeUserPage, type UserPageUnderTest } from '../me/support.ts';

vi.setConfig({ testTimeout: 60_000 });

const ID = { id: { type: 'string' } };
const READ = { tool: 'library_get', arguments: { id: 'id' } };
const ADD: ToolUndo = {
  ...{ tool: 'library_burn', from: 'result', arguments: { id: '/id' } },
  ...{ read: { tool: 'library_get', arguments: { id: '/id' } }, unchanged: { '/title': 'title', '/lent': false } },
};
const RENAME: ToolUndo = {
  ...{ tool: 'library_rename', from: 'before', arguments: { id: 'id', title: '/title', shelf: '/shelf' }, read: READ },
  lost: 'Its history stays.',
};
const path = { id: 'id' };
const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const writing = (name: string, method: 'POST' | 'PUT' | 'DELETE', more: object, properties: object = {}) => {
  const members = Object.fromEntries(Object.keys(properties).map((each) => [each, each]));
  return fakeTool({
    ...{ name, method, path: method === 'POST' ? '/books' : '/books/{id}' },
    input: { properties: { ...(method === 'POST' ? {} : ID), ...properties } as Record<string, object> },
    request: {
      ...(method === 'POST' ? {} : { path }),
      ...(method === 'DELETE' ? {} : { body: { mediaType: 'application/json', members } }),
    },
    more: { annotations: DESTROYS, ...more },
  });
};
const TEXTS = { title: { type: 'string' }, shelf: { type: 'string' } };
const GUARDED = {
  ...writing('library_guarded', 'PUT', { undo: { ...RENAME, tool: 'library_guarded', ifMatch: 'ifMatch' } }, TEXTS),
};
const CONNECTORS = [
  fakeConnector({
    tools: [
      fakeTool({ name: 'library_get', path: '/books/{id}', input: { properties: ID }, request: { path } }),
      writing('library_add', 'POST', { undo: ADD, annotations: { ...DESTROYS, destructiveHint: false } }, TEXTS),
      writing('library_rename', 'PUT', { undo: RENAME }, TEXTS),
      writing('library_burn', 'DELETE', {}),
      {
        ...GUARDED,
        inputSchema: {
          ...GUARDED.inputSchema,
          properties: { ...GUARDED.inputSchema.properties!, ifMatch: { type: 'string' } },
        },
        request: { ...GUARDED.request, header: { 'If-Match': 'ifMatch' } },
      },
    ],
  }),
  fakeConnector({ name: 'archive', title: 'City Archive', tools: [fakeTool({ name: 'archive_read' })] }),
];

interface Book {
  id: string;
  title?: string;
  shelf?: string;
  lent: boolean;
}
const books = new Map<string, Book>();
const seen: string[] = [];
const upstreamOf = { etag: null as string | null, status: 0, delayMs: 0 };
const upstream: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', async () => {
    const { method = '', url = '', headers } = request;
    const id = url.split('/')[2] ?? String(books.size + 1);
    const guard = headers['if-match'] === undefined ? '' : ` if ${headers['if-match']}`;
    seen.push(`${method} ${url}${guard}`);
    if (method !== 'GET') await new Promise((resolve) => setTimeout(resolve, upstreamOf.delayMs));
    const answer = (status: number, body: object) => {
      if (upstreamOf.etag !== null) response.setHeader('etag', upstreamOf.etag);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (method === 'GET' && upstreamOf.status > 0) return answer(upstreamOf.status, {});
    if (method !== 'POST' && !books.has(id)) return answer(404, {});
    if (guard !== '' && headers['if-match'] !== upstreamOf.etag) return answer(412, {});
    const found = books.get(id);
    if (method === 'DELETE') books.delete(id);
    else if (method !== 'GET') {
      books.set(id, { lent: false, ...found, ...JSON.parse(Buffer.concat(chunks).toString()), id });
    }
    answer(200, books.get(id) ?? { deleted: true });
  });
};

const textsOf = ({ body }: Answer): string[] => body.result.content.flatMap(({ text = [] }) => text);
const handleIn = (answer: Answer): string =>
  /undo_call \{"undo":"(undo_[\w-]{22})"\}$/.exec(textsOf(answer).join('\n'))?.[1] ?? '';
const codeOf = (answer: Answer) => answer.body.result.isError && JSON.parse(textsOf(answer)[1]!).code;
const rowsOf = ({ store }: UserPageUnderTest) => store.db.selectFrom('kept_undos').selectAll().execute();

const define = (given: UserPageUnderTest) => {
  beforeEach(() => {
    books.clear();
    books.set('b1', { id: 'b1', title: 'Old', shelf: 'A', lent: false });
    seen.length = 0;
    Object.assign(upstreamOf, { etag: null, status: 0, delayMs: 0 });
  });
  const rename = (token: string, args: object = { title: 'New' }, tool = 'library_rename') =>
    given.call(token, tool, { id: 'b1', ...args });
  const undo = (token: string, handle: string) => given.call(token, 'undo_call', { undo: handle });
  const narrow = (grantId: string, changes: object) =>
    given.store.db.updateTable('oauth_grants').set(changes).where('id', '=', grantId).execute();
  const permission = (changes: object) => ({ permission: writePermission({ ...readPermission(null), ...changes }) });

  test('takes back what was created, by the id of the answer', async () => {
    const { token } = await given.allow('Claude');
    const answer = await given.call(token, 'library_add', { title: 'Emma' });
    expect(seen).toEqual(['POST /books']);
    const done = await undo(token, handleIn(answer));
    expect(textsOf(done).at(-1)).toBe('Undone. A change at the very same moment would not have been noticed.');
    expect(seen.slice(1)).toEqual(['GET /books/2', 'DELETE /books/2']);
    expect([...books.keys()]).toEqual(['b1']);
  });

  test('gives what was changed its value of before, and leaves what others changed besides', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    expect(seen).toEqual(['GET /books/b1', 'PUT /books/b1']);
    books.get('b1')!.shelf = 'B';
    expect(textsOf(await undo(token, handle)).at(-1)).toContain('Undone. Its history stays.');
    expect(books.get('b1')).toEqual({ id: 'b1', title: 'Old', shelf: 'B', lent: false });
  });

  test('keeps the values sealed, and at most 50 of a user', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token, { title: 'Secret title' }));
    const [row] = await rowsOf(given);
    expect(row).toMatchObject({ user_id: given.userId, created_at: given.now });
    for (const text of [handle, 'Secret', 'Old', 'library']) expect(JSON.stringify(row)).not.toContain(text);
    for (let count = 0; count < 52; count += 1) {
      given.now += 1;
      await rename(token, { title: `Title ${count}` });
    }
    expect(await rowsOf(given)).toHaveLength(50);
    expect(codeOf(await undo(token, handle))).toBe('not_found');
  });

  test.each<[string, (book: Book) => void]>([
    ['has another value', (book) => void Object.assign(book, { title: 'By hand' })],
    ['is gone', () => void books.clear()],
  ])('refuses if the thing %s since', async (_, change) => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    change(books.get('b1')!);
    const left = structuredClone([...books]);
    const refused = await undo(token, handle);
    expect([codeOf(refused), textsOf(refused)[0]]).toEqual(['conflict', expect.stringContaining('Changed since')]);
    expect([...books]).toEqual(left);
  });

  test('refuses to delete what was created and is in use by now', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await given.call(token, 'library_add', { title: 'Emma' }));
    books.get('2')!.lent = true;
    expect(codeOf(await undo(token, handle))).toBe('conflict');
    expect(books.has('2')).toBe(true);
  });

  test('sends If-Match where the service has it, and the service refuses in the gap', async () => {
    const { token } = await given.allow('Claude');
    upstreamOf.etag = '"1"';
    const handle = handleIn(await rename(token, { title: 'New' }, 'library_guarded'));
    const done = await undo(token, handle);
    expect(textsOf(done).at(-1)).toBe('Undone. Its history stays.');
    expect(seen.at(-1)).toBe('PUT /books/b1 if "1"');
    upstreamOf.etag = 'W/"1"';
    const weak = await undo(token, handleIn(await rename(token, { title: 'New' }, 'library_guarded')));
    expect([seen.at(-1), textsOf(weak).at(-1)]).toEqual(['PUT /books/b1', expect.stringContaining('very same moment')]);
  });

  test('does nothing for calls that failed, changed nothing it knows, or whose state could not be read', async () => {
    const { token } = await given.allow('Claude');
    expect(handleIn(await rename(token, {}))).toBe('');
    upstreamOf.status = 500;
    const answer = await rename(token);
    expect([answer.body.result.isError, handleIn(answer), books.get('b1')!.title]).toEqual([undefined, '', 'New']);
    upstreamOf.status = 0;
    books.clear();
    expect(handleIn(await rename(token))).toBe('');
    expect(await rowsOf(given)).toEqual([]);
  });

  test('never fails a call because it cannot be kept', async () => {
    const { token } = await given.allow('Claude');
    await given.store.db.schema.dropTable('kept_undos').execute();
    const answer = await rename(token);
    expect([answer.body.result.isError, handleIn(answer)]).toEqual([undefined, '']);
    expect(given.lines.join('\n')).toContain('what takes a call back could not be kept');
  });

  test('is made once: twice at the same time, and again', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    upstreamOf.delayMs = 200;
    const both = await Promise.all([undo(token, handle), undo(token, handle)]);
    expect(both.map(codeOf)).toEqual([undefined, undefined]);
    expect(seen.filter((each) => each.startsWith('PUT'))).toHaveLength(2);
    expect(codeOf(await undo(token, handle))).toBe('not_found');
    expect(seen.filter((each) => each.startsWith('PUT'))).toHaveLength(2);
  });

  test('cannot be kept from its user by a client that uses the handle as a key', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    const params = { name: 'library_rename', arguments: { id: 'b1', shelf: 'C' }, _meta: { idempotencyKey: handle } };
    const headers = {
      ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      Accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect((await given.send('/api/mcp/unified', { method: 'POST', headers, body })).status).toBe(200);
    expect(codeOf(await undo(token, handle))).toBeUndefined();
    expect(books.get('b1')).toMatchObject({ title: 'Old', shelf: 'C' });
  });

  test('is of the grant that made the call: others, forged and old handles are unknown', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    const others = [
      (await given.allow('Cursor')).token,
      (await given.allow('Claude', { userId: given.other.userId })).token,
    ];
    const sent = seen.length;
    for (const other of others) expect(codeOf(await undo(other, handle))).toBe('not_found');
    for (const forged of ['', 'undo_', 'undo_AAAAAAAAAAAAAAAAAAAAAA', `${handle}x`, `undo_${handle}`]) {
      expect(codeOf(await undo(token, forged))).toBe('not_found');
    }
    expect(textsOf(await given.call(others[0]!, 'undo_call'))).toEqual(['{"calls":[]}']);
    expect(JSON.parse(textsOf(await given.call(token, 'undo_call'))[0]!)).toEqual({
      calls: [
        { undo: handle, tool: 'library_rename', at: new Date(given.now - 2).toISOString(), by: 'library_rename' },
      ],
    });
    given.now += 86_400_000;
    await given.store.db
      .updateTable('access_tokens')
      .set({ expires_at: given.now + 1_000 })
      .execute();
    expect(codeOf(await undo(token, handle))).toBe('not_found');
    expect(seen).toHaveLength(sent);
  });

  test('is refused where a row was moved to another user, or its seal changed', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    await given.store.db.updateTable('kept_undos').set({ user_id: given.other.userId }).execute();
    const stolen = await given.allow('Claude', { userId: given.other.userId });
    expect(codeOf(await undo(stolen.token, handle))).toBe('not_found');
    expect(codeOf(await undo(token, handle))).toBe('not_found');
  });

  test.each<[string, object, string]>([
    ['the undoing tool is unticked', { without: ['library_rename'] }, 'not_allowed'],
    ['the reading tool is unticked', { without: ['library_get'] }, 'not_allowed'],
    ['an argument is pinned to another thing', { pins: { library: { id: 'b2' } } }, 'not_allowed'],
  ])('passes the rights of the grant as they are then: %s', async (_, change, code) => {
    const { token, grantId } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    await narrow(grantId, permission(change));
    expect(codeOf(await undo(token, handle))).toBe(code);
    expect(books.get('b1')!.title).toBe('New');
  });

  test('needs the scope to write, then', async () => {
    const { token, grantId } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    await narrow(grantId, { scopes: 'tools:read' });
    expect(codeOf(await undo(token, handle))).not.toBeUndefined();
    expect(books.get('b1')!.title).toBe('New');
  });

  test('keeps to a pinned argument', async () => {
    const { token } = await given.allow('Claude', permission({ pins: { library: { id: 'b1' } } }) as never);
    const answer = await given.call(token, 'library_rename', { title: 'New' });
    expect(codeOf(await undo(token, handleIn(answer)))).toBeUndefined();
    expect(books.get('b1')!.title).toBe('Old');
  });

  test('is of the connection that the call used', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    await given.store.db.updateTable('connections').set({ id: 'another' }).where('service', '=', 'library').execute();
    expect(codeOf(await undo(token, handle))).toBe('not_found');
    expect(books.get('b1')!.title).toBe('New');
  });

  test('is not offered to a grant that could not do it, which then costs nothing', async () => {
    for (const without of [['library_get'], ['library_burn', 'library_get']]) {
      const { token } = await given.allow('Claude', permission({ without }) as never);
      seen.length = 0;
      expect(handleIn(await rename(token, { title: `T${without.length}` }))).toBe('');
      expect(seen).toEqual(['PUT /books/b1']);
      expect(await given.tools(token)).not.toContain('undo_call');
    }
    expect(await given.tools((await given.allow('Claude')).token)).toContain('undo_call');
  });

  test('is listed in every mode, next to the tools or what finds them', async () => {
    for (const catalogue of ['full', 'lean', 'compact', 'search', 'code'] as const) {
      const { token } = await given.allow('Claude', permission({ catalogue }) as never);
      const names = (await given.tools(token)) as string[];
      expect([catalogue, names.filter((name) => name === 'undo_call')]).toEqual([catalogue, ['undo_call']]);
      expect(names).toEqual(names.toSorted());
      const handle = handleIn(await rename(token, { title: catalogue }));
      expect(codeOf(await undo(token, handle))).toBeUndefined();
    }
  });

  test('records the undo as a call of the undoing tool', async () => {
    const { token } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    await undo(token, handle);
    await vi.waitFor(async () => {
      const rows = await given.store.db.selectFrom('call_records').select(['tool', 'outcome']).execute();
      expect(rows.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual(['library_rename ok', 'library_rename ok']);
    }, 10_000);
  });

  const page = async () => (await given.entered()).get('/me/activity');
  const press = async (handle: string, browser?: Browser) =>
    (browser ?? (await given.entered())).submit('/me', `/me/activity/undo/${handle}`);

  test('is offered to its user on their page, and done by one click, once', async () => {
    const { token } = await given.allow('Claude');
    expect((await page()).text).not.toContain('What you can undo');
    const handle = handleIn(await rename(token));
    for (const path of ['/me', '/me/activity']) {
      const { text } = await (await given.entered()).get(path);
      expect(text).toContain(`action="/me/activity/undo/${handle}"`);
      expect(text).toContain('if nothing else has changed since. Its history stays.');
    }
    upstreamOf.delayMs = 200;
    const browser = await given.entered();
    const [one, other] = await Promise.all([press(handle, browser), press(handle, browser), undo(token, handle)]);
    expect([one.status, other.status]).toEqual([303, 303]);
    expect(one.headers.get('location')).toBe('/me/activity?done=undone');
    expect(seen.filter((each) => each.startsWith('PUT'))).toHaveLength(2);
    expect(books.get('b1')!.title).toBe('Old');
    expect((await page()).text).not.toContain('What you can undo');
    expect((await press(handle)).status).toBe(400);
  });

  test('on the page of a user needs the access of the client that made the call', async () => {
    const { token, grantId } = await given.allow('Claude');
    const handle = handleIn(await rename(token));
    await given.store.db
      .updateTable('access_tokens')
      .set({ expires_at: given.now - 1 })
      .execute();
    await narrow(grantId, permission({ without: ['library_rename'] }));
    const unticked = await press(handle);
    expect([unticked.status, unticked.text]).toEqual([400, expect.stringContaining('has not allowed this client')]);
    await narrow(grantId, { permission: null, revoked_at: given.now });
    expect((await press(handle)).text).toContain('Nothing can be undone under this handle');
    expect(books.get('b1')!.title).toBe('New');
    await narrow(grantId, { revoked_at: null });
    expect((await press(handle)).status).toBe(303);
    expect(books.get('b1')!.title).toBe('Old');
  });

  test('on the page of a user is not for the calls of others, nor for other sites', async () => {
    const { userId } = given.other;
    await given.store.db.updateTable('connections').set({ user_id: userId }).where('service', '=', 'library').execute();
    const { token } = await given.allow('Claude', { userId });
    const handle = handleIn(await rename(token));
    expect(handle).not.toBe('');
    const browser = await given.entered();
    expect((await press(handle, browser)).text).toContain('Nothing can be undone under this handle');
    expect((await browser.post(`/me/activity/undo/${handle}`, [['csrf', 'forged']])).status).toBe(403);
    expect(books.get('b1')!.title).toBe('New');
  });
};

const WORLD = { connectors: CONNECTORS, upstream };
describeUserPage('undo', define, { UNDO: 'on' }, WORLD);

describeUserPage(
  'undo where calls that destroy wait for approval',
  (given) => {
    test('waits as any other call, and is made once it is approved', async () => {
      books.set('b1', { id: 'b1', title: 'Old', lent: false });
      const { token } = await given.allow('Claude');
      const handle = handleIn(await given.call(token, 'library_add', { title: 'Emma' }));
      const id = [...books.keys()].at(-1)!;
      const asked = await given.call(token, 'undo_call', { undo: handle });
      expect([codeOf(asked), books.has(id)]).toEqual(['awaiting_approval', true]);
      const browser = await given.entered();
      const [call = ''] = /[\w-]+\.[\w-]{43}/.exec((await browser.get('/me/approvals')).text) ?? [];
      await browser.submit('/me/approvals', '/me/approvals/decide', [
        ['call', call],
        ['decision', 'approve'],
      ]);
      books.get(id)!.lent = true;
      expect(codeOf(await given.call(token, 'undo_call', { undo: handle }))).toBe('conflict');
      books.get(id)!.lent = false;
      expect(codeOf(await given.call(token, 'undo_call', { undo: handle }))).toBeUndefined();
      expect(books.has(id)).toBe(false);
    });
  },
  { UNDO: 'on', APPROVALS: 'destroy' },
  WORLD,
);

describeUserPage(
  'undo that is not switched on',
  (given) => {
    test('reads nothing, says nothing, lists nothing and keeps nothing', async () => {
      books.set('b1', { id: 'b1', title: 'Old', lent: false });
      seen.length = 0;
      const { token } = await given.allow('Claude');
      const answer = await given.call(token, 'library_rename', { id: 'b1', title: 'New' });
      expect([textsOf(answer).length, seen]).toEqual([1, ['PUT /books/b1']]);
      expect(await given.tools(token)).not.toContain('undo_call');
      expect((await given.call(token, 'undo_call', {})).body.error.message).toContain('Unknown tool');
      expect(await rowsOf(given)).toEqual([]);
    });
  },
  {},
  WORLD,
);
