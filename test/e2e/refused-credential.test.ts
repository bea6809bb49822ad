import { resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const connectors = await loadConnectors();

let sandbox: OpenSandbox;
let gateway: RunningGateway;
let client: Client;
beforeAll(async () => {
  sandbox = await openSandbox({ root: resolve(import.meta.dirname, '../..'), credential: 'current-key' });
  gateway = await startGateway({
    connectors,
    env: Object.assign({}, ...Object.values(sandbox.environment)),
    secretOf: () => 'withdrawn-key',
  });
  client = await connectClient(gateway);
  await client.listTools();
});
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await sandbox?.close();
});

describe('a credential that the service no longer accepts', () => {
  test.each(connectors.map(({ name, title, verify }) => ({ name, title, verify: verify! })))(
    '$name says who must connect again, and never shows the credential',
    async ({ title, verify }) => {
      const result = await client.callTool({ name: verify.tool, arguments: { ...verify.arguments } });
      const texts = result.content.map((block) => (block.type === 'text' ? block.text : ''));
      expect(JSON.parse(texts.at(-1)!)).toMatchObject({ code: 'credential_refused', retryable: false });
      expect(texts[0]).toContain(`the user must connect ${title} again`);
      expect(texts.join()).not.toContain('withdrawn-key');
    },
  );
});
