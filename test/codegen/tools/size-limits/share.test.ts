import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { shareParts } from '../../../../codegen/tools/size-limits/share.ts';

const root = (properties: Schema, $defs?: Schema): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...($defs === undefined ? {} : { $defs }),
});
const address = (description?: string): Schema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  properties: { street: { type: 'string', maxLength: 80 }, city: { type: 'string', maxLength: 80 } },
});
const node: Schema = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } };

describe('shared parts', () => {
  it.each<[string, Schema, Schema]>([
    [
      'an equal part in two places is written once',
      root({ home: address(), work: address() }),
      root({ home: { $ref: '#/$defs/Home' }, work: { $ref: '#/$defs/Home' } }, { Home: address() }),
    ],
    [
      'the same text moves to the definition',
      root({ home: address('A.'), work: address('A.') }),
      root({ home: { $ref: '#/$defs/Home' }, work: { $ref: '#/$defs/Home' } }, { Home: address('A.') }),
    ],
    [
      'a different text is next to the reference',
      root({ home: address('A.'), work: address('B.') }),
      root(
        { home: { $ref: '#/$defs/Home' }, work: { $ref: '#/$defs/Home', description: 'B.' } },
        { Home: address('A.') },
      ),
    ],
    [
      'no text is added where there was none',
      root({ home: address('A.'), work: address() }),
      root({ home: { $ref: '#/$defs/Home', description: 'A.' }, work: { $ref: '#/$defs/Home' } }, { Home: address() }),
    ],
    [
      'a part in one place is kept there',
      root({ home: address(), id: { type: 'string' } }),
      root({ home: address(), id: { type: 'string' } }),
    ],
    [
      'short parts are kept where they are',
      root({ a: { type: 'string', maxLength: 5 }, b: { type: 'string', maxLength: 5 } }),
      root({ a: { type: 'string', maxLength: 5 }, b: { type: 'string', maxLength: 5 } }),
    ],
    [
      'parts inside arrays and alternatives are found, the largest first',
      root({ list: { type: 'array', items: address() }, one: { anyOf: [address(), { type: 'null' }] } }),
      root(
        {
          list: { type: 'array', items: { $ref: '#/$defs/List' } },
          one: { anyOf: [{ $ref: '#/$defs/List' }, { type: 'null' }] },
        },
        { List: address() },
      ),
    ],
    [
      'what only a shared part repeats is kept in it',
      root({
        a: { type: 'object', properties: { home: address() } },
        b: { type: 'object', properties: { home: address() } },
      }),
      root(
        { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } },
        { A: { type: 'object', properties: { home: address() } } },
      ),
    ],
    [
      'an unused definition is removed',
      root({ a: { type: 'string' } }, { Dead: address() }),
      root({ a: { type: 'string' } }),
    ],
    [
      'a definition that is used once is written out',
      root({ a: { $ref: '#/$defs/A' } }, { A: address() }),
      root({ a: address() }),
    ],
    [
      'a definition that refers to itself is kept',
      root({ a: { $ref: '#/$defs/Node' } }, { Node: node }),
      root({ a: { $ref: '#/$defs/Node' } }, { Node: node }),
    ],
    [
      'constraints next to a reference are kept next to it',
      root({ a: { $ref: '#/$defs/A', maxProperties: 1 } }, { A: address() }),
      root({ a: { $ref: '#/$defs/A', maxProperties: 1 } }, { A: address() }),
    ],
    [
      'an inline copy of a definition refers to it',
      root({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' }, c: address() }, { A: address() }),
      root({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' }, c: { $ref: '#/$defs/A' } }, { A: address() }),
    ],
    [
      'names do not collide',
      root(
        { home: address(), Home: address(), next: { $ref: '#/$defs/Home' } },
        { Home: { type: 'object', properties: { next: { $ref: '#/$defs/Home' } } } },
      ),
      root(
        { home: { $ref: '#/$defs/Home2' }, Home: { $ref: '#/$defs/Home2' }, next: { $ref: '#/$defs/Home' } },
        { Home: { type: 'object', properties: { next: { $ref: '#/$defs/Home' } } }, Home2: address() },
      ),
    ],
    [
      'a value that looks like a schema is kept as a value',
      root({ a: { type: 'object', default: address() }, b: { type: 'object', default: address() } }),
      root({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } }, { A: { type: 'object', default: address() } }),
    ],
  ])('%s', (_title, given, want) => {
    expect(shareParts(given, 80)).toEqual(want);
  });

  it('are counted without writing them out', () => {
    let schema: Schema = address();
    for (let level = 0; level < 60; level += 1) {
      schema = {
        type: 'object',
        properties: { left: schema, right: schema, note: { type: 'string', maxLength: level } },
      };
    }
    const shared = shareParts(root({ tree: schema }), 80);
    expect(Object.keys(shared.$defs as Schema)).toHaveLength(60);
    expect(JSON.stringify(shared).length).toBeLessThan(10_000);
  });

  it('keep the order of keywords, so that a schema without shared parts is the same text', () => {
    const given = root({
      b: { type: 'array', description: 'B.', items: address() },
      a: { type: 'string', enum: ['x'] },
    });
    expect(JSON.stringify(shareParts(given))).toBe(JSON.stringify(given));
  });
});
