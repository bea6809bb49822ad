import { setTimeout as delay } from 'node:timers/promises';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deleteConnection, listConnections } from '../../../../../server/base/store/repositories/connections.ts';
import {
  findGrant,
  replaceGrantAccess,
  revokeGrant,
} from '../../../../../server/base/store/repositories/oauth-grants.ts';
import type { StreamLimits } from '../../../../../server/call/mcp/list-streams.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { someOf } from '../../../../support/some-of.ts';
import { describeStore } from '../../../base/store/dialects.ts';
import { MODERN_META, modernRequest } from '../support.ts';
import { ADD, BURN, FIND, type NodesUnderTest, startNodes } from './support.ts';

vi.setConfig({ testTimeout: 30_000 });

interface Listening {
  /** The lists that the client has read because it was told of a change. */
  readonly lists: readonly (readonly string[])[];
  list(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const INFO = { name: 'listening', version: '1' };
const namesOf = ({ tools }: { tools: readonly { name: string }[] }) => tools.map(({ name }) => name);

const connectV1 = async (url: string, token: string): Promise<Listening> => {
  const client = new ClientV1(INFO);
  const lists: string[][] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
    lists.push(namesOf(await client.listTools()));
  });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new TransportV1(new URL(url), { requestInit }) as Transport);
  return { lists, list: async () => namesOf(await client.listTools()), close: () => client.close() };
};

const connectV2 =
  (mode: 'legacy' | '2026-07-28') =>
  async (url: string, token: string): Promise<Listening> => {
    const lists: string[][] = [];
    const client = new ClientV2(INFO, {
      versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: mode } },
      listChanged: {
        tools: { debounceMs: 0, onChanged: (_, tools) => void lists.push(namesOf({ tools: tools ?? [] })) },
      },
    });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new TransportV2(new URL(url), { requestInit }));
    return {
      lists,
      list: async () => namesOf(await client.listTools(undefined, { cacheMode: 'refresh' })),
      close: () => client.close(),
    };
  };

const CLIENTS = [
  ['the official client v1', connectV1],
  ['the official client v2 in the older revision', connectV2('legacy')],
  ['the official client v2', connectV2('2026-07-28')],
] as const;

const ALL = [ADD, BURN, FIND];
const SOON = { timeout: 10_000 };
/** More than three checks. */
const QUIET_MS = 150;

describeStore('a client that listens to its list', (given) => {
  const open = closeAfterEach<Listening>();
  let nodes: NodesUnderTest;
  const start = async (limits: Partial<StreamLimits> = {}) => {
    nodes = await startNodes(given, {}, limits);
  };
  afterEach(() => nodes.close());

  describe.each(someOf([...CLIENTS].reverse()))('%s', (_, connect) => {
    beforeEach(() => start());

    test('hears of a new connection, of a removed one and of a narrowed grant, and no one else does', async () => {
      const ada = await nodes.user('ada', { isConnected: false });
      const sameUser = await nodes.user('ada', { isConnected: false });
      const bob = await nodes.user('bob');
      const [listening, other, neighbour] = await Promise.all([
        connect(nodes.urls[0]!, ada.token),
        connect(nodes.urls[1]!, sameUser.token),
        connect(nodes.urls[0]!, bob.token),
      ]);
      open.push(listening, other, neighbour);
      expect(await listening.list()).not.toContain(FIND);
      await delay(QUIET_MS);
      expect(listening.lists).toEqual([]);

      await nodes.connect(ada);
      await vi.waitFor(() => expect(listening.lists.at(-1)).toEqual(expect.arrayContaining(ALL)), SOON);
      await vi.waitFor(() => expect(other.lists.at(-1)).toEqual(expect.arrayContaining(ALL)), SOON);

      const grant = await findGrant(given.store.db, ada.grantId);
      const to = { ...grant!, services: ['other'] };
      expect(await replaceGrantAccess(given.store.db, ada.grantId, { from: grant!, to })).toBe(true);
      await vi.waitFor(() => expect(listening.lists.at(-1)).not.toContain(FIND), SOON);
      await delay(QUIET_MS);
      expect(other.lists).toHaveLength(1);

      for (const { id } of await listConnections(given.store.db, ada.id)) {
        await deleteConnection(given.store.db, ada.id, id);
      }
      await vi.waitFor(() => expect(other.lists.at(-1)).not.toContain(FIND), SOON);
      expect(neighbour.lists).toEqual([]);
    });
  });

  const get = (token: string, headers: Record<string, string> = {}, node = 0) =>
    fetch(nodes.urls[node]!, {
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'text/event-stream',
        'MCP-Protocol-Version': '2025-11-25',
        ...headers,
      },
    });
  const listen = (token: string, notifications: unknown = { toolsListChanged: true }) => {
    const { headers, ...request } = modernRequest({
      method: 'subscriptions/listen',
      id: 'l',
      params: { notifications, _meta: MODERN_META } as Record<string, unknown>,
    });
    return fetch(nodes.urls[0]!, { ...request, headers: { ...headers, Authorization: `Bearer ${token}` } });
  };

  test('whose grant is revoked has its streams ended', async () => {
    await start();
    const { token, grantId } = await nodes.user('ada');
    const [old, modern] = await Promise.all([get(token), listen(token)]);
    await revokeGrant(given.store.db, grantId, { reason: 'revoked-by-user', now: Date.now() });
    expect(await old.text()).toMatch(/^id: \S+\ndata:\n\n$/);
    expect((await modern.text()).split('\n\n').at(-2)).toContain('"resultType":"complete"');
    expect((await get(token)).status).toBe(401);
  });

  test('whose stream is as old as it may be, or whose gateway stops, has it ended without a broken connection', async () => {
    await start({ lifetimeMs: 60_000 });
    const { token } = await nodes.user('ada');
    const first = await get(token);
    nodes.skipMs = 61_000;
    await first.text();
    const [old, modern] = await Promise.all([get(token), listen(token)]);
    nodes.beginStop(0);
    await old.text();
    expect(await modern.text()).toContain('"resultType":"complete"');
    const refused = await get(token);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test('that resumes its stream at another node hears what changed meanwhile', async () => {
    await start();
    const ada = await nodes.user('ada', { isConnected: false });
    const [, id = ''] = /^id: (\S+)/.exec(await firstOf(await get(ada.token))) ?? [];
    expect(await firstOf(await get(ada.token, { 'Last-Event-ID': id }, 1))).not.toContain('list_changed');
    await nodes.connect(ada);
    const resumed = await get(ada.token, { 'Last-Event-ID': id }, 1);
    expect(await firstOf(resumed, 'list_changed')).toContain('notifications/tools/list_changed');
  });

  test('beyond the limits is refused with the reason', async () => {
    await start({ perUser: 1, total: 2 });
    const [ada, bob, eve] = await Promise.all(['ada', 'bob', 'eve'].map((name) => nodes.user(name)));
    const held = [await get(ada!.token), await listen(bob!.token)];
    const answers = [await get(ada!.token), await listen(bob!.token), await get(eve!.token), await listen(eve!.token)];
    expect(answers.map(({ status }) => status)).toEqual([405, 429, 405, 429]);
    const texts = await Promise.all(answers.map(async (answer) => (await answer.json()).error.message));
    expect(texts).toEqual([
      expect.stringContaining('This user has 1 open streams already.'),
      expect.stringContaining('This user has 1 open streams already.'),
      expect.stringContaining('The gateway has 2 open streams already.'),
      expect.stringContaining('The gateway has 2 open streams already.'),
    ]);
    for (const each of held) await each.body?.cancel();
    await vi.waitFor(async () => {
      const again = await get(ada!.token);
      await again.body?.cancel();
      expect(again.status).toBe(200);
    }, SOON);
  });

  test('for nothing that the gateway offers is told so, and its stream ends', async () => {
    await start({ perUser: 1 });
    const { token } = await nodes.user('ada');
    for (const filter of [{}, { promptsListChanged: true }, { toolsListChanged: false }]) {
      expect(await (await listen(token, filter)).text()).toContain('"resultType":"complete"');
    }
    expect((await (await listen(token, 7)).json()).error.code).toBe(-32602);
    expect((await listen(token)).status).toBe(200);
  });

  test('in an older way than the GET stream of 2025 gets 405', async () => {
    await start();
    const { token } = await nodes.user('ada');
    for (const version of ['2024-11-05', '2026-07-28', 'nonsense', '']) {
      expect((await get(token, { 'MCP-Protocol-Version': version })).status).toBe(405);
    }
    expect((await get(token, { Accept: 'application/json' })).status).toBe(405);
  });
});

/** The beginning of a stream: its first message, or all up to some text. */
async function firstOf(response: Response, text = '\n\n'): Promise<string> {
  let received = '';
  for await (const chunk of response.body!) {
    received += Buffer.from(chunk).toString();
    if (received.includes(text)) break;
  }
  return received;
}
