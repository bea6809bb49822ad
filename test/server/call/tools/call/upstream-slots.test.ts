import { expect, test } from 'vitest';
import { createLocalCounts } from '../../../../../server/base/limits/counts.ts';
import { buildUpstreamSlots, createLocalSlots } from '../../../../../server/base/limits/upstream-slots.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { startHost } from '../../upstream/support.ts';
import { createFixture, errorOf, textOf } from '../support.ts';

test('a call that an unavailable database cannot count is not sent, and the error says that it may be repeated', async () => {
  let sent = 0;
  const host = await startHost((_, response) => {
    sent += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const turns = buildUpstreamSlots({
    slots: {
      ...createLocalSlots(),
      take: () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
    },
    counts: createLocalCounts(Date.now),
    now: Date.now,
    onError: () => {},
  });
  const tools = [fakeTool({ name: 'library_add', method: 'POST', path: '/books' })];
  const connectors = [{ ...fakeConnector({ tools }), caps: { concurrency: 2 } }];
  const fixture = createFixture({ connectors, origin: host.origin, changes: { upstreamSlots: turns } });
  const result = await fixture.call('library_add');
  expect(errorOf(result)).toMatchObject({ code: 'no_free_turn', retryable: true, retryAfterSeconds: 5 });
  expect(textOf(result)).toMatch(/cannot count them now.* Nothing was sent\. Wait 5 seconds/);
  expect(sent).toBe(0);
  await fixture.close();
  await host.close();
});
