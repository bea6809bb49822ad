import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../shared/cli/free-port.ts';
import { type CompanyProvider, providerOf, startCompanyProvider } from '../../support/company-provider.ts';
import { ringText } from '../../support/keys.ts';
import { DATABASES } from '../../support/migrated-database.ts';
import { type PortalWorld, startPortalWorld } from '../../support/portal.ts';
import { runScript } from '../../support/run-script.ts';

let world: PortalWorld;
let provider: CompanyProvider;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  world = await startPortalWorld();
  provider = await startCompanyProvider();
  folder = await mkdtemp(join(DATABASES, 'portal-'));
  const port = await freePort();
  provider.serve([`http://127.0.0.1:${port}`]);
  const { clientId, clientSecret } = providerOf(provider);
  env = {
    PORTAL_PORT: String(port),
    PORTAL_GATEWAY_URL: world.gatewayOrigin,
    PORTAL_PARTNER_ID: 'test',
    PORTAL_PARTNER_SECRET: world.partnerSecret,
    PORTAL_ISSUER: provider.issuer,
    PORTAL_CLIENT_ID: clientId,
    PORTAL_CLIENT_SECRET: clientSecret,
    PORTAL_ENCRYPTION_KEYS: ringText('k1', 1),
    PORTAL_DATABASE_URL: `sqlite:${join(folder, 'portal.sqlite')}`,
  };
});

afterAll(async () => {
  await provider.close();
  await world.close();
  await rm(folder, { recursive: true });
});

const run = (args: readonly string[], more: Record<string, string> = {}) =>
  runScript('scripts/utg.ts', ['portal', ...args], { ...env, ...more });

test('--check says what works and what does not', async () => {
  const good = run(['--check']);
  expect([await good.ended(), good.output()]).toEqual([
    0,
    expect.stringMatching(/ok: the provider[\s\S]*ok: the gateway[\s\S]*ok: the store/),
  ]);
  const rules = join(folder, 'rules.yaml');
  await writeFile(rules, 'groups:\n  a: { services: [library] }\n  b: { accounts: { libary: [work] } }\n');
  const bad = run(['--check'], { PORTAL_PARTNER_SECRET: 'wrong', PORTAL_ISSUER: `${provider.issuer}/nowhere` });
  expect(await bad.ended()).toBe(1);
  expect(bad.output()).toMatch(/failed: the provider[\s\S]*failed: the gateway/);
  const misspelt = run(['--check'], { PORTAL_RULES: rules });
  expect([await misspelt.ended(), misspelt.output()]).toEqual([
    1,
    expect.stringContaining('names the service "libary"'),
  ]);
});

test('--demo is refused on another address', async () => {
  const refused = run(['--demo'], { PORTAL_HOST: '0.0.0.0' });
  expect([await refused.ended(), refused.output()]).toEqual([
    1,
    expect.stringContaining('PORTAL_HOST must be this machine'),
  ]);
});

test('listens, is ready, and stops with a signal', async () => {
  const portal = run([]);
  await portal.waitFor(/listening/);
  const ready = await fetch(`http://127.0.0.1:${env.PORTAL_PORT}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  expect(await portal.stop('SIGTERM')).toBe(0);
});
