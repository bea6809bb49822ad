import { afterEach, beforeEach, expect, test } from 'vitest';
import { asPartner, callTool } from '../server/call/tools/limits/support.ts';
import { Visitor } from '../server/modules/admin/support.ts';
import { FEEDBACK, OPERATOR_SECRET, startWithFeedback } from '../server/modules/feedback/support.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { postRpc } from '../support/post-rpc.ts';

let gateway: RunningGateway;
const lines: string[] = [];
beforeEach(async () => {
  lines.length = 0;
  gateway = await startWithFeedback({ log: (line) => lines.push(line) });
});
afterEach(() => gateway.close());

async function openPage(path = '/admin/feedback'): Promise<string> {
  const operator = new Visitor(
    () => gateway.listensAt,
    () => {},
  );
  await operator.signIn(OPERATOR_SECRET);
  return (await operator.get(path)).text;
}

test('no text of an agent becomes markup, a terminal escape or a disguise', async () => {
  const attacks = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u001b]0;owned\u0007\u001b[2J\u009b31m',
    '\u202eevil\u2066\u200b\ufeff',
    '{{7*7}}',
  ];
  const sent = await callTool(gateway, FEEDBACK, { tried: attacks.join(' '), missing: attacks.join('\n') });
  expect(sent.error).toBeNull();
  const { tried, missing } = await gateway.store.db
    .selectFrom('feedback')
    .select(['tried', 'missing'])
    .executeTakeFirstOrThrow();
  for (const text of [tried, missing]) expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const page = await openPage();
  expect(page).not.toMatch(/<script>alert|<img src=x/);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('a huge, empty or wrongly typed text is refused, and nothing is stored', async () => {
  const huge = await postRpc(gateway, 'tools/call', {
    name: FEEDBACK,
    arguments: { tried: 'x'.repeat(1_048_576), missing: 'y' },
  });
  expect([200, 413]).toContain(huge.status);
  const wrong = [
    { tried: 'x'.repeat(400_000), missing: 'y' },
    { tried: '', missing: 'y' },
    { tried: { a: 1 }, missing: ['y'] },
    { tried: 'x', missing: 'y', tool: '<b>' },
    { tried: 'x', missing: 'y', tool: 'a'.repeat(129) },
    { tried: 'x', missing: 'y', more: 1 },
  ];
  for (const args of wrong) {
    expect((await callTool(gateway, FEEDBACK, args)).error?.code).toBe('invalid_arguments');
  }
  expect(await gateway.store.db.selectFrom('feedback').select('id').execute()).toEqual([]);
  expect(lines.join('')).not.toContain('xxxx');
});

test('parallel feedback stays within the hourly limit of the user', async () => {
  const all = Array.from({ length: 60 }, () => callTool(gateway, FEEDBACK, { tried: 'a', missing: 'b' }));
  const accepted = (await Promise.all(all)).filter(({ error }) => error === null);
  expect(accepted).toHaveLength(10);
});

test('secrets are redacted, also where invisible characters divide them', async () => {
  const secret = `utg_rt_${'b'.repeat(43)}`;
  const divided = `${secret.slice(0, 9)}\u200b${secret.slice(9)}`;
  await callTool(gateway, FEEDBACK, { tried: secret, missing: divided });
  const row = await gateway.store.db.selectFrom('feedback').selectAll().executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain('bbbbbbbbbb');
});

test('a partner reads the feedback of its own users and realm only', async () => {
  const api = await asPartner(gateway);
  await callTool(gateway, FEEDBACK, { tried: 'a', missing: 'b' });
  const { db } = gateway.store;
  const partner = await db.selectFrom('partners').select(['id']).executeTakeFirstOrThrow();
  const other = { id: 'other', client_id: 'other', name: 'Other', created_at: 1 };
  await db
    .insertInto('partners')
    .values(other as never)
    .execute();
  await db.updateTable('feedback').set({ partner_id: 'other' }).execute();
  expect((await api('GET', '/feedback')).body).toEqual({ feedback: [], next: null });
  await db.updateTable('feedback').set({ partner_id: partner.id }).execute();
  expect((await api('GET', '/feedback')).body.feedback).toHaveLength(1);
});
