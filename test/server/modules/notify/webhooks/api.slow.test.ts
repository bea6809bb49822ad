import { expect, test } from 'vitest';
import { describeConnect } from '../../../connect/support.ts';
import { until } from '../delivery/receiver.ts';
import { ENDPOINTS, givenPartnerEvents } from './partner-events.ts';

describeConnect('the partner API for events', (given) => {
  const { fixture, send, add, connect } = givenPartnerEvents(given);

  test('sends a test, lists deliveries with their answers, and replays one with the same id', async () => {
    const { id } = await add();
    const path = `${ENDPOINTS}/${id}`;
    expect((await send('POST', `${path}/test`)).body).toMatchObject({ type: 'webhook.test', status: 'waiting' });
    await connect();
    await until(() => fixture.receiver.received.length === 3);
    const deliveriesOf = async () => (await send('GET', `${path}/deliveries`)).body.deliveries;
    let deliveries = await deliveriesOf();
    while (deliveries.some(({ status }: { status: string }) => status === 'waiting')) deliveries = await deliveriesOf();
    const created = deliveries.find(({ type }: { type: string }) => type === 'connection.created');
    expect(created).toMatchObject({
      kind: 'event',
      status: 'delivered',
      attempts: 1,
      answer_status: 204,
      problem: null,
    });
    given.now += 60_000;
    const replayed = await send('POST', `${path}/deliveries/${created.id}/replay`);
    expect([replayed.status, replayed.body]).toMatchObject([202, { kind: 'replay', event_id: created.event_id }]);
    await until(() => fixture.receiver.received.length === 4);
    const [first, again] = fixture.receiver.received.filter(({ event }) => event.id === created.event_id);
    expect(again?.body).toBe(first?.body);
    expect(Number(again?.headers['webhook-timestamp'])).toBe(Number(first?.headers['webhook-timestamp']) + 60);
    expect((await send('POST', `${path}/deliveries/${id}/replay`)).status).toBe(404);
  });
});
