import { describe, expect, test } from 'vitest';
import { compareSchemas } from '../../../codegen/report/schema/events.ts';

const card = (kind: string, more: object = {}, required: readonly string[] = []) => ({
  type: 'object',
  properties: { type: { const: 'card' }, kind: { enum: [kind] }, ...more },
  required: ['type', 'kind', ...required],
});
const text = { type: 'string' };
const kindsOf = (before: readonly object[], after: readonly object[], defs: readonly [object, object] = [{}, {}]) =>
  compareSchemas(
    { properties: { x: { oneOf: before } }, $defs: defs[0] },
    { properties: { x: { oneOf: after } }, $defs: defs[1] },
  ).map(({ kind, place, note }) => `${kind} ${place}${note === undefined ? '' : ` (${note})`}`);

describe('alternatives', () => {
  test.each<[string, [object[], object[]], string[]]>([
    [
      'are matched by a discriminator in any order',
      [
        [card('a', { entries: text }, ['entries']), card('b', { duration: text }), card('c')],
        [card('c'), card('b', { duration: text, end: text }), card('a', { entries: text }, ['entries'])],
      ],
      ['member-added x.end', 'text x#oneOf (another order)'],
    ],
    [
      'with different discriminator values are different alternatives',
      [
        [card('a'), card('b')],
        [card('a'), card('z')],
      ],
      ['alternative-removed x#oneOf (object with type, kind)', 'alternative-added x#oneOf (object with type, kind)'],
    ],
    [
      'are matched by their titles',
      [
        [
          { title: 'One', type: 'object', properties: { a: text } },
          { title: 'Two', type: 'object', properties: { b: text } },
        ],
        [
          { title: 'Two', type: 'object', properties: { c: text } },
          { title: 'One', type: 'object', properties: { a: text } },
        ],
      ],
      ['member-removed x.b', 'member-added x.c', 'text x#oneOf (another order)'],
    ],
    [
      'are matched by similarity, the most similar first',
      [
        [
          { type: 'object', properties: { a: text, b: text } },
          { type: 'object', properties: { c: text, d: text } },
        ],
        [
          { type: 'object', properties: { c: text, d: text, e: text } },
          { type: 'object', properties: { a: text, b: text } },
        ],
      ],
      ['member-added x.e', 'text x#oneOf (another order)'],
    ],
    [
      'with nothing in common are not compared',
      [
        [{ type: 'object', properties: { a: text } }, text],
        [{ type: 'object', properties: { b: text } }, text],
      ],
      ['alternative-removed x#oneOf (object with a)', 'alternative-added x#oneOf (object with b)'],
    ],
    [
      'with a fifth of their members in common are the same',
      [
        [{ type: 'object', properties: { a: text, b: text, c: text } }, text],
        [{ type: 'object', properties: { c: text, d: text, e: text } }, text],
      ],
      ['member-removed x.a', 'member-removed x.b', 'member-added x.d', 'member-added x.e'],
    ],
    [
      'with a sixth of their members in common are different',
      [
        [{ type: 'object', properties: { a: text, b: text, c: text } }, text],
        [{ type: 'object', properties: { c: text, d: text, e: text, f: text } }, text],
      ],
      ['alternative-removed x#oneOf (object with a, b, c)', 'alternative-added x#oneOf (object with c, d, e, f)'],
    ],
  ])('%s', (_, given, want) => {
    expect(kindsOf(...given)).toEqual(want);
  });

  test('are matched by the names of their references, and their targets are compared', () => {
    const refs = ['A', 'B'].map((name) => ({ $ref: `#/$defs/${name}` }));
    const before = { A: { type: 'object', properties: { a: text } }, B: { type: 'object', properties: { a: text } } };
    const after = {
      A: { type: 'object', properties: { a: text } },
      B: { type: 'object', properties: { a: { type: 'integer' } } },
    };
    expect(kindsOf(refs, [...refs].reverse(), [before, after])).toEqual([
      'type-changed x.a#type',
      'text x#oneOf (another order)',
    ]);
  });

  test.each([
    ['with members that it describes', { properties: { a: { type: 'integer' } } }],
    ['with a member that it needs', { properties: {}, required: ['c'] }],
    ['that takes no others', { properties: {}, additionalProperties: false }],
    ['with items', { type: 'array', items: text }],
    ['with alternatives', { oneOf: [text, { type: 'integer' }] }],
  ])('are not open because a vendor writes the sentence of the budget: %s', (_, more) => {
    const before = { type: 'object', properties: { a: text, b: text } };
    const plain = { type: 'object', ...more };
    const said = { ...plain, description: 'Described no further here. Takes a, b.' };
    const kinds = (after: object) =>
      compareSchemas({ properties: { x: before } }, { properties: { x: after } })
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'text');
    expect(kinds(said)).toEqual(kinds(plain));
    expect(kinds(said).length).toBeGreaterThan(0);
  });

  test('that lose their room are paired by the value that they keep', () => {
    const form = (kind: string) => ({ type: 'object', properties: { kind: { enum: [kind] }, a: text, b: text } });
    const open = (kind: string) => ({
      type: 'object',
      description: 'Described no further here. Takes kind, a, b.',
      properties: { kind: { enum: [kind] } },
    });
    const events = compareSchemas(
      { properties: { x: { anyOf: [form('email'), form('sms')] } } },
      { properties: { x: { anyOf: [open('sms'), open('email')] } } },
    );
    expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['described-less', 'text']));
  });

  test('that become or were the only form are compared with that form', () => {
    const object = { type: 'object', properties: { a: text, b: text }, required: ['a'] };
    const wrapped = { properties: { x: { oneOf: [object, text] } } };
    expect(compareSchemas({ properties: { x: object } }, wrapped).map(({ kind }) => kind)).toEqual([
      'alternative-added',
    ]);
    expect(compareSchemas(wrapped, { properties: { x: object } }).map(({ kind }) => kind)).toEqual([
      'alternative-removed',
    ]);
  });
});

describe('the types that a value allows', () => {
  const kinds = (before: object, after: object) =>
    compareSchemas({ properties: { x: before } }, { properties: { x: after } }).map(({ kind }) => kind);

  test.each<[string, object, object, string[]]>([
    ['an enumeration that gains its type', { enum: ['a'] }, { type: 'string', enum: ['a'] }, []],
    ['a constant that gains its type', { const: 5 }, { type: 'integer', const: 5 }, []],
    ['an enumeration that gains a wider type', { enum: [5] }, { type: 'number', enum: [5] }, ['type-widened']],
    ['an enumeration that gains another type', { enum: ['a'] }, { type: 'integer', enum: ['a'] }, ['type-changed']],
    [
      'members of any name that are allowed explicitly',
      { type: 'object' },
      { type: 'object', additionalProperties: {} },
      ['other'],
    ],
  ])('%s', (_, before, after, want) => {
    expect(kinds(before, after)).toEqual(want);
  });
});
