import type { RequestListener } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { readPermission, writePermission } from '../../../../server/base/principal/permission.ts';
import type { ToolRequest } from '../../../../server/contract/index.ts';
import { MODULES } from '../../../../server/modules/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { startGateway } from '../../../support/gateway.ts';
import { type Answer, describeUserPage, type UserPageUnderTest } from '../me/support.ts';

vi.setConfig({ testTimeout: 60_000 });

const PDF = Buffer.from(`%PDF-1.7 ${'report '.repeat(2_000)}`);
const INLINE_BYTES = 8_192;

const BASE64 = { type: 'string', contentEncoding: 'base64' };
const FILE = {
  type: 'object',
  properties: { data: BASE64, name: { type: 'string' }, mimeType: { type: 'string' } },
  required: ['data'],
  additionalProperties: false,
};
const takes = (name: string, properties: object, body: ToolRequest['body'], more = {}) =>
  fakeTool({
    ...{ name, method: 'POST', path: '/store', request: { body: body! }, more },
    input: { properties: properties as Record<string, object> },
  });
const MULTIPART = { as: 'multipart', mediaType: 'multipart/form-data' } as const;

const DOWNLOAD = fakeTool({ name: 'library_download', input: { properties: { kind: { type: 'string' } } } });
const ATTACH = takes(
  'archive_attach',
  { file: FILE },
  { ...MULTIPART, members: { file: { argument: 'file', file: [] } } },
);
const CONNECTORS = [
  fakeConnector({ tools: [DOWNLOAD] }),
  fakeConnector({
    ...{ name: 'archive', title: 'Archive' },
    tools: [
      ATTACH,
      takes(
        'archive_attach_all',
        { files: { type: 'array', items: { anyOf: [FILE, { type: 'null' }] } } },
        { ...MULTIPART, members: { files: { argument: 'files', file: [] } } },
      ),
      takes(
        'archive_attach_picture',
        { file: { ...FILE, properties: { ...FILE.properties, mimeType: { enum: ['image/png'] } } } },
        { ...MULTIPART, members: { file: { argument: 'file', file: ['image/png'] } } },
      ),
      takes(
        'archive_attach_apart',
        { photo: BASE64, photoName: { type: 'string' }, photoType: { type: 'string' } },
        {
          ...MULTIPART,
          members: { photo: { entries: { data: 'photo', name: 'photoName', mimeType: 'photoType' }, file: [] } },
        },
        { rare: ['photo'] },
      ),
      takes('archive_put', { body: BASE64 }, { mediaType: 'application/octet-stream', as: 'bytes', argument: 'body' }),
    ],
  }),
  fakeConnector({ name: 'museum', title: 'Museum', tools: [fakeTool({ name: 'museum_visit' })] }),
];

/** What the upstream got last. */
const got = { body: Buffer.alloc(0), type: '' };
const upstream: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    if (request.method !== 'GET') {
      Object.assign(got, { body: Buffer.concat(chunks), type: request.headers['content-type'] });
      response.setHeader('content-type', 'application/json').end('{"stored":true}');
      return;
    }
    const kind = new URL(request.url ?? '', 'http://x').searchParams.get('kind');
    if (kind === 'json') return void response.setHeader('content-type', 'application/json').end('{"id":1}');
    response.setHeader('content-type', kind === 'picture' ? 'image/png' : 'application/pdf');
    if (kind === 'named') response.setHeader('content-disposition', 'attachment; filename="../../etc/<b>q3.pdf"');
    response.end(kind === 'small' ? PDF.subarray(0, INLINE_BYTES) : PDF);
  });
};

const textsOf = ({ body }: Answer): string[] => body.result.content.flatMap(({ text = [] }) => text);
const fileOf = (answer: Answer) => JSON.parse(textsOf(answer)[0]!).file;
const refusalOf = (answer: Answer) => {
  const [said, error] = textsOf(answer);
  return [answer.body.result.isError, JSON.parse(error!).code, said];
};
const UNKNOWN = (argument = 'file') => [
  true,
  'invalid_arguments',
  expect.stringContaining(`"${argument}" names a file that is not kept`),
];
const rowsOf = ({ store }: UserPageUnderTest) => store.db.selectFrom('kept_files').selectAll().execute();
const permission = (changes: object) => writePermission({ ...readPermission(null), ...changes });

describeUserPage(
  'files of answers',
  (given) => {
    const allow = async () => (await given.allow('Claude')).token;
    const download = (token: string, kind = 'named') => given.call(token, 'library_download', { kind });
    const attach = (token: string, file: unknown) => given.call(token, 'archive_attach', { file });
    const handleFor = async (token: string, kind?: string): Promise<string> =>
      fileOf(await download(token, kind)).handle;

    test('are kept sealed under a handle, which the answer says with type, size, name and how it is used', async () => {
      const answer = await download(await allow());
      const [said, use, ...notes] = textsOf(answer);
      const file = {
        ...{ handle: expect.stringMatching(/^file_[\w-]{22}$/), mediaType: 'application/pdf', bytes: PDF.byteLength },
        ...{ name: '<b>q3.pdf', expiresAt: new Date(given.now + 600_000).toISOString() },
      };
      expect(JSON.parse(said!)).toEqual({ file });
      expect(answer.body.result.structuredContent).toEqual({ file });
      expect(use).toBe(
        `The file is kept for 10 minutes, for this client only. Give "${fileOf(answer).handle}" as the content (data) of a file argument of any tool, instead of base64.`,
      );
      expect(notes).toEqual([expect.stringContaining('q3.pdf')]);
      expect(answer.text).not.toContain(PDF.toString('base64').slice(0, 40));
      const [row] = await rowsOf(given);
      expect(row).toMatchObject({ user_id: given.userId, created_at: given.now });
      for (const secret of [fileOf(answer).handle, 'report', 'cmVwb3J0', PDF.toString('base64').slice(0, 40)]) {
        expect(JSON.stringify(row)).not.toContain(secret);
      }
    });

    const linkIn = async (token: string, revision: string, kind = 'named') => {
      const answer = await given.ask(token, 'tools/call', { name: 'library_download', arguments: { kind } }, revision);
      const links = answer.body.result.content.filter(({ type }: { type: string }) => type === 'resource_link');
      expect(links).toHaveLength(1);
      return links[0];
    };
    const readIn = (token: string, revision: string, uri: string) =>
      given.ask(token, 'resources/read', { uri }, revision);

    describe.each([
      ['2025-11-25', {}],
      ['2026-07-28', { ttlMs: 0, cacheScope: 'private', resultType: 'complete' }],
    ])('as resources of %s', (revision, more) => {
      test('are linked from their answer, and read byte for byte', async () => {
        const token = await allow();
        const { uri, ...link } = await linkIn(token, revision);
        expect(uri).toMatch(/^kept:\/\/files\/file_[\w-]{22}$/);
        expect(link).toEqual({
          ...{ type: 'resource_link', name: '<b>q3.pdf' },
          ...{ mimeType: 'application/pdf', size: PDF.byteLength },
        });
        const { result } = (await readIn(token, revision, uri)).body;
        expect(result).toMatchObject(more);
        expect(result.contents).toEqual([{ uri, mimeType: 'application/pdf', blob: PDF.toString('base64') }]);
      });

      test('are named by no list, only by a template', async () => {
        const token = await allow();
        await linkIn(token, revision);
        const list = async (method: string) => (await given.ask(token, method, {}, revision)).body.result;
        expect(await list('resources/list')).toMatchObject({ resources: [], ...more });
        const { resourceTemplates } = await list('resources/templates/list');
        expect(resourceTemplates).toContainEqual(expect.objectContaining({ uriTemplate: 'kept://files/{handle}' }));
        const { error } = (await given.ask(token, 'resources/list', { cursor: 'x' }, revision)).body;
        expect(error).toMatchObject({ code: -32_602 });
      });

      test('are unknown to all but their grant as it was: the same error for invented, foreign, narrowed and old ones', async () => {
        const { token, grantId } = await given.allow('Claude');
        const { uri } = await linkIn(token, revision);
        const errorOf = async (by: string, of: string) => (await readIn(by, revision, of)).body.error;
        const unknown = (of: string) => ({
          ...{ code: -32_602, data: { uri: of } },
          message: expect.stringContaining('There is no such resource'),
        });
        for (const wrong of [
          `${uri}x`,
          'kept://files/',
          'kept://results/kept_AAAAAAAAAAAAAAAAAAAAAA',
          'file:///etc/passwd',
        ]) {
          expect(await errorOf(token, wrong)).toEqual(unknown(wrong));
        }
        expect(await errorOf(await allow(), uri)).toEqual(unknown(uri));
        const { userId } = given.other;
        expect(await errorOf((await given.allow('Claude', { userId })).token, uri)).toEqual(unknown(uri));
        const narrow = (changes: object) =>
          given.store.db
            .updateTable('oauth_grants')
            .set(changes as never)
            .where('id', '=', grantId)
            .execute();
        await narrow({ services: 'archive' });
        expect(await errorOf(token, uri)).toEqual(unknown(uri));
        await narrow({ services: null, permission: permission({ without: ['library_download'] }) });
        expect(await errorOf(token, uri)).toEqual(unknown(uri));
        await narrow({ permission: permission({}) });
        expect((await readIn(token, revision, uri)).body.result.contents).toHaveLength(1);
        given.now += 600_000;
        expect(await errorOf(token, uri)).toEqual(unknown(uri));
      });
    });

    test('are not linked for clients of revisions without links', async () => {
      const token = await allow();
      for (const revision of [null, '2025-03-26']) {
        const answer = await given.ask(token, 'tools/call', { name: 'library_download', arguments: {} }, revision);
        expect(answer.body.result.content.map(({ type }: { type: string }) => type)).toEqual(['text', 'text']);
      }
    });

    test('stay in their answers where they are small, and where the answer is no file', async () => {
      const token = await allow();
      const [small] = (await download(token, 'small')).body.result.content;
      expect(small.resource.blob).toBe(PDF.subarray(0, INLINE_BYTES).toString('base64'));
      expect((await download(token, 'json')).body.result).toMatchObject({ structuredContent: { id: 1 } });
      expect(await rowsOf(given)).toEqual([]);
    });

    test('that models see stay next to their handle', async () => {
      const token = await allow();
      const answer = await download(token, 'picture');
      const [image] = answer.body.result.content;
      expect(image).toEqual({ type: 'image', data: PDF.toString('base64'), mimeType: 'image/png' });
      await attach(token, fileOf(answer).handle);
      expect(got.body.includes(PDF)).toBe(true);
    });

    test('stay in their answers while the store cannot keep them', async () => {
      const token = await allow();
      await given.store.db.schema.dropTable('kept_files').execute();
      const [file] = (await download(token)).body.result.content;
      expect(file.resource.blob).toBe(PDF.toString('base64'));
      expect(given.lines.join('\n')).toContain('a tool call failed');
    });

    test.each<[string, (handle: string) => unknown]>([
      ['as text', (handle) => handle],
      ['as an object', (handle) => ({ handle })],
      ['as its content', (handle) => ({ data: handle })],
      ['with empty members', (handle) => ({ data: handle, name: '', mimeType: null })],
    ])('are sent by handle, with their own name and type: %s', async (_title, write) => {
      const token = await allow();
      const answer = await attach(token, write(await handleFor(token)));
      expect(answer.body.result.structuredContent).toEqual({ stored: true });
      expect(got.body.includes(PDF)).toBe(true);
      expect(got.body.toString('latin1')).toMatch(/filename="<b>q3\.pdf"\r\ncontent-type: application\/pdf/i);
    });

    test('are sent under the name and type that the call says', async () => {
      const token = await allow();
      await attach(token, { data: await handleFor(token), name: 'x.bin', mimeType: 'application/x-own' });
      expect(got.body.toString('latin1')).toMatch(/filename="x\.bin"\r\ncontent-type: application\/x-own/i);
    });

    test('are sent in lists, apart from their facts, as raw bodies, and as the only type that a part takes', async () => {
      const token = await allow();
      const handle = await handleFor(token);
      const again = Buffer.from('again').toString('base64');
      await given.call(token, 'archive_attach_all', { files: [handle, { data: again }, { handle }] });
      expect(got.body.toString('latin1').split('%PDF-1.7')).toHaveLength(3);
      expect(got.body.toString('latin1')).toContain('again');
      for (const args of [{ photo: handle }, { more: { photo: { handle } } }]) {
        await given.call(token, 'archive_attach_apart', args);
        expect(got.body.toString('latin1')).toMatch(/filename="<b>q3\.pdf"\r\ncontent-type: application\/pdf/i);
        expect(got.body.includes(PDF)).toBe(true);
      }
      await given.call(token, 'archive_put', { body: handle });
      expect(got.body).toEqual(PDF);
      await given.call(token, 'archive_attach_picture', { file: handle });
      expect(got.body.toString('latin1')).toMatch(/content-type: image\/png/i);
    });

    test('leave base64 as it is, and texts elsewhere', async () => {
      const token = await allow();
      const handle = await handleFor(token);
      await attach(token, { data: PDF.toString('base64'), name: handle });
      expect(got.body.toString('latin1')).toContain(`filename="${handle}"`);
      expect(got.body.includes(PDF)).toBe(true);
    });

    test('are of their grant alone: handles of others, tampered and invented ones are unknown, and nothing is sent', async () => {
      const token = await allow();
      const handle = await handleFor(token);
      const flipped = `${handle.slice(0, -2)}${handle.at(-2) === 'A' ? 'B' : 'A'}${handle.at(-1)}`;
      const sent = given.writes;
      for (const wrong of [
        flipped,
        'file_',
        'file_AAAAAAAAAAAAAAAAAAAAAA',
        `${handle}x`,
        `file_${"' or 1=1".trim()}`,
      ]) {
        expect(refusalOf(await attach(token, wrong))).toEqual(UNKNOWN());
        expect(refusalOf(await given.call(token, 'archive_put', { body: wrong }))).toEqual(UNKNOWN('body'));
      }
      expect(refusalOf(await attach(await allow(), handle))).toEqual(UNKNOWN());
      const { userId } = given.other;
      await given.store.db.updateTable('connections').set({ user_id: userId }).execute();
      expect(refusalOf(await attach((await given.allow('Claude', { userId })).token, handle))).toEqual(UNKNOWN());
      expect(given.writes).toBe(sent);
      expect(textsOf(await attach((await given.allow('Claude', { userId })).token, handle)).join()).toContain(
        'Call the tool that gave the file again',
      );
    });

    test('are gone after ten minutes, and where their row was changed', async () => {
      const token = await allow();
      const handle = await handleFor(token);
      given.now += 599_999;
      expect((await attach(token, handle)).body.result.isError).toBeUndefined();
      given.now += 1;
      expect(refusalOf(await attach(token, handle))).toEqual(UNKNOWN());
      const another = await handleFor(token);
      const rows = await rowsOf(given);
      const { sealed } = rows.find(({ created_at }) => created_at === given.now)!;
      await given.store.db
        .updateTable('kept_files')
        .set({ sealed: `${sealed.slice(0, -4)}AAAA` })
        .execute();
      expect(refusalOf(await attach(token, another))).toEqual(UNKNOWN());
    });

    test('are unknown once the grant is narrowed, or the service that they came from is disconnected', async () => {
      const { token, grantId } = await given.allow('Claude');
      const handle = await handleFor(token);
      const narrow = (changes: object) =>
        given.store.db
          .updateTable('oauth_grants')
          .set(changes as never)
          .where('id', '=', grantId)
          .execute();
      await narrow({ services: 'archive' });
      expect(refusalOf(await attach(token, handle))).toEqual(UNKNOWN());
      await narrow({ services: null, permission: permission({ without: ['library_download'] }) });
      expect(refusalOf(await attach(token, handle))).toEqual(UNKNOWN());
      await narrow({ permission: permission({}) });
      expect((await attach(token, handle)).body.result.isError).toBeUndefined();
      await given.store.db.deleteFrom('connections').where('service', '=', 'library').execute();
      expect(refusalOf(await attach(token, handle))).toEqual(UNKNOWN());
    });

    test('are unknown while the allowance of the user excludes the tool that they came from', async () => {
      const token = await allow();
      const handle = await handleFor(token);
      const put = (allows: object[] | null) => given.api('PUT', 'alice/allowance', { allows });
      await put([{ services: ['library', 'archive'], tools: ['library_find', 'archive_attach'] }]);
      expect(refusalOf(await attach(token, handle))).toEqual(UNKNOWN());
      await put(null);
      expect((await attach(token, handle)).body.result.isError).toBeUndefined();
    });

    test('are no way to send more in one call than an answer may have', async () => {
      const token = await allow();
      const handle = await handleFor(token);
      const sent = given.writes;
      const answer = await given.call(token, 'archive_attach_all', { files: Array(1_000).fill(handle) });
      const message = 'The files have more than 4194304 bytes together';
      expect(refusalOf(answer)).toEqual([true, 'invalid_arguments', expect.stringContaining(message)]);
      expect(given.writes).toBe(sent);
    });

    test('are ten of a user at most: the oldest make room', async () => {
      const token = await allow();
      const handles: string[] = [];
      for (let count = 0; count < 12; count += 1) {
        given.now += 1;
        handles.push(await handleFor(token));
      }
      expect(await rowsOf(given)).toHaveLength(10);
      expect(refusalOf(await attach(token, handles[1]))).toEqual(UNKNOWN());
      expect((await attach(token, handles[2])).body.result.isError).toBeUndefined();
    });
  },
  {},
  { connectors: CONNECTORS, upstream },
);

test('without the module, files are in their answers, and a handle is base64 as before', async () => {
  const { createServer } = await import('node:http');
  const server = createServer(upstream);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = { LIBRARY_BASE_URL: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
  const start = (modules: typeof MODULES) =>
    startGateway({ connectors: CONNECTORS, env, modules, secretOf: () => 'secret' });
  const gateway = await start(MODULES.filter(({ name }) => name !== 'files'));
  const call = async (name: string, args: object) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    return response.text();
  };
  try {
    const blob = PDF.toString('base64');
    const uri = `tool-result:///library_download/${encodeURIComponent('<b>q3.pdf')}`;
    const result = {
      content: [
        { type: 'resource', resource: { uri, mimeType: 'application/pdf', blob } },
        { type: 'text', text: expect.stringMatching(/^File name: /) },
      ],
    };
    expect(JSON.parse(await call('library_download', { kind: 'named' })).result).toEqual(result);
    await call('archive_put', { body: 'file_AAAAAAAAAAAAAAAAAAAAAA' });
    expect(got.body).toEqual(Buffer.from('file_AAAAAAAAAAAAAAAAAAAAAA', 'base64url'));
  } finally {
    await gateway.close();
    server.close();
  }
});
