import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { CONNECTORS, describeUserPage, type UserPageUnderTest, type World } from '../me/support.ts';
import { createTasksClient, DECLARED, ENDED, EXTENSION, type Raw } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const BURN = 'library_burn';
let held: ServerResponse[] = [];
const WORLD: World = {
  connectors: [
    fakeConnector({
      tools: [fakeTool({ name: 'library_find' }), ...CONNECTORS[0]!.tools.filter(({ name }) => name === BURN)],
    }),
    ...CONNECTORS.slice(1),
  ],
  upstream(request, response) {
    response.setHeader('content-type', 'application/json');
    if (request.url?.includes('slow')) held.push(response);
    else response.end('{"done":true}');
  },
};
const ACCEPT = { action: 'accept' };
const FORMS = { elicitation: { form: {} }, extensions: { [EXTENSION]: {} } };

async function connect(given: UserPageUnderTest, capabilities: object = DECLARED) {
  held = [];
  const { token } = await given.allow('Agent');
  return createTasksClient({ origin: given.origin, token, capabilities });
}

/** The only input request of a task. */
function requestOf({ inputRequests }: Raw): [string, Raw] {
  const [entry, ...others] = Object.entries(inputRequests);
  expect(others).toEqual([]);
  return entry as [string, Raw];
}

async function decide(given: UserPageUnderTest, url: string, decision: 'approve' | 'deny'): Promise<void> {
  const path = url.slice(given.origin.length);
  const browser = await given.entered();
  const { text } = await browser.get(path);
  const [, call = ''] = /name="call" value="([^"]+)"/.exec(text) ?? [];
  const fields = [
    ['call', call],
    ['decision', decision],
  ] as const;
  expect((await browser.submit(path, '/me/approvals/decide', fields)).status).toBe(303);
}

describeUserPage(
  'a call that its user must approve, as a task',
  (given) => {
    test.each([
      ['approve', 'completed', 1],
      ['deny', 'completed', 0],
    ] as const)('goes on once its user says %s on the page', async (decision, status, writes) => {
      const client = await connect(given);
      const created = await client.call(BURN, { id: '1' });
      expect(created).toMatchObject({ resultType: 'task', status: 'input_required' });
      expect(created).not.toHaveProperty('inputRequests');
      expect(created).not.toHaveProperty('requestState');
      const { taskId } = created;
      const asking = await client.get(taskId);
      const [key, request] = requestOf(asking);
      expect(request).toMatchObject({ method: 'elicitation/create', params: { mode: 'url' } });
      expect(asking).not.toHaveProperty('requestState');
      expect(await client.ask('tasks/update', { taskId, inputResponses: { [key]: ACCEPT } })).toMatchObject({
        resultType: 'complete',
      });
      const opened = await client.get(taskId);
      expect([opened.status, opened.statusMessage]).toEqual(['working', expect.stringContaining(request.params.url)]);
      expect(given.writes).toBe(0);
      await decide(given, request.params.url, decision);
      const task = await client.until(taskId, ...ENDED);
      expect([task.status, task.result.isError === true]).toEqual([status, decision === 'deny']);
      expect(JSON.stringify(task.result)).toContain(decision === 'deny' ? 'denied_by_user' : 'done');
      expect(given.writes).toBe(writes);
    });

    test('goes on although its client says nothing of the page', async () => {
      const client = await connect(given);
      const { taskId } = await client.call(BURN, { id: '1' });
      const [, request] = requestOf(await client.get(taskId));
      await decide(given, request.params.url, 'approve');
      expect((await client.until(taskId, ...ENDED)).status).toBe('completed');
      expect(given.writes).toBe(1);
    });

    test('ends as refused where its client declines', async () => {
      const client = await connect(given);
      const { taskId } = await client.call(BURN, { id: '1' });
      const [key] = requestOf(await client.get(taskId));
      await client.ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'decline' } } });
      const task = await client.until(taskId, ...ENDED);
      expect([task.status, task.result.isError, given.writes]).toEqual(['completed', true, 0]);
    });

    test('is never made once it is cancelled, and its user is asked no more', async () => {
      const client = await connect(given);
      const { taskId } = await client.call(BURN, { id: '1' });
      const [key, request] = requestOf(await client.get(taskId));
      await client.ask('tasks/cancel', { taskId });
      await client.ask('tasks/update', { taskId, inputResponses: { [key]: ACCEPT } });
      const page = await (await given.entered()).get(request.params.url.slice(given.origin.length));
      expect([page.status, page.text]).toEqual([404, expect.stringContaining('There is no such call of yours')]);
      expect((await client.get(taskId)).status).toBe('cancelled');
      expect(given.writes).toBe(0);
    });

    test('is asked again under another key when nobody decides in time', async () => {
      const client = await connect(given);
      const { taskId } = await client.call(BURN, { id: '1' });
      const [first] = requestOf(await client.get(taskId));
      given.now += 601_000;
      await client.get(taskId);
      const [second] = requestOf(await client.until(taskId, 'input_required', ...ENDED));
      expect([first, second]).toEqual(['approve-1', 'approve-2']);
      await client.ask('tasks/update', { taskId, inputResponses: { [first]: { action: 'decline' } } });
      expect((await client.get(taskId)).status).toBe('input_required');
    });

    describe('of a client that shows no page and no form', () => {
      const SILENT = { extensions: { [EXTENSION]: {} } };
      const begin = async () => {
        const client = await connect(given, SILENT);
        return { client, created: await client.call(BURN, { id: '1' }) };
      };
      const urlIn = ({ statusMessage }: Raw): string => /does that at (\S+)$/.exec(statusMessage)?.[1] ?? '';

      test.each([
        ['approve', '{"done":true}', 1],
        ['deny', 'denied_by_user', 0],
      ] as const)(
        'works until its user says %s, and says what it waits for and where',
        async (decision, text, writes) => {
          const { client, created } = await begin();
          expect(created).toMatchObject({ resultType: 'task', status: 'working' });
          expect(created.statusMessage).toMatch(
            /^Nothing was sent to Library yet\. This call waits for the approval of its user: .+ http/,
          );
          const waiting = await client.get(created.taskId);
          expect([waiting.statusMessage, waiting.inputRequests]).toEqual([created.statusMessage, undefined]);
          await decide(given, urlIn(created), decision);
          const task = await client.until(created.taskId, ...ENDED);
          expect([task.status, task.result.isError === true]).toEqual(['completed', decision === 'deny']);
          expect(task.result.content.map((block: Raw) => block.text).join(' ')).toContain(text);
          expect(given.writes).toBe(writes);
        },
      );

      test('ends with an error when no one decides in time, and asks no one again', async () => {
        const { client, created } = await begin();
        given.now += 600_000;
        const task = await client.get(created.taskId);
        expect([task.status, JSON.stringify(task.result)]).toEqual([
          'completed',
          expect.stringMatching(/No one approved this call in time.*awaiting_approval/),
        ]);
        const approvals = await given.store.db.selectFrom('approvals').select('id').execute();
        expect([approvals.length, given.writes]).toEqual([1, 0]);
      });

      test('is withdrawn when it is cancelled, unless a task of the same call waits', async () => {
        const { client, created } = await begin();
        const twin = await client.call(BURN, { id: '1' });
        const pageOf = async () =>
          (await (await given.entered()).get(urlIn(created).slice(given.origin.length))).status;
        await client.ask('tasks/cancel', { taskId: created.taskId });
        expect(await pageOf()).toBe(200);
        await client.ask('tasks/cancel', { taskId: twin.taskId });
        expect(await pageOf()).toBe(404);
        expect((await client.get(twin.taskId)).status).toBe('cancelled');
      });

      test('is refused with the address where its user has 50 tasks', async () => {
        const client = await connect(given, SILENT);
        await client.call(BURN, { id: '1' });
        const [row] = await given.store.db.selectFrom('tasks').selectAll().execute();
        const rows = Array.from({ length: 49 }, (_, index) => ({ ...row!, id: `copy ${index}` }));
        await given.store.db.insertInto('tasks').values(rows).execute();
        expect(JSON.stringify(await client.call(BURN, { id: '2' }))).toMatch(
          /The user does that at.*awaiting_approval/,
        );
      });
    });
  },
  { APPROVALS: 'destroy', TASK_AFTER_MS: '1000' },
  WORLD,
);

describeUserPage(
  'a call that its client may approve, as a task',
  (given) => {
    test('is made once, however often and from wherever the client says yes', async () => {
      const client = await connect(given, FORMS);
      const { taskId } = await client.call(BURN, { id: 'slow' });
      const [key, request] = requestOf(await client.get(taskId));
      expect(request.params.mode).toBe('form');
      const yes = () => client.ask('tasks/update', { taskId, inputResponses: { [key]: ACCEPT } });
      const acks = await Promise.all([yes(), yes(), yes(), yes()]);
      expect(acks.map(({ resultType }) => resultType)).toEqual(Array(4).fill('complete'));
      await expect.poll(() => held.length).toBe(1);
      await yes();
      await new Promise((resolve) => setTimeout(resolve, 200));
      for (const response of held) response.end('{"done":true}');
      expect((await client.until(taskId, ...ENDED)).result.structuredContent).toEqual({ done: true });
      expect(given.writes).toBe(1);
    });

    test('takes no answer that is none', async () => {
      const client = await connect(given, FORMS);
      const { taskId } = await client.call(BURN, { id: '1' });
      const [key] = requestOf(await client.get(taskId));
      for (const inputResponses of [{}, { [key.toUpperCase()]: ACCEPT }, { confirm: ACCEPT }, { toString: ACCEPT }]) {
        expect(await client.ask('tasks/update', { taskId, inputResponses })).toMatchObject({ resultType: 'complete' });
      }
      expect([(await client.get(taskId)).status, given.writes]).toEqual(['input_required', 0]);
      const other = await connect(given, FORMS);
      const stolen = await other.ask('tasks/update', { taskId, inputResponses: { [key]: ACCEPT } });
      expect([stolen.error.code, given.writes]).toEqual([-32602, 0]);
    });
  },
  { APPROVALS: 'destroy', APPROVAL_CHANNELS: 'client-always', TASK_AFTER_MS: '1000' },
  WORLD,
);
