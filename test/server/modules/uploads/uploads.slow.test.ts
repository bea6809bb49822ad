import { connect } from 'node:net';
import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test, vi } from 'vitest';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { describeUserPage, fieldOf } from '../me/support.ts';
import { createTasksClient, ENDED } from '../tasks/support.ts';
import { askUpload, codeOf, PDF, put, submitFile, TOOL, upstreamState, WORLD } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

type Caller = Pick<V2Client, 'callTool' | 'close'>;
type Answer = (url: string) => Promise<'accept' | 'decline'>;
type Connect = (url: URL, token: string, answer: Answer | null) => Promise<Caller>;

const INFO = { name: 'test', version: '1.0.0' };
const capabilitiesFor = (answer: Answer | null) => ({
  capabilities: answer === null ? {} : { elicitation: { form: {}, url: {} } },
});
const headersOf = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

const v1: Connect = async (url, token, answer) => {
  const client = new V1Client(INFO, capabilitiesFor(answer));
  if (answer !== null) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }): Promise<ElicitResult> => {
      const action = await answer(String((params as { url?: string }).url));
      return action === 'accept' ? { action, content: {} } : { action };
    });
  }
  await client.connect(new V1Transport(url, headersOf(token)) as Parameters<typeof client.connect>[0]);
  return client as unknown as Caller;
};

const v2 =
  (mode: 'auto' | 'legacy'): Connect =>
  async (url, token, answer) => {
    const client = new V2Client(INFO, { ...capabilitiesFor(answer), versionNegotiation: { mode } });
    if (answer !== null) {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const action = await answer(String((params as { url?: string }).url));
        return action === 'accept' ? { action, content: {} } : { action };
      });
    }
    await client.connect(new V2Transport(url, headersOf(token)));
    return client;
  };

const ASKED = { name: TOOL, arguments: { tool: 'library_attach', argument: 'file' } };

describeUserPage(
  'an upload',
  (given) => {
    describe.each([
      ['the v1 SDK client', v1],
      ['the v2 SDK client, 2025-11-25', v2('legacy')],
      ['the v2 SDK client, 2026-07-28', v2('auto')],
    ] as const)('of %s', (_, open) => {
      const start = async (answer: Answer | null) => {
        const { token } = await given.allow('Claude');
        const client = await open(new URL(given.origin + MCP_PATH), token, answer);
        const ask = async () => {
          const { structuredContent } = await client.callTool(ASKED);
          return (structuredContent as { upload: Record<string, string> }).upload;
        };
        const use = async (file: unknown) => {
          const { isError = false } = await client.callTool({ name: 'library_attach', arguments: { file } });
          return [isError, upstreamState.body.includes(PDF)];
        };
        return { client, ask, use };
      };

      test('is made on the page that the client opens', async () => {
        const { client, ask, use } = await start(async (pageUrl) => {
          expect((await submitFile(await given.entered(), { pageUrl }, PDF, 'report.pdf')).status).toBe(200);
          return 'accept';
        });
        const upload = await ask();
        expect([upload.isStored, upload.putUrl]).toEqual([true, undefined]);
        expect(await use(upload.handle)).toEqual([false, true]);
        await client.close();
      });

      test('is left to the agent where the user declines, or the client opens no pages', async () => {
        for (const answer of [async () => 'decline' as const, null]) {
          upstreamState.body = Buffer.alloc(0);
          const { client, ask, use } = await start(answer);
          const upload = await ask();
          expect((await put(given, { putUrl: upload.putUrl! }, PDF)).status).toBe(201);
          expect(await use({ data: upload.handle })).toEqual([false, true]);
          await client.close();
        }
      });
    });

    const allowed = async () => {
      const { token } = await given.allow('Claude');
      return { token, upload: await askUpload(given, token) };
    };
    const sendRaw = (head: readonly string[], body: readonly Uint8Array[], url: string) =>
      new Promise<string>((resolve) => {
        const { host, hostname, port, pathname } = new URL(url);
        let answer = '';
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            [`PUT ${pathname} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...head, '', ''].join('\r\n'),
          );
          for (const chunk of body) socket.write(chunk);
          if (head.includes('Cut: yes')) socket.end();
        });
        socket.on('data', (chunk) => {
          answer += chunk.toString();
        });
        socket.on('error', () => resolve(answer));
        socket.on('close', () => resolve(answer));
      });
    const status = (answer: string) => Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0);

    test('takes no more than it was asked for, whatever the request says of its length', async () => {
      const { upload } = await allowed();
      const mebibyte = Buffer.alloc(1_048_576, 'a');
      const chunks = Array.from({ length: 5 }, () =>
        Buffer.concat([Buffer.from('100000\r\n'), mebibyte, Buffer.from('\r\n')]),
      );
      const chunked = ['Transfer-Encoding: chunked'];
      expect(status(await sendRaw(chunked, [...chunks, Buffer.from('0\r\n\r\n')], upload.putUrl))).toBe(413);
      expect(status(await sendRaw(['Content-Length: 99999999'], [], upload.putUrl))).not.toBe(201);
      expect(
        status(await sendRaw(['Content-Length: 100', 'Cut: yes'], [Buffer.alloc(10, 'a')], upload.putUrl)),
      ).not.toBe(201);
      const gzip = ['Content-Encoding: gzip', 'Content-Length: 1'];
      await expect.poll(async () => status(await sendRaw(gzip, [Buffer.alloc(1)], upload.putUrl))).toBe(415);
      await expect
        .poll(async () => (await given.store.db.selectFrom('uploads').select(['status', 'bytes']).execute())[0])
        .toEqual({ status: 'waiting', bytes: 0 });
      expect((await put(given, upload, PDF)).status).toBe(201);
    });

    test('is taken once, however many send it at the same time', async () => {
      const { upload } = await allowed();
      const answers = await Promise.all(Array.from({ length: 8 }, () => put(given, upload, PDF)));
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array(7).fill(404)]);
    });

    test('is unknown to a user of another partner, and to another user', async () => {
      const { upload } = await allowed();
      await put(given, upload, PDF);
      const { userId } = given.other;
      const { token } = await given.allow('Claude', { userId });
      expect(codeOf(await given.call(token, 'library_attach', { file: upload.handle }))).not.toBe('ok');
      await given.store.db.updateTable('uploads').set({ user_id: userId }).execute();
      expect(codeOf(await given.call(token, 'library_attach', { file: upload.handle }))).not.toBe('ok');
      expect(given.writes).toBe(0);
    });

    test('is gone after an hour, and with its user', async () => {
      const { token, upload } = await allowed();
      await put(given, upload, PDF);
      given.now += 3_600_000;
      expect(codeOf(await given.call(token, 'library_attach', { file: upload.handle }))).toBe('invalid_arguments');
      expect((await given.api('DELETE', 'alice')).status).toBe(204);
      expect(await given.store.db.selectFrom('uploads').select('id').execute()).toEqual([]);
    });

    test('is used by every call of a batch, unless the batch must be approved', async () => {
      const { token, upload } = await allowed();
      await put(given, upload, PDF);
      const batch = { file: { data: upload.handle }, note: 'a', also: ['b'], count: 2 };
      expect(codeOf(await given.call(token, 'library_attach', batch))).toBe('ok');
      expect([given.writes, upstreamState.body.includes(PDF)]).toEqual([2, true]);
      expect(await given.store.db.selectFrom('uploads').select('id').execute()).toEqual([]);
      const other = await askUpload(given, token, { tool: 'library_replace' });
      await put(given, other, PDF);
      const refused = await given.call(token, 'library_replace', { ...batch, file: { data: other.handle } });
      expect([codeOf(refused), refused.text]).toEqual([
        'invalid_arguments',
        expect.stringContaining('is not shown the files of a batch'),
      ]);
    });

    test('stays for the rest of a batch whose time is over', async () => {
      const { token, upload } = await allowed();
      await put(given, upload, PDF);
      const batch = { file: { data: upload.handle }, note: 'a', also: ['b', 'c'], count: 3 };
      upstreamState.onRequest = () => {
        given.now += 29_000;
      };
      const first = await given.call(token, 'library_attach', batch);
      upstreamState.onRequest = () => {};
      expect(first.body.result.structuredContent.batch).toMatchObject({ count: 3, done: 1, notTried: 2 });
      const second = await given.call(token, 'library_attach', batch);
      expect(second.body.result.structuredContent?.batch).toMatchObject({ count: 3, done: 2, doneBefore: 1 });
      expect([given.writes, await given.store.db.selectFrom('uploads').select('id').execute()]).toEqual([3, []]);
    });

    test('is not needed again by a task that waits for the end of the work that it began', async () => {
      const { token } = await given.allow('Claude');
      const upload = await askUpload(given, token, { tool: 'library_convert' });
      await put(given, upload, PDF);
      const client = createTasksClient({ origin: given.origin, token });
      upstreamState.state = 'busy';
      let requests = 0;
      upstreamState.onRequest = () => {
        requests += 1;
        if (requests === 2) given.now += 60_000;
        if (requests > 2) upstreamState.state = 'done';
      };
      const { taskId } = await client.call('library_convert', { file: upload.handle });
      const task = await client.until(taskId, ...ENDED);
      upstreamState.onRequest = () => {};
      upstreamState.state = 'done';
      expect(task).toMatchObject({ status: 'completed', result: { structuredContent: { state: 'done' } } });
      expect([requests, given.writes]).toEqual([3, 1]);
    });

    test('lets no call of a tool that takes files become a task with 512 KiB of anything', async () => {
      const { token } = await given.allow('Claude');
      const client = createTasksClient({ origin: given.origin, token });
      const long = 'x'.repeat(600_000);
      const ask = (meta: object, more: object = {}) =>
        client.ask('tools/call', { name: 'library_convert', arguments: { note: 'a' }, _meta: meta, ...more });
      expect((await ask({})).resultType).toBe('task');
      expect((await ask({ long })).resultType).toBe('complete');
      expect((await ask({}, { inputResponses: { long: { action: 'accept', content: { long } } } })).resultType).toBe(
        'complete',
      );
    });

    test('is shown with its name, type and size to who approves its call, and used by it', async () => {
      const { token } = await given.allow('Claude');
      const upload = await askUpload(given, token, { tool: 'library_replace', name: 'q3.pdf' });
      await put(given, upload, PDF);
      const call = () => given.call(token, 'library_replace', { file: upload.handle });
      const asked = await call();
      expect(codeOf(asked)).toBe('awaiting_approval');
      const [path = ''] = /\/me\/approvals\/[0-9a-f-]+/.exec(asked.text) ?? [];
      const browser = await given.entered();
      const page = (await browser.get(path)).text;
      for (const text of ['q3.pdf', 'application/pdf', String(PDF.length)]) expect(page).toContain(text);
      expect(page).not.toContain(PDF.toString('base64').slice(0, 40));
      await browser.submit(path, '/me/approvals/decide', [
        ['call', fieldOf(page, 'call')],
        ['decision', 'approve'],
      ]);
      expect([codeOf(await call()), upstreamState.body.includes(PDF)]).toEqual(['ok', true]);
      expect(await given.store.db.selectFrom('uploads').select('id').execute()).toEqual([]);
    });
  },
  { APPROVALS: 'destroy', TASK_AFTER_MS: '50' },
  WORLD,
);

describeUserPage(
  'an upload in code mode',
  (given) => {
    test('is asked for by the client, and used by its program', async () => {
      const { token } = await given.allow('Claude');
      expect(await given.tools(token)).toContain(TOOL);
      const upload = await askUpload(given, token);
      await put(given, upload, PDF);
      const code = `return await library.attach({ file: ${JSON.stringify(upload.handle)} })`;
      expect(codeOf(await given.call(token, 'run_code', { code }))).toBe('ok');
      expect(upstreamState.body.includes(PDF)).toBe(true);
    });
  },
  { CATALOGUE_MODE: 'code' },
  WORLD,
);
