import { describe, expect, test } from 'vitest';
import {
  createSecret,
  deriveSecret,
  digestOf,
  hashSecret,
  isSameHash,
  keyDigest,
  keySecrets,
} from '../../../../server/base/principal/secrets.ts';
import { parseAdminSecret } from '../../../../server/config/values.ts';
import { NO_DATABASE } from '../../../support/no-database.ts';

describe('a secret', () => {
  test.each([
    ['accessToken', 'at'],
    ['refreshToken', 'rt'],
    ['authorizationCode', 'ac'],
    ['clientSecret', 'cs'],
    ['partnerSecret', 'ps'],
    ['connectCode', 'cc'],
    ['connectToken', 'ct'],
    ['userLink', 'ul'],
    ['operatorSecret', 'op'],
  ] as const)('of the kind %s begins with utg_%s_, and has 256 random bits', (kind, prefix) => {
    const [one, another] = [createSecret(kind), createSecret(kind)];
    expect(one).toMatch(new RegExp(`^utg_${prefix}_[A-Za-z0-9_-]{43}$`));
    expect(one).not.toBe(another);
  });

  test('that is derived is the HMAC-SHA256 of kind and text', () => {
    const derive = (key: string, text: string) => deriveSecret('refreshToken', Buffer.from(key), text);
    expect(derive('key', 'text')).toBe('utg_rt_aCqUVFM9AmGZXhUzdpfGp0sygjsr9yzHf9KxOtmFJpI');
    expect(new Set([derive('key', 'text'), derive('key', 'other'), derive('other', 'text')]).size).toBe(3);
  });

  test('is stored as its SHA-256, and as the HMAC of that once the store has a key', () => {
    const digest = 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols';
    expect(hashSecret(NO_DATABASE, 'secret')).toBe(digest);
    keySecrets(NO_DATABASE, Buffer.alloc(32, 7));
    expect(hashSecret(NO_DATABASE, 'secret')).toBe(keyDigest(Buffer.alloc(32, 7), digest));
    expect(hashSecret(NO_DATABASE, 'secret')).not.toBe(digest);
    keySecrets(NO_DATABASE, new Error('no key'));
    expect(() => hashSecret(NO_DATABASE, 'secret')).toThrow('no key');
  });

  test('has the same hash each time, however many others were hashed, and another under another key', () => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const secrets = Array.from({ length: 10_050 }, (_, index) => `secret ${index % 10_020}`);
    const [digests, all] = [secrets.map(digestOf), () => secrets.map((secret) => hashSecret(NO_DATABASE, secret))];
    for (const key of [first, second]) {
      keySecrets(NO_DATABASE, key);
      expect(all()).toEqual(digests.map((digest) => keyDigest(key, digest)));
    }
  });

  test('is compared by its hash', () => {
    expect(isSameHash('one', 'one')).toBe(true);
    expect(['', 'x', 'onE', 'one='].some((other) => isSameHash('one', other))).toBe(false);
  });
});

describe('a secret that someone chose', () => {
  test.each([
    ['my-change-me-0123456789', 'holds a sample value'],
    ['changeme-x8!kQ27vbnW', 'holds a sample value'],
    ['The-PASSWORD-is-9f8a7d', 'holds a sample value'],
    ['Passw0rd-9f8a7d6c5bW', 'holds a sample value'],
    ['placeholder-9f8a7d6c5b', 'holds a sample value'],
    ['example-9f8a7d6c5bQW', 'holds a sample value'],
    ['yoursecret-9f8a7d6cQ', 'holds a sample value'],
    ['your-secret-9f8a7d6cQ', 'holds a sample value'],
    ['admin-secret-9f8a7d6c', 'holds a sample value'],
    ['adminsecret-9f8a7d6c', 'holds a sample value'],
    ['letmein-9f8a7d6c5bQw', 'holds a sample value'],
    ['qwerty-9f8a7d6c5bXvW', 'holds a sample value'],
    ['$(openssl rand 9f8a7)', 'holds a sample value'],
    ['amzkqwvbtamzkqwvbtzk', 'has too few different characters'],
    ['amzkqwvbtpamzkqwvbtp', 'repeats one part'],
    ['amzkqwvbtpamzkqwvbtpx', 'repeats one part'],
    ['amzkqwvbtp'.repeat(3), 'repeats one part'],
    ['abcdefghijklmnopqrst', 'is a sequence'],
    ['zyxwvutsrqponmlkjihg', 'is a sequence'],
    ['aabbccddeeffgghhiijj', 'is a sequence'],
    ['abcdefghijqzmxwvtpgk', 'is a sequence'],
  ])('as %s %s', (secret, weakness) => {
    expect(() => parseAdminSecret(secret)).toThrow(weakness);
  });

  test.each([
    'amzkqwvbtp4GamzkWvbt',
    'x-amzkqwvbtpamzkqwvbtp',
    'amzkqwvbtpamzkqwvbtpxy',
    'abcdefghijqzmxwtpgks',
    '9f8a7d6c5b4e3f2a1b0c',
    'change it, my dear 9f8',
  ])('as %s has no known weakness', (secret) => {
    expect(parseAdminSecret(secret)).toBe(secret);
  });
});
