import { describe, expect, it } from 'vitest';
import { readPermission, WHOLE_PERMISSION, writePermission } from '../../server/principal/permission.ts';

describe('a permission', () => {
  it('is null in its column where it narrows nothing', () => {
    expect(writePermission(WHOLE_PERMISSION)).toBeNull();
    expect(readPermission(null)).toBe(WHOLE_PERMISSION);
  });

  it('comes back from its column as it was written, and is the same object for the same text', () => {
    const permission = {
      ...WHOLE_PERMISSION,
      destructive: false,
      without: ['library_burn'],
      pins: { library: { shelf: 'A', floors: 2 } },
      seen: 'hash',
    };
    const text = writePermission(permission);
    expect(readPermission(text)).toEqual(permission);
    expect(readPermission(text)).toBe(readPermission(text));
  });

  it.each(['', '{', '[]', '{"without":"x"}', '{"more":true}'])('is not read from %s', (text) => {
    expect(() => readPermission(text)).toThrow();
  });
});
