import { afterEach, expect, test } from 'vitest';
import type { RunningGateway } from '../../../support/gateway.ts';
import { asPartner, callTool } from '../../call/tools/limits/support.ts';
import { Visitor } from '../admin/support.ts';
import { FEEDBACK, listTools, OPERATOR_SECRET, startWithFeedback } from './support.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const TEXTS = { tried: 'Move a <b>loan</b>', missing: `No tool\u202e moves \u001b[31mloans utg_at_${'a'.repeat(43)}` };

test('agents have no tool for feedback unless the operator wants it', async () => {
  gateway = await startWithFeedback({ env: { FEEDBACK: 'off' } });
  expect(await listTools(gateway)).not.toContain(FEEDBACK);
});

test('feedback is bounded, thanked for, and shown as text to the operator and to the partner of the user', async () => {
  gateway = await startWithFeedback();
  expect(await listTools(gateway)).toEqual([FEEDBACK, 'library_list', 'library_purge'].toSorted());
  const long = await callTool(gateway, FEEDBACK, { tried: 'x'.repeat(2_001), missing: 'y' });
  expect(long.error?.code).toBe('invalid_arguments');
  const thanks = await callTool(gateway, FEEDBACK, { ...TEXTS, tool: 'library_move' });
  expect(thanks.content[0]?.text).toMatch(/^Thank you/);
  const api = await asPartner(gateway);
  const { body } = await api('GET', '/feedback');
  expect(body).toMatchObject({
    feedback: [
      {
        user_id: 'ada',
        tool: 'library_move',
        tried: 'Move a <b>loan</b>',
        missing: expect.stringMatching(/^No tool moves \[31mloans \S*\[?redacted/),
      },
    ],
    next: null,
  });
  const operator = new Visitor(
    () => gateway.listensAt,
    () => {},
  );
  await operator.signIn(OPERATOR_SECRET);
  const { text } = await operator.get('/admin/feedback');
  expect(text).toContain('Move a &lt;b&gt;loan&lt;/b&gt;');
  expect(text).not.toContain('utg_at_aaaa');
  const events = await gateway.store.db.selectFrom('partner_events').select(['type', 'data']).execute();
  expect(events.map(({ type }) => type)).toContain('feedback.received');
  expect(JSON.stringify(events)).not.toContain('loan');
  for (let sent = 1; sent < 10; sent += 1) await callTool(gateway, FEEDBACK, TEXTS);
  const { error } = await callTool(gateway, FEEDBACK, TEXTS);
  expect(error).toMatchObject({ code: 'too_many_calls', retryAfterSeconds: expect.any(Number) });
  await api('DELETE', '/users/ada').catch(() => {});
  expect(await gateway.store.db.selectFrom('feedback').select('id').execute()).toEqual([]);
});
