import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { FULL_PERMISSION, writePermission } from '../../../../server/base/principal/permission.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { CONNECTORS, describeUserPage, type World } from '../me/support.ts';
import { createTasksClient, DECLARED, ENDED, EXTENSION } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

let held: ServerResponse[] = [];
const release = async (body = '{"done":12345678901234567890}') => {
  await vi.waitUntil(() => held.length > 0, { timeout: 10_000 });
  for (const response of held.splice(0)) response.end(body);
};
const text = { properties: { id: { type: 'string' } } };
const WORLD: World = {
  connectors: [
    fakeConnector({
      tools: [
        fakeTool({ name: 'library_find' }),
        fakeTool({ name: 'library_search', path: '/slow' }),
        fakeTool({ name: 'library_lend', method: 'POST', path: '/slow', input: text }),
        ...CONNECTORS[0]!.tools.filter(({ name }) => name === 'library_burn'),
      ],
    }),
    ...CONNECTORS.slice(1),
  ],
  upstream(request, response) {
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/slow')) held.push(response);
    else response.end('{"done":true}');
  },
};

describeUserPage(
  'a call of a client that declares tasks',
  (given) => {
    const connect = async (changes = {}, capabilities: object = DECLARED) => {
      held = [];
      const { token, grantId } = await given.allow('Agent', changes);
      return { ...createTasksClient({ origin: given.origin, token, capabilities }), token, grantId };
    };
    const unknown = (task: { error?: object }) => expect(task.error).toMatchObject({ code: -32602, status: 200 });

    test('goes on as a task if it is slow, and its result is there for an hour', async () => {
      const client = await connect();
      const created = await client.call('library_search');
      expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000, pollIntervalMs: 1000 });
      expect(created).not.toHaveProperty('content');
      expect(await client.get(created.taskId)).toMatchObject({ resultType: 'complete', status: 'working' });
      await release();
      const task = await client.until(created.taskId, ...ENDED);
      expect(task).toMatchObject({ status: 'completed', taskId: created.taskId, resultType: 'complete' });
      expect(task.result.resultType).toBe('complete');
      expect(task.result.content[0].text).toBe('{"done":"12345678901234567890"}');
      given.now += 3_599_000;
      expect((await client.get(created.taskId)).status).toBe('completed');
      given.now += 1_000;
      unknown(await client.get(created.taskId));
    });

    test('keeps every digit, and no argument or answer in the store', async () => {
      const client = await connect();
      const { taskId } = await client.call('library_lend', { id: 'a-secret-argument' });
      await release('{"done":"a-secret-answer"}');
      await client.until(taskId, ...ENDED);
      const rows = JSON.stringify(await given.store.db.selectFrom('tasks').selectAll().execute());
      expect(rows).not.toMatch(/a-secret|library_lend|task_/);
    });

    test('is answered when it ends for a client that does not declare tasks, now or in 2025', async () => {
      const client = await connect({}, { elicitation: {} });
      const answer = client.call('library_search');
      const old = given.call(client.token, 'library_search');
      await expect.poll(() => held.length).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 120));
      await release();
      expect((await answer).resultType).toBe('complete');
      expect((await old).body.result.content[0].text).toContain('done');
      const required = { requiredCapabilities: { extensions: { [EXTENSION]: {} } } };
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        expect((await client.ask(method, { taskId: 'x' })).error).toMatchObject({ code: -32021, data: required });
      }
    });

    test('is unknown to every other client, user and guess, in the same words', async () => {
      const client = await connect();
      const { taskId } = await client.call('library_search');
      const other = await connect();
      const answers = [];
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        answers.push(await other.ask(method, { taskId, inputResponses: {} }));
        for (const guess of [`${taskId}x`, 'a', '', taskId.toUpperCase()]) {
          answers.push(await client.ask(method, { taskId: guess, inputResponses: {} }, { 'mcp-name': guess }));
        }
      }
      unknown(answers[0]);
      expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
      expect((await client.get(taskId)).status).toBe('working');
      expect((await client.ask('tasks/get', { taskId }, { 'mcp-name': 'other' })).error).toMatchObject({
        code: -32020,
      });
    });

    test('is cancelled once, however often its client asks', async () => {
      const client = await connect();
      const { taskId } = await client.call('library_search');
      const cancel = () => client.ask('tasks/cancel', { taskId });
      for (const ack of await Promise.all([cancel(), cancel(), cancel()])) {
        expect(Object.keys(ack).sort()).toEqual(['_meta', 'resultType']);
      }
      const task = await client.until(taskId, ...ENDED);
      expect([task.status, 'result' in task]).toEqual(['cancelled', false]);
      await expect.poll(() => held.every((response) => response.destroyed)).toBe(true);
      expect(await cancel()).toMatchObject({ resultType: 'complete' });
      expect((await client.get(taskId)).status).toBe('cancelled');
    });

    test('says that its tool is unknown as the protocol does', async () => {
      const client = await connect();
      expect((await client.call('library_none')).error).toMatchObject({ code: -32602 });
    });

    test('waits for its end where its user has as many tasks as are kept', async () => {
      const client = await connect();
      const created = await Promise.all(Array.from({ length: 50 }, () => client.call('library_search')));
      expect(new Set(created.map(({ resultType }) => resultType))).toEqual(new Set(['task']));
      const next = client.call('library_search');
      await expect.poll(() => held.length).toBe(51);
      await new Promise((resolve) => setTimeout(resolve, 120));
      await release();
      expect((await next).resultType).toBe('complete');
    });

    test('keeps its result from a caller that may not call the tool any more', async () => {
      const ways: Record<string, (client: { grantId: string }) => Promise<unknown>> = {
        'the tool is unticked': async ({ grantId }) => {
          const permission = writePermission({ ...FULL_PERMISSION, without: ['library_search'] });
          await given.store.db.updateTable('oauth_grants').set({ permission }).where('id', '=', grantId).execute();
        },
        'the service is disconnected': () =>
          given.store.db.deleteFrom('connections').where('service', '=', 'library').execute(),
      };
      for (const end of Object.values(ways)) {
        const client = await connect();
        const { taskId } = await client.call('library_search');
        await release();
        await client.until(taskId, 'completed');
        await end(client);
        unknown(await client.get(taskId));
      }
    });
  },
  { TASK_AFTER_MS: '50' },
  WORLD,
);

describeUserPage(
  'a call that ends before it becomes a task',
  (given) => {
    test('is answered as always if it is fast', async () => {
      const { token } = await given.allow('Agent');
      const client = createTasksClient({ origin: given.origin, token });
      expect(await client.call('library_find')).toMatchObject({
        resultType: 'complete',
        structuredContent: { done: true },
      });
      expect(await given.store.db.selectFrom('tasks').selectAll().execute()).toEqual([]);
    });

    test('ends, like any call, when its client disconnects before it is a task', async () => {
      const { token } = await given.allow('Agent');
      held = [];
      const stop = new AbortController();
      const client = createTasksClient({ origin: given.origin, token });
      const asked = fetch;
      vi.stubGlobal('fetch', (url: string, init: RequestInit) => asked(url, { ...init, signal: stop.signal }));
      const answer = client.call('library_search').catch((error: Error) => error.name);
      await expect.poll(() => held.length).toBe(1);
      stop.abort();
      expect(await answer).toBe('AbortError');
      await expect.poll(() => held.every((response) => response.destroyed)).toBe(true);
      expect(await given.store.db.selectFrom('tasks').selectAll().execute()).toEqual([]);
    });
  },
  { TASK_AFTER_MS: '600000' },
  WORLD,
);
