import { expect, test } from 'vitest';
import { createBackgroundTally } from '../../../../server/base/background-tally.ts';
import { toServed } from '../../../../server/call/tools/catalogue/provenance.ts';
import { createEndedCalls } from '../../../../server/call/tools/ended-calls.ts';
import { createTallyCounter } from '../../../../server/modules/tallies/counter.ts';
import { listDrift } from '../../../../server/modules/tallies/drift.ts';
import { addTallies, sumTallies } from '../../../../server/modules/tallies/table.ts';
import { sendJson } from '../../../support/document-server.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { createFixture } from '../../call/tools/support.ts';
import { startHost } from '../../call/upstream/support.ts';

const DAY_MS = 86_400_000;

describeStore('counts', (given) => {
  const openCounter = (changes: { readonly now?: () => number; readonly countsUsage?: boolean } = {}) =>
    createTallyCounter({
      write: (rows) => addTallies(given.store.db, rows),
      now: Date.now,
      countsUsage: true,
      onProblem: ({ error }) => expect(error).toBeUndefined(),
      ...changes,
    });
  const counted = async (kind: 'usage' | 'drift' | 'old_name') => {
    const sums = await sumTallies(given.store.db, kind, { since: 0, until: Date.now() + DAY_MS });
    return sums.map(({ key, count }) => `${key.replaceAll('\t', ' ')} ${count}`).sort();
  };
  const callTwice = async (name: string, counter: ReturnType<typeof openCounter>) => {
    const input = { properties: { limit: { type: 'integer' } }, required: [] };
    const aliases = [{ name: 'library_find', until: '2030-01-01' }];
    const tool = { ...fakeTool({ name: 'library_list', input }), aliases };
    const endedCalls = createEndedCalls([{ onCallsEnded: counter.countCalls }], (error) =>
      expect(error).toBeUndefined(),
    );
    const fixture = createFixture({ tools: [tool], changes: { interceptors: [endedCalls.interceptor!] } });
    await fixture.call(name, { limit: 'many', 'ada@example.com': 1 });
    await fixture.call(name, { limit: 5 });
    await fixture.close();
    await endedCalls.stop();
    await counter.stop();
  };

  test('of usage come from finished calls, under the names that were called', async () => {
    await callTwice('library_list', openCounter());
    expect(await counted('usage')).toEqual([
      'library_list  calls 2',
      'library_list  outcome:failed 1',
      'library_list  outcome:refused 1',
      'library_list limit calls 2',
      'library_list limit class:integer 1',
      'library_list limit class:text 1',
      'library_list other calls 1',
      'library_list other class:integer 1',
    ]);
    expect(await counted('old_name')).toEqual([]);
  });

  test('of calls by an old name are kept even where usage is not counted', async () => {
    await callTwice('library_find', openCounter({ countsUsage: false }));
    expect(await counted('old_name')).toEqual(['library_find 2']);
    expect(await counted('usage')).toEqual([]);
  });

  test('of answers that differ are kept by place and type, from the calls of users', async () => {
    const upstream = await startHost(sendJson({ id: 'ada@example.com' }));
    const counter = openCounter({ now: () => DAY_MS * 10 + 5 });
    const tool = fakeTool({ name: 'library_get', output: { properties: { id: { type: 'integer' } } } });
    const { connectors } = toServed([fakeConnector({ tools: [tool] })], null);
    const fixture = createFixture({ connectors, origin: upstream.origin, changes: { onDrift: counter.countDrift } });
    for (let call = 0; call < 3; call += 1) await fixture.call('library_get');
    await counter.flush();
    await fixture.call('library_get');
    await counter.stop();
    await fixture.close();
    await upstream.close();
    expect(await listDrift(given.store.db, { since: 0, until: DAY_MS * 11 })).toEqual([
      { tool: 'library_get', pointer: '/id', actualType: 'string', answers: 4, lastDay: DAY_MS * 10 },
    ]);
    expect(await listDrift(given.store.db, { since: 0, until: DAY_MS * 11, tool: 'library' })).toEqual([]);
  });
});

test('counts wait for an unavailable store, and are dropped over a limit', async () => {
  const written: { readonly key: string; readonly count: number }[][] = [];
  const problems: number[] = [];
  let isAway = true;
  const tally = createBackgroundTally<{ readonly key: string; readonly count: number }>({
    write: async (rows) => {
      if (isAway) throw new Error('away');
      written.push([...rows]);
    },
    merge: (sum, more) => ({ ...sum, count: sum.count + more.count }),
    maxKeys: 2,
    onProblem: ({ lost }) => problems.push(lost),
  });
  for (const key of ['a', 'b', 'c', 'a']) tally.add({ key, count: 2 });
  await tally.flush();
  expect([written, problems]).toEqual([[], [1, 0]]);
  isAway = false;
  tally.add({ key: 'a', count: 2 });
  await tally.stop();
  expect(written.flat().map(({ key, count }) => [key, count])).toEqual([
    ['a', 6],
    ['b', 2],
  ]);
});
