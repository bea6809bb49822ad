import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameArguments, toArgumentName } from '../../../../codegen/tools/request/argument-names.ts';
import type { WireSlot } from '../../../../codegen/tools/request/wire.ts';
import { wireKey } from '../../../../codegen/tools/request/wire.ts';
import { numRuns } from '../../../support/num-runs.ts';

describe('default argument names', () => {
  it.each([
    ['page_size', 'pageSize'],
    ['fieldIds', 'fieldIds'],
    ['personID', 'personId'],
    ['URL', 'url'],
    ['X-GitHub-Api-Version', 'xGitHubApiVersion'],
    ['date.gte', 'dateGte'],
    ['qopts.per_page', 'qoptsPerPage'],
    ['$top', 'top'],
    ['@type', 'type'],
    ['filter[name]', 'filterName'],
    ['ids[]', 'ids'],
    ['StartTime', 'startTime'],
    ['StartTime<', 'startTimeLt'],
    ['StartTime>=', 'startTimeGte'],
    ['status!', 'statusNot'],
    ['2fa_code', '_2FaCode'],
    ['+1', 'plus1'],
    ['-1', 'minus1'],
    ['名前', 'arg_7ec262'],
    ['Größe', 'grosse'],
    ['__proto__', 'proto'],
  ])('%s is %s', (wireName, want) => {
    expect(toArgumentName(wireName)).toBe(want);
  });

  it('cuts a name of 200 characters to 64 and keeps two such names apart', () => {
    const long = 'very_'.repeat(40);
    const names = [toArgumentName(`${long}a`), toArgumentName(`${long}b`)];
    expect(names.map((name) => name.length)).toEqual([64, 64]);
    expect(new Set(names).size).toBe(2);
  });

  it('are valid keys of the model APIs for any wire name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (wireName) => {
        expect(toArgumentName(wireName)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/);
      }),
    );
  });
});

function named(slots: readonly WireSlot[], reserved: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(nameArguments(slots, new Set(reserved)).names);
}

describe('names that collide', () => {
  it.each<[string, readonly WireSlot[], readonly string[], Readonly<Record<string, string>>]>([
    [
      'give the plain name to the path first, then the query, the header and the body',
      [
        { in: 'body', name: 'name' },
        { in: 'header', name: 'name' },
        { in: 'query', name: 'name' },
        { in: 'path', name: 'name' },
      ],
      [],
      { 'body.name': 'bodyName', 'header.name': 'headerName', 'query.name': 'queryName', 'path.name': 'name' },
    ],
    [
      'within one place give it to the parameter spelled exactly so',
      [
        { in: 'query', name: 'foo_bar' },
        { in: 'query', name: 'fooBar' },
      ],
      [],
      { 'query.fooBar': 'fooBar', 'query.foo_bar': 'queryFooBar' },
    ],
    [
      'within one place keep their original spellings',
      [
        { in: 'query', name: 'filter[name]' },
        { in: 'query', name: 'filter.name' },
        { in: 'query', name: 'filter-NAME' },
      ],
      [],
      {
        'query.filter-NAME': 'filter_NAME',
        'query.filter.name': 'filterName_cd2ae7',
        'query.filter[name]': 'filterName_18a562',
      },
    ],
    ['yield to a name of connector.yaml', [{ in: 'body', name: 'name' }], ['name'], { 'body.name': 'bodyName' }],
    [
      'distinguish a whole body from a parameter named body',
      [
        { in: 'body', name: null },
        { in: 'query', name: 'body' },
      ],
      [],
      { 'query.body': 'body', body: 'bodyBody' },
    ],
  ])('%s', (_title, slots, reserved, want) => {
    expect(named(slots, reserved)).toEqual(want);
    expect(named(slots.toReversed(), reserved)).toEqual(want);
  });

  it('reports which parameters collided and the name of each', () => {
    const slots: readonly WireSlot[] = [
      { in: 'path', name: 'id' },
      { in: 'body', name: 'id' },
    ];
    expect(nameArguments(slots, new Set()).collisions).toEqual([
      {
        name: 'id',
        members: [
          { wire: 'body.id', name: 'bodyId' },
          { wire: 'path.id', name: 'id' },
        ],
      },
    ]);
  });

  it('are unique, valid and independent of order for any set of places', () => {
    const slot = fc.record({
      in: fc.constantFrom('path', 'query', 'header', 'body'),
      name: fc.oneof(
        fc.constantFrom('a', 'A', 'a_', 'a-b', 'aB', 'a_b', 'a[b]', 'bodyA', 'query_a', 'body', '1', '_1', '名', '前'),
        fc.string({ minLength: 1, maxLength: 80 }),
      ),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(slot, { selector: (one) => wireKey(one as WireSlot) }),
        fc.uniqueArray(fc.constantFrom('a', 'b', 'bodyA', 'aB')),
        fc.integer(),
        (slots, reserved, seed) => {
          const places = slots as readonly WireSlot[];
          const names = named(places, reserved);
          const values = Object.values(names);
          expect(values).toHaveLength(places.length);
          expect(new Set([...values, ...reserved]).size).toBe(places.length + reserved.length);
          for (const name of values) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
          const shuffled = places.toSorted(
            (a, b) => ((wireKey(a).length * seed) % 7) - ((wireKey(b).length * seed) % 7),
          );
          expect(named(shuffled, reserved)).toEqual(names);
        },
      ),
      { numRuns: numRuns(500) },
    );
  });
});
