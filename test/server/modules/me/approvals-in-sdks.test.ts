import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, test } from 'vitest';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { describeUserPage, fieldOf } from './support.ts';

type Caller = Pick<V2Client, 'callTool' | 'close'>;
type Connect = (url: URL, token: string) => Promise<Caller>;

const headersOf = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

const v1: Connect = async (url, token) => {
  const client = new V1Client({ name: 'v1', version: '1.0.0' });
  await client.connect(new V1Transport(url, headersOf(token)) as Parameters<typeof client.connect>[0]);
  return client as unknown as Caller;
};

const v2 =
  (mode: 'auto' | 'legacy'): Connect =>
  async (url, token) => {
    const client = new V2Client({ name: 'v2', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new V2Transport(url, headersOf(token)));
    return client;
  };

describeUserPage(
  'a call that its user must approve',
  (given) => {
    describe.each([
      ['the v1 SDK client', v1],
      ['the v2 SDK client, 2025-11-25', v2('legacy')],
      ['the v2 SDK client, 2026-07-28', v2('auto')],
    ] as const)('of %s', (_, connect) => {
      async function start() {
        const { token } = await given.allow('Claude');
        const client = await connect(new URL(given.origin + MCP_PATH), token);
        const call = async (id: string) => {
          const { isError = false, content } = await client.callTool({ name: 'library_burn', arguments: { id } });
          return { isError, text: JSON.stringify(content) };
        };
        return { client, call };
      }

      /** Opens the page that the answer names, and presses a button of its form as it is. */
      async function decide(text: string, decision: 'approve' | 'deny'): Promise<void> {
        const [url = ''] = /http:[^"\\ )]+\/me\/approvals\/[0-9a-f-]+/.exec(text) ?? [];
        const path = new URL(url).pathname;
        const browser = await given.entered();
        const page = (await browser.get(path)).text;
        expect(page).toContain('What would be sent to Library');
        const fields = [
          ['call', fieldOf(page, 'call')],
          ['decision', decision],
        ] as const;
        expect((await browser.submit(path, '/me/approvals/decide', fields)).status).toBe(303);
      }

      test('is made once after the approval on the page, and refused when it is repeated', async () => {
        const { client, call } = await start();
        const asked = await call('1');
        expect([asked.isError, asked.text.includes('Burn a book: id')]).toEqual([true, true]);
        expect([given.writes, (await call('1')).text.includes('awaiting_approval')]).toEqual([0, true]);
        await decide(asked.text, 'approve');
        expect((await call('2')).text).toContain('awaiting_approval');
        expect([(await call('1')).isError, given.writes]).toEqual([false, 1]);
        const repeated = await call('1');
        expect([repeated.isError, repeated.text.includes('awaiting_approval'), given.writes]).toEqual([true, true, 1]);
        await client.close();
      });

      test('stops the model after a denial', async () => {
        const { client, call } = await start();
        await decide((await call('1')).text, 'deny');
        const stopped = await call('1');
        expect([stopped.isError, stopped.text.includes('denied_by_user')]).toEqual([true, true]);
        expect(stopped.text).toContain('Stop: do not try it again');
        expect(given.writes).toBe(0);
        await client.close();
      });
    });
  },
  { APPROVALS: 'destroy' },
);
