import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createValueSealer } from '../../../../server/base/credentials/sealed-value.ts';

const OLD = { id: 'old', key: Buffer.alloc(32, 1) };
const NEW = { id: 'new', key: Buffer.alloc(32, 2) };
const BINDING = { holder: 'browser-1', expiresAt: 1000 };

const sealer = createValueSealer({ keys: [OLD], purpose: 'test' });
const sealed = sealer.seal({ secret: 'planted' }, BINDING);

describe('a sealed value', () => {
  test('opens for its holder until it expires', () => {
    expect(sealer.open(sealed, { holder: 'browser-1', now: 999 })).toEqual({ secret: 'planted' });
    expect(sealer.open(sealed, { holder: 'browser-1', now: 1000 })).toBeUndefined();
  });

  test('opens if an earlier version sealed it', () => {
    const earlier =
      'v1.old.jCQEukI8-fS7gaBiD1kkYwg7Shp77D3GXW8oOQNTHgretlBQ3OcMkjJRjGajuah96XSEA44BcSiW_b_V07pOmocrF40wo_3v3qC7';
    expect(sealer.open(earlier, { holder: 'browser-1', now: 999 })).toEqual({ secret: 'planted' });
  });

  test('opens for no other holder', () => {
    expect(sealer.open(sealed, { holder: 'browser-2', now: 0 })).toBeUndefined();
  });

  test('opens only for its purpose', () => {
    const other = createValueSealer({ keys: [OLD], purpose: 'other' });
    expect(other.open(sealed, { holder: 'browser-1', now: 0 })).toBeUndefined();
  });

  test('opens while its key is in the ring', () => {
    const turned = createValueSealer({ keys: [NEW, OLD], purpose: 'test' });
    expect(turned.open(sealed, { holder: 'browser-1', now: 0 })).toEqual({ secret: 'planted' });
    expect(turned.seal(1, BINDING)).toMatch(/^v1\.new\./);
    const without = createValueSealer({ keys: [NEW], purpose: 'test' });
    expect(without.open(sealed, { holder: 'browser-1', now: 0 })).toBeUndefined();
  });

  test('reveals nothing, and differs each time', () => {
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString('latin1')).not.toContain('planted');
    expect(sealer.seal({ secret: 'planted' }, BINDING)).not.toBe(sealed);
  });

  test('does not open with any bit of it changed', () => {
    const [version, id, body] = sealed.split('.') as [string, string, string];
    const bytes = Buffer.from(body, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const text = [version, id, changed.toString('base64url')].join('.');
      expect(sealer.open(text, { holder: 'browser-1', now: 0 })).toBeUndefined();
    }
  });

  test('does not open with any character of it changed', () => {
    for (let last = 0; last < sealed.length - 'v1.old.'.length; last += 1) {
      const at = sealed.length - 1 - last;
      for (const letter of ['A', 'B', 'Q', '_']) {
        if (sealed[at] === letter) continue;
        const text = sealed.slice(0, at) + letter + sealed.slice(at + 1);
        expect(sealer.open(text, { holder: 'browser-1', now: 0 })).toBeUndefined();
      }
    }
    for (let length = 0; length < 4; length += 1) {
      const other = sealer.seal('x'.repeat(length), BINDING);
      const opened = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter(
        (letter) => sealer.open(other.slice(0, -1) + letter, { holder: 'browser-1', now: 0 }) !== undefined,
      );
      expect(opened).toEqual([other.at(-1)]);
    }
  });

  test.each([`x${sealed}`, `${sealed}.x`, `${sealed}=`, ` ${sealed}`, `${sealed}\n`])(
    'does not open with anything added: %j',
    (text) => {
      expect(sealer.open(text, { holder: 'browser-1', now: 0 })).toBeUndefined();
    },
  );

  test('is not recognised in other text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `v1.old.${text}`),
        ),
        (text) => {
          expect(sealer.open(text, { holder: 'browser-1', now: 0 })).toBeUndefined();
        },
      ),
    );
  });

  test('requires a key', () => {
    expect(() => createValueSealer({ keys: [], purpose: 'test' })).toThrow('a value sealer needs at least one key');
  });
});
