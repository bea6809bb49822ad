import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { seedUser } from '../../../../scripts/demo/seed.ts';
import { createToolsDiffCommand } from '../../../../scripts/tools-diff/command.ts';
import { loadConnectors } from '../../../../server/call/tools/catalogue/connectors.ts';
import { loadConfig } from '../../../../server/index.ts';
import { MODULES } from '../../../../server/modules/index.ts';
import { createUsageCommand } from '../../../../server/modules/tallies/command.ts';
import { startGateway } from '../../../support/gateway.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { runInProcess } from '../../../support/run-command.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const CRM = (await loadConnectors()).filter(({ name }) => name === 'crm');
const upstream = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id":7}');
});
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'usage-loop-'));
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  upstream.close();
  await rm(folder, { recursive: true, force: true });
});

test('the report shows the calls counted by a gateway that a change affects', async () => {
  const secretOf = () => 'crm-key';
  const env = {
    CRM_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    COUNT_USAGE: 'on',
    DATABASE_URL: `sqlite:${path.join(folder, 'usage.sqlite')}`,
  };
  const gateway = await startGateway({ connectors: CRM, env, secretOf });
  const { encryptionKeys: ENCRYPTION_KEYS, store, url: resource } = gateway;
  const { encryptionKeys } = loadConfig({ connectors: CRM, env: { ...env, ENCRYPTION_KEYS } });
  const vault = await vaultBeside(store, encryptionKeys ?? []);
  for (const user of ['ada', 'bob', 'cyd', 'dan']) {
    const whose = { store, vault, partner: 'acme', user, connectors: CRM, secretOf, resource, now: Date.now() };
    const { token } = await seedUser(whose);
    const client = await connectClient({ url: resource, token });
    for (let call = 0; call < 3; call += 1) {
      await client.callTool({ name: 'crm_get_company', arguments: { companyId: 7 } });
    }
    await client.close();
  }
  await gateway.close();

  vi.stubEnv('DATABASE_URL', env.DATABASE_URL);
  vi.stubEnv('ENCRYPTION_KEYS', ENCRYPTION_KEYS);
  const usage = path.join(folder, 'usage.json');
  await writeFile(usage, (await runInProcess((output) => createUsageCommand(MODULES, output), ['--json'])).out);
  for (const part of ['generated', 'specs']) {
    await cp(path.join(ROOT, part, 'crm'), path.join(folder, part, 'crm'), { recursive: true });
  }
  const tool = path.join(folder, 'generated/crm/tools/crm-get-company.ts');
  const text = await readFile(tool, 'utf8');
  await writeFile(tool, text.replace("type: 'integer'", "type: 'string'"));
  const args = ['--base-dir', ROOT, '--head-dir', folder, '--usage', usage, '--format', 'json'];
  const { groups } = JSON.parse((await runInProcess(createToolsDiffCommand, args)).out);
  const retyped = groups.find(({ rule }: { rule: string }) => rule === 'argument-retyped');
  expect(retyped.harm).toEqual({ effect: 'refused', calls: 12, isExact: true });
}, 60_000);
