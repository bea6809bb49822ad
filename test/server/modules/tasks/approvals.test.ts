import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
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
      expect([opened.status, opened.statusMessage]).toEqual(['working', 'The call waits for its user.']);
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

    test('is never made once it is cancelled, even if it is approved then', async () => {
      const client = await connect(given);
      const { taskId } = await client.call(BURN, { id: '1' });
      const [key, request] = requestOf(await client.get(taskId));
      await client.ask('tasks/cancel', { taskId });
      await client.ask('tasks/update', { taskId, inputResponses: { [key]: ACCEPT } });
      await decide(given, request.params.url, 'approve');
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

    test('is refused at once, as always, where its client shows no page', async () => {
      const client = await connect(given, { extensions: { [EXTENSION]: {} } });
      expect(JSON.stringify(await client.call(BURN, { id: '1' }))).toContain('awaiting_approval');
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
