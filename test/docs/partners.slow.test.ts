import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenSandbox, openSandbox } from '../../sandbox/index.ts';
import { insertClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../server/base/store/repositories/oauth-grants.ts';
import { findPartnerByClientId } from '../../server/base/store/repositories/partners.ts';
import { findUser } from '../../server/base/store/repositories/users.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { blocksOf, findRunner } from '../support/documented-blocks.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { pngOf } from '../support/images.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = ['docs/guides/partners.md', 'docs/guides/partner-users.md'];
const connectors = (await loadConnectors()).filter(({ name }) => name === 'crm');

interface Block {
  readonly command: string;
  readonly answer: string | null;
}

async function readSteps(page: string): Promise<Block[]> {
  const fences = blocksOf(page, await readFile(resolve(ROOT, page), 'utf8'));
  return fences.flatMap((fence, index) => {
    const next = fences[index + 1];
    const answer = next === undefined || next.language === 'sh' ? null : next.text;
    const isStep = fence.language === 'sh' && findRunner(fence) === 'test/docs/partners.slow.test.ts';
    return isStep ? [{ command: fence.text, answer }] : [];
  });
}

const blocks = (await Promise.all(PAGES.map(readSteps))).flat();

let sandbox: OpenSandbox;
let gateway: RunningGateway;
let folder: string;
const env: Record<string, string> = { STATE: 'state-of-ada' };

beforeAll(async () => {
  sandbox = await openSandbox({ root: ROOT, services: ['crm'] });
  gateway = await startGateway({ connectors, env: { TEST_SANDBOX_URL: sandbox.origin }, secretOf: () => 'live-key' });
  folder = await mkdtemp(join(tmpdir(), 'partners-'));
  env.LOGO = join(folder, 'logo.png');
  await writeFile(env.LOGO, pngOf(8, 8));
  env.GATEWAY = new URL(gateway.url).origin;
  env.DATABASE_URL = gateway.databaseUrl;
  env.ENCRYPTION_KEYS = gateway.encryptionKeys;
});
afterAll(async () => {
  await gateway?.close();
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(command: string): Promise<string> {
  const options = { cwd: ROOT, env: { ...process.env, ...env, npm_config_loglevel: 'silent' } };
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', command], options);
  return stdout;
}

async function beTheUser(address: string): Promise<string> {
  const page = await fetch(address.trim());
  const [cookie = ''] = page.headers.getSetCookie();
  const pageState = /name="page_state" value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  const answer = await fetch(address.trim().replace(/\?.*/, ''), {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie.split(';')[0]! },
    body: new URLSearchParams({ page_state: pageState, decision: 'connect', 'credential-0': 'key-of-ada' }),
  });
  return answer.headers.get('Location') ?? '';
}

async function take(output: string): Promise<void> {
  const credentials = /client_id: +(\S+)\nclient_secret: (\S+)/.exec(output);
  const [, id, secret = ''] = credentials ?? [];
  if (secret.startsWith('utg_test_')) Object.assign(env, { CLIENT_ID: id, CLIENT_SECRET: secret });
  else if (secret !== '') env.LIVE_SECRET = secret;
  if (output.includes('/connect/crm?')) {
    const location = new URL(await beTheUser(output));
    expect(location.searchParams.get('state')).toBe(env.STATE);
    env.CODE = location.searchParams.get('code') ?? '';
  }
  if (!output.startsWith('{')) return;
  const answer = JSON.parse(output) as { access_token?: string; refresh_token?: string; grants?: { id: string }[] };
  env.GRANT = answer.grants?.[0]?.id ?? env.GRANT ?? '';
  if (answer.access_token !== undefined) env.ACCESS_TOKEN = answer.access_token;
  if (answer.refresh_token !== undefined) env.REFRESH_TOKEN = answer.refresh_token;
}

async function callAsClient(): Promise<void> {
  const { db } = gateway.store;
  const { id: partnerId } = (await findPartnerByClientId(db, env.CLIENT_ID ?? ''))!;
  const { id: userId } = (await findUser(db, { partnerId, externalUserId: 'ada' }))!;
  const clientId = 'client-of-ada';
  const now = Date.now();
  const method = { secretHash: null, authenticationMethod: 'none', applicationType: 'web' } as const;
  await insertClient(db, { clientId, clientName: 'Claude Code', redirectUris: [], ...method, now });
  const access = { scopes: ['tools:read'], services: null, resource: gateway.url, expiresAt: now + 3_600_000 };
  const grantId = await insertGrant(db, { clientId, userId, ...access, now });
  const called = { service: 'crm', tool: 'crm_get_person', outcome: 'ok', upstreamCode: null, upstreamStatus: 200 };
  const sizes = { durationMs: 1, requestBytes: 2, responseBytes: 2, requestId: 'r' };
  await gateway.store.insertCallRecords([
    { partnerId, userId, tokenId: 't', grantId, createdAt: now, ...called, ...sizes },
  ]);
}

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

describe(PAGES.join(' and '), () => {
  test('has a command for every step', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(25);
  });

  test.each(blocks.map(({ command, answer }) => [command.split('\n')[0], command, answer] as const))(
    'runs: %s',
    async (_, command, answer) => {
      if (command.includes('/activity')) await callAsClient();
      const output = await run(command);
      await take(output);
      if (answer?.startsWith('{ "revoked"')) expect(JSON.parse(output)).toEqual(JSON.parse(answer));
      else if (answer?.startsWith('{')) expect(shapeOf(JSON.parse(output))).toEqual(shapeOf(JSON.parse(answer)));
      else if (answer !== null) expect(output).toBe(answer);
      expect(output).not.toMatch(/"error"|"isError":true/);
    },
    20_000,
  );
});
