import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { describeStore } from '../../../base/store/dialects.ts';
import { ADD, BURN, FIND, type NodesUnderTest, type Received, startNodes } from './support.ts';

vi.setConfig({ testTimeout: 30_000 });

/** What the client's program does when its user is asked. */
type Answer = (params: Record<string, unknown>) => Promise<'accept' | 'decline' | 'cancel'>;

interface Connected {
  readonly session: string | undefined;
  /** Ids of questions that were said to be complete. */
  readonly completed: readonly string[];
  call(name: string): Promise<Received['result'] & object>;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1' };
const CAPABILITIES = { capabilities: { elicitation: { form: {}, url: {} } } };

const CLIENTS: readonly [string, (url: string, token: string, answer: Answer) => Promise<Connected>][] = [
  [
    'the official client v1',
    async (url, token, answer) => {
      const client = new ClientV1(INFO, CAPABILITIES);
      const completed: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, async ({ params }): Promise<ElicitResult> => {
        const action = await answer(params);
        return action === 'accept' ? { action, content: {} } : { action };
      });
      client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
        completed.push(params.elicitationId);
      });
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      const transport = new TransportV1(new URL(url), { requestInit });
      await client.connect(transport as Transport);
      return {
        completed,
        session: transport.sessionId,
        call: async (name) => (await client.callTool({ name, arguments: { id: '1' } })) as Received['result'] & object,
        close: () => client.close(),
      };
    },
  ],
  [
    'the official client v2 in the older revision',
    async (url, token, answer) => {
      const client = new ClientV2(INFO, { ...CAPABILITIES, versionNegotiation: { mode: 'legacy' } });
      const completed: string[] = [];
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const action = await answer(params as Record<string, unknown>);
        return action === 'accept' ? { action, content: {} } : { action };
      });
      client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
        completed.push((params as { elicitationId: string }).elicitationId);
      });
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      const transport = new TransportV2(new URL(url), { requestInit });
      await client.connect(transport);
      return {
        completed,
        session: transport.sessionId,
        call: async (name) => (await client.callTool({ name, arguments: { id: '1' } })) as Received['result'] & object,
        close: () => client.close(),
      };
    },
  ],
];

describe.each(CLIENTS)('%s', (_name, connect) => {
  describeStore('is asked in the middle of a call', (given) => {
    let nodes: NodesUnderTest;
    let client: Connected;
    beforeEach(async () => {
      nodes = await startNodes(given, { APPROVALS: 'write', APPROVAL_CHANNELS: 'page,client' });
    });
    afterEach(async () => {
      await client.close();
      await nodes.close();
    });

    test('to connect a service, by a page', async () => {
      const user = await nodes.user('ada', { isConnected: false });
      const asked: unknown[] = [];
      client = await connect(nodes.urls[0]!, user.token, async ({ mode, url }) => {
        asked.push([mode, url]);
        await nodes.connect(user);
        return 'accept';
      });
      expect(client.session).toMatch(/^v1\.test\./);
      expect(await client.call(FIND)).toMatchObject({ structuredContent: { title: 'Ada' } });
      expect(asked).toEqual([['url', 'https://acme.example/connect?service=library']]);
    });

    test('to approve, by a page, and hears that this is complete', async () => {
      const user = await nodes.user('ada');
      const ids: unknown[] = [];
      client = await connect(nodes.urls[0]!, user.token, async ({ elicitationId }) => {
        ids.push(elicitationId);
        setTimeout(() => void nodes.decide(true), 200);
        return 'accept';
      });
      expect((await client.call(BURN)).isError).toBeUndefined();
      expect(client.completed).toEqual(ids);
      expect(nodes.writes()).toBe(1);
    });

    test.each([
      ['accept', undefined, 1],
      ['decline', true, 0],
      ['cancel', true, 0],
    ] as const)('to approve, by a form, and answers %s', async (answer, isError, writes) => {
      const user = await nodes.user('ada');
      const asked: unknown[] = [];
      client = await connect(nodes.urls[0]!, user.token, async ({ message }) => {
        asked.push(message);
        return answer;
      });
      expect((await client.call(ADD)).isError).toBe(isError);
      expect(asked).toEqual([
        'Nothing was sent to Library yet. This call waits for the approval of its user: library_add: id "1".',
      ]);
      expect(nodes.writes()).toBe(writes);
    });
  });
});
