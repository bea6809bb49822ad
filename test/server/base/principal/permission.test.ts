import { describe, expect, it } from 'vitest';
import {
  everyToolOf,
  FULL_PERMISSION,
  intersectPermissions,
  type Permission,
  readPermission,
  writePermission,
} from '../../../../server/base/principal/permission.ts';

describe('a permission', () => {
  it('is null in its column if it narrows nothing', () => {
    expect(writePermission(FULL_PERMISSION)).toBeNull();
    expect(readPermission(null)).toBe(FULL_PERMISSION);
  });

  it('is read from its column as it was written, and is the same object for the same text', () => {
    const permission = {
      ...FULL_PERMISSION,
      destructive: false,
      without: ['library_burn'],
      pins: { library: { shelf: 'A', floors: 2 } },
      seen: 'hash',
    };
    const text = writePermission(permission);
    expect(readPermission(text)).toEqual(permission);
    expect(readPermission(text)).toBe(readPermission(text));
  });

  it.each(['', '{', '[]', '{"without":"x"}', '{"more":true}'])('cannot be read from %s', (text) => {
    expect(() => readPermission(text)).toThrow();
  });
});

describe('two permissions', () => {
  const both = (first: Partial<Permission>, second: Partial<Permission>) =>
    intersectPermissions({ ...FULL_PERMISSION, ...first }, { ...FULL_PERMISSION, ...second });

  it.each<[Partial<Permission>, Partial<Permission>, Partial<Permission>]>([
    [{}, {}, {}],
    [{ destructive: false }, {}, { destructive: false }],
    [{}, { destructive: false }, { destructive: false }],
    [{ without: ['c', 'a'] }, { without: ['b', 'a'] }, { without: ['a', 'b', 'c'] }],
    [{ only: ['a', 'b'] }, {}, { only: ['a', 'b'] }],
    [{}, { only: ['a', 'b'] }, { only: ['a', 'b'] }],
    [{ only: ['a', 'b'] }, { only: ['b', 'c'] }, { only: ['b'] }],
    [
      { pins: { crm: { a: 1, b: 2 }, mailer: { c: 3 } } },
      { pins: { crm: { b: 4 }, library: { d: 5 } } },
      { pins: { crm: { a: 1, b: 4 }, mailer: { c: 3 }, library: { d: 5 } } },
    ],
    [{ catalogue: 'full', resultTokens: 1 }, {}, { catalogue: 'full', resultTokens: 1 }],
    [
      { catalogue: 'full', resultTokens: 1 },
      { catalogue: 'search', resultTokens: 2 },
      { catalogue: 'search', resultTokens: 2 },
    ],
    [
      { seen: 'one', accepted: { a: 'x' } },
      { seen: 'two', accepted: { b: 'y' } },
      { seen: 'one', accepted: { a: 'x' } },
    ],
  ])('%j and %j allow %j', (first, second, want) => {
    expect(both(first, second)).toEqual({ ...FULL_PERMISSION, ...want });
  });

  it('narrow nothing if neither narrows anything', () => {
    expect(FULL_PERMISSION).toEqual({
      destructive: true,
      without: [],
      only: null,
      pins: {},
      accounts: {},
      seen: null,
      accepted: {},
      agreed: null,
      catalogue: null,
      resultTokens: null,
      allows: null,
    });
    expect(everyToolOf('crm')).toBe('crm/*');
  });
});
