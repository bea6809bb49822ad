import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODULES as OWN } from '../../examples/module/index.ts';
import { openStore } from '../../server/base/store/index.ts';
import { MODULES } from '../../server/modules/index.ts';
import { Visitor } from '../server/modules/admin/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SATURDAY = Date.UTC(2026, 7, 1, 12);
const MONDAY = Date.UTC(2026, 7, 3, 12);
const ADMIN_SECRET = 'Zk3vQ9xT1mB7yR5nL0wHs2Jd';

const run = promisify(execFile);

describe('the example of a module', () => {
  const connectors = [
    fakeConnector({
      tools: [fakeTool({ name: 'library_list' }), fakeTool({ name: 'library_add', method: 'POST', path: '/books' })],
    }),
  ];
  let upstream: Server;
  let gateway: RunningGateway;
  let now = MONDAY;

  beforeAll(async () => {
    upstream = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"id":1}'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    gateway = await startGateway({
      connectors,
      modules: [...MODULES, ...OWN],
      env: {
        LIBRARY_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
        BUSINESS_HOURS: '8-18',
        METRICS_LISTEN: '127.0.0.1:9999',
        ADMIN_SECRET,
      },
      secretOf: () => 'secret',
      now: () => now,
    });
  });
  afterAll(async () => {
    await gateway.close();
    upstream.close();
  });

  const call = async (name: string) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${gateway.token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
    });
    return response.text();
  };

  test('refuses what writes on a Saturday, and nothing else', async () => {
    expect(await call('library_add')).toContain('"structuredContent":{"id":1}');
    now = SATURDAY;
    expect(await call('library_list')).toContain('"structuredContent":{"id":1}');
    expect(await call('library_add')).toContain("between 8 and 18 o'clock UTC");
  });

  test('counts what it refused in its table, in a metric and on the dashboard', async () => {
    const db = gateway.store.db.withTables<{ hours_refused_calls: { tool: string } }>();
    expect(await db.selectFrom('hours_refused_calls').select('tool').execute()).toEqual([{ tool: 'library_add' }]);
    const metrics = createServer((request, response) => gateway.metrics?.(request, response));
    await new Promise<void>((resolve) => metrics.listen(0, '127.0.0.1', resolve));
    const page = await fetch(`http://127.0.0.1:${(metrics.address() as AddressInfo).port}/metrics`);
    expect(await page.text()).toMatch(/^gateway_hours_refused_calls_total(\{.*\})? 1$/m);
    metrics.close();
    const operator = new Visitor(
      () => gateway.listensAt,
      () => {
        now += 1;
      },
    );
    await operator.signIn(ADMIN_SECRET);
    expect((await operator.get('/admin')).text).toContain('Refused in the last 7 days: 1.');
  });
});

describe('a project made by utg init', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'own-module-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('loads the modules of its folder modules/', async () => {
    const project = path.join(folder, 'my-gateway');
    const utg = (cwd: string, ...args: string[]) =>
      run(process.execPath, [path.join(ROOT, 'scripts/utg.ts'), ...args], { cwd });
    await utg(folder, 'init', 'my-gateway');
    await mkdir(path.join(project, 'node_modules'));
    await symlink(ROOT, path.join(project, 'node_modules/unified-tool-gateway'));
    await cp(path.join(ROOT, 'examples/module'), path.join(project, 'modules'), { recursive: true });
    await utg(project, 'codegen');
    expect((await utg(project, 'start', '--help')).stdout).toContain('BUSINESS_HOURS');
    expect((await utg(ROOT, 'start', '--help')).stdout).not.toContain('BUSINESS_HOURS');
    expect((await utg(project, 'module', 'list')).stdout).toContain('business-hours  Refuses calls');
    await mkdir(path.join(project, 'data'));
    await (await openStore({ url: `sqlite:${path.join(project, 'data/gateway.sqlite')}` })).close();
    await expect(utg(project, 'module', 'erase', 'business-hours')).rejects.toThrow('Nothing was erased.');
    const erased = await utg(project, 'module', 'erase', 'business-hours', '--yes');
    expect(erased.stdout).toBe('hours_refused_calls: 0 rows\nErased.\n');
  }, 120_000);
});

test('stands in docs/guides/modules.md', async () => {
  const source = await readFile(path.join(ROOT, 'examples/module/business-hours.ts'), 'utf8');
  const page = await readFile(path.join(ROOT, 'docs/guides/modules.md'), 'utf8');
  expect(page).toContain('examples/module/');
  for (const [setting] of source.matchAll(/BUSINESS_\w+/g)) expect(page).toContain(setting);
});
