import { describe, expect, test } from 'vitest';
import {
  CredentialUnreadableError,
  createCredentialVault,
  type EncryptionKey,
} from '../../../../server/base/credentials/index.ts';

const FIELDS = { 'apiKey.username': 'näme', 'apiKey.password': 'päss:"\\\u{1f600}' };
const HERE = {
  connectionId: 'connection-1',
  partnerId: 'partner-1',
  userId: 'user-1',
  externalUserId: 'ada',
  service: 'crm',
};

function key(id: string, fill: number): EncryptionKey {
  return { id, key: Buffer.alloc(32, fill) };
}

function failureOf(open: () => unknown): CredentialUnreadableError {
  try {
    open();
  } catch (error) {
    if (error instanceof CredentialUnreadableError) return error;
    throw error;
  }
  throw new Error('it opened');
}

describe('credential vault', () => {
  const vault = createCredentialVault({ keys: [key('k1', 1)] });
  const sealed = vault.seal(FIELDS, HERE);

  test('opens what it sealed', () => {
    expect(vault.open(sealed, HERE)).toEqual(FIELDS);
    expect(vault.open(vault.seal({}, HERE), HERE)).toEqual({});
  });

  test('opens what an earlier version sealed', () => {
    const earlier = 'v2.k1.FS4ttVbjaHnWY1h_0f5LB6qaHLc_ktirEEfR8xtwpRVD5f7v63NWLGEaMg';
    expect(vault.open(earlier, HERE)).toEqual({ key: 'päss' });
  });

  test('requires a key', () => {
    expect(() => createCredentialVault({ keys: [] })).toThrow('a credential vault needs at least one key');
  });

  test('writes the key id and no plaintext', () => {
    expect(sealed).toMatch(/^v2\.k1\.[A-Za-z0-9_-]+$/);
    expect(vault.keyIdOf(sealed)).toBe('k1');
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString('utf8')).not.toContain('apiKey');
  });

  test('seals the same fields differently each time', () => {
    expect(vault.seal(FIELDS, HERE)).not.toBe(sealed);
  });

  test.each([
    ['connection', { connectionId: 'connection-2' }],
    ['partner', { partnerId: 'partner-2' }],
    ['user', { userId: 'user-2' }],
    ['service', { service: 'mailer' }],
  ])('does not open what was sealed for another %s', (_, moved) => {
    expect(failureOf(() => vault.open(sealed, { ...HERE, ...moved }))).toMatchObject({ reason: 'damaged' });
  });

  test('does not open a text with any one character changed', () => {
    for (let position = 'v2.k1.'.length; position < sealed.length; position += 1) {
      const other = sealed[position] === 'A' ? 'w' : 'A';
      const changed = sealed.slice(0, position) + other + sealed.slice(position + 1);
      if (Buffer.from(changed.slice(6), 'base64url').equals(Buffer.from(sealed.slice(6), 'base64url'))) continue;
      expect(failureOf(() => vault.open(changed, HERE)).reason).toBe('damaged');
    }
  });

  test.each(['', 'v2.k1.', 'v1.k1.AAAA', 'v2.k1.AAAA', 'plain text', 'v2..AAAA', `${sealed}.x`, `x${sealed}`])(
    'reports %j as damaged',
    (text) => {
      const failure = failureOf(() => vault.open(text, HERE));
      expect(`${failure}`).toBe(
        'CredentialUnreadableError: the sealed credential is damaged or belongs to another connection',
      );
      expect(failure.reason).toBe('damaged');
    },
  );

  test('finds no key id in a text that is not a sealed credential', () => {
    expect(vault.keyIdOf('plain text')).toBeNull();
  });

  test('names the key that is missing', () => {
    const other = createCredentialVault({ keys: [key('k2', 1)] });
    const failure = failureOf(() => other.open(sealed, HERE));
    expect(failure).toMatchObject({ reason: 'unknown-key', keyId: 'k1' });
    expect(failure.message).toContain('"k1"');
  });

  test('does not open with another key of the same id', () => {
    expect(failureOf(() => createCredentialVault({ keys: [key('k1', 2)] }).open(sealed, HERE)).reason).toBe('damaged');
  });

  test('does not open with the same key under another id', () => {
    const relabelled = createCredentialVault({ keys: [key('k2', 1)] });
    expect(failureOf(() => relabelled.open(sealed.replace('.k1.', '.k2.'), HERE)).reason).toBe('damaged');
  });

  test('seals with the first key of a rotated ring, and still opens with the others', () => {
    const turned = createCredentialVault({ keys: [key('k2', 2), key('k1', 1)] });
    expect(turned.open(sealed, HERE)).toEqual(FIELDS);
    expect(turned.keyIdOf(turned.seal(FIELDS, HERE))).toBe('k2');
  });

  test('repeats no plaintext in an error', () => {
    const failure = failureOf(() => vault.open(sealed.slice(0, -8), HERE));
    expect(failure.message).not.toContain(sealed.slice(6, 20));
  });
});
