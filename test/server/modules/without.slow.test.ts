import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { emitEventsPage } from '../../../scripts/docs/events.ts';
import { emitGatewayDescription } from '../../../scripts/docs/gateway-openapi.ts';
import { CORE_EVENTS } from '../../../server/base/store/events.ts';
import { CORE_TABLES } from '../../../server/base/store/schema.ts';
import { createStartCommand } from '../../../server/command.ts';
import { GROUPS } from '../../../server/config/setting.ts';
import { describeVariables } from '../../../server/index.ts';
import { type AnyModule, defineModule, sealedRowsOf, tableSetsOf } from '../../../server/module.ts';
import { MODULES } from '../../../server/modules/index.ts';
import { PARTNER_API_PATH } from '../../../server/partners/operation.ts';
import { CookieBrowser } from '../../support/browser-with-cookies.ts';
import { fakeConnector, fakeTool } from '../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { someOf } from '../../support/some-of.ts';

const ADMIN_SECRET = 'Zk3vQ9xT1mB7yR5nL0wHs2Jd';
const WITH_TITLE = { properties: { title: { type: 'string' } }, required: ['title'] };
const connectors = [
  fakeConnector({ tools: [fakeTool({ name: 'library_get', output: WITH_TITLE }), fakeTool({ name: 'library_list' })] }),
];

let upstream: Server;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = createServer((_, response) => void response.setHeader('content-type', 'application/json').end('{"id":1}'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterEach(() => gateway?.close());
afterAll(() => void upstream.close());

const start = async (modules: readonly AnyModule[]): Promise<void> => {
  const env = { LIBRARY_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, ADMIN_SECRET };
  gateway = await startGateway({ connectors, modules, env, secretOf: () => 'secret' });
};

const send = (path: string, init?: RequestInit) => fetch(gateway.listensAt + path, { redirect: 'manual', ...init });
const json = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  body: JSON.stringify(body),
});
const call = async (method: string, params: object) => {
  const message = { jsonrpc: '2.0', id: 1, method, params };
  const response = await fetch(gateway.url, json(message, { authorization: `Bearer ${gateway.token}` }));
  return response.text();
};

/** Every door of the core, with a request that it answers, and the status of the answer. */
const DOORS: readonly (readonly [path: string, init: RequestInit | undefined, status: number])[] = [
  ['/healthz', undefined, 200],
  ['/readyz', undefined, 200],
  ['/.well-known/oauth-protected-resource/api/mcp/unified', undefined, 200],
  ['/.well-known/oauth-authorization-server', undefined, 200],
  ['/.well-known/anything', undefined, 404],
  ['/api/mcp/unified', json({ jsonrpc: '2.0', id: 1, method: 'ping' }), 401],
  ['/api/mcp/oauth/register', json({ redirect_uris: ['http://127.0.0.1/back'] }), 201],
  ['/api/mcp/oauth/authorize?client_id=nobody', undefined, 400],
  ['/api/mcp/oauth/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token' }) }, 401],
  ['/api/mcp/oauth/revoke', { method: 'POST', body: new URLSearchParams({ token: 'none' }) }, 200],
  ['/api/partner/users', undefined, 401],
  ['/connect/library', undefined, 400],
];

/** What only a module answers, and what it answers. */
const DOORS_OF_MODULES: Readonly<Record<string, readonly [path: string, status: number]>> = {
  admin: ['/admin/sign-in', 200],
  branding: ['/api/partner/branding', 401],
  'identity-assertions': ['/api/partner/issuers', 401],
  landing: ['/llms.txt', 200],
  me: ['/me', 401],
  webhooks: ['/api/partner/webhook-endpoints', 401],
};

const expectDoors = async (): Promise<void> => {
  expect(await call('tools/list', {})).toContain('"name":"library_list"');
  expect(await call('tools/call', { name: 'library_list', arguments: {} })).toContain('"structuredContent":{"id":1}');
  for (const [path, init, status] of DOORS) {
    const response = await send(path, init);
    expect([path, response.status]).toEqual([path, status]);
  }
};

const tablesOf = (modules: readonly AnyModule[]) => tableSetsOf(modules).flatMap(({ tables }) => Object.keys(tables));
const storedTables = async () => {
  const tables = await gateway.store.db.introspection.getTables();
  return tables.map(({ name }) => name).toSorted();
};

/** What the dashboard shows because of a module, and on which page. */
const SHOWN: Readonly<Record<string, readonly [page: string, text: string]>> = {
  audit: ['', '>Audit trail</a>'],
  tallies: ['/tools/library_list', 'Answers that differ'],
  webhooks: ['/partners/:partner', '<h2 id="webhooks">Webhooks</h2>'],
};

/** The modules that the dashboard shows. */
const shown = async (): Promise<string[]> => {
  const browser = new CookieBrowser();
  await browser.submit(await browser.open(`${gateway.listensAt}/admin/sign-in`), { secret: ADMIN_SECRET });
  const { id } = await gateway.store.db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
  const found = Object.entries(SHOWN).map(async ([name, [page, text]]) => {
    const { text: content } = await browser.open(`${gateway.listensAt}/admin${page.replace(':partner', id)}`);
    return content.includes(text) ? [name] : [];
  });
  return (await Promise.all(found)).flat();
};

const names = (modules: readonly AnyModule[]) => modules.map(({ name }) => name);

describe('a gateway', () => {
  test('with every module opens every door', async () => {
    await start(MODULES);
    expect(await storedTables()).toEqual(tablesOf(MODULES).toSorted());
    expect(await shown()).toEqual(Object.keys(SHOWN));
    await expectDoors();
    for (const [name, [path, status]] of Object.entries(DOORS_OF_MODULES)) {
      expect([name, (await send(path)).status]).toEqual([name, status]);
    }
  });

  test('without any module has the doors of the core, and no others', async () => {
    await start([]);
    expect(await storedTables()).toEqual(Object.keys(CORE_TABLES.tables).toSorted());
    await expectDoors();
    for (const [name, [path]] of Object.entries(DOORS_OF_MODULES)) {
      expect([name, (await send(path)).status]).toEqual([name, 404]);
    }
  });

  test.each(someOf(names(MODULES), 2))('without the module %s opens all other doors', async (left) => {
    const others = MODULES.filter(({ name }) => name !== left);
    await start(others);
    expect(await storedTables()).toEqual(tablesOf(others).toSorted());
    if (left !== 'admin') expect(await shown()).toEqual(Object.keys(SHOWN).filter((name) => name !== left));
    await expectDoors();
    for (const [name, [path, status]] of Object.entries(DOORS_OF_MODULES)) {
      expect([name, (await send(path)).status]).toEqual([name, name === left ? 404 : status]);
    }
  });
});

test('a module hears of the last calls before it closes', async () => {
  const heard: string[] = [];
  const listening = defineModule({
    name: 'listening',
    summary: 'Hears of calls.',
    provide: () => ({
      onCallsEnded: (calls) =>
        void heard.push(...calls.map(({ call: { calledAs }, ending }) => `${calledAs} ${ending.outcome}`)),
    }),
    open: () => ({ close: async () => void heard.push('closed') }),
  });
  await start([listening]);
  await call('tools/call', { name: 'library_list', arguments: {} });
  await gateway.close();
  expect(heard).toEqual(['library_list ok', 'closed']);
});

test('a module is told of answers that differ from their output schema', async () => {
  const drifts: string[] = [];
  const watching = defineModule({
    name: 'watching',
    summary: 'Is told of answers.',
    provide: () => ({ onDrift: (connector, tool) => void drifts.push(`${connector.name} ${tool.name}`) }),
  });
  await start([watching]);
  await call('tools/call', { name: 'library_list', arguments: {} });
  await call('tools/call', { name: 'library_get', arguments: {} });
  expect(drifts).toEqual(['library library_get']);
});

describe('settings', () => {
  test.each(MODULES.filter(({ settings }) => settings !== undefined))('of $name go with it', ({ name, settings }) => {
    const variables = new Set(Object.values(settings ?? {}).map(({ variable }) => variable));
    const others = MODULES.filter((module) => module.name !== name);
    const described = describeVariables([], others);
    expect(described.filter((each) => variables.has(each.name))).toEqual([]);
    expect(describeVariables([]).filter((each) => variables.has(each.name))).toHaveLength(variables.size);
    const help = createStartCommand([], undefined, others).helpInformation();
    expect([...variables].filter((variable) => help.includes(variable))).toEqual([]);
  });

  test('of all modules are in a group of the page of settings', () => {
    expect(describeVariables([]).filter(({ group }) => !GROUPS.includes(group))).toEqual([]);
  });
});

test.each(MODULES.filter(({ events }) => events?.texts !== undefined))(
  'events of $name go with it',
  ({ name, events }) => {
    const others = MODULES.filter((module) => module.name !== name).flatMap((module) =>
      Object.keys(module.events?.texts ?? {}),
    );
    expect(Object.keys(events?.texts ?? {}).filter((type) => others.includes(type) || type in CORE_EVENTS)).toEqual([]);
  },
);

test.each(MODULES.filter(({ events }) => events?.texts !== undefined || events?.toPartners !== undefined))(
  'events of $name go with it from the reference page and the description of the HTTP API',
  async ({ name, events: { texts = {}, toPartners = {} } = {} }) => {
    const own = [
      ...Object.keys(toPartners).map((type) => `### ${type}\n`),
      ...Object.entries(texts).flatMap(([type, meaning]) => (meaning === null ? [] : [`| \`${type}\` |`])),
    ];
    const others = MODULES.filter((module) => module.name !== name);
    const without = emitEventsPage(others);
    expect(own.filter((entry) => without.includes(entry))).toEqual([]);
    expect(own.filter((entry) => !emitEventsPage().includes(entry))).toEqual([]);
    const types: string[] =
      parse(await emitGatewayDescription(others)).components.schemas.Event?.properties.type.enum ?? [];
    expect(types.filter((type) => type in toPartners)).toEqual([]);
  },
);

test.each(MODULES.filter(({ operations }) => operations !== undefined))(
  'operations of $name go with it from the description of the HTTP API',
  async ({ name, operations }) => {
    const described = parse(await emitGatewayDescription(MODULES.filter((module) => module.name !== name)));
    const own = (await operations?.())?.map(({ path }) => PARTNER_API_PATH + path.replaceAll(/:(\w+)/g, '{$1}')) ?? [];
    expect(own).not.toEqual([]);
    expect(own.filter((path) => path in described.paths)).toEqual([]);
  },
);

test('the rows that modules seal are rotated with those of the core', () => {
  const tables: readonly string[] = sealedRowsOf(MODULES).map(({ table }) => table);
  expect(tables).toEqual(expect.arrayContaining(['connections', 'webhook_endpoints', 'event_subscriptions']));
});

test('modules have names of their own, in lower case', () => {
  expect(new Set(names(MODULES)).size).toBe(MODULES.length);
  expect(names(MODULES).filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
});
