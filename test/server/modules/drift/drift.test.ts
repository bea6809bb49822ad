import { describe, expect, test } from 'vitest';
import { toServed } from '../../../../server/call/tools/catalogue/provenance.ts';
import { createValidators } from '../../../../server/call/tools/validate.ts';
import { createDriftCounter } from '../../../../server/modules/drift/counter.ts';
import { describeDrift } from '../../../../server/modules/drift/describe.ts';
import { addDrift, listDrift } from '../../../../server/modules/drift/tallies.ts';
import { sendJson } from '../../../support/document-server.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { createFixture } from '../../call/tools/support.ts';
import { startHost } from '../../call/upstream/support.ts';

const SCHEMA = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer' },
    status: { enum: ['open'] },
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
    byName: { type: 'object', additionalProperties: { type: 'integer' } },
  },
  $defs: { item: { type: 'object', properties: { name: { type: 'string' } } } },
} as const;

const drift = (answer: unknown) =>
  describeDrift(SCHEMA, createValidators()(SCHEMA).problems(answer)).map(({ place, keyword, found }) => [
    place,
    keyword,
    found,
  ]);

describe('the difference between an answer and its schema', () => {
  test.each<[string, unknown, string[][]]>([
    ['another type', { id: 'x' }, [['/id', 'type', 'string']]],
    ['null', { id: null }, [['/id', 'type', 'null']]],
    ['missing members', {}, [['/id', 'required', 'absent']]],
    ['a value that is not published', { id: 1, status: 'secret' }, [['/status', 'enum', 'string']]],
    [
      'items, with each place once',
      { id: 1, items: [{ name: 1 }, { name: 2 }] },
      [['/items/*/name', 'type', 'integer']],
    ],
    ['a name that is not published', { id: 1, byName: { 'ada@example.com': 'x' } }, [['/byName/*', 'type', 'string']]],
    ['nothing', { id: 1, 'ada@example.com': 1 }, []],
  ])('%s', (_, answer, want) => {
    expect(drift(answer)).toEqual(want);
  });
});

describeStore('drift of answers', (given) => {
  test('is counted by definition, place and type, from the calls of users', async () => {
    const upstream = await startHost(sendJson({ id: 'ada@example.com' }));
    const drifts = createDriftCounter({
      write: (rows) => addDrift(given.store.db, rows),
      now: () => 86_400_000 * 10 + 5,
      onProblem: ({ error }) => expect(error).toBeUndefined(),
    });
    const tool = fakeTool({ name: 'library_get', output: { properties: { id: { type: 'integer' } } } });
    const { connectors } = toServed([fakeConnector({ tools: [tool] })], null);
    const fixture = createFixture({ connectors, origin: upstream.origin, changes: { onDrift: drifts.count } });
    for (let call = 0; call < 3; call += 1) await fixture.call('library_get');
    await drifts.flush();
    await fixture.call('library_get');
    await drifts.stop();
    await fixture.close();
    await upstream.close();
    expect(await listDrift(given.store.db, { since: 0, limit: 10 })).toEqual([
      {
        service: 'library',
        tool: 'library_get',
        definition: connectors[0]?.tools[0]?.provenance?.definition,
        place: '/id',
        keyword: 'type',
        found: 'string',
        answers: 4,
        lastDay: 86_400_000 * 10,
      },
    ]);
    expect(await listDrift(given.store.db, { since: 86_400_000 * 11, limit: 10 })).toEqual([]);
  });
});
