import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect, test, vi } from 'vitest';
import { FULL_PERMISSION, writePermission } from '../../../../server/base/principal/permission.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { describeUserPage, type UserPageUnderTest, type World } from '../me/support.ts';

vi.setConfig({ testTimeout: 60_000 });

let asked = 0;
const WORLD: World = {
  connectors: [
    fakeConnector({ tools: [fakeTool({ name: 'library_find' }), fakeTool({ name: 'library_lend', method: 'POST' })] }),
  ],
  upstream(_, response) {
    asked += 1;
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}'), 40);
  },
  progress: { afterMs: 50, everyMs: 100 },
};
const FOREVER = 'for (;;) await library.find()';

interface Asked {
  readonly signal?: AbortSignal;
  readonly onprogress?: (report: { readonly message?: string | undefined }) => void;
}

interface AnyClient {
  run(code: string, options?: Asked): Promise<{ isError?: boolean; content: { text: string }[] }>;
  close(): Promise<void>;
}

type Connect = (given: UserPageUnderTest, token: string) => Promise<AnyClient>;

const v2 =
  (mode: 'legacy' | '2026-07-28'): Connect =>
  async ({ origin }, token) => {
    const client = await connectClient({ url: origin + MCP_PATH, token, mode });
    return {
      run: async (code, options) =>
        (await client.callTool({ name: 'run_code', arguments: { code } }, options)) as never,
      close: () => client.close(),
    };
  };

const CLIENTS: readonly (readonly [string, Connect])[] = [
  [
    'the v1 client',
    async ({ origin }, token) => {
      const client = new ClientV1({ name: 'v1', version: '1.0.0' });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new TransportV1(new URL(origin + MCP_PATH), { requestInit }) as Transport);
      return {
        run: async (code, options) =>
          (await client.callTool({ name: 'run_code', arguments: { code } }, undefined, options as object)) as never,
        close: () => client.close(),
      };
    },
  ],
  ['the v2 client on 2025', v2('legacy')],
  ['the v2 client on 2026', v2('2026-07-28')],
];

describeUserPage(
  'a program that an official client runs',
  (given) => {
    const open = async (connect: Connect) => {
      asked = 0;
      const permission = writePermission({ ...FULL_PERMISSION, catalogue: 'code' });
      return connect(given, (await given.allow('Claude', { permission })).token);
    };
    const hasBegun = () => expect.poll(() => asked, { timeout: 30_000, interval: 20 }).toBeGreaterThan(3);
    const recorded = async () =>
      (await given.store.db.selectFrom('call_records').select(['tool', 'outcome']).execute()).map(
        ({ tool, outcome }) => `${tool} ${outcome}`,
      );

    test.each(CLIENTS)('ends when %s cancels it, and makes way for the next one', async (_title, connect) => {
      const client = await open(connect);
      const cancel = new AbortController();
      const running = client.run(FOREVER, { signal: cancel.signal }).catch((error: unknown) => error);
      await hasBegun();
      cancel.abort('enough');
      expect(String(await running)).toContain('enough');
      const next = await client.run('return 7');
      expect(next).toMatchObject({ content: [{ text: '7' }] });
      const made = asked;
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(asked).toBe(made);
      await expect.poll(async () => (await recorded()).length, { timeout: 10_000 }).toBe(made);
      expect(new Set((await recorded()).map((each) => each.replace(/ok|cancelled/, 'ended')))).toEqual(
        new Set(['library_find ended']),
      );
      await client.close();
    });

    test.each(CLIENTS)('says to %s how many calls it has made', async (_title, connect) => {
      const client = await open(connect);
      const heard: string[] = [];
      const code = 'for (let i = 0; i < 20; i += 1) await library.find(); return "done"';
      const answer = await client.run(code, { onprogress: ({ message = '' }) => void heard.push(message) });
      expect(answer.content[0]?.text).toBe('"done"');
      expect(heard).toContainEqual(expect.stringMatching(/^Running the program: [1-9]\d* calls\.$/));
      await client.close();
    });

    test('makes its calls to the end when a client of 2025 loses its connection, which is no cancellation', async () => {
      asked = 0;
      const permission = writePermission({ ...FULL_PERMISSION, catalogue: 'code' });
      const { token } = await given.allow('Claude', { permission });
      const cut = new AbortController();
      const code = 'for (let i = 0; i < 12; i += 1) await library.lend()';
      const body = {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'run_code', arguments: { code } },
      };
      const sent = fetch(given.origin + MCP_PATH, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: cut.signal,
      }).catch(() => 'cut');
      await hasBegun();
      cut.abort();
      expect(await sent).toBe('cut');
      await expect.poll(() => given.writes, { timeout: 20_000 }).toBe(12);
      await expect.poll(recorded, { timeout: 10_000 }).toEqual(Array(12).fill('library_lend ok'));
    });
  },
  { CODE_RUNS_AT_ONCE: '1', CODE_TIMEOUT_MS: '600000' },
  WORLD,
);
