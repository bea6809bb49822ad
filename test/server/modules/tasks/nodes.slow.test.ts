import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { seedUser } from '../../../../scripts/demo/seed.ts';
import { decide } from '../../../../server/call/tools/approvals/decide.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { vaultBeside } from '../../../support/vault-beside.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { type Host, startHost } from '../../call/upstream/support.ts';
import { slowLibrary } from './connector.ts';
import { createTasksClient, ENDED, EXTENSION, type Raw, type TasksClient } from './support.ts';

vi.setConfig({ testTimeout: 150_000, hookTimeout: 150_000 });

const FORMS = { elicitation: { form: {} }, extensions: { [EXTENSION]: {} } };

describeStore('two gateways with one store', (given) => {
  let host: Host;
  let gateways: GatewayProcesses;
  let nodes: TasksClient[];
  let heard: string[];
  let held: ServerResponse[];
  let isReady: boolean;
  let token: string;
  const release = () => {
    for (const response of held.splice(0)) response.end('{"done":true}');
  };
  const sent = (method: string) => heard.filter((line) => line.startsWith(method)).length;

  beforeEach(async () => {
    [heard, held, isReady] = [[], [], false];
    host = await startHost(async (request, response) => {
      heard.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'application/json');
      if (!request.url?.startsWith('/scans')) return void held.push(response);
      response.statusCode = request.method === 'POST' ? 202 : 200;
      response.end(JSON.stringify({ id: 's-1', status: isReady ? 'ready' : 'running' }));
    });
    ({ token } = await seedUser({
      ...{ store: given.store, vault: await vaultBeside(given.store), partner: 'acme', user: 'ada' },
      ...{ connectors: [slowLibrary()], secretOf: () => '', now: Date.now() },
      resource: SHARED_PUBLIC_URL + MCP_PATH,
    }));
    gateways = await startGatewayProcesses({
      ...{ count: 2, databaseUrl: given.url, script: 'test/server/modules/tasks/gateway-main.ts' },
      env: {
        ...{ LIBRARY_BASE_URL: host.origin, STOP_TIMEOUT_MS: '1000', TASK_AFTER_MS: '500' },
        ...{ APPROVALS: 'destroy', APPROVAL_CHANNELS: 'client-always', UPSTREAM_TIMEOUT_MS: '8000' },
        CATALOGUE_MODE: 'code',
      },
    });
    nodes = gateways.origins.map((origin) => createTasksClient({ origin, token, capabilities: FORMS }));
  });
  afterEach(async () => {
    release();
    await gateways.stop();
    await host.close();
  });

  /** As the store says after the time that another node leaves a dead one. */
  const lapse = () => given.store.db.updateTable('tasks').set({ held_until: 0 }).execute();
  const created = async (name: string, args = {}): Promise<string> => {
    const task = await nodes[0]!.call(name, args);
    expect(task).toMatchObject({ resultType: 'task' });
    return task.taskId;
  };
  const textOf = ({ result }: Raw): string => result.content.map(({ text }: Raw) => text).join(' ');

  test('any of them tells of a task, and cancels it at the other', async () => {
    const taskId = await created('library_search');
    expect((await nodes[1]!.get(taskId)).status).toBe('working');
    await nodes[1]!.ask('tasks/cancel', { taskId });
    expect((await nodes[1]!.until(taskId, ...ENDED)).status).toBe('cancelled');
    await expect.poll(() => held.every((response) => response.destroyed), { timeout: 20_000 }).toBe(true);
  });

  test('a call that reads is made again when its node was killed, once, after its time', async () => {
    const taskId = await created('library_search');
    await expect.poll(() => sent('GET'), { timeout: 20_000 }).toBe(1);
    await gateways.kill(0);
    expect((await nodes[1]!.get(taskId)).status).toBe('working');
    expect(sent('GET')).toBe(1);
    await lapse();
    const [one, other] = await Promise.all([nodes[1]!.get(taskId), nodes[1]!.get(taskId)]);
    expect([one.status, other.status]).toEqual(['working', 'working']);
    await expect.poll(() => sent('GET'), { timeout: 20_000 }).toBe(2);
    release();
    expect(textOf(await nodes[1]!.until(taskId, ...ENDED))).toContain('done');
    expect(sent('GET')).toBe(2);
  });

  test('a write that was in flight when its node was killed is never made again', async () => {
    const taskId = await created('library_add_book', { title: 'A' });
    await expect.poll(() => sent('POST'), { timeout: 20_000 }).toBe(1);
    await gateways.kill(0);
    await lapse();
    const task = await nodes[1]!.get(taskId);
    expect([task.status, task.result.isError]).toEqual(['completed', true]);
    expect(textOf(task)).toContain('outcome_unknown');
    expect(await nodes[1]!.get(taskId)).toEqual(task);
    expect(sent('POST')).toBe(1);
  });

  test('waiting for the end of work goes on at the other node, and the work is begun once', async () => {
    const taskId = await created('library_scan');
    await expect.poll(() => sent('GET'), { timeout: 20_000 }).toBeGreaterThan(0);
    await gateways.kill(0);
    await lapse();
    const before = sent('GET');
    expect((await nodes[1]!.get(taskId)).status).toBe('working');
    await expect.poll(() => sent('GET'), { timeout: 20_000 }).toBeGreaterThan(before);
    isReady = true;
    const task = await nodes[1]!.until(taskId, ...ENDED);
    expect(task).toMatchObject({ status: 'completed', result: { structuredContent: { id: 's-1', status: 'ready' } } });
    expect(sent('POST')).toBe(1);
    const records = () => given.store.db.selectFrom('call_records').select('tool').execute();
    expect((await records()).length).toBeLessThanOrEqual(1);
  });

  test('waiting outlives the time of a call, and a node that stops leaves it to the other at once', async () => {
    const taskId = await created('library_scan');
    await new Promise((resolve) => setTimeout(resolve, 9_000));
    expect((await nodes[0]!.get(taskId)).status).toBe('working');
    process.kill(gateways.pids[0]!, 'SIGTERM');
    const left = () => given.store.db.selectFrom('tasks').select('held_until').executeTakeFirst();
    await expect.poll(async () => (await left())?.held_until, { timeout: 15_000 }).toBe(0);
    isReady = true;
    expect((await nodes[1]!.until(taskId, ...ENDED)).result.structuredContent.status).toBe('ready');
    expect(sent('POST')).toBe(1);
  });

  test('a program that ran when its node was killed is not run again', async () => {
    const code = 'for (let i = 0; i < 3; i += 1) await library.addBook({ title: "T" + i })';
    const taskId = await created('run_code', { code });
    await expect.poll(() => sent('POST'), { timeout: 20_000 }).toBe(1);
    await gateways.kill(0);
    await lapse();
    const task = await nodes[1]!.get(taskId);
    expect([task.status, task.result.isError]).toEqual(['completed', true]);
    expect(textOf(task)).toContain('outcome_unknown');
    expect(sent('POST')).toBe(1);
  });

  test('an approval that reaches both at the same time is used once', async () => {
    const asking = await nodes[0]!.call('library_burn', { title: 'A' });
    const { taskId } = asking;
    const [key] = Object.keys((await nodes[1]!.get(taskId)).inputRequests);
    const answer = { taskId, inputResponses: { [key!]: { action: 'accept' } } };
    await Promise.all([0, 1, 0, 1, 0, 1].map((node) => nodes[node]!.ask('tasks/update', answer)));
    await expect.poll(() => sent('DELETE'), { timeout: 20_000 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    release();
    expect(textOf(await nodes[0]!.until(taskId, ...ENDED))).toContain('done');
    expect(sent('DELETE')).toBe(1);
  });

  test('a call that was approved is made once, although its node was killed while it made it', async () => {
    const { taskId } = await nodes[0]!.call('library_burn', { title: 'A' });
    const [key] = Object.keys((await nodes[1]!.get(taskId)).inputRequests);
    await nodes[0]!.ask('tasks/update', { taskId, inputResponses: { [key!]: { action: 'accept' } } });
    await expect.poll(() => sent('DELETE'), { timeout: 20_000 }).toBe(1);
    await gateways.kill(0);
    await lapse();
    const task = await nodes[1]!.until(taskId, ...ENDED);
    expect([task.status, task.result.isError, sent('DELETE')]).toEqual(['completed', true, 1]);
    expect(textOf(task)).toContain('outcome_unknown');
  });

  test('an approval of a client that cannot be asked is waited for at the other node, although the first was killed', async () => {
    const capabilities = { extensions: { [EXTENSION]: {} } };
    const silent = gateways.origins.map((origin) => createTasksClient({ origin, token, capabilities }));
    const { taskId, status } = await silent[0]!.call('library_burn', { title: 'A' });
    expect(status).toBe('working');
    await expect
      .poll(async () => (await silent[1]!.get(taskId)).statusMessage, { timeout: 20_000 })
      .toContain('waits for the approval of its user');
    await gateways.kill(0);
    const approval = await given.store.db.selectFrom('approvals').selectAll().executeTakeFirstOrThrow();
    const { id, digest, user_id: userId } = approval;
    const { partner_id: partnerId } = await given.store.db
      .selectFrom('users')
      .select('partner_id')
      .executeTakeFirstOrThrow();
    await vaultBeside(given.store);
    const decided = await given.store.db
      .transaction()
      .execute((transaction) =>
        decide(
          transaction,
          { id, digest: digest ?? '', userId, partnerId, clientId: null },
          { approve: true, channel: 'page', now: Date.now() },
        ),
      );
    expect(decided).toBe(true);
    expect((await silent[1]!.get(taskId)).status).toBe('working');
    await expect.poll(() => sent('DELETE'), { timeout: 20_000 }).toBe(1);
    release();
    expect(textOf(await silent[1]!.until(taskId, ...ENDED))).toContain('done');
    expect(sent('DELETE')).toBe(1);
  });
});
