import { expect, test } from 'vitest';
import { createBackgroundTally } from '../../../../server/base/background-tally.ts';
import { createEndedCalls } from '../../../../server/call/tools/call/ended-calls.ts';
import { createUsageCounter } from '../../../../server/modules/usage/counter.ts';
import {
  addUsage,
  bitsOf,
  estimatePartners,
  listUsage,
  NO_PARTNERS,
  type UsageTally,
  withPartner,
} from '../../../../server/modules/usage/tallies.ts';
import { fakeTool } from '../../../support/fake-connector.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { createFixture } from '../../call/tools/support.ts';

const DAY_MS = 86_400_000;
const row = (key: string, partner: string, day = 0): UsageTally => ({
  key: `${day} ${key}`,
  day,
  tool: 'library_list',
  place: key,
  facet: 'calls',
  calls: 2,
  partners: withPartner(NO_PARTNERS, partner),
});

test.each([0, 1, 2, 5, 10, 50, 200])('%i partners are estimated to within a tenth', (number) => {
  const sketches = Array.from({ length: number }, (_, index) => withPartner(NO_PARTNERS, `partner-${index}`));
  const found = estimatePartners(bitsOf(sketches).size);
  expect(Math.abs(found - number)).toBeLessThanOrEqual(Math.max(1, number * 0.1));
});

describeStore('counts of usage', (given) => {
  test('are added per day, with the union of partners', async () => {
    const { db } = given.store;
    const partners = ['a', 'b', 'c', 'd', 'e'];
    for (const partner of partners) await addUsage(db, [row('limit', partner), row('limit', partner, DAY_MS)]);
    await addUsage(db, [row('query', 'a')]);
    const rows = await listUsage(db, 0);
    expect(rows.map(({ place, calls }) => [place, calls]).sort()).toEqual([
      ['limit', 10],
      ['query', 2],
    ]);
    const { partners: united = NO_PARTNERS } = rows.find(({ place }) => place === 'limit') ?? {};
    expect(bitsOf([united])).toEqual(bitsOf(partners.map((partner) => withPartner(NO_PARTNERS, partner))));
    expect(await listUsage(db, DAY_MS)).toHaveLength(1);
  });

  test('come from finished calls, under the names that were called', async () => {
    const usage = createUsageCounter({
      write: (rows) => addUsage(given.store.db, rows),
      onProblem: ({ error }) => expect(error).toBeUndefined(),
    });
    const tool = fakeTool({
      name: 'library_list',
      input: { properties: { limit: { type: 'integer' } }, required: [] },
    });
    const endedCalls = createEndedCalls([{ onCallsEnded: usage.count }], (error) => expect(error).toBeUndefined());
    const fixture = createFixture({ tools: [tool], changes: { endedCalls } });
    await fixture.call('library_list', { limit: 'many', 'ada@example.com': 1 });
    await fixture.call('library_list', { limit: 5 });
    await fixture.close();
    await endedCalls.stop();
    await usage.stop();
    const day = Date.now() - (Date.now() % DAY_MS);
    const rows = (await Promise.all([day - DAY_MS, day].map((at) => listUsage(given.store.db, at)))).flat();
    expect(rows.map(({ tool: name, place, facet, calls }) => `${name} ${place} ${facet} ${calls}`).sort()).toEqual([
      'library_list  calls 2',
      'library_list  outcome:failed 1',
      'library_list  outcome:refused 1',
      'library_list limit calls 2',
      'library_list limit class:integer 1',
      'library_list limit class:text 1',
      'library_list other calls 1',
      'library_list other class:integer 1',
    ]);
  });
});

test('counts wait for an unavailable store, and are dropped over a limit', async () => {
  const written: UsageTally[][] = [];
  const problems: number[] = [];
  let isAway = true;
  const tally = createBackgroundTally<UsageTally>({
    write: async (rows) => {
      if (isAway) throw new Error('away');
      written.push([...rows]);
    },
    merge: (sum, more) => ({ ...sum, calls: sum.calls + more.calls }),
    maxKeys: 2,
    onProblem: ({ lost }) => problems.push(lost),
  });
  for (const key of ['a', 'b', 'c', 'a']) tally.add(row(key, 'p'));
  await tally.flush();
  expect([written, problems]).toEqual([[], [1, 0]]);
  isAway = false;
  tally.add(row('a', 'p'));
  await tally.stop();
  expect(written.flat().map(({ place, calls }) => [place, calls])).toEqual([
    ['a', 6],
    ['b', 2],
  ]);
});
