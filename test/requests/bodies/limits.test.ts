import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { type Arrived, generateForms, importForms, startFormsHost } from './forms.ts';

const MEBIBYTE = 1024 * 1024;

let imported: Awaited<ReturnType<typeof importForms>>;
let host: Awaited<ReturnType<typeof startFormsHost>>;
let gateway: RunningGateway;
let client: Awaited<ReturnType<typeof connectClient>>;
const arrived = (): Arrived | undefined => host.arrived.at(-1);
beforeAll(async () => {
  imported = await importForms(await generateForms());
  host = await startFormsHost(imported.connector);
  gateway = await startGateway({
    connectors: [imported.connector],
    env: { FORMS_BASE_URL: host.origin },
    secretOf: () => 'key',
  });
  client = await connectClient(gateway);
}, 120_000);
afterAll(async () => {
  await client?.close();
  await gateway?.close();
  await host?.close();
  await imported?.remove();
});

const archive = (bytes: number) => {
  const body = Buffer.alloc(bytes, 'x').toString('base64');
  return client.callTool({ name: 'forms_replace_archive', arguments: { body } });
};

describe('a file through the gateway, with its default limit of 4 MiB a message', () => {
  test('of 2.9 MiB arrives', async () => {
    const bytes = Math.floor(2.9 * MEBIBYTE);
    expect((await archive(bytes)).isError).toBeFalsy();
    expect(arrived()?.body.equals(Buffer.alloc(bytes, 'x'))).toBe(true);
  });

  test('of 3 MiB is refused before any tool is called', async () => {
    const before = host.arrived.length;
    await expect(archive(3 * MEBIBYTE)).rejects.toThrow(/413|too large|larger/i);
    expect(host.arrived.length).toBe(before);
  });
});
