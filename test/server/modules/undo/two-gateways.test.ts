import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox } from '../../../../sandbox/index.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { ENCRYPTION_KEYS, seedCaller, UPSTREAM_SECRET } from '../../../support/called-gateway.ts';
import { startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { describeStore } from '../../base/store/dialects.ts';

const TIMEOUT_MS = 120_000;

async function call(origin: string, token: string, name: string, args: object) {
  const response = await fetch(origin + MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return ((await response.json()) as { result: { content: { text: string }[]; isError?: boolean } }).result;
}

describeStore('undo on two gateways', (given) => {
  test(
    'is made once, whichever of them are asked',
    async () => {
      const root = resolve(import.meta.dirname, '../../../..');
      const sandbox = await openSandbox({ root, services: ['retrieval'], credential: UPSTREAM_SECRET, world: 10 });
      const token = await seedCaller(given.store, 'ada');
      const gateways = await startGatewayProcesses({
        ...{ count: 2, databaseUrl: given.url, script: 'test/support/sharing-main.ts' },
        env: { ...sandbox.environment.retrieval, ENCRYPTION_KEYS, UNDO: 'on' },
      });
      try {
        const [one = '', other = ''] = gateways.origins;
        const metadata = { by: 'Ada' };
        const made = await call(one, token, 'retrieval_create_document_raw', { data: 'Text', metadata });
        const [undo] = /undo_[\w-]{22}/.exec(made.content.at(-1)!.text) ?? [];
        expect(undo).toBeDefined();
        const answers = await Promise.all(
          [one, other, one, other].map((origin) => call(origin, token, 'undo_call', { undo })),
        );
        expect(answers.some(({ isError }) => isError !== true)).toBe(true);
        expect(sandbox.requests().filter(({ method }) => method === 'DELETE')).toHaveLength(1);
        expect((await call(other, token, 'undo_call', { undo })).isError).toBe(true);
      } finally {
        await gateways.stop();
        await sandbox.close();
      }
    },
    TIMEOUT_MS,
  );
});
