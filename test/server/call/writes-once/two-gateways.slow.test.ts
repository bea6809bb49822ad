import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcesses, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { type Host, startHost } from '../upstream/support.ts';
import { addBook, seedReader } from './support.ts';

const TIMEOUT_MS = 120_000;

describeStore('two gateways that receive the same idempotency key', (given) => {
  let host: Host;
  let gateways: GatewayProcesses;
  let token: string;
  let waiting: ServerResponse[];

  const answer = (number = 1): Promise<void> =>
    new Promise((resolve) => {
      for (const response of waiting.splice(0)) response.writeHead(201).end(`{"number":${number}}`, () => resolve());
    });

  beforeEach(async () => {
    waiting = [];
    host = await startHost((_, response) => void waiting.push(response));
    token = await seedReader(given.store);
    gateways = await startGatewayProcesses({
      count: 2,
      databaseUrl: given.url,
      script: 'test/server/call/writes-once/gateway-main.ts',
      env: { LIBRARY_BASE_URL: host.origin, TOOL_CALLS_PER_MINUTE: '100000', UPSTREAM_TIMEOUT_MS: '5000' },
    });
  }, TIMEOUT_MS);
  afterEach(async () => {
    await gateways.stop();
    await host.close();
  }, TIMEOUT_MS);

  test(
    'at the same moment make one write, and both return its answer',
    async () => {
      const calls = [0, 1, 0, 1].map((node) => addBook(gateways.origins[node]!, token, 'k'));
      await expect.poll(host.hits, { timeout: TIMEOUT_MS / 4 }).toBe(1);
      await answer(7);
      const ok = { status: 200, text: '{"number":7}', code: 'ok' };
      expect(await Promise.all(calls)).toEqual([ok, ok, ok, ok]);
      expect(await addBook(gateways.origins[1]!, token, 'k')).toEqual(ok);
      expect(host.hits()).toBe(1);
    },
    TIMEOUT_MS,
  );

  test(
    'of which one is killed after the upstream answered but before it was recorded: the other reports the result as unknown',
    async () => {
      const lost = addBook(gateways.origins[0]!, token, 'k').catch(() => 'no answer');
      await expect.poll(host.hits, { timeout: TIMEOUT_MS / 4 }).toBe(1);
      const other = await openListeningStore({ url: given.url });
      await other.db.transaction().execute(async (transaction) => {
        await transaction.updateTable('calls_made_once').set({ answer_bytes: 0 }).execute();
        await answer();
        await gateways.kill(0);
      });
      await other.close();
      expect(await lost).toBe('no answer');
      await expect
        .poll(async () => (await addBook(gateways.origins[1]!, token, 'k')).code, { timeout: TIMEOUT_MS / 2 })
        .toBe('outcome_unknown');
      expect((await addBook(gateways.origins[1]!, token, 'k')).text).toContain('It was not sent again.');
      expect(host.hits()).toBe(1);
    },
    TIMEOUT_MS,
  );
});
