import { describe, expect, it } from 'vitest';
import { createCredentialVault } from '../../../../server/base/credentials/index.ts';
import { createCredentialOpener } from '../../../../server/call/upstream/lease.ts';
import type { SealedConnection } from '../../../../server/call/upstream/oauth/stored-token.ts';

const vault = createCredentialVault({ keys: [{ id: 'k1', key: Buffer.alloc(32, 1) }] });

function createCounted(maxKept?: number) {
  let opened = 0;
  const counted = {
    ...vault,
    open: (...given: Parameters<typeof vault.open>) => {
      opened += 1;
      return vault.open(...given);
    },
  };
  const open = createCredentialOpener({ vault: counted, ...(maxKept === undefined ? {} : { maxKept }) });
  return { open, opened: () => opened };
}

function connection(key: string, changes: Partial<SealedConnection> = {}): SealedConnection {
  const connectionId = changes.connectionId ?? 'c1';
  const binding = { connectionId, partnerId: 'p1', userId: 'u1', externalUserId: 'ada', service: 'crm' };
  return { ...binding, sealedCredential: vault.seal({ key }, binding), ...changes };
}

describe('an opened credential', () => {
  it('is decrypted once for the same sealed text', () => {
    const { open, opened } = createCounted();
    const one = connection('first');
    expect(open(one)).toEqual({ key: 'first' });
    expect(open({ ...one })).toBe(open(one));
    expect(opened()).toBe(1);
  });

  it('changes as soon as the sealed text changes', () => {
    const { open } = createCounted();
    expect(open(connection('first'))).toEqual({ key: 'first' });
    expect(open(connection('second'))).toEqual({ key: 'second' });
  });

  it.each([
    ['another connection', { connectionId: 'c2' }],
    ['another user', { userId: 'u2' }],
    ['another partner', { partnerId: 'p2' }],
    ['another service', { service: 'mailer' }],
  ])('neither opens in the row of %s, nor comes from the cache there', (_, moved) => {
    const { open } = createCounted();
    const { sealedCredential } = connection('first');
    open(connection('first'));
    expect(() => open(connection('', { ...moved, sealedCredential }))).toThrow('belongs to another connection');
  });

  it('is empty for an open service', () => {
    const { open, opened } = createCounted();
    expect(open(connection('', { sealedCredential: null }))).toEqual({});
    expect(opened()).toBe(0);
  });

  it('is evicted before those that were used later', () => {
    const { open, opened } = createCounted(2);
    const [a, b, c] = ['a', 'b', 'c'].map((id) => connection(id, { connectionId: id })) as [
      SealedConnection,
      SealedConnection,
      SealedConnection,
    ];
    for (const one of [a, b, a, c, a]) open(one);
    expect(opened()).toBe(3);
    open(b);
    expect(opened()).toBe(4);
  });
});
