import { afterEach, beforeEach, expect, test } from 'vitest';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { type GatewayProcesses, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { type Host, startHost } from '../upstream/support.ts';
import { ADD_BOOK } from './connector.ts';
import { seedReader } from './support.ts';

const TIMEOUT_MS = 120_000;
const TITLES = ['A', 'B', 'C', 'D', 'E'];

describeStore('a gateway that is killed in the middle of a batch', (given) => {
  let host: Host;
  let gateways: GatewayProcesses;
  let token: string;
  let sent: string[];
  /** What happens when the upstream has got an item; true: it does not answer. */
  let onItem: (title: string) => Promise<boolean>;

  beforeEach(async () => {
    sent = [];
    onItem = async () => false;
    host = await startHost(async (request, response) => {
      const title = new URL(request.url ?? '', host.origin).searchParams.get('title') ?? '';
      sent.push(title);
      if (!(await onItem(title))) response.writeHead(201).end('{"number":1}');
    });
    token = await seedReader(given.store);
    gateways = await startGatewayProcesses({
      count: 2,
      databaseUrl: given.url,
      script: 'test/server/call/writes-once/gateway-main.ts',
      env: { LIBRARY_BASE_URL: host.origin, TOOL_CALLS_PER_MINUTE: '100000', UPSTREAM_TIMEOUT_MS: '4000' },
    });
  }, TIMEOUT_MS);
  afterEach(async () => {
    await gateways.stop();
    await host.close();
  }, TIMEOUT_MS);

  async function addAll(node: number) {
    const [title, ...also] = TITLES;
    const params = { name: ADD_BOOK, arguments: { title, also, count: TITLES.length } };
    const response = await fetch(gateways.origins[node] + MCP_PATH, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const { result } = (await response.json()) as {
      result: { isError?: boolean; structuredContent?: { batch: object }; content: { text: string }[] };
    };
    return result.structuredContent?.batch ?? JSON.parse(result.content[1]?.text ?? '{}');
  }

  test(
    'sends no item again that it had sent, and another gateway goes on with the others',
    async () => {
      onItem = async (title) => {
        if (title !== 'C') return false;
        await gateways.kill(0);
        return true;
      };
      expect(await addAll(0).catch(() => 'no answer')).toBe('no answer');
      expect(sent).toEqual(['A', 'B', 'C']);
      await expect
        .poll(() => addAll(1), { timeout: TIMEOUT_MS / 2, interval: 500 })
        .toMatchObject({ count: 5, doneBefore: expect.any(Number), unknown: ['"C"'] });
      expect(sent).toEqual(TITLES);
      expect(await addAll(1)).toMatchObject({ count: 5, done: 0, doneBefore: 4, unknown: ['"C"'] });
      expect(sent).toEqual(TITLES);
    },
    TIMEOUT_MS,
  );

  test(
    'and a grant whose token is revoked in the middle sends nothing more',
    async () => {
      onItem = async (title) => {
        if (title === 'B') {
          await given.store.db.updateTable('access_tokens').set({ revoked_at: Date.now() }).execute();
        }
        return false;
      };
      expect(await addAll(0)).toMatchObject({ code: 'not_allowed', details: { done: 2, notTried: 2 } });
      expect(sent).toEqual(['A', 'B']);
    },
    TIMEOUT_MS,
  );
});
