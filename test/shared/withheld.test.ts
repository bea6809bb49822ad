import { describe, expect, test } from 'vitest';
import {
  findWithheldPaging,
  mergeWithheld,
  WITHHELD_PATH,
  type WithheldMembers,
  withoutWithheld,
} from '../../shared/withheld.ts';

const PERSON = {
  properties: {
    name: {},
    born: { description: 'When.' },
    boss: { $ref: '#/$defs/Person' },
    more: { additionalProperties: {} },
  },
};
const SCHEMA = {
  type: 'object',
  properties: {
    data: { items: { properties: { id: {}, born: {}, owner: { $ref: '#/$defs/Person' } } } },
    count: { type: ['integer', 'null'] },
    either: { anyOf: [{ properties: { born: {} } }, { properties: { other: {} } }] },
  },
  $defs: { Person: PERSON },
};

const schemaOf = (members: WithheldMembers) => withoutWithheld(SCHEMA, members).schema;
const unknownOf = (members: WithheldMembers) => Object.fromEntries(withoutWithheld(SCHEMA, members).unknown);

test.each(['data.2fa_phone', 'data.2'])('paging that needs the withheld member %s is found', (member) => {
  const next = `/${member.replaceAll('.', '/')}`;
  expect(findWithheldPaging({ next }, { [member]: 'drop' })).toBe(next);
  expect(findWithheldPaging({ next: '/data/0/id' }, { 'data.id': 'drop' })).toBe('/data/0/id');
  expect(findWithheldPaging({ next: '/data/fa_phone' }, { [member]: 'drop' })).toBeUndefined();
});

describe('an output schema without withheld members', () => {
  test('stays equal where nothing is named', () => expect(schemaOf({})).toEqual(SCHEMA));

  test('loses a member in the items of a list, and keeps one of the same name elsewhere', () => {
    const { properties, $defs } = schemaOf({ 'data.born': 'drop' });
    expect(properties.data.items.properties).toEqual({ id: {}, owner: { $ref: '#/$defs/Person' } });
    expect($defs).toEqual({ Person: PERSON });
  });

  test('loses it through a definition on this path only', () => {
    const { properties, $defs } = schemaOf({ 'data.owner.born': 'drop' });
    const { born: _, ...left } = PERSON.properties;
    expect(properties.data.items.properties.owner).toEqual({ properties: left });
    expect($defs).toEqual({ Person: PERSON });
  });

  test('loses it everywhere, in definitions and alternatives too', () => {
    const text = JSON.stringify(schemaOf({ '**.born': 'drop' }));
    expect(text).not.toContain('born');
    expect(text).toContain('"other"');
  });

  test('loses the members of a path that may begin anywhere, without a definition that nothing needs then', () => {
    const { properties, $defs } = schemaOf({ '**.owner': 'drop', '**.boss.name': 'drop' });
    expect(properties.data.items.properties).toEqual({ id: {}, born: {} });
    expect($defs).toBeUndefined();
  });

  test('keeps the place of a replaced member, as a text', () => {
    expect(schemaOf({ count: 'replace' }).properties.count).toEqual({ description: 'Withheld.' });
  });

  test('ends at a definition that is only itself', () => {
    const endless = { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { $ref: '#/$defs/A' } } };
    expect(withoutWithheld(endless, { 'a.b': 'drop' }).schema).toEqual(endless);
  });
});

describe('paths that lead nowhere', () => {
  test.each<[string, WithheldMembers, Record<string, string[]>]>([
    ['none, where all are listed', { 'data.born': 'drop', '**.more': 'drop', 'data.owner.boss.born': 'replace' }, {}],
    [
      'a name that its place does not list',
      { 'data.owner.bron': 'drop' },
      { 'data.owner.bron': ['data.owner.name', 'data.owner.born', 'data.owner.boss', 'data.owner.more'] },
    ],
    [
      'all below such a name',
      { 'dat.born': 'drop', 'dat.id': 'drop' },
      { 'dat.born': ['data', 'count', 'either'], 'dat.id': ['data', 'count', 'either'] },
    ],
    ['nothing below a place that lists none', { 'data.owner.more.anything.at.all': 'drop' }, {}],
    ['what would be inside a number', { 'count.born': 'drop' }, { 'count.born': [] }],
  ])('%s', (_, members, want) => expect(unknownOf(members)).toEqual(want));

  test('a name that nothing lists anywhere, unless something lists no members', () => {
    const closed = { type: 'object', properties: { name: {} } };
    expect([...withoutWithheld(closed, { '**.nam': 'drop' }).unknown]).toEqual([['**.nam', ['**.name']]]);
    expect(unknownOf({ '**.nam': 'drop' })).toEqual({});
    expect(withoutWithheld({ type: 'object' }, { 'a.b': 'drop', '**.c': 'drop' }).unknown.size).toBe(0);
  });
});

test.each([
  ['a', true],
  ['a.b-c.$d', true],
  ['**.a.b', true],
  ['', false],
  ['**', false],
  ['a.**.b', false],
  ['a..b', false],
  ['a.*', false],
  ['a b', false],
])('%j is a path: %j', (path, want) => expect(WITHHELD_PATH.test(path)).toBe(want));

test('what one of two rules drops is dropped', () => {
  expect(mergeWithheld({ a: 'drop', b: 'replace' }, { a: 'replace', b: 'drop', c: 'replace' })).toEqual({
    ...{ a: 'drop', b: 'drop', c: 'replace' },
  });
});

test.each<[string, object | null, WithheldMembers, string | undefined]>([
  ['no pages', null, { next: 'drop' }, undefined],
  ['the cursor', { next: '/meta/next' }, { 'meta.next': 'replace' }, '/meta/next'],
  ['what the cursor is in', { next: '/meta/next' }, { meta: 'drop' }, '/meta/next'],
  ['the list', { items: '/data', kind: 'page' }, { data: 'drop' }, '/data'],
  ['the member of the last record', { items: '/data', id: '/id', kind: 'last' }, { 'data.id': 'drop' }, '/data/id'],
  ['a number of records', { total: '/total' }, { '**.total': 'drop' }, '/total'],
  ['another member', { next: '/next', items: '/data' }, { 'data.next': 'drop' }, undefined],
])('a list cannot go on without %s', (_, page, members, want) => expect(findWithheldPaging(page, members)).toBe(want));
