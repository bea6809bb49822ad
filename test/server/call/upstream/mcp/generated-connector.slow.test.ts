import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox } from '../../../../../sandbox/index.ts';
import { loadConnectors } from '../../../../../server/call/tools/catalogue/connectors.ts';
import { startGateway } from '../../../../support/gateway.ts';
import { CLIENTS } from '../../../../support/official-clients.ts';
import { KEY } from './support.ts';

const ROOT = resolve(import.meta.dirname, '../../../../golden/mcp-server');

test('a generated connector is served by the sandbox and called through the gateway', async () => {
  const generated = await loadConnectors(ROOT);
  const connectors = generated.map((each) => ({ ...each, credential: { parts: [KEY], help: '', url: null } }));
  const sandbox = await openSandbox({ root: ROOT, services: ['notes'], connectors });
  const gateway = await startGateway({ connectors, env: sandbox.environment.notes ?? {}, secretOf: () => 'the-key' });
  try {
    for (const [, connect] of CLIENTS) {
      const client = await connect(gateway);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('notes_list_notes');
      const result = await client.callTool({ name: 'notes_list_notes', arguments: {} });
      expect([result.isError ?? false, result.content[0]?.text]).toEqual([false, expect.any(String)]);
      await client.close();
    }
    expect(new Set(sandbox.requests().map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer the-key']),
    );
    expect(JSON.stringify(sandbox.requests())).not.toContain(gateway.token);
  } finally {
    await gateway.close();
    await sandbox.close();
  }
}, 60_000);
