import { expect, test } from 'vitest';
import { listDeliveries, recordAttempt } from '../../../../server/modules/notify/webhooks/deliveries.ts';
import { findEndpoint } from '../../../../server/modules/notify/webhooks/endpoints.ts';
import { startReceiver } from '../notify/delivery/receiver.ts';
import { addReceiver, createWorkers, happen } from '../notify/webhooks/support.ts';
import { givenDashboard } from './support.ts';

const given = givenDashboard();

async function addEndpoint(url: string) {
  const { id } = await addReceiver(given.store, { partnerId: given.partnerId, url });
  const path = `/admin/partners/${given.partnerId}`;
  return { id, path, webhook: `${path}/webhooks/${id}` };
}

const deliveriesOf = (id: string) => listDeliveries(given.store.db, { endpointIds: [id], limit: 10 });

test("a partner's page shows its webhook endpoints, and sends a test", async () => {
  const operator = await given.operator();
  const { id, path, webhook } = await addEndpoint('https://acme.example/<hook>');
  const page = await operator.get(path);
  expect(page.text).toContain('https://acme.example/&lt;hook&gt;');
  expect(page.text).not.toContain('whsec_');
  const answer = await operator.submit(path, `${webhook}/test`, {});
  expect(answer.headers.get('location')).toBe(`${path}?done=webhook-tested#webhooks`);
  expect(await deliveriesOf(id)).toMatchObject([{ kind: 'test', type: 'webhook.test', status: 'waiting' }]);
});

test('an endpoint is disabled and enabled, and its page shows it', async () => {
  const operator = await given.operator();
  const { id, path, webhook } = await addEndpoint('https://acme.example/hook');
  await operator.confirm(path, `${webhook}/switch`, {});
  const key = { id, partnerId: given.partnerId };
  expect(await findEndpoint(given.store.db, key)).toMatchObject({ disabled_reason: 'by-operator' });
  expect((await operator.get(path)).text).toContain('disabled by an operator');
  await operator.submit(path, `${webhook}/switch`, { enabled: 'yes' });
  expect(await findEndpoint(given.store.db, key)).toMatchObject({ disabled_at: null });
});

test('a delivery is shown with its answer, and sent again with the same id', async () => {
  const receiver = await startReceiver();
  const workers = createWorkers();
  const { id, path, webhook } = await addEndpoint(`${receiver.origin}/hook`);
  await happen(given.store, { partnerId: given.partnerId, user: 'ada', grant: 'g', now: 1 });
  await workers.open(given.store).round();
  await workers.close();
  await receiver.close();
  const [first] = await deliveriesOf(id);
  const operator = await given.operator();
  expect((await operator.get(path)).text).toMatch(/grant\.created[\s\S]*delivered[\s\S]*204, \d+ ms/);
  await operator.submit(path, `${webhook}/deliveries/${first?.id}/repeat`, {});
  const again = (await deliveriesOf(id)).find(({ kind }) => kind === 'replay');
  expect(again).toMatchObject({ event_id: first?.event_id, status: 'waiting' });
  const outcome = { status: 'failed', answerStatus: null, problem: 'timeout', durationMs: 15_000 } as const;
  await recordAttempt(given.store.db, again!.id, { ...outcome, startedAt: 1, endedAt: 1, nextAttemptAt: 1 });
  expect((await operator.get(path)).text).toContain('timeout, 15,000 ms');
});
