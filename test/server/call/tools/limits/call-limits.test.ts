import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../../../support/gateway.ts';
import { type Recorder, startRecorder } from '../../../../support/recorder.ts';
import { asPartner, callTool, LIBRARY } from './support.ts';

const NOON = Date.UTC(2026, 10, 30, 12);

let upstream: Recorder;
let gateway: RunningGateway;
let now = NOON;

beforeAll(async () => {
  upstream = await startRecorder();
  gateway = await startGateway({
    connectors: [LIBRARY],
    env: { LIBRARY_BASE_URL: upstream.origin, CALL_LIMITS: 'tool:library_list 2/day/user' },
    secretOf: () => '',
    now: () => now,
  });
  await gateway.store.db
    .updateTable('access_tokens')
    .set({ expires_at: NOON + 100 * 86_400_000 })
    .execute();
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

test('a rule counts calls that are sent, refuses the next before it is sent, and begins again at midnight UTC', async () => {
  expect((await callTool(gateway, 'library_list', { wrong: 1 })).error?.code).toBe('invalid_arguments');
  expect((await callTool(gateway, 'library_list')).error).toBeNull();
  expect((await callTool(gateway, 'library_list')).error).toBeNull();
  const sent = upstream.calls().length;
  const { error } = await callTool(gateway, 'library_list');
  expect(error).toMatchObject({
    code: 'call_limit_reached',
    retryable: true,
    retryAfterSeconds: 12 * 3600,
    details: { rule: 'tool:library_list 2/day/user', until: '2026-12-01T00:00:00.000Z' },
  });
  expect(upstream.calls()).toHaveLength(sent);
  now = Date.UTC(2026, 11, 1) - 1;
  expect((await callTool(gateway, 'library_list')).error?.retryAfterSeconds).toBe(1);
  now += 1;
  expect((await callTool(gateway, 'library_list')).error).toBeNull();
});

test('a partner adds rules for its users, and reads all of them with what they have counted', async () => {
  const api = await asPartner(gateway);
  now = Date.UTC(2026, 11, 2);
  const rules = ['destroy 3/hour/client'];
  expect(await api('PUT', '/call-limits', { rules: ['destroy'] })).toMatchObject({ status: 400 });
  expect(await api('PUT', '/call-limits', { rules: ['tool:library_lost 1/day/user'] })).toMatchObject({
    status: 400,
    body: { error_description: expect.stringContaining('did you mean tool:library_list?') },
  });
  expect((await api('PUT', '/call-limits', { rules })).status).toBe(200);
  const key = { idempotencyKey: 'once' };
  expect((await callTool(gateway, 'library_purge', { id: '1' }, key)).error).toBeNull();
  expect((await callTool(gateway, 'library_purge', { id: '1' }, key)).error).toBeNull();
  const batch = await callTool(gateway, 'library_purge', { id: '2', also: ['3', '4', '5'], count: 4 });
  expect(batch.error).toMatchObject({ code: 'call_limit_reached', details: { done: 2, notTried: 1 } });
  expect((await api('GET', '/call-limits')).body).toEqual({
    rules: [
      { rule: 'tool:library_list 2/day/user', set_by: 'operator', used: 0 },
      { rule: 'destroy 3/hour/client', set_by: 'partner', used: 3 },
    ],
  });
});
