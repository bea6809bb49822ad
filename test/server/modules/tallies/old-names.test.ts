import { expect, test } from 'vitest';
import { listPartnerEvents } from '../../../../server/modules/notify/webhooks/outbox.ts';
import { createOldNameReporter } from '../../../../server/modules/tallies/old-names.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { insertPartnerAndUser } from '../../base/store/fixtures.ts';

const DAY_MS = 86_400_000;

describeStore('calls by an old name', (given) => {
  test('are reported once a day for a connection and a name, by any number of nodes', async () => {
    const { partner, user } = await insertPartnerAndUser(given.store);
    const other = await openListeningStore({ url: given.url });
    let now = 10 * DAY_MS;
    const problems: unknown[] = [];
    const reporters = [given.store, other].map(({ db }) =>
      createOldNameReporter({ db, now: () => now, onError: (error) => problems.push(error) }),
    );
    const call = { userId: user.id, connectionId: 'c1', service: 'crm', tool: 'crm_list', until: '2030-01-01' };
    const report = async (changes: object) => {
      const called = { ...call, calledAs: 'crm_find', ...changes };
      await Promise.all(reporters.flatMap((reported) => [reported([called, called]), reported([called])]));
    };
    await report({});
    await report({ calledAs: 'crm_search' });
    await report({ connectionId: 'c2' });
    now += DAY_MS;
    await report({});
    await other.close();
    const events = await listPartnerEvents(given.store.db, { partnerId: partner.id, after: 0, limit: 99 });
    expect(problems).toEqual([]);
    expect(events.map(({ data, connection_id: id }) => `${id} ${data.called_as}`)).toEqual([
      'c1 crm_find',
      'c1 crm_search',
      'c2 crm_find',
      'c1 crm_find',
    ]);
    expect(events[0]).toMatchObject({
      type: 'tool.deprecated_called',
      service: 'crm',
      data: { called_as: 'crm_find', tool: 'crm_list', until: '2030-01-01' },
    });
  });
});
