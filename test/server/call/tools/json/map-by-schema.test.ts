import { describe, expect, test } from 'vitest';
import { mapBySchema } from '../../../../../server/call/tools/json.ts';

const title = (type: string) => ({ type, title: type });
const root = {
  properties: {
    list: { items: title('item') },
    pair: { prefixItems: [title('first')], items: title('rest') },
    map: { properties: { own: title('own') }, additionalProperties: title('other') },
    either: { anyOf: [{ $ref: '#/$defs/A' }, { allOf: [title('b')] }] },
  },
  $defs: { A: title('a') },
};

function titlesIn(value: unknown): Record<string, unknown> {
  const titles: Record<string, unknown> = {};
  mapBySchema(root, value, (part, schemas, pointer) => {
    if (typeof part !== 'object') titles[pointer] = schemas.flatMap((schema) => schema.title ?? []).join();
    return part;
  });
  return titles;
}

describe('a walk over a value with its schema', () => {
  test('gives each part the schemas that apply to it', () => {
    const value = { list: [1], pair: [1, 2], map: { own: 1, 'a/b': 2 }, either: 1, free: { own: 1 } };
    expect(titlesIn(value)).toEqual({
      '/list/0': 'item',
      '/pair/0': 'first',
      '/pair/1': 'rest',
      '/map/own': 'own',
      '/map/a~1b': 'other',
      '/either': 'a,b',
      '/free/own': '',
    });
  });

  test('returns the value itself if nothing is replaced, and copies only what holds a replaced part', () => {
    const value = { kept: { a: [1] }, changed: { a: [2] } };
    expect(mapBySchema({}, value, (part) => part)).toBe(value);
    const changed = mapBySchema({}, value, (part) => (part === 2 ? 3 : part)) as typeof value;
    expect(changed).toEqual({ kept: { a: [1] }, changed: { a: [3] } });
    expect(changed.kept).toBe(value.kept);
  });

  test('does not multiply alternatives that refer to themselves', () => {
    const alternative = { properties: { inner: { $ref: '#/$defs/Node' } } };
    const schema = {
      $ref: '#/$defs/Node',
      $defs: { Node: { anyOf: [alternative, { ...alternative }, { ...alternative }] } },
    };
    let value: unknown = 1;
    for (let depth = 0; depth < 40; depth += 1) value = { inner: value };
    let most = 0;
    mapBySchema(schema, value, (part, schemas) => {
      most = Math.max(most, schemas.length);
      return part;
    });
    expect(most).toBe(4);
  });
});
