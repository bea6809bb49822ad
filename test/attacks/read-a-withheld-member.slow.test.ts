import type { RequestListener } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_PERMISSION, writePermission } from '../../server/base/principal/permission.ts';
import type { Tool } from '../../server/contract/index.ts';
import { LIST } from '../server/call/tools/selection/support.ts';
import { Visitor } from '../server/modules/admin/support.ts';
import { describeUserPage, type UserPageUnderTest } from '../server/modules/me/support.ts';
import { callOf, startWatched, type Watched } from '../server/modules/telemetry/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';

const MARK = 'MARK-1980-01-31';
const PERSON = { id: 7, name: 'Ana', born: MARK, taxNumber: MARK, owner: { born: [MARK], taxNumber: MARK } };
const OUTPUT = {
  properties: { id: { type: ['integer', 'null'] }, name: {}, born: {}, owner: { properties: { born: {} } } },
};
const ID = { properties: { id: { type: 'string' } }, required: ['id'] };
const WITHHOLD = JSON.stringify([
  { service: 'library', members: { '**.born': 'drop' } },
  { service: 'library', members: { '**.taxNumber': 'replace' } },
  { service: 'library', tool: 'library_put', members: { 'state.hint': 'drop' } },
]);

const withItems = { properties: { data: { items: OUTPUT }, next: {}, page: {} } };
const TOOLS = [
  {
    ...LIST,
    name: 'library_list',
    outputSchema: { type: 'object', ...withItems },
    operation: { ...LIST.operation, path: '/list' },
  } as Tool,
  fakeTool({ name: 'library_get', path: '/person', output: OUTPUT, input: { properties: ID.properties } }),
  fakeTool({
    name: 'library_put',
    method: 'POST',
    path: '/put',
    input: ID,
    output: { properties: { state: { properties: { hint: {} } } } },
    more: { approval: 'required', preview: { tool: 'library_get', arguments: { id: 'id' } } },
  }),
  fakeTool({ name: 'library_make', method: 'POST', path: '/created', input: ID }),
  ...['csv', 'file', 'refused', 'coded', 'moved', 'created', 'empty', 'broken', 'drift', 'page'].map((name) =>
    fakeTool({ name: `library_${name}`, path: `/${name}`, output: OUTPUT }),
  ),
];
const library = {
  ...fakeConnector({ tools: TOOLS }),
  verify: { tool: 'library_refused', arguments: {} },
  account: { tool: 'library_get', arguments: {}, name: ['/born', '/owner/born/0'] },
};

const JSON_TYPE = 'application/json';
const ANSWERS: Readonly<
  Record<string, readonly [status: number, type: string, body: unknown, headers?: Record<string, string>]>
> = {
  '/list': [
    200,
    JSON_TYPE,
    { data: [PERSON, { ...PERSON, id: 8 }], next: Buffer.from(`{"after":"${MARK}"}`).toString('base64') },
    { link: `<http://x/?after=${MARK}>; rel="next"` },
  ],
  '/person': [200, JSON_TYPE, PERSON],
  '/put': [202, JSON_TYPE, { state: { hint: MARK, before: PERSON } }, { location: `/jobs/${MARK}` }],
  '/csv': [200, 'text/csv', `id,born\n7,${MARK}`, { 'content-disposition': `attachment; filename="${MARK}.csv"` }],
  '/file': [200, 'application/pdf', `%PDF ${MARK}`],
  '/refused': [
    422,
    JSON_TYPE,
    { message: `born must not be ${MARK}`, code: MARK, errors: [{ value: MARK }, { [MARK]: 'is wrong' }] },
  ],
  '/coded': [500, 'text/html', `<title>${MARK}</title>`],
  '/moved': [302, 'text/plain', MARK, { location: `http://elsewhere.example/${MARK}` }],
  '/created': [201, JSON_TYPE, PERSON, { location: `/people/${MARK}`, 'x-born': MARK }],
  '/empty': [204, '', '', { 'content-disposition': `attachment; filename="${MARK}.txt"` }],
  '/broken': [200, JSON_TYPE, `{"born":"${MARK}"`],
  '/drift': [
    200,
    JSON_TYPE,
    { id: { born: MARK }, name: [{ taxNumber: MARK }], born: { [MARK]: MARK }, taxNumber: { [MARK]: 1 } },
  ],
  '/page': [200, JSON_TYPE, Array.from({ length: 3000 }, (_, id) => ({ ...PERSON, id, name: 'x'.repeat(40) }))],
};

const upstream: RequestListener = (request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://upstream');
  const [status, type, body, headers = {}] = ANSWERS[pathname] ?? [404, JSON_TYPE, { message: MARK }];
  response.writeHead(status, { ...(type === '' ? {} : { 'content-type': type }), ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** The text with what its words are in base64. */
const plain = (text: string) =>
  text.replace(/[\w+/]{16,}={0,2}/g, (word) => `${word} ${Buffer.from(word, 'base64').toString('latin1')}`);
/** More than four letters, which the base64 of a sealed row has now and then. */
const leaks = (text: string) => /.{0,60}MARK-1.{0,20}/.exec(plain(text))?.[0] ?? null;

const PROBES: readonly [tool: string, args: object][] = [
  ...TOOLS.map(({ name }): [string, object] => [
    name,
    name.endsWith('put') || name.endsWith('make') ? { id: '7' } : {},
  ]),
  ['library_list', { where: { born: { startsWith: 'MARK' } } }],
  ['library_list', { where: { 'owner.born': { exists: true } } }],
  ['library_list', { where: { taxNumber: { contains: 'MARK' } } }],
  ['library_list', { sort: '-born' }],
  ['library_list', { fields: ['data.born'] }],
  ['library_list', { aggregate: { count: true, by: 'born' } }],
  ['library_list', { aggregate: { max: 'taxNumber', first: 'owner.born' } }],
  ['library_list', { maxItems: 50 }],
  ['call_reading_tool', { name: 'library_get', arguments: {} }],
  ['call_reading_tool', { name: 'library_list', arguments: { where: { born: 'x' } } }],
  ['search_tools', { words: 'born person' }],
  ['describe_tools', { names: ['library_get', 'library_list', 'library_put'], answers: true }],
];

const PROGRAMS: readonly string[] = [
  'return await library.get()',
  'const all = []; for await (const one of library.list({})) { console.log(one); all.push(one); } return all',
  'const one = await library.get(); throw new Error(JSON.stringify(one))',
  'return await library.list({ where: { born: { startsWith: "MARK" } } })',
  'try { return await library.refused() } catch (error) { return [error.message, error.stack, { ...error }] }',
  'return await kept((await library.page({})).toString())',
  'return await library.page()',
];

/** Every row of every table. */
async function rowsOf({ store: { db } }: UserPageUnderTest): Promise<string> {
  const tables = await db.introspection.getTables();
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return JSON.stringify(rows.map((one) => one.rows));
}

describeUserPage(
  'a marked value of a withheld member',
  (given) => {
    test('leaves by no call, page, record, event or line of the log', { timeout: 120_000 }, async () => {
      const seen: string[] = [];
      const { token } = await given.allow('Claude');
      for (const [tool, args] of PROBES) seen.push((await given.call(token, tool, args)).text);
      expect(seen.filter((text) => /"id\\?":7/.test(text)).length).toBeGreaterThan(5);
      const permission = writePermission({ ...FULL_PERMISSION, catalogue: 'code' });
      const programmer = (await given.allow('Cursor', { permission })).token;
      const declared = await given.call(programmer, 'describe_tools', { names: ['library_get', 'library_list'] });
      expect([declared.text.includes('name'), declared.text.includes('born')]).toEqual([true, false]);
      for (const code of PROGRAMS) seen.push((await given.call(programmer, 'run_code', { code })).text);
      expect(seen.slice(-PROGRAMS.length).filter((text) => text.includes('Ana')).length).toBeGreaterThan(1);
      const many = 'const one = await library.get({ id: "7" }); return Array.from({ length: 2000 }, () => one)';
      const { text } = await given.call(programmer, 'run_code', { code: many });
      const handle = /kept_[\w-]{22}/.exec(text)?.[0];
      const selections = [{ where: { born: { exists: true } } }, { aggregate: { max: 'born' } }, { maxItems: 2 }];
      for (const args of selections) seen.push((await given.call(programmer, 'read_kept', { handle, ...args })).text);
      expect(seen.at(-3)).toContain('0 match');
      expect(seen.at(-1)).toContain('Ana');

      const waiting = await given.api('GET', '../approvals');
      expect(waiting.text).toContain('library_put');
      const browser = await given.entered();
      const [approval] = waiting.body.approvals;
      const shown = await browser.get(`/me/approvals/${approval.id}`);
      expect(shown.text).toContain('Ana');
      await browser.submit(`/me/approvals/${approval.id}`, '/me/approvals/decide', [
        ['call', `${approval.id}.${approval.digest}`],
        ['decision', 'approve'],
      ]);
      const done = await given.call(token, 'library_put', { id: '7' });
      expect(done.text).toContain('[withheld]');
      seen.push(waiting.text, shown.text, done.text);
      for (const path of ['/me', '/me/activity', '/me/approvals']) seen.push((await browser.get(path)).text);

      const operator = new Visitor(
        () => given.origin,
        () => {
          given.now += 1;
        },
      );
      await operator.signIn('the-secret-of-the-operator');
      for (const tool of ['library_get', 'library_list', 'library_refused', 'library_csv']) {
        const { status, text } = await operator.submit(`/admin/tools/${tool}`, `/admin/tools/${tool}`, {
          user: given.userId,
        });
        expect([tool, status]).toEqual([tool, 200]);
        seen.push(text);
      }
      expect(seen.at(-4)).toContain('Ana');
      for (const page of [
        '/admin',
        '/admin/calls',
        '/admin/tools/library_drift',
        '/admin/audit',
        '/admin/users',
        `/admin/users/${given.userId}`,
        '/admin/webhooks',
      ]) {
        seen.push((await operator.get(page)).text);
      }
      for (const path of [
        'alice',
        'alice/connections',
        'alice/activity',
        '../calls',
        '../events',
        '../services',
        '../usage',
      ]) {
        seen.push((await given.api('GET', path)).text);
      }
      expect(seen.map(leaks).filter((leak) => leak !== null)).toEqual([]);
      expect(leaks(given.lines.join('\n'))).toBeNull();
      expect(given.lines.length).toBeGreaterThan(PROBES.length);
      await expect.poll(async () => (await rowsOf(given)).match(/library_refused/g)?.length ?? 0).toBeGreaterThan(0);
      expect(leaks(await rowsOf(given))).toBeNull();
    });
  },
  { WITHHOLD, LOG_LEVEL: 'trace' },
  { connectors: [library], upstream },
);

describeUserPage(
  'the same world without a rule',
  (given) => {
    test('shows the value in nearly every answer', async () => {
      const { token } = await given.allow('Claude');
      const seen: string[] = [];
      for (const [tool, args] of PROBES) seen.push((await given.call(token, tool, args)).text);
      expect(seen.map(leaks).filter((leak) => leak !== null).length).toBeGreaterThan(12);
    });
  },
  {},
  { connectors: [library], upstream },
);

describe('a marked value in traces and metrics', () => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await startWatched({
      connectors: [library],
      env: { OTEL_TRACES_EXPORTER: 'otlp', METRICS_LISTEN: '127.0.0.1:9464', WITHHOLD },
    });
  });
  afterAll(() => watched.close());

  test('is in none', async () => {
    for (const [status, type, body, headers = {}] of Object.values(ANSWERS)) {
      watched.upstream.answer({
        status,
        body,
        headers: { ...(type === '' ? {} : { 'content-type': type }), ...headers },
      });
      await (await watched.modern(callOf('library_get'))).text();
    }
    expect(watched.spans.length).toBeGreaterThan(Object.keys(ANSWERS).length);
    const told = watched.spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(leaks(JSON.stringify(told))).toBeNull();
    expect(leaks((await watched.scrape()).text)).toBeNull();
  });
});
