import { expect, test, vi } from 'vitest';
import { mintConnectionCode } from '../../../../server/identity/oauth/connection-codes.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { describeUserPage, fieldOf } from '../me/support.ts';
import { askUpload, codeOf, PDF, PNG, put, submitFile, TOOL, upstreamState, WORLD } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

describeUserPage(
  'uploads',
  (given) => {
    const allow = async () => (await given.allow('Claude')).token;
    const rows = () => given.store.db.selectFrom('uploads').selectAll().execute();
    const attach = (token: string, file: unknown) => given.call(token, 'library_attach', { file });

    test('reach a tool by their handle, sealed until then, and are gone after its call', async () => {
      upstreamState.status = 200;
      const token = await allow();
      const upload = await askUpload(given, token, { name: '../q3\u202e.pdf', mediaType: 'Application/PDF; v=1' });
      expect(codeOf(await attach(token, upload.handle))).toBe('invalid_arguments');
      const stored = await put(given, upload, PDF, 'application/pdf; version=1');
      expect([stored.status, stored.body]).toEqual([
        201,
        { name: 'q3.pdf', media_type: 'application/pdf', bytes: PDF.length },
      ]);
      const text = JSON.stringify(await rows());
      for (const secret of [upload.handle, upload.putUrl.split('/').at(-1)!, 'q3.pdf', 'report', 'cmVwb3J0']) {
        expect(text).not.toContain(secret);
        expect(given.lines.join('')).not.toContain(secret);
      }
      upstreamState.status = 500;
      expect(codeOf(await attach(token, upload.handle))).toBe('upstream_error');
      upstreamState.status = 200;
      expect(codeOf(await attach(token, { data: upload.handle }))).toBe('ok');
      expect(upstreamState.body.includes(PDF)).toBe(true);
      expect(upstreamState.body.toString('latin1')).toMatch(/filename="q3\.pdf"\r\ncontent-type: application\/pdf/i);
      expect([await rows(), codeOf(await attach(token, upload.handle))]).toEqual([[], 'invalid_arguments']);
    });

    test('are asked for only where a tool takes files', async () => {
      const listed = async (services: readonly string[] | null) =>
        given.tools((await given.allow('Claude', { services })).token);
      expect(await listed(null)).toContain(TOOL);
      expect(await listed(['archive'])).not.toContain(TOOL);
    });

    test.each([
      ['another client', 'file', 'library_attach', true],
      ['another argument', 'other', 'library_attach', false],
      ['another tool', 'file', 'library_replace', false],
    ])('are unknown to %s', async (_title, argument, tool, isOther) => {
      const token = await allow();
      const upload = await askUpload(given, token);
      await put(given, upload, PDF);
      const answer = await given.call(isOther ? await allow() : token, tool, { [argument]: upload.handle });
      expect(answer.body.result.content[0].text).toContain(`"${argument}" names a file that is not kept`);
      expect(given.writes).toBe(0);
    });

    test('refuse what was not asked for, and take the right file afterwards, once', async () => {
      const token = await allow();
      const upload = await askUpload(given, token, { tool: 'library_attach_picture' });
      expect(upload.mediaTypes).toEqual(['image/png', 'image/jpeg']);
      const status = async (bytes: Uint8Array, type: string | null = null) =>
        (await put(given, upload, bytes, type)).status;
      expect([
        await status(new Uint8Array()),
        await status(PDF, 'application/pdf'),
        await status(PDF, 'image/png'),
        await status(PDF),
        await status(PNG, 'multipart/form-data; boundary=x'),
        await status(PNG, 'image/png'),
        await status(PNG, 'image/png'),
      ]).toEqual([400, 415, 415, 415, 415, 201, 404]);
      const small = await askUpload(given, token, { tool: 'library_put', argument: 'body' });
      expect(small.maxBytes).toBe(30);
      expect((await put(given, small, Buffer.alloc(31))).status).toBe(413);
    });

    test('have addresses that tell nothing, and expire', async () => {
      const upload = await askUpload(given, await allow());
      const path = new URL(upload.putUrl).pathname;
      const ask = async (method: string, at: string) => {
        const headers = { Origin: 'https://evil.example' };
        const answer = await fetch(given.origin + at, { method, headers });
        const text = (await answer.text()).replaceAll(at, '');
        return [answer.status, text, answer.headers.get('access-control-allow-origin')];
      };
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        expect(await ask(method, path)).toEqual(await ask(method, '/api/uploads/utg_ua_x'));
      }
      given.now += 600_000;
      expect((await put(given, upload, PDF)).body).toEqual(
        (await put(given, { putUrl: `${given.origin}/api/uploads/x` }, PDF)).body,
      );
    });

    test('are sent on a page that says for whom and what, without a script', async () => {
      const token = await allow();
      const upload = await askUpload(given, token);
      const path = upload.pageUrl.slice(given.origin.length);
      const browser = await given.entered();
      const page = await browser.get(path);
      const stacked = await askUpload(given, token, { name: `q3${'\u0301'.repeat(100)}.pdf` });
      expect((await browser.get(stacked.pageUrl.slice(given.origin.length))).text).not.toMatch(/\p{M}{4}/u);
      for (const text of ['Claude', 'alice', 'Acme &amp; Sons', 'Library', 'Attach a file', 'at most 4 MiB']) {
        expect(page.text).toContain(text);
      }
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      const empty = await submitFile(browser, upload, new Uint8Array(), 'a.pdf');
      expect([empty.status, empty.text]).toEqual([400, expect.stringContaining('The file is empty.')]);
      const foreign = await browser.send(path, { method: 'POST', headers: { 'Sec-Fetch-Site': 'cross-site' } });
      expect(foreign.status).toBe(403);
      const done = await submitFile(browser, upload, PDF, 'C:\\fakepath\\re\u0000port.pdf');
      expect([done.status, done.text]).toEqual([200, expect.stringContaining('The file has arrived')]);
      expect((await browser.get(path)).status).toBe(404);
      expect(codeOf(await attach(token, upload.handle))).toBe('ok');
      expect(upstreamState.body.toString('latin1')).toMatch(
        /filename="report\.pdf"\r\ncontent-type: application\/pdf/i,
      );
    });

    test('are taken on their page from their user alone', async () => {
      const upload = await askUpload(given, await allow());
      const path = upload.pageUrl.slice(given.origin.length);
      expect(upload.putUrl).not.toContain(path.split('/').at(-1));
      const { body } = await given.api('POST', 'alice/links', undefined, { id: 'other', secret: given.other.secret });
      const other = given.browser();
      await other.enter(body.url.slice(given.origin.length));
      const sendAs = (csrf: string) => {
        const form = new FormData();
        form.set('csrf', csrf);
        form.set('file', new File([new Uint8Array(PDF)], 'a.pdf'));
        return form;
      };
      const csrf = fieldOf((await other.get('/me')).text, 'csrf');
      for (const answer of [await other.get(path), await other.send(path, { method: 'POST', body: sendAs(csrf) })]) {
        expect([answer.status, answer.text.includes('This page is for someone else')]).toEqual([403, true]);
        for (const fact of ['Claude', 'Acme', 'Library']) expect(answer.text).not.toContain(fact);
      }
      expect((await given.send(path, { method: 'POST', body: sendAs(csrf) })).status).toBe(401);
      const mine = await given.entered();
      const forged = await mine.send(path, { method: 'POST', body: sendAs(csrf) });
      expect([forged.status, forged.text.includes('The file was not taken')]).toEqual([403, true]);
      expect((await submitFile(mine, upload, PDF, 'a.pdf')).status).toBe(200);
    });

    test('have a page that a browser without a session signs in to, and returns to', async () => {
      const upload = await askUpload(given, await allow());
      const path = upload.pageUrl.slice(given.origin.length);
      await given.store.db.updateTable('partners').set({ connect_uri: 'https://acme.example/' }).execute();
      const browser = given.browser();
      const { status, text } = await browser.get(path);
      expect([status, text.includes('A client asks you for a file.')]).toEqual([401, true]);
      expect(text).toContain(`https://acme.example/?target=${encodeURIComponent(upload.pageUrl)}`);
      const code = await mintConnectionCode(given.store.db, {
        userId: given.userId,
        limits: WHOLE_LIMITS,
        now: given.now,
      });
      const entered = await browser.post('/me/sign-in', [
        ['page_state', fieldOf(text, 'page_state')],
        ['connection_code', code],
      ]);
      expect([entered.status, entered.headers.get('location')]).toEqual([303, path]);
      expect((await submitFile(browser, upload, PDF, 'a.pdf')).status).toBe(200);
    });

    test('have the type that their first bytes tell, and texts do not pass for other files', async () => {
      const token = await allow();
      const typeOf = async (bytes: Buffer) => (await put(given, await askUpload(given, token), bytes)).body.media_type;
      const types = await Promise.all(
        [
          Buffer.from('424d46000000000000003600000028000000', 'hex'),
          Buffer.from('4d5a90000300000004000000ffff0000', 'hex'),
          Buffer.from('49443304000000000023', 'hex'),
          Buffer.from('fffb9064000000000000', 'hex'),
          Buffer.from('BMI,age\n21,40\n'),
          Buffer.from('MZ,RZ\n1,2\n'),
          Buffer.from('ID3 is a tag'),
          Buffer.from('\ufeffname;age\r\n', 'utf16le'),
        ].map(typeOf),
      );
      expect(types).toEqual([
        'image/bmp',
        'application/vnd.microsoft.portable-executable',
        'audio/mpeg',
        'audio/mpeg',
        ...Array(4).fill('application/octet-stream'),
      ]);
      const statusOf = async (bytes: Buffer) =>
        (await put(given, await askUpload(given, token), bytes, 'text/csv')).status;
      expect([
        await statusOf(Buffer.from('\ufeffname;age\r\n', 'utf16le')),
        await statusOf(Buffer.from([0x61, 0, 0x62])),
      ]).toEqual([201, 415]);
    });

    test('are of the type that the browser says where the tool takes it, and their content does not contradict', async () => {
      const token = await allow();
      const upload = await askUpload(given, token, { tool: 'library_attach_table' });
      const browser = await given.entered();
      const send = async (bytes: Buffer, type: string) => (await submitFile(browser, upload, bytes, 'a', type)).status;
      expect([
        await send(PDF, 'application/pdf'),
        await send(Buffer.from([0x61, 0, 0x62]), 'text/csv'),
        await send(Buffer.from('a,b\r\n'), 'text/html'),
        await send(Buffer.from('a,b\r\n'), 'Text/CSV; charset=utf-8'),
      ]).toEqual([415, 415, 415, 200]);
      const other = await askUpload(given, token, { tool: 'library_attach_table' });
      const archive = Buffer.from('504b030414000000', 'hex');
      const { status } = await submitFile(
        browser,
        other,
        archive,
        'a',
        'application/vnd.oasis.opendocument.spreadsheet',
      );
      expect(status).toBe(200);
    });

    test('are sent in a form that has one file and nothing else', async () => {
      const upload = await askUpload(given, await allow());
      const path = upload.pageUrl.slice(given.origin.length);
      const browser = await given.entered();
      const csrf = fieldOf((await browser.get(path)).text, 'csrf');
      const part = (head: string, body: string) => `--edge\r\n${head}\r\n\r\n${body}\r\n`;
      const field = part('Content-Disposition: form-data; name="csrf"', csrf);
      const file = part('Content-Disposition: form-data; name="file"; filename="a.txt"', 'a file');
      const send = async (body: string, contentType = 'multipart/form-data; boundary=edge') => {
        const answer = await browser.send(path, { method: 'POST', body, headers: { 'Content-Type': contentType } });
        return answer.status;
      };
      const empty = part('Content-Disposition: form-data; name="a"', '');
      expect([
        await send(`${empty.repeat(10)}${field}${file}--edge--\r\n`),
        await send(`${field}${file}${empty}--edge--\r\n`),
        await send(`${field}${file.replace('\r\n', `\r\n${'a:b\r\n'.repeat(4_000)}`)}--edge--\r\n`),
        await send(`${field.replace('\r\n', `\r\n${'a:b\r\n'.repeat(4_000)}`)}${file}--edge--\r\n`),
        await send(`${file}--edge--\r\n`),
        await send(field + file),
        await send(`${field}${file}--edge--\r\n`, 'multipart/form-data'),
        await send(`${field}${file}--edge--\r\n`, 'multipart/form-data; boundary="edge"'),
      ]).toEqual([400, 400, 400, 400, 400, 400, 400, 200]);
    });

    test('are asked for with arguments that name what is wrong', async () => {
      const token = await allow();
      const text = async (args: object) => {
        const answer = await given.call(token, TOOL, { tool: 'library_attach', argument: 'file', ...args });
        return answer.body.result.content[0].text;
      };
      expect(await text({ tool: 'library_atach' })).toContain('Did you mean library_attach');
      expect(await text({ argument: 'note' })).toContain('File arguments of library_attach: file, other.');
      expect(await text({ tool: 'library_find' })).toContain('library_find takes no file.');
      expect(await text({ bytes: 4_194_305 })).toContain('"bytes" must be at most 4194304');
      expect(await text({ mediaType: 'image' })).toContain('"mediaType" must be one media type');
      expect(await text({ tool: 'library_attach_picture', mediaType: 'image/gif' })).toContain('must be of image/png');
    });

    test('are twenty of a user at most', async () => {
      const token = await allow();
      for (let count = 0; count < 20; count += 1) await askUpload(given, token);
      expect(codeOf(await given.call(token, TOOL, { tool: 'library_attach', argument: 'file' }))).toBe(
        'too_many_calls',
      );
    });

    test('stay for the repetition of a call with an idempotency key', async () => {
      const token = await allow();
      const upload = await askUpload(given, token);
      await put(given, upload, PDF);
      const params = { name: 'library_attach', arguments: { file: upload.handle }, _meta: { idempotencyKey: 'key' } };
      const call = async () => codeOf(await given.ask(token, 'tools/call', params));
      expect([await call(), await call(), given.writes]).toEqual(['ok', 'ok', 1]);
      given.now += 3_600_000;
      expect(await call()).toBe('invalid_arguments');
    });

    test('end with their grant', async () => {
      const { token, grantId } = await given.allow('Claude');
      const upload = await askUpload(given, token);
      await given.store.db
        .updateTable('oauth_grants')
        .set({ revoked_at: given.now })
        .where('id', '=', grantId)
        .execute();
      expect((await put(given, upload, PDF)).status).toBe(404);
    });
  },
  {},
  WORLD,
);

describeUserPage(
  'uploads of all users',
  (given) => {
    test('have no more room than the operator gives, and say so before they are read', async () => {
      const { token } = await given.allow('Claude');
      const first = await askUpload(given, token);
      const second = await askUpload(given, token);
      expect((await put(given, first, Buffer.alloc(700_000))).status).toBe(201);
      const refused = await put(given, second, Buffer.alloc(700_000));
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
      expect((await put(given, second, Buffer.alloc(300_000))).status).toBe(201);
    });
  },
  { UPLOADS_MEBIBYTES: '1' },
  WORLD,
);
